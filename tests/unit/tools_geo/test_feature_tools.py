"""Points identified, features asked for and distances measured, as users are told of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from contracts.items import Address, Distance, Feature, FeatureSet, Height, Item, Parcel, Provenance
from contracts.messages import Outcome
from contracts.status import Status
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.testing import MemoryBus
from solothurn import SAMPLES
from volume import examples

from tools_geo.gateways import Area, FeaturesAt, Found, Gateways, LayerFeatures, Remark
from tools_geo.handlers import register

ZONES, RESERVES, FOREST = (
    "ch.so.afu.gewaesserschutz.schutzzonen",
    "ch.so.arp.naturreservate",
    "ch.so.awjf.waldplan",
)
HOME = {"x": 2605899, "y": 1229278}
SAMPLE = "Das sind Beispieldaten: erfunden, keine amtliche Auskunft."


async def call(gateways: Gateways, capability: str, **args: Any) -> Outcome:
    bus: Any = MemoryBus("tools-geo")
    language = args.pop("language", "de")
    return await register(bus, gateways, SAMPLES)[capability].call(args, language)


async def query(gateways: Gateways, **args: Any) -> Outcome:
    return await call(gateways, "features.query", **{"layer": "Altlasten", **args})


def found(outcome: Outcome) -> FeatureSet:
    (item,) = outcome.items
    assert isinstance(item, FeatureSet)
    return item


def types(items: Sequence[Item]) -> list[str]:
    return [item.type for item in items]


# -- what is at a point -------------------------------------------------------------------------------


async def test_a_point_tells_its_place_and_what_the_layers_have(gateways: Gateways) -> None:
    outcome = await call(gateways, "features.identify", **HOME, layers=[ZONES, RESERVES, FOREST])
    assert types(outcome.items) == ["address", "height", "feature"]
    assert outcome.note == "Kein Eintrag hier: «Naturreservate». Nur als Bild, ohne Auskunft: «Waldplan»."
    assert not outcome.again


async def test_without_the_place_only_the_layers_are_asked(gateways: Gateways) -> None:
    outcome = await call(gateways, "features.identify", **HOME, layers=[ZONES], place=False)
    assert types(outcome.items) == ["feature"]


async def test_nothing_in_sample_data_says_that_they_are_some(gateways: Gateways) -> None:
    outcome = await call(gateways, "features.identify", **HOME, layers=[RESERVES], place=False)
    assert (outcome.status, outcome.items) == (Status.OK, ())
    assert outcome.message.startswith("An dieser Stelle ist nichts bekannt. Kein Eintrag hier")
    assert "Beispieldaten" in outcome.note


async def test_parcels_come_between_address_and_height(gateways: Gateways) -> None:
    outcome = await call(gateways, "features.identify", x=2600558, y=1215510)
    assert types(outcome.items) == ["parcel", "height"]


class Down:
    """A source that does not answer to anything."""

    def __getattr__(self, _: str) -> Any:
        async def fails(*_: object) -> Any:
            raise SourceError(SourceErrorKind.UNREACHABLE, "Der Dienst")

        return fails


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("addresses", ["height", "feature"]),
        ("parcels", ["address", "height", "feature"]),
        ("heights", ["address", "feature"]),
    ],
)
async def test_a_source_that_fails_is_named_and_takes_no_other_with_it(
    gateways: Gateways, kind: str, left: list[str]
) -> None:
    down: Any = {kind: Down()}
    outcome = await call(replace(gateways, **down), "features.identify", **HOME, layers=[ZONES])
    assert (outcome.status, outcome.again, types(outcome.items)) == (Status.OK, True, left)
    assert "Der Dienst" in outcome.note


async def test_all_sources_failing_is_an_error_and_not_nothing(gateways: Gateways) -> None:
    all_down: Any = dict.fromkeys(("addresses", "parcels", "heights"), Down())
    outcome = await call(replace(gateways, **all_down), "features.identify", **HOME)
    assert outcome.status is Status.ERROR and "nichts bekannt" not in outcome.message


async def test_all_are_asked_at_once(gateways: Gateways) -> None:
    together = asyncio.Barrier(4)

    class Waiting:
        async def near(self, *_: object) -> Found[Address]:
            await together.wait()
            return Found()

        async def by_xy(self, *_: object) -> Found[Parcel]:
            await together.wait()
            return Found()

        async def height(self, *_: object) -> Found[Height]:
            await together.wait()
            return Found()

        async def at(self, *_: object) -> FeaturesAt:
            await together.wait()
            return FeaturesAt(failed=(ZONES,))

    waiting: Any = dict.fromkeys(("addresses", "parcels", "heights", "features"), Waiting())
    async with asyncio.timeout(5):
        outcome = await call(replace(gateways, **waiting), "features.identify", **HOME, layers=[ZONES])
    assert outcome.status is Status.ERROR
    assert outcome.message == "Keine Antwort bekommen zu: «Grundwasserschutzzonen»."


# -- features of a layer ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "label"),
    [
        ({"municipality": "Olten"}, "in Olten"),
        ({"municipality": "Oltn"}, "in Olten"),
        ({"extent": [2634000, 1243000, 2637000, 1246000]}, "im sichtbaren Ausschnitt"),
        ({"egrid": "CH807306583219"}, "auf Grundstück 168 in Messen"),
        (
            {"egrid": "CH807306583219", "radius": 200},
            "im Umkreis von 200 m um Grundstück 168 in Messen",
        ),
        (
            {"x": 2607888, "y": 1228249},
            "im Umkreis von 500 m um Rötistrasse 4, 4500 Solothurn",
        ),
        (
            {"x": 2600596, "y": 1215630, "radius": 1500},
            "im Umkreis von 1.5 km um 2'600'596 / 1'215'630",
        ),
        ({"municipality": "Brunnenthal"}, "im Umkreis von 1 km um Brunnenthal (Gemeinde Messen)"),
        ({"everywhere": True}, ""),
    ],
)
async def test_where_was_looked_is_told(gateways: Gateways, where: dict[str, object], label: str) -> None:
    outcome = await query(gateways, **where)
    named = f"belastete Standorte {label}".strip()
    assert outcome.status is Status.OK
    assert (found(outcome).area, found(outcome).label) == (label, named)
    assert outcome.message.startswith(f"B{named[1:]}: ") and outcome.message.endswith(SAMPLE)


async def test_zero_is_an_answer(gateways: Gateways) -> None:
    outcome = await query(gateways, municipality="Balsthal", where=[condition("Fläche", ">", 3)], order="x")
    assert (outcome.status, found(outcome).count, found(outcome).features) == (Status.OK, 0, ())
    assert outcome.message == f"Belastete Standorte in Balsthal: keine. {SAMPLE}"


def condition(attribute: str, operator: str, value: object) -> dict[str, object]:
    return {"attribute": attribute, "operator": operator, "value": value}


async def test_all_are_counted_and_the_first_are_told(gateways: Gateways) -> None:
    outcome = await query(gateways, everywhere=True)
    assert (found(outcome).count, len(found(outcome).features)) == (30, 20)
    assert outcome.message == f"Belastete Standorte: 30. Hier die ersten 20. {SAMPLE}"


async def test_the_largest_is_named_with_its_size(gateways: Gateways) -> None:
    outcome = await query(gateways, layer="Jagdreviere", everywhere=True, order="-area", limit=1)
    (largest,) = found(outcome).features
    sizes = [each for each in largest.attributes if each.name == "Fläche"]
    assert outcome.message.startswith(f"Jagdreviere: 10. An erster Stelle: {largest.label}, Fläche: ")
    assert sizes[0].unit == "ha"
    assert found(outcome).extent == largest.extent


async def test_the_nearest_is_named_with_its_distance(gateways: Gateways) -> None:
    outcome = await query(gateways, everywhere=True, x=2607888, y=1228249, order="distance", limit=1)
    (nearest,) = found(outcome).features
    assert nearest.attributes[0].name == "Distanz (Luftlinie)"
    assert f"{nearest.label}, Distanz (Luftlinie): {nearest.attributes[0].value} m." in outcome.message


async def test_conditions_stand_in_the_label_and_a_sum_in_the_message(gateways: Gateways) -> None:
    outcome = await query(
        gateways,
        layer="Naturreservate",
        municipality="Grenchen",
        where=[condition("Grösse", ">", "10 ha")],
        function="sum",
        attribute="area",
    )
    item = found(outcome)
    assert item.label == "Naturreservate in Grenchen (Fläche > 10 ha)"
    assert item.aggregate is not None and item.aggregate.unit == "m²"
    total = sum(float(v.value) for f in item.features for v in f.attributes if v.name == "Fläche")
    assert item.aggregate.value == total
    written = f"{total:,.0f}".replace(",", "'")
    assert f"Fläche, Summe: {written} m²." in outcome.message


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            {"layer": "Wald"},
            "Von «Waldplan» gibt es hier nur das Kartenbild, keine Objekte zum Zählen. Abfragen kann ich: "
            "«Grundwasserschutzzonen»,",
        ),
        ({"layer": "Einhörner"}, "Zu «Einhörner» kenne ich keine Objekte."),
        ({"order": "Farbe"}, "«Kataster der belasteten Standorte (KbS)» hat keine Angabe «Farbe»."),
        ({"where": [condition("Status", "<", 3)]}, "«Status» lässt sich so nicht vergleichen"),
        ({"municipality": "Zürich"}, "Eine Gemeinde «Zürich» kenne ich hier nicht."),
        ({"egrid": "CH000000000000", "municipality": None}, "Kein Grundstück mit EGRID"),
    ],
)
async def test_what_is_not_clear_is_asked_back(
    gateways: Gateways, args: dict[str, object], message: str
) -> None:
    outcome = await call(
        gateways, "features.query", **{"layer": "Altlasten", "municipality": "Olten", **args}
    )
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message.startswith(message)


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"x": 2607888},
        {"extent": [2637000, 1243000, 2634000, 1246000]},
        {"municipality": "Olten", "limit": 101},
        {"municipality": "Olten", "where": [condition("a", "like", "b")]},
        {"municipality": "Olten", "function": "median"},
    ],
)
async def test_bad_arguments_are_refused(gateways: Gateways, args: dict[str, object]) -> None:
    assert (await query(gateways, **args)).status is Status.ERROR


@settings(examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.text(min_size=1, max_size=60).filter(str.strip))
async def test_any_words_are_answered(gateways: Gateways, said: str) -> None:
    asked = condition(said, "=", said)
    for args in ({"layer": said}, {"municipality": said}, {"order": said}, {"where": [asked]}):
        outcome = await query(gateways, **{"municipality": "Olten", **args})
        assert outcome.status in (Status.OK, Status.NEEDS_CLARIFICATION), outcome.message
        assert outcome.message and len(outcome.message) < 1_000


async def test_answers_are_in_the_language_of_the_call(gateways: Gateways) -> None:
    outcome = await call(
        gateways,
        "features.query",
        language="fr",
        layer="sites pollués",
        municipality="Olten",
        limit=1,
        order="-area",
    )
    assert outcome.message.startswith("Sites pollués à Olten: 9. En tête: ")


@dataclass
class Partial:
    """A source that sends only some."""

    features: tuple[Feature, ...]
    matched: int | None
    remark: Remark | None = None

    async def at(self, *_: object) -> FeaturesAt:
        return FeaturesAt()

    async def within(self, layer: str, area: Area) -> Found[LayerFeatures]:
        if self.remark:
            return Found((), self.remark, {"titles": "A; B"})
        origin = Provenance(source="s", license="l", retrieved_at=datetime(2026, 3, 1, tzinfo=UTC))
        sent = LayerFeatures("l", "Bäume", self.features, origin, is_all=False, matched=self.matched)
        return Found((sent,))

    def names(self) -> tuple[str, ...]:
        return ("Bäume",)


TREES = tuple(Feature(id=str(n), label=f"Baum {n}", layer="l", layer_label="Bäume") for n in range(3))


async def test_what_the_source_has_not_sent_is_counted_if_it_says_how_many(gateways: Gateways) -> None:
    partial = replace(gateways, features=Partial(TREES, matched=5_000))
    outcome = await query(partial, layer="Bäume", municipality="Olten")
    assert found(outcome).count == 5_000
    assert outcome.message.startswith("Bäume in Olten: 5000. Hier die ersten 3. Die Quelle hat nicht alle")
    assert "Beispieldaten" not in outcome.message and outcome.note.startswith("Die Quelle hat nicht alle")


async def test_what_the_source_has_not_sent_is_not_said_to_be_missing(gateways: Gateways) -> None:
    unknown = replace(gateways, features=Partial(TREES, matched=None))
    assert "mindestens 3" in (await query(unknown, layer="Bäume", municipality="Olten")).message
    none = replace(gateways, features=Partial((), matched=None))
    outcome = await query(none, layer="Bäume", municipality="Olten")
    assert outcome.status is Status.NEEDS_CLARIFICATION and "keine" not in outcome.message.split(";")[0]


async def test_several_layers_are_asked_about(gateways: Gateways) -> None:
    several = replace(gateways, features=Partial((), None, Remark.SEVERAL_LAYERS))
    outcome = await query(several, layer="Zonen", municipality="Olten")
    assert outcome.message == "«Zonen» passt zu mehreren Layern: A; B. Welchen meinst du?"


async def test_large_outlines_fit_into_a_message(gateways: Gateways) -> None:
    ring = [[2_600_000 + n % 300, 1_200_000 + (n * 7) % 900] for n in range(20_000)]
    shape = {"type": "MultiPoint", "coordinates": ring}
    line = {"type": "LineString", "coordinates": [[2_600_000 + n, 1_200_000 + n % 2] for n in range(20_000)]}
    many = tuple(
        TREES[0].model_copy(update={"id": str(n), "geometry": line if n % 2 else shape}) for n in range(100)
    )
    crowded = replace(gateways, features=Partial(many, matched=100))
    outcome = await query(crowded, layer="Bäume", municipality="Olten", limit=100)
    assert len(found(outcome).features) == 100
    assert len(outcome.to_json()) < 900_000


async def test_an_address_search_that_is_down_takes_no_label_but_the_coordinate(gateways: Gateways) -> None:
    down: Any = {"addresses": Down()}
    outcome = await query(replace(gateways, **down), x=2607888, y=1228249)
    assert found(outcome).area == "im Umkreis von 500 m um 2'607'888 / 1'228'249"


# -- distances ----------------------------------------------------------------------------------------


async def measured(gateways: Gateways, **args: object) -> Distance:
    outcome = await call(gateways, "geolocation.distance", **args)
    (item,) = outcome.items
    assert isinstance(item, Distance), outcome.message
    return item


OLTEN, ROETI = (2635345, 1244330), (2607888, 1228249)


async def test_a_distance_is_as_the_crow_flies(gateways: Gateways) -> None:
    item = await measured(gateways, start="Rötistrasse 4, Solothurn", end="Olten")
    assert (item.start, item.end) == ("Rötistrasse 4, 4500 Solothurn", "Olten (Gemeinde)")
    assert item.metres == pytest.approx(31_820, abs=1)
    assert item.geometry == {"type": "LineString", "coordinates": [list(ROETI), list(OLTEN)]}
    assert item.provenance is not None and "·" in item.provenance.source


async def test_a_distance_begins_at_a_point(gateways: Gateways) -> None:
    there = await measured(gateways, x=2607888, y=1228249, end="Olten")
    back = await measured(gateways, start="Olten", end="2607888, 1228249")
    assert there.metres == back.metres
    assert there.start == back.end == "2'607'888 / 1'228'249"


async def test_a_distance_is_told_in_readable_units(gateways: Gateways) -> None:
    near = await call(gateways, "geolocation.distance", start="Rötistrasse 4", end="Rötistrasse 6")
    assert near.message.endswith(": 49 m Luftlinie.")
    far = await call(gateways, "geolocation.distance", language="en", start="Solothurn", end="Olten")
    assert far.message.endswith("km as the crow flies.")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Rötistrasse", "«Rötistrasse» gibt es mehrmals: Rötistrasse 1, 4500 Solothurn; "),
        ("Rötistrasse 99", "Einen Ort oder eine Adresse «Rötistrasse 99» kenne ich hier nicht. Am nächsten"),
        ("Oltn", "Einen Ort oder eine Adresse «Oltn» kenne ich hier nicht. Am nächsten kommt «Olten (Gem"),
        ("Nirgendsheim", "Einen Ort oder eine Adresse «Nirgendsheim» kenne ich hier nicht."),
        ("Walterswil", "Zu Walterswil SO (Gemeinde) ist keine Lage erfasst."),
    ],
)
async def test_only_exact_names_are_measured(gateways: Gateways, name: str, message: str) -> None:
    for args in ({"start": name, "end": "Olten"}, {"start": "Olten", "end": name}):
        outcome = await call(gateways, "geolocation.distance", **args)
        assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
        assert outcome.message.startswith(message), outcome.message


async def test_a_distance_needs_a_start(gateways: Gateways) -> None:
    assert (await call(gateways, "geolocation.distance", end="Olten", x=2607888)).status is Status.ERROR
