"""The tools as the bus sees them: arguments, status, message, descriptor."""

from typing import Any

import pytest
from contracts import items
from contracts.messages import Outcome
from contracts.status import Status
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox
from solothurn import SAMPLES

from tools_geo.gateways import Gateways
from tools_geo.handlers import register
from tools_geo.texts import text

CAPABILITIES = {
    "geolocation.geocode": {"q"},
    "geolocation.municipality": {"q"},
    "geolocation.place": {"q"},
    "layers.search": {"query", "among"},
    "parcels.by_number": {"number", "municipality"},
    "parcels.by_egrid": {"egrid"},
    "parcels.by_xy": {"x", "y"},
    "terrain.height_by_xy": {"x", "y"},
    "geolocation.coordinates_by_xy": {"x", "y"},
    "geothermal.assess_by_xy": {"x", "y"},
    "cadastral.plan_by_geometry": {"egrid", "geometry"},
    "features.identify": {"x", "y", "layers", "tolerance", "place"},
    "features.query": {
        *("layer", "where", "municipality", "extent", "egrid", "x", "y", "radius", "everywhere"),
        *("order", "limit", "function", "attribute"),
    },
    "geolocation.distance": {"start", "end", "x", "y"},
}
ONE_OF = {
    "cadastral.plan_by_geometry": [{"egrid"}, {"geometry"}],
    "features.query": [{"municipality"}, {"extent"}, {"egrid"}, {"x", "y"}, {"everywhere"}],
    "geolocation.distance": [{"start"}, {"x", "y"}],
}
"""One of these sets of arguments is enough."""
REQUIRED = {
    "cadastral.plan_by_geometry": set(),
    "features.identify": {"x", "y"},
    "features.query": {"layer"},
    "geolocation.distance": {"end"},
    "layers.search": {"query"},
}
"""Of those that do not need all of theirs."""


@pytest.fixture
def toolbox(gateways: Gateways) -> Toolbox:
    bus: Any = MemoryBus("tools-geo")
    return register(bus, gateways, SAMPLES)


async def call(toolbox: Toolbox, capability: str, **args: object) -> Outcome:
    return await toolbox[capability].call(dict(args), "de")


def test_capabilities_and_argument_names_are_the_agreed_ones(toolbox: Toolbox) -> None:
    declared = {d.capability: set(d.parameters["properties"]) for d in toolbox.descriptors}
    assert declared == CAPABILITIES
    for descriptor in toolbox.descriptors:
        name, schema = descriptor.capability, descriptor.parameters
        assert set(schema.get("required", ())) == REQUIRED.get(name, CAPABILITIES[name])
        alternatives = [set(each["required"]) for each in schema.get("anyOf", ())]
        assert alternatives == ONE_OF.get(name, [])


def test_planners_can_read_every_parameter(toolbox: Toolbox) -> None:
    for descriptor in toolbox.descriptors:
        assert descriptor.phrases
        for name, schema in descriptor.parameters["properties"].items():
            assert schema["description"], (descriptor.capability, name)
            assert schema["examples"], (descriptor.capability, name)


async def test_the_examples_for_planners_work(toolbox: Toolbox) -> None:
    for descriptor in toolbox.descriptors:
        properties = descriptor.parameters["properties"]
        args = {name: schema["examples"][0] for name, schema in properties.items()}
        outcome = await call(toolbox, descriptor.capability, **args)
        assert outcome.status is Status.OK, outcome.message
        assert outcome.items
        assert {item.type for item in outcome.items} <= set(descriptor.result_types)


@pytest.mark.parametrize(
    ("capability", "args", "message"),
    [
        ("geolocation.geocode", {"q": "Rötistrasse 4"}, "1 Treffer gefunden."),
        ("geolocation.geocode", {"q": "Rötistrasse"}, "11 Treffer gefunden."),
        ("geolocation.municipality", {"q": "Grenchen"}, "1 Gemeinde gefunden."),
        ("geolocation.municipality", {"q": "Halten"}, "1 Treffer gefunden."),
        ("geolocation.place", {"q": "4566"}, "3 Treffer gefunden."),
        ("geolocation.place", {"q": "2607096.6, 1228655.6"}, "1 Treffer gefunden."),
        ("layers.search", {"query": "Wildtierkorridore"}, "Layer gefunden."),
        ("layers.search", {"query": "Lärm"}, "Mehrere Layer gefunden. Bitte triff eine Auswahl."),
        ("parcels.by_egrid", {"egrid": "CH955832730623"}, "Grundstück ermittelt."),
        (
            "parcels.by_xy",
            {"x": 2600513, "y": 1215519},
            "Mehrere Grundstücke gefunden. Bitte triff eine Auswahl.",
        ),
    ],
)
async def test_hits_come_with_their_message(
    toolbox: Toolbox, capability: str, args: dict[str, object], message: str
) -> None:
    outcome = await call(toolbox, capability, **args)
    assert (outcome.status, outcome.message) == (Status.OK, message)


