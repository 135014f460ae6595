"""What of features is told to who writes about them."""

from datetime import UTC, datetime

from contracts.items import Aggregate, Attribute, Distance, Feature, FeatureSet, Provenance

SAMPLE = Provenance(
    source="Umweltamt", license="Frei", retrieved_at=datetime(2026, 11, 20, tzinfo=UTC), sample=True
)
SITE = Feature(
    id="1",
    label="Deponie West",
    layer="ch.so.altlasten",
    layer_label="Altlasten",
    attributes=(
        Attribute(name="Status", value="belastet"),
        Attribute(name="Fläche", value=3950, unit="m²"),
        Attribute(name="label", value="ein Attribut"),
    ),
    geometry={"type": "Point", "coordinates": [1, 2]},
    provenance=SAMPLE,
)


def test_a_feature_is_told_with_its_attributes_behind_what_it_is() -> None:
    facts = SITE.facts()
    assert list(facts)[:2] == ["type", "label"]
    assert (facts["label"], facts["Status"], facts["Fläche"]) == ("Deponie West", "belastet", "3950 m²")
    assert facts["sample"] is True and "geometry" not in facts and "attributes" not in facts


def test_a_set_is_told_with_its_number_before_the_first_five() -> None:
    features = tuple(SITE.model_copy(update={"attributes": SITE.attributes[:2]}) for _ in range(8))
    found = FeatureSet(
        id="s",
        label="Standorte in Olten",
        layer="ch.so.altlasten",
        layer_label="Altlasten",
        count=30,
        features=features,
        aggregate=Aggregate(function="sum", attribute="Fläche", value=12.5, unit="ha"),
    )
    facts = found.facts()
    assert facts["features"] == ["Deponie West (Status: belastet, Fläche: 3950 m²)"] * 5
    assert facts["aggregate"] == {"function": "sum", "attribute": "Fläche", "value": 12.5, "unit": "ha"}
    assert list(facts)[-3:] == ["count", "aggregate", "features"]


def test_none_is_a_number_too() -> None:
    none = FeatureSet(id="s", label="Standorte in Olten", layer="x", layer_label="X", count=0)
    assert (none.facts()["count"], "features" in none.facts()) == (0, False)


def test_a_distance_is_told_with_its_ends() -> None:
    facts = Distance(id="d", label="A – B", metres=10.5, start="A", end="B").facts()
    assert facts == {"type": "distance", "label": "A – B", "metres": 10.5, "start": "A", "end": "B"}
