"""What a call lacks, and what of a selection fills it."""

from typing import Any

import pytest
from contracts.items import Municipality
from contracts.tools import ToolDescriptor
from world import EGRID, NUMBER, TEXT, address, descriptor, extract, layer, parcel

from orchestrator.binding import bind, complete, could_bind, missing

HEIGHT = descriptor("terrain.height_by_xy", ("height",), x=NUMBER, y=NUMBER)
EXTRACT = descriptor("oereb.extract_by_id", ("oereb_extract",), egrid=EGRID)
MUNICIPALITY = Municipality(id="2457", label="Messen", name="Messen", bfs_number=2457)


def schema(properties: dict[str, Any], **keywords: Any) -> ToolDescriptor:
    """A tool that describes its arguments in its own way."""
    return HEIGHT.model_copy(update={"parameters": {"type": "object", "properties": properties, **keywords}})


EITHER = schema(
    {"egrid": EGRID, "x": NUMBER, "y": NUMBER}, anyOf=[{"required": ["x", "y"]}, {"required": ["egrid"]}]
)


class TestMissing:
    def test_what_is_required_and_not_given(self) -> None:
        assert missing(HEIGHT, {"x": 1.0}) == (frozenset({"y"}),)

    def test_what_is_optional_does_not_lack(self) -> None:
        assert missing(descriptor("a.b", (), q=TEXT, limit_=NUMBER), {}) == (frozenset({"q"}),)

    @pytest.mark.parametrize("parameters", [{}, {"type": "object", "anyOf": []}])
    def test_a_schema_that_requires_nothing_lacks_nothing(self, parameters: dict[str, Any]) -> None:
        assert missing(HEIGHT.model_copy(update={"parameters": parameters}), {}) == (frozenset(),)

    def test_each_alternative_is_a_gap_and_the_smallest_comes_first(self) -> None:
        assert missing(EITHER, {}) == (frozenset({"egrid"}), frozenset({"x", "y"}))

    def test_gaps_of_one_size_come_in_the_order_of_their_names(self) -> None:
        names = ("d", "b", "c", "a")
        tool = schema({}, anyOf=[{"required": [name]} for name in names])
        assert missing(tool, {}) == tuple(frozenset({name}) for name in sorted(names))

    def test_what_is_always_required_belongs_to_each_alternative(self) -> None:
        tool = schema({}, required=["scale"], anyOf=[{"required": ["geometry"]}, {"required": ["egrid"]}])
        assert missing(tool, {"geometry": {}}) == (frozenset({"scale"}), frozenset({"egrid", "scale"}))

    def test_an_alternative_that_requires_nothing_lacks_nothing(self) -> None:
        tool = schema({}, anyOf=[{"required": ["egrid"]}, {"title": "everywhere"}])
        assert missing(tool, {}) == (frozenset(), frozenset({"egrid"}))

    def test_alternatives_that_lack_the_same_are_one(self) -> None:
        tool = schema({}, anyOf=[{"required": ["a", "c"]}, {"required": ["b", "c"]}])
        assert missing(tool, {"a": 1, "b": 1}) == (frozenset({"c"}),)


class TestComplete:
    def test_with_all_that_is_required(self) -> None:
        assert complete(HEIGHT, {"x": 1.0, "y": 2.0})
        assert not complete(HEIGHT, {"x": 1.0})

    def test_with_one_of_the_alternatives(self) -> None:
        assert complete(EITHER, {"egrid": "CH000000000001"})
        assert not complete(EITHER, {"x": 1.0})


class TestCouldBind:
    def test_a_type_that_has_all_of_a_gap(self) -> None:
        assert could_bind(["address"], [frozenset({"x", "y"})])
        assert not could_bind(["address"], [frozenset({"x", "egrid"})])

    def test_any_type_and_any_gap_will_do(self) -> None:
        gaps = [frozenset({"geometry"}), frozenset({"egrid"})]
        assert could_bind(["layer", "parcel"], gaps)
        assert could_bind(["parcel", "layer"], gaps)
        assert not could_bind(["layer", "address"], gaps)

    def test_types_that_are_not_known_have_nothing(self) -> None:
        assert not could_bind(["ballroom"], [frozenset({"x"})])
        assert not could_bind([], [frozenset()])


