"""The schemas of tools within what endpoints enforce."""

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from planner.llm.strict import strict_arguments

from .fake_openai import strict_violations


class Circle(BaseModel):
    kind: Literal["circle"] = "circle"
    radius_m: Annotated[float, Field(gt=0)]


class Box(BaseModel):
    extent: tuple[float, float, float, float]


class Filters(BaseModel):
    since: str | None = None
    tags: Annotated[list[str], Field(max_length=5)] = []
    extra: dict[str, Any] = {}


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Everything(BaseModel):
    text: Annotated[str, Field(min_length=1, max_length=10, title="A text", examples=["x"])] = "abc"
    code: Annotated[str, Field(pattern="^CH[0-9]{12}$")]
    day: date
    look: Annotated[str, Field(json_schema_extra={"pattern": "^(?=a)b$"})]
    count: Annotated[int, Field(ge=1, le=9)]
    flag: bool = False
    kind: Literal["a", "b"] = "a"
    maybe: Literal["a", 1] | None = None
    point: tuple[float, float]
    where: Circle | Box
    filters: Filters | None = Field(None, description="What to leave out.")
    geometry: dict[str, Any]
    anything: Any = None
    tree: Node | None = None


NULL = {"type": "null"}
ARGUMENTS = strict_arguments(Everything.model_json_schema())


def test_the_arguments_of_a_rich_tool_are_strict() -> None:
    assert list(strict_violations(ARGUMENTS)) == []


def test_what_has_no_words_in_the_subset_is_left_out() -> None:
    assert ARGUMENTS["properties"].keys() == {
        "text", "code", "day", "look", "count", "flag", "kind", "maybe", "point", "where", "filters", "tree",
    }  # fmt: skip
    assert ARGUMENTS["properties"]["filters"]["anyOf"][0]["properties"].keys() == {"since", "tags"}
    # A tree without its branches is still a node with a name.
    assert ARGUMENTS["properties"]["tree"]["anyOf"][0]["properties"].keys() == {"name"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text", {"type": ["string", "null"]}),
        ("code", {"type": ["string", "null"], "pattern": "^CH[0-9]{12}$"}),
        ("day", {"type": ["string", "null"], "format": "date"}),
        ("look", {"type": ["string", "null"]}),
        ("count", {"type": ["integer", "null"], "minimum": 1, "maximum": 9}),
        ("flag", {"type": ["boolean", "null"]}),
        ("kind", {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}),
        (
            "maybe",
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}, NULL]},
        ),
        (
            "point",
            {"anyOf": [{"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}, NULL]},
        ),
    ],
)  # fmt: skip
def test_an_argument_keeps_what_the_subset_knows(name: str, expected: dict[str, Any]) -> None:
    assert ARGUMENTS["properties"][name] == expected


def test_what_is_optional_inside_becomes_nullable() -> None:
    filters = ARGUMENTS["properties"]["filters"]
    assert filters["description"] == "What to leave out."
    assert filters["anyOf"][0]["required"] == ["since", "tags"]
    assert filters["anyOf"][0]["properties"]["since"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    circle = ARGUMENTS["properties"]["where"]["anyOf"][0]
    assert circle["properties"]["radius_m"] == {"type": "number", "exclusiveMinimum": 0}


@pytest.mark.parametrize(
    "broken",
    [
        {"$ref": "#/$defs/missing"},
        {"$ref": "https://example.org/schema.json"},
        {"$ref": 7},
        {"allOf": [{"type": "string"}, {"type": "number"}]},
        {"not": {"type": "string"}},
        {"type": "nonsense"},
        {"type": []},
        {"enum": []},
        {"enum": [{"a": 1}]},
        {"anyOf": []},
        {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "number"}}}]},
        {"type": "array"},
        {"type": "object"},
        {},
        True,
        None,
    ],
    ids=str,
)
def test_a_broken_argument_costs_only_itself(broken: Any) -> None:
    parameters = {"type": "object", "properties": {"broken": broken, "sound": {"type": "string"}}}
    assert strict_arguments(parameters)["properties"] == {"sound": {"type": ["string", "null"]}}


@pytest.mark.parametrize(
    "parameters", [{}, {"properties": 3}, {"$ref": "#/$defs/A", "$defs": {"A": {}}}], ids=str
)
def test_a_tool_without_arguments_takes_an_empty_object(parameters: dict[str, Any]) -> None:
    assert strict_arguments(parameters) == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=3)
names = st.sampled_from(["a", "b", "c"])
schemas: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["string", "number", "integer", "boolean", "null", "object", "array", "odd"]
            )
            | st.lists(st.sampled_from(["string", "number", "null", "object"]), max_size=3),
            "enum": st.lists(scalars, max_size=3),
            "const": scalars,
            "default": scalars,
            "title": st.text("ab", max_size=3),
            "description": scalars,
            "format": st.sampled_from(["date", "binary"]),
            "pattern": st.sampled_from(["^a$", "(?!a)"]),
            "minimum": scalars,
            "minLength": st.integers(0, 3),
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b", "#/properties/a", "#", "other"]),
        },
    )
    | scalars,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string"]),
            "properties": st.dictionaries(names, inner, max_size=3),
            "required": st.lists(names, max_size=3),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, max_size=3),
            "anyOf": st.lists(inner, max_size=3),
            "oneOf": st.lists(inner, max_size=3),
            "allOf": st.lists(inner, max_size=2),
        },
    ),
    max_leaves=12,
)


@given(st.dictionaries(names, schemas, max_size=3), st.dictionaries(names, schemas, max_size=2))
def test_whatever_a_tool_announces_the_question_stays_strict(
    properties: dict[str, Any], definitions: dict[str, Any]
) -> None:
    parameters = {"type": "object", "properties": properties, "$defs": definitions}
    assert list(strict_violations(strict_arguments(parameters))) == []
