"""Only what is alive is called; what nobody has heard of is called by its own phrases."""

from datetime import UTC, datetime

import pytest
from contracts.messages import PlanRequested, Usage
from contracts.plan import Plan

from planner.planning import Planned, Planner
from planner.rules import RulesPlanner, plan

from .rules_kit import NUMBER, TEXT, TOOLS, after, planned, told, tool, unavailable, without


@pytest.mark.parametrize(
    ("message", "gone", "intent"),
    [
        ("Gehe zur Rötistrasse 4 in Solothurn", "geolocation.geocode", "goto_address"),
        ("Lade den Waldplan", "layers.search", "load_layer"),
        ("Zeige Parzelle 168 in Messen", "parcels.by_number", "show_parcel"),
        ("ÖREB-Auszug für CH955832730623", "oereb.extract_by_id", "oereb_extract"),
        ("ÖREB-Auszug für Parzelle 168 in Messen", "parcels.by_number", "oereb_extract"),
        ("Wie hoch liegt 2600513, 1215519?", "terrain.height_by_xy", "height_query"),
        ("Kann ich hier bohren?", "geothermal.assess_by_xy", "geothermal_probe_assessment"),
        ("Grundbuchplan für Parzelle 168 in Messen", "cadastral.plan_by_geometry", "cadastral_plan"),
        ("Suche Dokumente zu Radwegen", "documents.retrieve", "search_documents"),
    ],
)
def test_a_missing_tool_is_named(message: str, gone: str, intent: str) -> None:
    tools = without(gone)
    assert planned(message, tools=tools) == (f"{intent}?",)
    assert told(message, tools=tools) == unavailable(gone)


def test_the_other_steps_are_planned_all_the_same() -> None:
    assert planned(
        "Gehe nach Grenchen und lade den Waldplan",
        tools=without("geolocation.municipality", "geolocation.place"),
    ) == (
        "search_place?",
        "load_layer: layers.search(query=Waldplan)",
    )


def test_a_wish_whose_place_cannot_be_found_does_not_take_an_older_one() -> None:
    message = "Gehe zur Rötistrasse 4 in Solothurn und erstelle einen ÖREB-Auszug"
    assert planned(message, tools=without("geolocation.geocode")) == ("goto_address?", "oereb_extract?")


@pytest.mark.parametrize(
    ("message", "gone", "expected"),
    [
        ("Gehe nach Grenchen", "geolocation.municipality", "search_place: geolocation.place(q=Grenchen)"),
        ("Gehe nach Mühledorf", "geolocation.place", "search_place: geolocation.municipality(q=Mühledorf)"),
        (
            "ÖREB-Auszug bei 2600513, 1215519",
            "oereb.egrid_by_xy",
            "oereb_extract: parcels.by_xy(x=2600513, y=1215519) > oereb.extract_by_id()",
        ),
        (
            "Grundbuchplan für CH955832730623",
            "parcels.by_egrid",
            "cadastral_plan: cadastral.plan_by_geometry(egrid=CH955832730623)",
        ),
    ],
)
def test_a_tool_that_gives_the_same_stands_in(message: str, gone: str, expected: str) -> None:
    assert planned(message, tools=without(gone)) == (expected,)


