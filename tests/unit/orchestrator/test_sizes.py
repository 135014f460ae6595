"""What does not fit into a message is cut, or answered in its place."""

import asyncio

import pytest
from contracts.actions import AddFeatures, AddMarker, FeatureTable, Marker
from contracts.chat import Step
from contracts.items import Place
from contracts.messages import ActionPlanReady, Outcome, PlanRequested, TurnReply
from contracts.plan import Plan
from contracts.research import Research
from contracts.session import Session
from contracts.status import Status
from hypothesis import given
from hypothesis import strategies as st
from servicekit.bus import Publishable
from servicekit.errors import MessageTooLarge
from volume import examples
from world import GOTO, LOAD, NOW, OEREB_XY, SEED, Tool, World, answer, asked, clicked, plan, two_parcels

from orchestrator import memory, sizes
from orchestrator.arrivals import ChatArrived
from orchestrator.service import TurnService
from orchestrator.texts import text

from .test_turn_service import Everybody, Store
from .turn_strategies import plans, tool_sets

MESSAGE_BYTES = 1_048_576


def test_a_long_answer_is_cut_and_says_so() -> None:
    long = Step(intent="answer", status=Status.OK, message="ä" * 1_000_000)
    cut = sizes.fitted(long, sizes.MAX_RESPONSE_BYTES, "de")
    assert cut.status is Status.OK
    assert cut.message.startswith("äää") and "gekürzt" in cut.message and cut.cut
    assert len(cut.to_json()) <= sizes.MAX_RESPONSE_BYTES


def test_a_cut_answer_keeps_its_sources_when_there_is_room() -> None:
    known = Research(user_query="q", initial_question="q")
    long = Step(intent="search_documents", status=Status.OK, message="\x00" * 1_000_000, research=known)
    assert sizes.fitted(long, sizes.MAX_RESPONSE_BYTES, "de").research == known
    large = known.model_copy(update={"user_query": "q" * 900_000})
    cut = sizes.fitted(long.model_copy(update={"research": large}), sizes.MAX_RESPONSE_BYTES, "de")
    assert cut.research is None and len(cut.to_json()) <= sizes.MAX_RESPONSE_BYTES


def test_actions_that_do_not_fit_are_an_error_with_a_word() -> None:
    marker = AddMarker(payload=Marker(id="m", coord=(2600000, 1200000), label="x" * 800_000))
    large = Step(intent="goto_address", status=Status.OK, message="da", map_actions=(marker,))
    cut = sizes.fitted(large, sizes.MAX_RESPONSE_BYTES, "de")
    assert (cut.status, cut.map_actions) == (Status.ERROR, ())
    assert "zu gross" in cut.message


def test_the_facts_for_cards_go_first_and_without_a_word() -> None:
    marker = AddMarker(payload=Marker(id="m", coord=(2600000, 1200000), label="x" * 400_000))
    facts = Place(id="p", label="x" * 400_000, kind="Ort")
    large = Step(intent="search_place", status=Status.OK, message="da", map_actions=(marker,), items=(facts,))
    cut = sizes.fitted(large, sizes.MAX_RESPONSE_BYTES, "de")
    assert cut == large.model_copy(update={"items": None})
    small = large.model_copy(update={"items": (facts.model_copy(update={"label": "Ort"}),)})
    assert sizes.fitted(small, sizes.MAX_RESPONSE_BYTES, "de") == small


def table(count: int, text: str = "x" * 1_000, id: str = "sites") -> AddFeatures:
    features = [
        {"type": "Feature", "id": str(n), "properties": {"label": text, "note": None}} for n in range(count)
    ]
    collection = {"type": "FeatureCollection", "features": features}
    return AddFeatures(payload=FeatureTable(id=id, label="Standorte", features=collection, count=count))


def numbers_in(action: object) -> list[str]:
    assert isinstance(action, AddFeatures)
    return [feature["id"] for feature in action.payload.features["features"]]


def test_of_too_many_features_the_last_are_left_out_with_a_word() -> None:
    marker = AddMarker(payload=Marker(id="m", coord=(2600000, 1200000)))
    large = Step(
        intent="query_features", status=Status.OK, message="900 Stück.", map_actions=(table(900), marker)
    )
    cut = sizes.fitted(large, sizes.MAX_RESPONSE_BYTES, "de")
    assert (cut.status, cut.intent) == (Status.OK, "query_features")
    shown, kept = cut.map_actions
    assert isinstance(shown, AddFeatures) and kept == marker
    assert shown.payload.count == 900 and shown.payload.features["type"] == "FeatureCollection"
    assert numbers_in(shown) == [str(n) for n in range(len(numbers_in(shown)))]
    assert cut.message.startswith("900 Stück.") and cut.message.endswith(text("features_cut", "de"))
    assert sizes.MAX_RESPONSE_BYTES - 3_000 < len(cut.to_json()) <= sizes.MAX_RESPONSE_BYTES
    assert sizes.fitted(cut, sizes.MAX_RESPONSE_BYTES, "de") == cut


def test_of_several_tables_the_last_one_is_cut_first() -> None:
    tables = (table(300, id="a"), table(300, id="b"), table(300, id="c"))
    large = Step(intent="query_features", status=Status.OK, message="", map_actions=tables)
    lengths = [len(numbers_in(each)) for each in sizes.fitted(large, 500_000, "fr").map_actions]
    assert lengths[0] == 300 and 0 < lengths[1] < 300 and lengths[2] == 0


