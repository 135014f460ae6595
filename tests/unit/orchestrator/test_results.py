"""What a writer and the session get to know of results: their data, bounded, and what was chosen."""

from datetime import UTC, datetime

import pytest
from contracts.chat import Step
from contracts.items import Item, LayerGroup, OtherItem, Parcel, Provenance
from contracts.keys import MAX_RESULTS
from contracts.messages import AnswerRequested, Outcome
from contracts.plan import PlanStep
from contracts.research import Research, Source
from contracts.session import Found, Session, StepResult
from contracts.status import Status
from world import (
    GOTO,
    LOAD,
    OEREB_XY,
    RESPOND,
    SEARCH,
    World,
    asked,
    called,
    clicked,
    layer,
    plan,
    two_parcels,
)

from orchestrator import memory
from orchestrator.results import MAX_FOUND_CHARS, MAX_REMEMBERED_CHARS, found, result_of
from orchestrator.state import StepState

PARCEL = Parcel(
    id="p",
    label="Grundstück 168 Messen",
    egrid="CH807306583219",
    number="168",
    municipality="Messen",
    area_m2=1234.5,
    coord=(2_600_513, 1_215_519),
    geometry={"type": "Polygon", "coordinates": [[[2_600_513, 1_215_519]] * 400]},
    provenance=Provenance(
        source="Amtliche Vermessung",
        license="frei",
        retrieved_at=datetime(2026, 11, 20, tzinfo=UTC),
        match="fuzzy",
        sample=True,
    ),
)
NUMBERS = PlanStep(intent="show_parcel", calls=GOTO.calls)


def results_of(world: World) -> list[StepResult]:
    changes = [change for decision in world.decisions for change in decision.changes]
    return [change.result for change in changes if isinstance(change, memory.Resulted)]


def finding(*items: Item, step: PlanStep = NUMBERS) -> World:
    world = World(plan(step, RESPOND))
    world.tools["geolocation.geocode"] = lambda args: Outcome(items=items)
    world.ask()
    return world


def told_by(world: World) -> StepResult:
    return called(world, AnswerRequested)[-1].results[0]


def test_the_writer_gets_the_data_of_what_was_found() -> None:
    (facts,) = told_by(finding(PARCEL)).items
    assert facts == {
        "type": "parcel",
        "label": "Grundstück 168 Messen",
        "sample": True,
        "fuzzy": True,
        "source": "Amtliche Vermessung",
        "retrievedAt": "2026-11-20T00:00+00:00",
        "coord": [2_600_513.0, 1_215_519.0],
        "egrid": "CH807306583219",
        "number": "168",
        "municipality": "Messen",
        "kind": "Liegenschaft",
        "areaM2": 1234.5,
    }


def test_of_a_group_it_gets_the_names_of_the_layers_and_of_a_stranger_plain_facts() -> None:
    group = LayerGroup(id="g", label="Natur", layers=(layer("Wald"), layer("Moor")))
    other = OtherItem(id="o", type="weather", label="Wetter", degrees=12.5, link_url="https://a.b", more={})
    of_group, of_stranger = found(Found(), (group, other)).items
    assert of_group == {"type": "layer_group", "label": "Natur", "layers": ["Wald", "Moor"]}
    assert of_stranger == {"type": "weather", "label": "Wetter", "degrees": 12.5}


def test_of_a_document_answer_it_gets_the_sources() -> None:
    world = World(plan(SEARCH, RESPOND))
    world.ask()
    assert told_by(world).items[0] == {"type": "document", "n": 1, "label": "Bericht 1"}


def test_that_sources_are_a_sample_goes_along() -> None:
    source = Source(n=1, id="a", name="Bericht", url="", sample=True)
    research = Research(user_query="q", initial_question="q", sources=(source,))
    answer = Step(intent="search_documents", status=Status.OK, message="Ja [1].", research=research)
    told = result_of(StepState(intent="search_documents", answer=answer)).items
    assert told == ({"type": "document", "n": 1, "label": "Bericht", "sample": True},)


def test_it_gets_to_know_what_was_chosen_from_which_list() -> None:
    world = World(plan(OEREB_XY, RESPOND))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask()
    assert results_of(world) == []
    world.ask(clicked("req-1.0.1"))
    result = told_by(world)
    assert (result.chosen, result.offered) == ("CH000000000002", ("CH000000000001", "CH000000000002"))
    assert [facts["type"] for facts in result.items] == ["oereb_extract"]
    assert results_of(world) == [result]


def test_an_offer_to_try_again_is_no_choice() -> None:
    world = World(plan(OEREB_XY, RESPOND))
    whole = world.tools["oereb.extract_by_id"]
    world.tools["oereb.extract_by_id"] = lambda args: whole(args).model_copy(update={"again": True})
    first = world.ask()
    assert (told_by(world).ok, told_by(world).chosen) == (True, None)
    world.ask(clicked(first.steps[0].choices[0].id))
    assert [result.chosen for result in results_of(world)] == [None, None]


@pytest.mark.parametrize(
    "items",
    [
        (PARCEL,) * 60,
        tuple(
            OtherItem(id="o", type="t", label="x" * 9_000, **{f"k{n}": "y" * 900 for n in range(90)})
            for _ in range(3)
        ),
        (OtherItem(id="o", type="t", label="x", many=["z" * 900] * 900),),
    ],
)
def test_however_much_is_found_little_goes_along(items: tuple[Item, ...]) -> None:
    told = found(Found(), items)
    assert len(told.to_json()) <= MAX_FOUND_CHARS + 100
    assert told.items and len(told.items) + told.more == len(items)


def test_a_session_remembers_results_and_no_talk() -> None:
    hello = PlanStep(intent="answer", message="Hallo!")
    world = World(plan(hello, GOTO, LOAD, RESPOND))
    world.tools["layers.search"] = lambda args: Outcome()
    world.ask()
    assert [(r.intent, r.ok) for r in results_of(world)] == [("goto_address", True), ("load_layer", False)]
    assert results_of(world)[0].items[0]["postalCode"] == "4500"


def test_a_long_text_is_remembered_in_part() -> None:
    world = World(plan(GOTO))
    world.tools["geolocation.geocode"] = lambda args: Outcome(
        status=Status.NEEDS_CLARIFICATION, message="x" * 5_000
    )
    world.ask()
    assert [len(r.text) for r in results_of(world)] == [MAX_REMEMBERED_CHARS]


EARLIER = tuple(StepResult(intent="show_parcel", ok=True, text=f"Ergebnis {n}") for n in range(MAX_RESULTS))


def test_a_summary_of_its_own_is_about_the_turns_before() -> None:
    world = World(plan(RESPOND), session=Session(results=EARLIER))
    world.ask(asked("Was hast du gefunden?"))
    assert called(world, AnswerRequested)[0].results == EARLIER


@pytest.mark.parametrize("steps", [(GOTO, RESPOND), (GOTO,)])
def test_a_summary_of_other_wishes_is_about_these(steps: tuple[PlanStep, ...]) -> None:
    world = World(plan(*steps), session=Session(results=EARLIER))
    world.ask()
    assert [r.intent for c in called(world, AnswerRequested) for r in c.results] == ["goto_address"] * (
        len(steps) - 1
    )
    assert world.turn is not None
    assert world.turn.session.results == ()
