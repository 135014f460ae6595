"""Which features are meant, in which order, and one number about them."""

import statistics
from datetime import UTC, datetime
from typing import Any

import pytest
from contracts.items import Attribute, Feature, Provenance
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.features.attributes import UnknownAttribute, reading
from tools_geo.features.query import Condition, NotComparable, Operator, Query, select

ORIGIN = Provenance(source="s", license="l", retrieved_at=datetime(2026, 3, 1, tzinfo=UTC))


def feature(name: str, geometry: dict[str, Any] | None = None, **values: str | float) -> Feature:
    """Attributes with a unit are written `Fläche__m²`."""
    attributes = []
    for key, value in values.items():
        called, _, unit = key.partition("__")
        attributes.append(Attribute(name=called.replace("_", " "), value=value, unit=unit or None))
    return Feature(
        id=name,
        label=name,
        layer="l",
        layer_label="L",
        geometry=geometry,
        attributes=tuple(attributes),
        provenance=ORIGIN,
    )


def square(side_m: float, west: float = 2_600_000) -> dict[str, Any]:
    south = 1_200_000
    corners = [(west, south), (west + side_m, south), (west + side_m, south + side_m), (west, south + side_m)]
    return {"type": "Polygon", "coordinates": [[list(corner) for corner in (*corners, corners[0])]]}


SITES = (
    feature("a", Fläche__m2=900, Status="sanierungsbedürftig", Erfasst="2009-05-01"),
    feature("b", Fläche__m2=12_000, Status="überwachungsbedürftig", Erfasst="2015-05-01"),
    feature("c", Status="sanierungsbedürftig", Erfasst="2021-05-01"),
    feature("d", Fläche__m2="1'500", Status="belastet", Erfasst="2015-12-31"),
)


def names(found: Any) -> str:
    return "".join(each.label for each in found.features)


def where(attribute: str, operator: str, value: str | float) -> Query:
    return Query(where=(Condition(attribute, Operator(operator), value),))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(), "abcd"),
        (where("Fläche", ">", 1000), "bd"),
        (where("fläche", ">", "1'000 m²"), "bd"),
        (where("Flaeche", "<=", "0.15 ha"), "ad"),
        (where("grösse", ">=", 12_000), "b"),
        (where("area", "<", 1000), "a"),
        (where("Status", "=", "Sanierungsbedürftige"), "ac"),
        (where("Statsu", "contains", "bedürftig"), "abc"),
        (where("erfasst", "<", 2015), "a"),
        (where("erfasst", "<=", 2015), "abd"),
        (where("erfasst", ">", "2015"), "c"),
        (where("erfasst", "=", 2015), "bd"),
        (where("erfasst", ">=", "31.12.2015"), "cd"),
        (Query(order="Fläche"), "adbc"),
        (Query(order="-Fläche"), "bdac"),
        (Query(order="-erfasst"), "cdba"),
        (Query(order="Status"), "dacb"),
    ],
)
def test_features_are_chosen_and_ordered(query: Query, expected: str) -> None:
    assert names(select(SITES, query)) == expected


def test_all_conditions_hold_and_are_told_as_they_were_understood() -> None:
    both = Query(
        where=(Condition("flache", Operator.MORE, 1000), Condition("status", Operator.CONTAINS, "b"))
    )
    found = select(SITES, both)
    assert names(found) == "bd"
    assert found.conditions == ("Fläche > 1000 m2", "Status: b")


@pytest.mark.parametrize(
    ("function", "value"), [("sum", 14_400), ("mean", 4_800), ("min", 900), ("max", 12_000)]
)
def test_one_number_is_about_what_has_one(function: Any, value: float) -> None:
    found = select(SITES, Query(function=function, attribute="Fläche"))
    assert found.aggregate is not None
    assert (found.aggregate.value, found.aggregate.unit, found.unknown) == (value, "m2", 1)


def test_a_count_needs_no_attribute() -> None:
    found = select(SITES, Query(where=where("Status", "=", "belastet").where, function="count"))
    assert found.aggregate is not None and found.aggregate.value == 1


def test_nothing_is_compared_where_there_is_nothing() -> None:
    found = select((), Query(where=where("Farbe", ">", 3).where, order="Farbe", function="count"))
    assert (found.features, found.unknown) == ((), 0)
    assert found.aggregate is not None and found.aggregate.value == 0