def test_what_is_too_large_without_its_features_is_an_error() -> None:
    marker = AddMarker(payload=Marker(id="m", coord=(2600000, 1200000), label="x" * 800_000))
    large = Step(intent="identify", status=Status.OK, message="da", map_actions=(table(9), marker))
    cut = sizes.fitted(large, sizes.MAX_RESPONSE_BYTES, "de")
    assert (cut.status, cut.map_actions) == (Status.ERROR, ())


def test_an_answer_that_is_nothing_but_long_says_nothing_of_features() -> None:
    long = Step(intent="answer", status=Status.OK, message="x" * 900_000)
    assert text("features_cut", "de") not in sizes.fitted(long, sizes.MAX_RESPONSE_BYTES, "de").message


@given(
    counts=st.lists(st.integers(0, 40), max_size=3),
    label=st.sampled_from(["", "ü", "\x00" * 50, "x" * 500]),
    room=st.integers(400, 40_000),
)
def test_features_never_make_an_answer_larger_than_its_room(counts: list[int], label: str, room: int) -> None:
    tables = tuple(table(count, label, f"t{n}") for n, count in enumerate(counts))
    whole = Step(intent="query_features", status=Status.OK, message="Da.", map_actions=tables)
    cut = sizes.fitted(whole, room, "de")
    assert len(cut.to_json()) <= max(room, 400)
    assert (cut == whole) == (len(whole.to_json()) <= room)
    for shown, given_ in zip(cut.map_actions, tables, strict=cut.status is Status.OK):
        ids = numbers_in(shown)
        assert ids == numbers_in(given_)[: len(ids)]


def test_the_answers_of_a_round_fit_into_one_message_together() -> None:
    world = World(plan(GOTO, LOAD, GOTO))
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    while world.queue:
        event = answer(world.queue.pop(0), world.plan, world.tools)
        if isinstance(event, ActionPlanReady):
            long = event.answer.model_copy(update={"message": "x" * 500_000, "map_actions": ()})
            event = event.model_copy(update={"answer": long})
        decision = world.take(event)
        for entry in decision.progress:
            assert len(entry.to_json()) < MESSAGE_BYTES
        for _, reply in decision.replies:
            assert len(reply.to_json()) < MESSAGE_BYTES
    response = world.replies[-1].response
    assert response is not None
    assert ["gekürzt" in each.message for each in response.steps].count(False) == 1


def test_each_round_has_its_room_and_its_language() -> None:
    world = World(plan(LOAD, OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    for request in (asked(language="fr"), clicked("req-1.1.0", language="fr")):
        world.take(ChatArrived(request, Session(), "t", SEED))
        while world.queue:
            event = answer(world.queue.pop(0), world.plan, world.tools)
            if isinstance(event, ActionPlanReady) and event.answer.status is Status.OK:
                long = event.answer.model_copy(update={"message": "x" * 500_000, "map_actions": ()})
                event = event.model_copy(update={"answer": long})
            world.take(event)
    messages = [r.response.steps[0].message for r in world.replies if r.response is not None]
    assert [len(message) for message in messages] == [500_000] * 2
    too_large = World(plan(GOTO))
    too_large.tools["geolocation.geocode"] = lambda args: Outcome(status=Status.ERROR, message="x" * 900_000)
    [cut] = too_large.ask(asked(language="fr")).steps
    assert cut.message.endswith(text("cut", "fr"))


@examples(60)
@given(made=plans, tools=tool_sets(), data=st.data())
def test_a_turn_ends_whatever_command_cannot_be_sent(
    made: Plan, tools: dict[str, Tool], data: st.DataObject
) -> None:
    world = World(made, tools)
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    while world.queue:
        command = world.queue.pop(0)
        assert world.turn is not None
        lost = data.draw(st.booleans())
        event = sizes.in_place_of(world.turn, command) if lost else answer(command, made, tools)
        assert world.take(event).refused is None
    assert world.replies[-1].response is not None


class Narrow(Everybody):
    """A bus that takes no plans."""

    async def publish(self, *messages: Publishable) -> None:
        if not all(map(self.fits, messages)):
            raise MessageTooLarge
        await super().publish(*messages)

    def fits(self, message: Publishable) -> bool:
        return not isinstance(message, PlanRequested)


def test_a_command_that_the_bus_does_not_take_is_answered_at_once_and_not_tried_again() -> None:
    store, bus = Store(), Narrow(plan(GOTO), {})
    turns = TurnService(store, bus, now=lambda: NOW)
    assert asyncio.run(turns.chat(asked(), "timer")) is None
    response = bus.responses["x0"]
    assert response is not None
    assert (response.overall_status, response.steps[0].status) == (Status.ERROR, Status.ERROR)
    assert "zu viel" in response.steps[0].message
    assert TurnReply(request_id="req-1", exchange="x0", response=response).to_json()


@pytest.mark.parametrize(("chars", "remembered"), [(10, True), (memory.MAX_REMEMBERED_BYTES, False)])
def test_a_session_remembers_no_selection_that_is_too_large(chars: int, remembered: bool) -> None:
    world = World(plan(GOTO))
    (item,) = world.tools["geolocation.geocode"]({}).items[:1]
    changes = memory.learned((), (item.model_copy(update={"label": "x" * chars}),), ())
    assert any(isinstance(change, memory.Selected) for change in changes) is remembered
