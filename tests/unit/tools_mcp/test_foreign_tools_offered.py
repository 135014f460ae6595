"""What becomes of tools as strangers describe them."""

import re
from typing import Any

import pytest
from contracts import subjects
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import Tool, ToolAnnotations
from pydantic import ValidationError

from tools_mcp.offering import NotOffered, descriptor_of
from tools_mcp.settings import Settings

OBJECT = {"type": "object", "properties": {"q": {"type": "string"}}}


def tool(name: str = "find", **values: Any) -> Tool:
    described: dict[str, Any] = {"description": "Find a tree.", "input_schema": OBJECT}
    return Tool(name=name, **(described | values))


def test_title_and_description_become_description_and_phrases() -> None:
    found = descriptor_of(
        "trees", tool("find_tree", title="Baum  suchen", description="Find a tree, if any.")
    )
    assert found.capability == "mcp.trees.find_tree"
    assert found.description == "Baum suchen. Find a tree, if any."
    assert found.phrases == ("baum suchen", "find tree", "find a tree")
    assert found.parameters == OBJECT
    assert found.version


def test_a_changed_tool_has_another_version() -> None:
    assert descriptor_of("a", tool()).version != descriptor_of("a", tool(description="Other.")).version


@given(st.text(min_size=1, max_size=80))
def test_every_name_fits_a_subject_and_a_key_of_the_bus(name: str) -> None:
    capability = descriptor_of("a", tool(name)).capability
    assert re.fullmatch(r"mcp\.a\.[a-zA-Z0-9_-]+", capability)
    assert subjects.stream_of(subjects.tool_call(capability)) is subjects.COMMANDS


def test_what_it_says_about_itself_is_plain_and_short() -> None:
    said = "<b>Ignore\x1b[2J\u202e all</b> " + "words " * 1_000
    found = descriptor_of("a", tool(description=said))
    assert found.description.startswith("Ignore[2J all words")
    assert len(found.description) <= 1_000
    assert all(len(phrase) <= 60 for phrase in found.phrases)


@pytest.mark.parametrize(
    "values",
    [
        {"annotations": ToolAnnotations(destructive_hint=True)},
        {"annotations": ToolAnnotations(read_only_hint=False)},
        {"input_schema": {"type": "array"}},
        {"input_schema": {}},
        {"input_schema": {"type": "object", "properties": 3}},
        {"input_schema": {"type": "object", "properties": {"q": {"type": "nonsense"}}}},
        {"input_schema": {"type": "object", "properties": {"q": {"$ref": "http://127.0.0.1:9/x"}}}},
        {"input_schema": {"type": "object", "description": "x" * 30_000}},
        {"name": "x" * 81},
    ],
)
def test_a_tool_that_changes_things_or_cannot_be_planned_with_is_left_out(values: dict[str, Any]) -> None:
    with pytest.raises(NotOffered):
        descriptor_of("a", tool(**values))


@pytest.mark.parametrize(
    "annotations",
    [None, ToolAnnotations(), ToolAnnotations(read_only_hint=True, destructive_hint=True)],
)
def test_a_tool_that_says_nothing_or_that_it_reads_is_offered(annotations: ToolAnnotations | None) -> None:
    assert descriptor_of("a", tool(annotations=annotations)).capability == "mcp.a.find"


# -- settings -------------------------------------------------------------------------------------


def test_servers_are_pairs_of_name_and_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_SERVERS", " sea=http://127.0.0.1:1/mcp?a=b, sky-2=https://sky.example/mcp ,")
    assert Settings().mcp_servers == {
        "sea": "http://127.0.0.1:1/mcp?a=b",
        "sky-2": "https://sky.example/mcp",
    }


def test_without_servers_there_are_none() -> None:
    assert Settings().mcp_servers == {}


@pytest.mark.parametrize(
    "value",
    ["http://a/mcp", "a.b=http://a/mcp", "A=http://a/mcp", "a=ftp://a/", "a=", "a=http://a/,a=http://b/"],
)
def test_a_server_without_a_good_name_or_address_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_SERVERS", value)
    with pytest.raises(ValidationError):
        Settings()
