"""A tool that is called for every item of a result, and what comes of it on the map."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from contracts.items import Passage, Relevance
from contracts.messages import ActionPlanRequested, Outcome, ToolCalled
from contracts.research import ErrorType
from contracts.session import Session
from contracts.status import Status
from contracts.tools import ToolDescriptor
from world import (
    NOW,
    SEED,
    TEXT,
    TOOLS,
    World,
    address,
    answer,
    asked,
    called,
    descriptor,
    parcel,
    plan,
    step,
)

from orchestrator.arrivals import ChatArrived
from orchestrator.decision import due
from orchestrator.fanout import MAX_ITEMS, MAX_RESULT_BYTES
from orchestrator.flows import is_read_again
from orchestrator.state import Findings, ItemResult, Phase

RATE = "parcels.rate"
FIND = step("find_parcels", ("parcels.by_number", {"number": "1", "municipality": "Messen"}))
THREE = Outcome(items=(parcel(1), parcel(2), parcel(3)), note="Stand 2026")


def rated(args: dict[str, object]) -> Outcome:
    """The parcel with another label; the second one has a neighbour, of the third nothing is known."""
    assert isinstance(args["parcel"], dict)
    n = int(str(args["parcel"]["id"])[2:])
    found = parcel(n).model_copy(update={"label": f"Zone {n}"})
    return Outcome(items={1: (found,), 2: (found, parcel(9)), 3: ()}.get(n, (found,)))


@pytest.fixture
def rating(monkeypatch: pytest.MonkeyPatch) -> Callable[..., World]:
    """A world in which a tool is called for each parcel that is found."""

    def world(found: Outcome = THREE, **more: object) -> World:
        takes = {"type": "object", "properties": {"id": TEXT, "egrid": TEXT}}
        plain = descriptor(RATE, ("parcel",), municipality_=TEXT, parcel=takes)
        monkeypatch.setitem(TOOLS, RATE, plain.model_copy(update={"for_each": "parcel"} | more))
        made = World(plan(FIND))
        made.tools |= {"parcels.by_number": lambda args: found, RATE: rated}
        return made

    return world


def rates_of(world: World) -> list[ToolCalled]:
    return [command for command in called(world, ToolCalled) if command.capability == RATE]


def shown(world: World) -> Outcome:
    (request,) = called(world, ActionPlanRequested)
    return request.outcome


def test_it_is_called_for_all_at_the_same_time_with_what_it_takes_of_each(
    rating: Callable[..., World],
) -> None:
    world = rating()
    world.ask()
    (batch,) = [d.commands for d in world.decisions if any(c in rates_of(world) for c in d.commands)]
    assert [command.args for command in batch if isinstance(command, ToolCalled)] == [
        {"municipality": "Messen", "parcel": {"id": each.id, "egrid": each.egrid}}
        for each in map(parcel, (1, 2, 3))
    ]
    assert {command.deadline for command in rates_of(world)} == {NOW + timedelta(seconds=12)}


def test_a_schema_that_does_not_say_what_it_takes_gets_all_of_the_item(rating: Callable[..., World]) -> None:
    parameters = {"type": "object", "properties": {"parcel": {"type": "object"}}, "required": ["parcel"]}
    again = parcel(1).model_copy(update={"label": "…"})
    world = rating(Outcome(items=(parcel(1), again)), parameters=parameters)
    world.ask()
    assert [command.args for command in rates_of(world)] == [
        {"parcel": parcel(1).model_dump(mode="json", exclude_none=True)}
    ]


def test_what_is_found_takes_the_place_of_its_item_and_where_nothing_is_the_item_stays(
    rating: Callable[..., World],
) -> None:
    world = rating()
    world.ask()
    outcome = shown(world)
    assert [item.label for item in outcome.items] == ["Zone 1", "Zone 2", parcel(9).label, parcel(3).label]
    assert outcome.note == "Stand 2026"
    assert world.turn is not None and world.turn.steps[0].phase is Phase.CHOOSING
    assert (world.turn.steps[0].findings, world.turn.retrieved) == (None, {})


def test_the_order_in_which_it_answers_does_not_matter(rating: Callable[..., World]) -> None:
    world = rating()
    world.take(ChatArrived(asked(), Session(), "timer", SEED))
    for _ in range(2):
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
    world.queue.reverse()
    world.work()
    assert [item.label for item in shown(world).items][:2] == ["Zone 1", "Zone 2"]


def test_an_item_with_which_it_fails_stays(rating: Callable[..., World]) -> None:
    world = rating()
    world.tools[RATE] = lambda args: Outcome(status=Status.ERROR, error_type=ErrorType.SERVER_ERROR)
    world.ask()
    assert shown(world).items == THREE.items


def test_what_is_too_much_of_one_item_is_not_kept(rating: Callable[..., World]) -> None:
    long = parcel(7).model_copy(update={"label": "x" * MAX_RESULT_BYTES})
    world = rating()
    world.tools[RATE] = lambda args: Outcome(items=(long,))
    world.ask()
    assert shown(world).items == THREE.items


def test_an_argument_of_the_call_before_does_not_stand_in_for_the_item(rating: Callable[..., World]) -> None:
    takes = {"parcel": {"type": "object"}, "zone": TEXT}
    world = rating(parameters={"type": "object", "properties": takes, "required": list(takes)})
    args = {"parcel": {"id": "?"}, "zone": "W2", "number": "1", "municipality": "M"}
    world.plan = plan(step("find_parcels", ("parcels.by_number", args)))
    world.ask()
    assert [command.args["zone"] for command in rates_of(world)] == ["W2"] * 3
    assert [command.args["parcel"]["id"] for command in rates_of(world)] == [p.id for p in THREE.items]
    assert [item.label for item in shown(world).items][:2] == ["Zone 1", "Zone 2"]


def test_it_is_not_waited_for_until_the_deadline(rating: Callable[..., World]) -> None:
    world = rating()
    arrived = ChatArrived(asked(), Session(), "timer", SEED)
    world.take(arrived)
    for _ in range(3):
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
    assert world.turn is not None
    assert due(world.turn, world.turn.rounds[0]) == NOW + timedelta(seconds=12)
    world.now += timedelta(seconds=12)
    world.take(arrived)
    assert [item.label for item in shown(world).items] == ["Zone 1", parcel(2).label, parcel(3).label]


def test_no_more_than_so_many_items_are_looked_at_and_each_once(rating: Callable[..., World]) -> None:
    parcels = (parcel(4), *(parcel(n) for n in range(4, MAX_ITEMS + 10)))
    world = rating(Outcome(items=parcels))
    world.ask()
    assert [c.args["parcel"]["id"] for c in rates_of(world)] == [p.id for p in parcels[1 : MAX_ITEMS + 1]]
    assert len(shown(world).items) == len(parcels)


@pytest.mark.parametrize(
    "found",
    [
        Outcome(),
        Outcome(items=(address(),)),
        THREE.model_copy(update={"status": Status.NEEDS_CLARIFICATION}),
        THREE.model_copy(update={"status": Status.ERROR}),
    ],
)
def test_without_an_item_of_its_type_or_a_good_result_it_is_not_called(
    rating: Callable[..., World], found: Outcome
) -> None:
    world = rating(found)
    world.ask()
    assert rates_of(world) == []


def test_what_asks_for_more_than_the_call_before_has_is_not_called(rating: Callable[..., World]) -> None:
    parameters = TOOLS["parcels.by_number"].parameters
    more = {"parcel": {"type": "object"}, "zone": TEXT}
    world = rating(parameters={**parameters, "properties": more, "required": ["parcel", "zone"]})
    world.ask()
    assert (rates_of(world), shown(world)) == ([], THREE)


def test_the_result_is_stored_where_its_items_are_looked_at(rating: Callable[..., World]) -> None:
    world = rating()
    world.ask()
    commands = called(world, ToolCalled)
    assert world.turn is not None
    planned = world.turn.model_copy(
        update={
            "tools": tuple(tool.called for tool in TOOLS.values()),
            "steps": tuple(s.model_copy(update={"calls": FIND.calls}) for s in world.turn.steps),
        }
    )
    assert [is_read_again(planned, command) for command in commands] == [True, False, False, False]
    tools = tuple(tool for tool in planned.tools if tool.capability != RATE)
    assert not is_read_again(planned.model_copy(update={"tools": tools}), commands[0])


def test_what_an_earlier_version_kept_of_documents_is_understood() -> None:
    verdict = '{"isRelevant": false, "reason": "Verkehr.", "quotes": [{"text": "Die Strasse."}]}'
    kept = f'{{"query": "Wasser", "round": 1, "call": 0, "verdicts": {{"d1": {verdict}}}}}'
    findings = Findings.from_json(kept)
    assert (findings.round, findings.call) == (1, 0)
    (judged,) = findings.results["d1"].items
    quotes = (Passage(text="Die Strasse."),)
    assert judged == Relevance(id="d1", label="d1", is_relevant=False, reason="Verkehr.", quotes=quotes)
    assert Findings.from_json('{"query": "Wasser", "round": 0, "call": 0}').results == {}
    now = Findings(round=0, call=0, results={"d1": ItemResult(failure="timeout")})
    assert Findings.from_json(now.to_json()) == now


def test_a_descriptor_tells_a_turn_what_it_is_called_for() -> None:
    tool = ToolDescriptor(
        capability=RATE, service="s", parameters={}, result_types=(), description="", for_each="parcel"
    )
    assert tool.called.for_each == "parcel"
    assert b"internal" not in tool.to_json()