TREES = tool("trees.count", "number", phrases=("wie viele Bäume", "Baumbestand"), x=NUMBER, y=NUMBER)
SOLAR = tool("energy.solar", "solar", phrases=("Solarpotenzial",), egrid=TEXT)
STOPS = tool("transport.stops", "stop", phrases=("Haltestellen", "Busfahrplan"), q=TEXT)
SURVEYOR = tool(
    "survey.office",
    "office",
    phrases=("Nachführungsgeometer",),
    municipality=TEXT,
    kind={"type": "string", "enum": ["av"]},
)
FOREIGN = (*TOOLS, TREES, SOLAR, STOPS, SURVEYOR)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Wie viele Bäume stehen bei 2600513, 1215519?", "trees_count: trees.count(x=2600513, y=1215519)"),
        ("Baumbestand", "trees_count: trees.count()"),
        (
            "Zeige mir den Baumbestand an der Rötistrasse 4 in Solothurn",
            "trees_count: geolocation.geocode(q=Rötistrasse 4, Solothurn) > trees.count()",
        ),
        (
            "Wie gross ist das Solarpotential von CH955832730623?",
            "energy_solar: energy.solar(egrid=CH955832730623)",
        ),
        (
            "Solarpotenzial von Parzelle 168 in Messen",
            "energy_solar: parcels.by_number(number=168, municipality=Messen) > energy.solar()",
        ),
        ("Welche Haltestellen heissen Bahnhofplatz?", "transport_stops: transport.stops(q=Bahnhofplatz)"),
        ("Zeige die Haltestellen in Grenchen", "transport_stops: transport.stops(q=Grenchen)"),
        ("Wer ist der Nachführungsgeometer von Messen?", "survey_office: survey.office(municipality=Messen)"),
    ],
)
def test_a_foreign_tool_is_found_by_its_phrases(message: str, expected: str) -> None:
    assert planned(message, tools=FOREIGN) == (expected,)


def test_a_foreign_tool_asked_after_a_parcel_is_about_that_parcel() -> None:
    message = "Zeige Parzelle 168 in Messen und danach das Solarpotenzial"
    assert planned(message, tools=FOREIGN)[1] == "energy_solar: energy.solar()"


def test_foreign_phrases_do_not_hide_what_the_grammar_knows() -> None:
    greedy = tool("greedy.tool", "thing", phrases=("ÖREB", "lade", "entferne", ""), q=TEXT)
    tools = (*TOOLS, greedy)
    assert planned("Erstelle einen ÖREB-Auszug für CH955832730623", tools=tools) == (
        "oereb_extract: oereb.extract_by_id(egrid=CH955832730623)",
    )
    assert planned("Entferne den Waldplan", tools=tools) == ("remove_layer: name=Waldplan",)


@pytest.mark.parametrize("parameters", [{}, {"required": None}, {"properties": [], "required": "x"}])
def test_a_tool_with_a_strange_schema_is_harmless(parameters: dict[str, object]) -> None:
    strange = TREES.model_copy(update={"parameters": parameters})
    assert planned("Baumbestand Grenchen", tools=(*TOOLS, strange)) == ("trees_count: trees.count()",)


async def test_the_planner_is_a_planner() -> None:
    planner: Planner = RulesPlanner()
    request = PlanRequested(
        request_id="r",
        session_id="s",
        deadline=datetime(2030, 1, 1, tzinfo=UTC),
        user_message="Zeige mir Grenchen",
        session=after("Hallo"),
    )
    assert planner.name == "rules"
    made = plan("Zeige mir Grenchen", after("Hallo"), TOOLS)
    assert await planner.plan(request, TOOLS) == Planned(made, "rules", Usage())
    assert isinstance((await planner.plan(request, ())).plan, Plan)


@pytest.mark.parametrize(
    ("message", "first"),
    [
        (
            "Welche Koordinaten hat die Rötistrasse 4 in Solothurn?",
            "geolocation.geocode(q=Rötistrasse 4, Solothurn) > ",
        ),
        ("Koordinaten von Grenchen", "geolocation.place(q=Grenchen) > "),
        (
            "Quelles coordonnées a la parcelle 168 à Messen ?",
            "parcels.by_number(number=168, municipality=Messen) > ",
        ),
        ("Which coordinates of Olten", "geolocation.place(q=Olten) > "),
        ("Welches sind die Koordinaten von Olten?", "geolocation.place(q=Olten) > "),
        ("What are the coordinates of Olten?", "geolocation.place(q=Olten) > "),
    ],
)
def test_what_only_its_declaration_names_is_understood(message: str, first: str) -> None:
    assert planned(message) == (f"coordinate_query: {first}geolocation.coordinates_by_xy()",)
