"""What becomes of results as strangers send them: plain, bounded, typed where they fit."""

from typing import Any

import pytest
from contracts.items import OerebExtract, OtherItem, Place
from contracts.messages import Outcome
from contracts.status import Status
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import Annotations, CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent

from tools_mcp.results import outcome_of

PLACE = {"type": "place", "id": "1", "label": "Weissenstein", "kind": "Berg", "coord": [2_604_000, 1_233_000]}
MAX_CHARS = 500


def outcome(*content: ContentBlock | str, structured: Any = None, is_error: bool = False) -> Outcome:
    blocks = [TextContent(text=each) if isinstance(each, str) else each for each in content]
    result = CallToolResult(content=blocks, structured_content=structured, is_error=is_error)
    return outcome_of("trees", "find", result, MAX_CHARS)


@pytest.mark.parametrize(
    "structured", [PLACE, {"items": [PLACE]}, {"result": [PLACE]}, {"results": [PLACE, {"a": 1}, None, 3]}]
)
def test_items_of_known_types_are_found_wherever_servers_put_them(structured: dict[str, Any]) -> None:
    (item,) = outcome("Ein Berg.", structured=structured).items
    assert isinstance(item, Place)
    assert item.coord == (2_604_000, 1_233_000)


def test_an_item_that_does_not_fit_its_type_becomes_no_item_of_that_type() -> None:
    (item,) = outcome("Ein Berg.", structured={"type": "place", "id": "1"}).items
    assert isinstance(item, OtherItem)
    assert item.label == "Ein Berg."


def test_addresses_lead_to_the_web_or_nowhere() -> None:
    extract = {"type": "oereb_extract", "id": "1", "label": "x", "egrid": "CH1"}
    good = extract | {"pdfUrl": "https://example.org/x.pdf", "mapUrl": "javascript:alert(1)"}
    (item,) = outcome(structured=good).items
    assert isinstance(item, OerebExtract)
    assert (item.pdf_url, item.map_url) == ("https://example.org/x.pdf", None)
    (other,) = outcome(structured=extract | {"pdfUrl": "file:///etc/passwd"}).items
    assert isinstance(other, OtherItem)


def test_text_alone_is_one_item_that_says_it() -> None:
    found = outcome("Es regnet.", "Morgen nicht.")
    assert (found.status, found.message) == (Status.OK, "Es regnet.\n\nMorgen nicht.")
    (item,) = found.items
    assert (item.type, item.label) == ("mcp_trees", "Es regnet. Morgen nicht.")


def test_nothing_at_all_is_nothing_found() -> None:
    assert outcome() == Outcome()
    assert outcome(ImageContent(data="", mime_type="image/png")) == Outcome()


def test_an_error_is_an_error_with_or_without_words() -> None:
    assert outcome("Kaputt.", is_error=True, structured=PLACE) == Outcome(
        status=Status.ERROR, message="Kaputt."
    )
    assert outcome(is_error=True).message


def test_a_question_for_clarification_stays_one() -> None:
    found = outcome("Welcher?", structured={"status": "needs_clarification", "items": []})
    assert found == Outcome(status=Status.NEEDS_CLARIFICATION, message="Welcher?")


def test_what_is_made_for_models_is_not_shown_to_users() -> None:
    aside = TextContent(text='[{"id": 1}]', annotations=Annotations(audience=["assistant"]))
    assert outcome("Ein Baum.", aside).message == "Ein Baum."


def test_links_to_resources_are_named() -> None:
    link = ResourceLink(name="plan", title="Plan", uri="https://geo.so.ch/plan.pdf")
    assert outcome(link).message == "Plan: https://geo.so.ch/plan.pdf"


def test_links_to_anywhere_are_not() -> None:
    link = ResourceLink(name="plan", title="Plan", uri="https://example.org/plan.pdf")
    assert outcome(link, "![x](https://example.org/i) [y](javascript:x)<b>!").message == "Plan:\n\nx y!"


@given(st.lists(st.text(max_size=2_000), max_size=5), st.dictionaries(st.text(), st.text(max_size=2_000)))
def test_whatever_comes_is_bounded(said: list[str], structured: dict[str, Any]) -> None:
    found = outcome(*said, structured=structured)
    assert len(found.message) <= MAX_CHARS + 20
    assert len(found.to_json()) <= 20 * MAX_CHARS


def test_a_list_without_end_is_cut() -> None:
    assert len(outcome(structured={"items": [PLACE] * 1_000}).items) == 25