@pytest.mark.parametrize(
    ("capability", "args", "beginning"),
    [
        ("geolocation.geocode", {"q": "Nirgendsgasse 7"}, "Keine Adresse «Nirgendsgasse 7» gefunden."),
        ("geolocation.municipality", {"q": "Zürich"}, "Keine Gemeinde «Zürich» gefunden."),
        ("geolocation.place", {"q": "Zürich"}, "Keinen Ort «Zürich» gefunden."),
        ("layers.search", {"query": "Solarpotenzial"}, "Einen Layer «Solarpotenzial» finde ich nicht."),
        (
            "parcels.by_number",
            {"number": "999", "municipality": "Messen"},
            "Kein Grundstück 999 in Messen gefunden.",
        ),
        (
            "parcels.by_egrid",
            {"egrid": "CH000000000000"},
            "Kein Grundstück mit EGRID CH000000000000 gefunden.",
        ),
        (
            "parcels.by_xy",
            {"x": 2700000, "y": 1200000},
            "Kein Grundstück an der Koordinate 2700000, 1200000 gefunden.",
        ),
    ],
)
async def test_nothing_found_asks_back_with_a_hint(
    toolbox: Toolbox, capability: str, args: dict[str, object], beginning: str
) -> None:
    outcome = await call(toolbox, capability, **args)
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message.startswith(beginning)
    hint = outcome.message.removeprefix(beginning).strip()
    assert "zum Beispiel «" in hint
    assert hint.count(". ") == 0, "one sentence is enough"


@pytest.mark.parametrize(
    ("capability", "args", "nearest", "tried"),
    [
        (
            "geolocation.geocode",
            {"q": "Rötelenstrasse 4, Solothurn"},
            "Rötistrasse, 4500 Solothurn",
            "Gehe zur Adresse Rötistrasse, 4500 Solothurn",
        ),
        ("geolocation.municipality", {"q": "Grenchenwil"}, "Grenchen", "Gehe nach Grenchen"),
        ("geolocation.place", {"q": "Brunnenthalerau"}, "Brunnenthal", "Gehe nach Brunnenthal"),
        (
            "parcels.by_number",
            {"number": "97", "municipality": "Grenchenwil"},
            "Grenchen",
            "Zeige mir Grundstück 97 in Grenchen",
        ),
        ("layers.search", {"query": "Karat"}, "Karst", "Lade die Karte Karst"),
    ],
)
async def test_nothing_found_names_the_nearest_that_exists(
    toolbox: Toolbox, capability: str, args: dict[str, object], nearest: str, tried: str
) -> None:
    outcome = await call(toolbox, capability, **args)
    assert (outcome.items, outcome.suggestions[0]) == ((), tried)
    assert outcome.message.endswith(f"Am nächsten kommt «{nearest}».")


async def test_what_was_asked_for_is_named_in_bounds(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "geolocation.place", q="Nirgends " * 20)
    named = outcome.message.partition("«")[2].partition("»")[0]
    assert named.endswith("…") and len(named) <= 80


async def test_an_unknown_house_number_is_named_before_the_choice(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "geolocation.geocode", q="Rötistrasse 99, Solothurn")
    assert outcome.message == (
        "Die Hausnummer 99 ist an dieser Strasse (Rötistrasse) nicht erfasst. 11 Treffer gefunden."
    )


async def test_an_unknown_municipality_is_named(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "parcels.by_number", number="198", municipality="Zürich")
    assert outcome.message == (
        "Kein Grundstück 198 in Zürich gefunden. Eine Gemeinde «Zürich» kenne ich hier nicht."
    )


@pytest.mark.parametrize(
    ("capability", "args", "language", "tried"),
    [
        (
            "geolocation.geocode",
            {"q": "Xyzweg 1"},
            "de",
            ("Gehe zur Adresse Langendorfstrasse 19b, Solothurn",),
        ),
        (
            "geolocation.geocode",
            {"q": "Xyzweg 1"},
            "fr",
            ("Va à l'adresse Langendorfstrasse 19b, Solothurn",),
        ),
        ("geolocation.municipality", {"q": "Xyz"}, "de", ("Gehe nach Solothurn",)),
        ("layers.search", {"query": "Xyzabc"}, "en", ("Load the map Gewässerschutz",)),
        ("parcels.by_egrid", {"egrid": "CH000000000000"}, "de", ("Zeige mir Grundstück 198 in Messen",)),
        ("terrain.height_by_xy", {"x": 2800000, "y": 1100000}, "de", ("Wie hoch liegt 2596632, 1227042?",)),
        ("parcels.by_number", {"number": "198", "municipality": "Zürich"}, "de", ()),
        ("geolocation.geocode", {"q": "Rötistrasse 4, Solothurn"}, "de", ()),
    ],
)
async def test_the_examples_of_a_hint_are_sentences_to_send(
    toolbox: Toolbox, capability: str, args: dict[str, object], language: str, tried: tuple[str, ...]
) -> None:
    outcome = await toolbox[capability].call(args, language)
    assert outcome.suggestions == tried, outcome.message


async def test_a_missing_street_is_asked_for(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "geolocation.geocode", q="Solothurn")
    assert outcome.status is Status.NEEDS_CLARIFICATION
    assert "«Solothurn» ist ein Ort, es fehlt die Strasse." in outcome.message