@pytest.mark.parametrize("query", [where("Farbe", "=", "rot"), Query(order="Farbe"), Query(order="distance")])
def test_an_attribute_that_nothing_has_is_named_with_those_that_there_are(query: Query) -> None:
    with pytest.raises(UnknownAttribute) as raised:
        select(SITES, query)
    assert raised.value.known == ("Fläche", "Status", "Erfasst")


@pytest.mark.parametrize(
    "query",
    [where("Status", ">", 3), where("Fläche", ">", "gross"), Query(function="sum", attribute="Status")],
)
def test_words_are_not_taken_for_numbers(query: Query) -> None:
    with pytest.raises(NotComparable):
        select(SITES, query)


def test_what_is_not_in_the_data_is_measured_and_told() -> None:
    zones = [feature("a", square(10)), feature("b", square(30)), feature("c", square(20))]
    found = select(zones, Query(order="-Fläche", function="sum", attribute="area"))
    assert names(found) == "bca"
    assert [(each.attributes[0].value, each.attributes[0].unit) for each in found.features] == [
        (900, "m²"),
        (400, "m²"),
        (100, "m²"),
    ]
    assert found.aggregate is not None and found.aggregate.value == 1400
    assert found.order == "Fläche (aus dem Umriss)"


def test_a_measure_is_told_once() -> None:
    zones = [feature("a", square(10))]
    query = Query(where=(Condition("area", Operator.MORE, "50 m²"),), order="area")
    assert len(select(zones, query).features[0].attributes) == 1


def test_the_nearest_is_measured_from_the_centre_to_the_border() -> None:
    zones = [feature("far", square(10, 2_600_500)), feature("near", square(10, 2_600_100))]
    found = select(zones, Query(order="distance"), centre=(2_600_000, 1_200_005))
    assert [(each.label, each.attributes[-1].value) for each in found.features] == [
        ("near", 100),
        ("far", 500),
    ]


def test_points_have_no_area() -> None:
    with pytest.raises(UnknownAttribute):
        reading("area", [feature("p", {"type": "Point", "coordinates": [2_600_000, 1_200_000]})], None)


def test_an_attribute_is_found_by_a_part_of_its_name_only_if_it_is_one() -> None:
    sites = [feature("a", Art_der_Nutzung="x", Art_des_Schutzes="y", Baujahr=1900)]
    assert reading("Nutzung", sites, None).name == "Art der Nutzung"
    assert reading("baujar", sites, None).name == "Baujahr"
    with pytest.raises(UnknownAttribute):
        reading("art d", sites, None)


NUMBERS = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False).map(lambda value: round(value, 3))
SIZED = st.lists(st.one_of(st.none(), NUMBERS), max_size=12)
COMPARED = {
    "<": lambda own, asked: own < asked,
    "<=": lambda own, asked: own <= asked,
    ">": lambda own, asked: own > asked,
    ">=": lambda own, asked: own >= asked,
    "=": lambda own, asked: own == asked,
}


def sized(values: list[float | None]) -> list[Feature]:
    return [
        feature(str(n), **({"Other": "x"} if value is None else {"Size": value, "Other": "x"}))
        for n, value in enumerate(values)
    ]


@given(SIZED, NUMBERS, st.sampled_from(sorted(COMPARED)))
def test_a_condition_keeps_exactly_what_fulfils_it(
    values: list[float | None], asked: float, operator: str
) -> None:
    if not any(value is not None for value in values):
        return
    found = select(sized(values), where("Size", operator, asked))
    expected = [
        str(n) for n, value in enumerate(values) if value is not None and COMPARED[operator](value, asked)
    ]
    assert [each.id for each in found.features] == expected


@given(SIZED, st.booleans())
def test_an_order_loses_nothing_and_puts_the_unknown_last(values: list[float | None], falling: bool) -> None:
    if not any(value is not None for value in values):
        return
    found = select(sized(values), Query(order="-Size" if falling else "Size"))
    assert sorted(int(each.id) for each in found.features) == list(range(len(values)))
    ranked = [values[int(each.id)] for each in found.features]
    known = [value for value in ranked if value is not None]
    assert ranked == [*sorted(known, reverse=falling), *[None] * (len(values) - len(known))]


@given(st.lists(NUMBERS, min_size=1, max_size=12))
def test_numbers_about_all_are_those_of_arithmetic(values: list[float]) -> None:
    expected = {"sum": sum(values), "mean": statistics.fmean(values), "min": min(values), "max": max(values)}
    for function, value in expected.items():
        found = select(sized([*values]), Query(function=function, attribute="Size"))  # type: ignore[arg-type]
        assert found.aggregate is not None and found.aggregate.value == pytest.approx(value, abs=0.006)
