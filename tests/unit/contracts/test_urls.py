"""Addresses lead to the web, or to a print of the edge, or nowhere."""

import json
from typing import Any

import pytest
from contracts.actions import AddLayer, Extract, MapLayer
from contracts.items import CadastralPlan, Document, Layer, LayerSource, OerebExtract, OtherItem, Passage
from contracts.messages import Outcome
from contracts.prints import path_of
from contracts.research import Source, SourcePlace, TrackedDocument
from contracts.urls import link, place, web_url
from pydantic import ValidationError


@pytest.mark.parametrize(
    "url", ["https://geo.so.ch/map/?a=b", "http://127.0.0.1:8080/x", "HTTPS://geo.so.ch"]
)
def test_web_addresses_are_kept(url: str) -> None:
    assert web_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        5,
        "",
        "geo.so.ch",
        "/a",
        "//a.b",
        "javascript:x",
        "https://",
        "https://[",
        "https://a b",
        "https:x",
        "https://user:pass@so.ch",
        'https://so.ch/"onclick=',
        "data:text/html,x",
        "\tjavascript:alert(1)",
        "https://so.ch/" + "a" * 2_000,
    ],
)
def test_anything_else_is_no_web_address(url: object) -> None:
    assert web_url(url) is None


def test_a_print_of_the_edge_is_a_link() -> None:
    path = path_of("0" * 32)
    assert (link(path), web_url(path)) == (path, None)
    assert link("/api/prints/../x") is None


ACTIVE = [
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example",
    "file:///etc/passwd",
]


@pytest.mark.parametrize("url", ACTIVE)
def test_no_address_of_an_item_is_active(url: str) -> None:
    extract = OerebExtract(id="1", label="x", egrid="CH1", pdf_url=url, map_url=url)
    assert (extract.pdf_url, extract.map_url) == ("", None)
    layer = Layer(id="1", label="x", source=LayerSource(type="wms", url=url), legend_url=url)
    assert (layer.source.url, layer.legend_url) == ("", None)
    assert CadastralPlan(id="1", label="x", url=url).url == ""
    assert Document(id="1", label="x", name="x", url=url).url == ""


@pytest.mark.parametrize("url", ACTIVE)
def test_no_source_of_an_answer_is_active(url: str) -> None:
    assert Source(n=1, id="1", name="x", url=url).url == ""
    tracked = json.dumps({"id": "1", "name": "x", "url": url})
    assert TrackedDocument.from_json(tracked).url == ""


@pytest.mark.parametrize("url", ACTIVE)
def test_no_map_action_is_active(url: str) -> None:
    shown = Extract(egrid="CH1", url=url, map_url=url)
    assert (shown.url, shown.map_url) == ("", None)
    assert MapLayer(id="1", type="wms", source={"url": url}).source == {"url": ""}
    layer = MapLayer(id="1", type="wms", source={"url": "https://so.ch"}, legend_url=url)
    assert AddLayer(payload=layer).payload.legend_url is None


def test_a_message_may_name_the_addresses_of_its_items() -> None:
    extract = OerebExtract(id="1", label="x", egrid="CH1", pdf_url="http://127.0.0.1:9/x.pdf?e=CH1")
    said = "PDF: http://127.0.0.1:9/x.pdf?e=CH1 oder http://127.0.0.1:9/y.pdf"
    assert Outcome(items=(extract,), message=said).message == "PDF: http://127.0.0.1:9/x.pdf?e=CH1 oder"
    assert Outcome(message=said).message == "PDF: oder"


def test_facts_of_items_that_nobody_knows_are_sanitised_too() -> None:
    facts: dict[str, Any] = {
        "type": "mcp_x",
        "id": "1",
        "label": "![x](https://evil.example/i)",
        "data": {
            "reportUrl": "javascript:alert(1)",
            "text": "<img src=x>a",
            "list": [{"href": "data:x"}, 5, None],
        },
    }
    item = OtherItem.model_validate(facts)
    assert item.label == "x"
    expected = {"reportUrl": None, "text": "a", "list": [{"href": None}, 5, None]}
    assert item.model_dump(mode="json")["data"] == expected


@pytest.mark.parametrize(
    ("anchor", "kept"),
    [
        ("abschnitt-2", "abschnitt-2"),
        ("#:~:text=x&y", "#:~:text=x&y"),
        ("Zweck\u2019s", "Zweck\u2019s"),
        ("a" * 200, "a" * 200),
        ("a" * 201, None),
        ("", None),
        ("zwei Wörter", None),
        ("a\u202eb", None),
        ("a\nb", None),
        (None, None),
    ],
)
def test_an_anchor_is_one_short_word_or_none(anchor: str | None, kept: str | None) -> None:
    assert Passage(text="x", anchor=anchor).anchor == kept


@pytest.mark.parametrize("page", [0, -3, 100_001])
def test_a_page_that_no_document_has_is_refused(page: int) -> None:
    with pytest.raises(ValidationError):
        Passage(text="x", page=page)


@pytest.mark.parametrize(
    ("url", "page", "anchor", "expected"),
    [
        ("https://so.ch/a.pdf", 3, None, "https://so.ch/a.pdf#page=3"),
        ("https://so.ch/a?b=1#c", None, "Zürich/§ü", "https://so.ch/a?b=1#Z%C3%BCrich%2F%C2%A7%C3%BC"),
        ("https://so.ch/a", 3, "x", "https://so.ch/a#x"),
        ("https://so.ch/a", None, '"><script>', "https://so.ch/a#%22%3E%3Cscript%3E"),
        ("https://so.ch/a", None, None, None),
        ("javascript:alert(1)", 3, None, None),
        ("file:///etc/passwd", 3, None, None),
        ("", 3, None, None),
        (f"https://so.ch/{'a' * 1_986}", 3, None, None),
    ],
)
def test_what_leads_to_a_place_is_the_address_of_its_document_and_one_fragment(
    url: str, page: int | None, anchor: str | None, expected: str | None
) -> None:
    assert place(url, page=page, anchor=anchor) == expected


def test_a_source_tells_of_three_places_at_most_and_only_of_what_is_known() -> None:
    places = tuple(SourcePlace(section="Frist", url="javascript:x") for _ in range(4))
    source = Source(n=1, id="1", name="x", url="https://so.ch/a", places=places[:3])
    written = json.loads(source.to_json())
    assert (written["places"], "sample" in written) == ([{"section": "Frist"}] * 3, False)
    with pytest.raises(ValidationError):
        Source(n=1, id="1", name="x", url="", places=places)
