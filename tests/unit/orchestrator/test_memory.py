"""What a session learns from a round."""

import pytest
from contracts.actions import (
    AddLayer,
    ClearMap,
    LayerId,
    LayerOpacity,
    LayerOrder,
    LayerVisibility,
    MapAction,
    MapLayer,
    MoveLayer,
    RemoveLayer,
    SetLayerOpacity,
    SetLayerVisibility,
    Undo,
)
from contracts.chat import Step
from contracts.plan import PlanStep, ToolCall
from contracts.research import Research, TrackedDocument
from contracts.session import HistoryEntry, LoadedLayer, StepResult, Wanted
from contracts.status import Status
from world import GOTO, LOAD, OEREB_XY, World, address, clicked, parcel, plan, two_parcels

from orchestrator.memory import (
    MAX_GIVEN_CHARS,
    MAX_HISTORY_TEXT_CHARS,
    MAX_REMEMBERED_BYTES,
    Change,
    LayerChanged,
    LayerGone,
    LayerLoaded,
    LayerMoved,
    MapCleared,
    Resulted,
    Said,
    Selected,
    learned,
    said_by_user,
    wanted_of,
)

WMS = MapLayer(
    id="wald", type="wms", source={"url": "https://example.org", "params": {"LAYERS": "wald"}}, label="Wald"
)
DRAWN = MapLayer(id="found", type="geojson", source={"data": {}, "style": {}}, label="Funde")
NOTHING_SAID = Said(HistoryEntry(role="assistant", text=""))


def done(*actions: MapAction, status: Status = Status.OK, research: Research | None = None) -> Step:
    return Step(
        intent="load_layer", status=status, message="Gemacht.", map_actions=actions, research=research
    )


def noted(research: Research) -> str:
    [change] = learned([done(research=research)], [], [])
    assert isinstance(change, Said)
    return change.entry.text


def of_the_map(*answers: Step) -> tuple[Change, ...]:
    said, *others = learned(answers, [], [])
    assert isinstance(said, Said)
    return tuple(others)


def test_what_the_user_says_is_kept_up_to_a_length() -> None:
    assert said_by_user("Hallo") == Said(HistoryEntry(role="user", text="Hallo"))
    assert said_by_user("ab" * 2_000).entry.text == "ab" * 1_000


def test_what_is_answered_is_kept_with_intent_and_status_a_line_each_up_to_a_length() -> None:
    failed = Step(intent="goto_address", status=Status.ERROR, message="Kaputt.")
    text = "[load_layer: ok] Gemacht.\n[goto_address: error] Kaputt."
    assert learned([done(), failed], [], []) == (Said(HistoryEntry(role="assistant", text=text)),)
    long = failed.model_copy(update={"message": f"{'x' * 3_000} Ende"})
    [change] = learned([long], [], [])
    assert isinstance(change, Said)
    assert len(change.entry.text) == MAX_HISTORY_TEXT_CHARS == 2_000
    assert change.entry.text.startswith("[goto_address: error] x")
    assert change.entry.text.endswith("x Ende")


def test_selections_and_results_come_after_it() -> None:
    result = StepResult(intent="load_layer", ok=True, text="Geladen.")
    changes = learned([], [address(), parcel()], [result])
    assert changes == (NOTHING_SAID, Selected(address()), Selected(parcel()), Resulted(result))


@pytest.mark.parametrize(("more", "kept"), [(0, True), (1, False)])
def test_a_selection_is_kept_up_to_a_size(more: int, kept: bool) -> None:
    room = MAX_REMEMBERED_BYTES - len(parcel().model_copy(update={"label": ""}).to_json())
    item = parcel().model_copy(update={"label": "x" * (room + more)})
    changes = learned([], [item], [])
    assert changes == ((NOTHING_SAID, Selected(item)) if kept else (NOTHING_SAID,))


def test_of_the_map_it_learns_what_was_loaded_removed_and_cleared_in_this_order() -> None:
    remove = RemoveLayer(payload=LayerId(id="gws"))
    assert of_the_map(done(ClearMap(), AddLayer(payload=WMS)), done(remove)) == (
        MapCleared(),
        LayerLoaded(LoadedLayer(id="wald", label="Wald")),
        LayerGone("gws"),
    )


def test_of_loaded_layers_it_learns_how_they_are_seen_and_where_they_lie() -> None:
    hidden = WMS.model_copy(update={"visible": False})
    assert of_the_map(
        done(
            AddLayer(payload=hidden),
            SetLayerVisibility(payload=LayerVisibility(id="wald", visible=True)),
            SetLayerOpacity(payload=LayerOpacity(id="wald", opacity=0.5)),
            MoveLayer(payload=LayerOrder(id="wald", order=0)),
        )
    ) == (
        LayerLoaded(LoadedLayer(id="wald", label="Wald", visible=False)),
        LayerChanged("wald", visible=True),
        LayerChanged("wald", opacity=0.5),
        LayerMoved("wald", 0),
    )