class TestBind:
    def test_what_is_missing_is_filled_by_name(self) -> None:
        assert bind(HEIGHT, {}, [address()]) == {"x": 2605899, "y": 1229278}

    def test_arguments_that_were_given_stay(self) -> None:
        given = {"x": 1.0, "unit": "ft"}
        assert bind(HEIGHT, given, [address()]) == {"x": 1.0, "unit": "ft", "y": 1229278}
        assert given == {"x": 1.0, "unit": "ft"}

    def test_a_complete_call_stays_as_it_is_and_is_a_copy(self) -> None:
        given = {"x": 1.0, "y": 2.0}
        bound = bind(HEIGHT, given, [address()])
        assert bound == given
        assert bound is not given

    def test_an_alternative_that_is_complete_is_not_filled_up_with_another(self) -> None:
        assert bind(EITHER, {"x": 1.0, "y": 2.0}, [parcel(1)]) == {"x": 1.0, "y": 2.0}

    def test_the_smallest_gap_is_filled_first(self) -> None:
        assert bind(EITHER, {}, [parcel(1)]) == {"egrid": parcel(1).egrid}

    def test_a_gap_that_cannot_be_filled_leaves_the_next_one(self) -> None:
        assert bind(EITHER, {}, [address()]) == {"x": 2605899, "y": 1229278}

    def test_the_first_source_that_can_is_taken(self) -> None:
        assert bind(EXTRACT, {}, [address(), parcel(2), parcel(1)]) == {"egrid": parcel(2).egrid}

    def test_one_source_fills_a_whole_gap(self) -> None:
        """Half of one place and half of another is a third."""
        nowhere = address().model_copy(update={"coord": None})
        tool = descriptor("a.b", (), x=NUMBER, municipality=TEXT)
        assert bind(tool, {}, [address(), MUNICIPALITY]) is None
        assert bind(HEIGHT, {}, [nowhere, layer()]) is None

    def test_without_sources_nothing_is_filled(self) -> None:
        assert bind(HEIGHT, {"x": 1.0}, []) is None

    def test_an_id_is_no_egrid(self) -> None:
        assert bind(EXTRACT, {}, [address(id="CH000000000001")]) is None

    def test_a_value_that_the_schema_forbids_is_not_taken(self) -> None:
        foreign = parcel(1).model_copy(update={"egrid": "DE000000000001"})
        assert bind(EXTRACT, {}, [foreign]) is None
        assert bind(EXTRACT, {}, [foreign, parcel(2)]) == {"egrid": parcel(2).egrid}

    def test_every_value_of_a_gap_has_to_fit(self) -> None:
        tool = schema({"x": NUMBER, "y": {"type": "number", "maximum": 0}}, required=["x", "y"])
        assert bind(tool, {}, [address()]) is None

    def test_a_parameter_without_a_schema_takes_anything(self) -> None:
        assert bind(schema({}, required=["egrid"]), {}, [extract("CH7")]) == {"egrid": "CH7"}
        bare = HEIGHT.model_copy(update={"parameters": {"required": ["egrid"]}})
        assert bind(bare, {}, [extract("CH7")]) == {"egrid": "CH7"}

    @pytest.mark.parametrize("keyword", ["$defs", "definitions"])
    def test_a_schema_may_be_defined_elsewhere(self, keyword: str) -> None:
        tool = schema(
            {"egrid": {"$ref": f"#/{keyword}/Egrid"}}, required=["egrid"], **{keyword: {"Egrid": EGRID}}
        )
        assert bind(tool, {}, [extract("CH7"), parcel(1)]) == {"egrid": parcel(1).egrid}

    def test_a_parameter_may_have_one_of_several_schemas(self) -> None:
        tool = schema({"egrid": {"anyOf": [EGRID, {"const": "CH7"}]}}, required=["egrid"])
        assert bind(tool, {}, [extract("CH8"), extract("CH7")]) == {"egrid": "CH7"}