async def test_a_missing_position_is_mentioned(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "geolocation.municipality", q="Walterswil")
    assert outcome.status is Status.OK
    assert outcome.message.startswith("Zu Walterswil SO (Gemeinde) ist keine Lage erfasst.")


async def test_an_egrid_may_be_written_as_on_paper(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "parcels.by_egrid", egrid="ch 9558 3273 0623")
    assert isinstance(outcome.items[0], items.Parcel)
    assert outcome.items[0].egrid == "CH955832730623"


async def test_a_parcel_number_may_be_a_json_number(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "parcels.by_number", number=198, municipality="Messen")
    assert len(outcome.items) == 1


@pytest.mark.parametrize(
    ("capability", "args"),
    [
        ("geolocation.geocode", {"q": "  "}),
        ("geolocation.geocode", {"q": "x" * 201}),
        ("layers.search", {}),
        ("parcels.by_egrid", {"egrid": "CH12"}),
        ("parcels.by_number", {"number": True, "municipality": "Messen"}),
        ("parcels.by_xy", {"x": 1215519, "y": 2600513}),
        ("parcels.by_xy", {"x": 7.5, "y": 47.2}),
    ],
)
async def test_bad_arguments_are_an_error(toolbox: Toolbox, capability: str, args: dict[str, object]) -> None:
    assert (await call(toolbox, capability, **args)).status is Status.ERROR


async def test_every_item_has_provenance_and_confidence(toolbox: Toolbox) -> None:
    queries: list[tuple[str, dict[str, object]]] = [
        ("geolocation.geocode", {"q": "Rötistrasse"}),
        ("geolocation.municipality", {"q": "Balm"}),
        ("geolocation.place", {"q": "4566"}),
        ("layers.search", {"query": "Wasser"}),
        ("parcels.by_xy", {"x": 2600513, "y": 1215519}),
    ]
    for capability, args in queries:
        outcome = await call(toolbox, capability, **args)
        assert len(outcome.items) > 1
        for item in outcome.items:
            assert item.provenance is not None
            assert item.provenance.source
            assert item.provenance.license
            assert item.provenance.retrieved_at.utcoffset() is not None
            assert item.confidence is not None
            assert 0 < item.confidence <= 1


@pytest.mark.parametrize(
    ("language", "found", "source"),
    [
        ("de", "Höhe ermittelt.", "Beispieldaten"),
        ("fr", "Altitude trouvée.", "Données d’exemple"),
        ("it", "Altitudine trovata.", "Dati di esempio"),
        ("en", "Height found.", "Sample data"),
        ("rm", "Höhe ermittelt.", "Beispieldaten"),
    ],
)
async def test_a_tool_speaks_the_language_of_its_call(
    toolbox: Toolbox, language: str, found: str, source: str
) -> None:
    args = {"x": 2600513, "y": 1215519}
    outcome = await toolbox["terrain.height_by_xy"].call(args, language)
    (height,) = outcome.items
    assert outcome.message == found
    assert height.provenance is not None and height.provenance.source.startswith(source)


async def test_the_kind_of_a_place_is_a_fact_and_no_text(toolbox: Toolbox) -> None:
    """What is made of it, such as how near the map goes, does not depend on the language."""
    outcome = await toolbox["geolocation.place"].call({"q": "2607096.6, 1228655.6"}, "fr")
    (place,) = outcome.items
    assert isinstance(place, items.Place)
    assert place.kind == "Koordinate"


async def test_a_plan_is_made_once_in_each_language(toolbox: Toolbox) -> None:
    async def plan(language: str) -> items.CadastralPlan:
        outcome = await toolbox["cadastral.plan_by_geometry"].call({"egrid": "CH955832730623"}, language)
        (made,) = outcome.items
        assert isinstance(made, items.CadastralPlan)
        return made

    german, french, again = await plan("de"), await plan("fr"), await plan("fr")
    assert german.label.startswith("Grundbuchplan") and french.label.startswith("Plan du registre foncier")
    assert german.url != french.url and french.url == again.url


def test_an_unknown_text_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        text("no_such_text")


async def test_a_point_is_told_in_three_systems(toolbox: Toolbox) -> None:
    outcome = await toolbox["geolocation.coordinates_by_xy"].call({"x": 2600513, "y": 1215519}, "de")
    (found,) = outcome.items
    assert found.coord == (2600513, 1215519) and found.model_dump()["lv03"] == (600513, 215519)
    assert outcome.message.splitlines()[:3] == [
        "LV95: 2600513 / 1215519",
        "LV03: 600513 / 215519",
        "WGS84: 47.09068, 7.44539",
    ]


async def test_the_user_chooses_among_the_titles_that_are_given(toolbox: Toolbox) -> None:
    among = ("Karst", "Geotope", "Karst")
    outcome = await call(toolbox, "layers.search", query="Löcher im Kalk", among=among)
    assert [(item.label, item.confidence) for item in outcome.items] == [("Karst", 0.5), ("Geotope", 0.5)]
    nothing = await call(toolbox, "layers.search", query="Löcher im Kalk", among=("Xyzabc",))
    assert "Löcher im Kalk" in nothing.message