def test_what_is_taken_back_only_the_client_knows() -> None:
    assert of_the_map(done(Undo())) == ()


def test_a_layer_without_a_name_is_called_by_its_id() -> None:
    bare = WMS.model_copy(update={"label": None})
    assert of_the_map(done(AddLayer(payload=bare))) == (LayerLoaded(LoadedLayer(id="wald", label="wald")),)


def test_what_is_drawn_is_no_layer() -> None:
    assert of_the_map(done(AddLayer(payload=DRAWN), AddLayer(payload=WMS))) == (
        LayerLoaded(LoadedLayer(id="wald", label="Wald")),
    )


@pytest.mark.parametrize("status", [Status.ERROR, Status.NEEDS_CLARIFICATION, Status.NEEDS_USER_CHOICE])
def test_a_step_that_is_not_done_has_loaded_nothing_and_the_next_one_has(status: Status) -> None:
    assert of_the_map(done(AddLayer(payload=WMS), status=status), done(ClearMap())) == (MapCleared(),)


def test_of_a_search_it_learns_the_query_and_the_relevant_documents_up_to_a_number_and_a_length() -> None:
    def document(n: int, name: str, is_relevant: bool) -> TrackedDocument:
        return TrackedDocument(id=str(n), name=name, url="https://example.org/d", is_relevant=is_relevant)

    documents = tuple(document(n, f"Bericht {n}", n != 2) for n in range(8))
    long = document(9, "N" * 200, True)
    query = "Q" * 200
    known = Research(user_query="Wasser", initial_question="?", tracked_documents=documents)
    assert noted(known) == (
        "[load_layer: ok] (gesucht: «Wasser»; "
        "Dokumente: Bericht 0; Bericht 1; Bericht 3; Bericht 4; Bericht 5) Gemacht."
    )
    bounded = known.model_copy(update={"user_query": query, "tracked_documents": (long,)})
    assert noted(bounded) == f"[load_layer: ok] (gesucht: «{'Q' * 100}»; Dokumente: {'N' * 100}) Gemacht."
    in_vain = known.model_copy(update={"tracked_documents": ()})
    assert noted(in_vain) == "[load_layer: ok] (gesucht: «Wasser») Gemacht."


def test_of_a_step_it_learns_what_its_calls_were_given_but_for_what_is_long() -> None:
    calls = (
        ToolCall(capability="parcels.by_number", args={"number": "168", "municipality": "Messen"}),
        ToolCall(
            capability="oereb.extract_by_id", args={"question": "Darf ich bauen?", "geometry": [0] * 999}
        ),
    )
    step = PlanStep(intent="oereb_extract", calls=calls, args={"here": "point"})
    assert wanted_of(step) == Wanted(
        intent="oereb_extract",
        args={"number": "168", "municipality": "Messen", "question": "Darf ich bauen?", "here": "point"},
    )


def test_long_texts_are_cut_and_of_very_many_only_the_intents_are_kept() -> None:
    long = wanted_of(PlanStep(intent="search_documents", args={"query": "x" * 5_000}))
    assert long.args == {"query": "x" * MAX_GIVEN_CHARS}
    few, many = (learned([done()], [], [], [long] * count)[0] for count in (2, 40))
    assert isinstance(few, Said) and few.entry.wanted == (long, long)
    assert isinstance(many, Said) and {each.intent for each in many.entry.wanted} == {"search_documents"}
    assert all(each.args == {} for each in many.entry.wanted)


def test_an_answer_is_kept_with_what_its_message_was_taken_for() -> None:
    world = World(plan(GOTO, LOAD))
    world.ask()
    assert [entry.wanted for entry in answers_of(world)] == [(wanted_of(GOTO), wanted_of(LOAD))]


def test_what_was_chosen_is_kept_with_the_answer_after_the_choice() -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask()
    world.ask(clicked("req-1.0.1"))
    wanted = wanted_of(OEREB_XY)
    chosen = wanted.model_copy(update={"chosen": "CH000000000002"})
    assert [entry.wanted for entry in answers_of(world)] == [(wanted,), (chosen,)]


def answers_of(world: World) -> list[HistoryEntry]:
    changes = [change for decision in world.decisions for change in decision.changes]
    said = [change.entry for change in changes if isinstance(change, Said)]
    return [entry for entry in said if entry.role == "assistant"]
