"""Capabilities, outcomes and answers as MCP clients see them."""

import json
from typing import Any

import pytest
from contracts.chat import ChatResponse, Choice, MapContext, MapLayerState, Step
from contracts.items import Height, OerebExtract, Parcel
from contracts.messages import Outcome
from contracts.oereb import ExtractContent
from contracts.research import Research, Source
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.turns import Round, TurnState, TurnView
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp_types import CallToolRequestParams, CallToolResult

from edge import examples
from edge.errors import InvalidRequest
from edge.extracts import MAX_CONTENT_CHARS
from edge.mcp import answers, choices, naming, schemas
from edge.mcp.calls import Asked, request_of


def descriptor(capability: str, **values: Any) -> ToolDescriptor:
    described: dict[str, Any] = {"service": "s", "description": "d", "parameters": {}, "result_types": ()}
    return ToolDescriptor(capability=capability, **(described | values))


def texts(result: CallToolResult) -> list[str]:
    return [getattr(part, "text", "") for part in result.content]


# -- names ----------------------------------------------------------------------------------------


@given(st.text(min_size=1))
def test_every_name_is_one_that_all_clients_take(capability: str) -> None:
    name = naming.name_of(capability)
    assert 1 <= len(name) <= 64
    assert name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()


def test_long_names_that_begin_alike_stay_apart() -> None:
    one, two = (naming.name_of(f"mcp.server.{'x' * 80}{end}") for end in "ab")
    assert one != two


def test_a_tool_is_found_by_its_name_and_by_its_capability() -> None:
    tools = [
        descriptor("a.b"),
        descriptor("documents.check").model_copy(update={"internal": True}),
        descriptor("ask"),
    ]
    assert naming.find(tools, "a_b") is naming.find(tools, "a.b") is tools[0]
    assert naming.by_name(tools) == {"a_b": tools[0]}
    for absent in ("documents.check", "documents_check", "ask", "a-b", ""):
        assert naming.find(tools, absent) is None


def test_of_two_capabilities_with_one_name_the_first_is_listed_and_the_same_everywhere() -> None:
    tools = [descriptor("a.b_c"), descriptor("a.b.c")]
    assert naming.by_name(tools) == {"a_b_c": tools[0]}


# -- results --------------------------------------------------------------------------------------

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
PARCEL = Parcel(id="1", label="Grundstück 1", egrid="CH1", number="1", municipality="Messen", geometry=SQUARE)


@given(
    st.builds(
        Outcome,
        status=st.sampled_from(Status),
        message=st.text(max_size=20),
        items=st.lists(st.sampled_from([PARCEL, Height(id="h", label="432 m", height_m=432)]), max_size=3),
    )
)
def test_every_result_is_what_its_schema_says(outcome: Outcome) -> None:
    tool = descriptor("parcels.by_xy", result_types=("parcel", "height"))
    result = answers.of_outcome(tool, outcome, "req-1", "de")
    document = json.loads(result.model_dump_json(by_alias=True))
    Draft202012Validator(schemas.outcome(tool.result_types)).validate(document["structuredContent"])
    assert result.is_error is (outcome.status is Status.ERROR)
    assert texts(result)[0]


SYMBOL = "data:image/png;base64,iVBORw0KGgo="
CONTENT = {
    "createdAt": "2026-11-22T09:30:00Z",
    "concerned": [{"code": "ch.Nutzungsplanung", "title": "Nutzungsplanung"}],
    "notConcerned": [],
    "withoutData": [{"code": "ch.Laerm", "title": "Lärm"}],
    "restrictions": [
        {
            "theme": {"code": "ch.Nutzungsplanung", "title": "Nutzungsplanung"},
            "text": "Wohnzone",
            "lawStatus": "changeWithPreEffect",
            "percent": 41.4,
            "symbol": SYMBOL,
            "documents": [0],
        }
    ],
    "documents": [{"kind": "Law", "title": "Planungsgesetz", "url": "https://bgs.so.ch/711.1"}],
}
EXTRACT_TOOL = descriptor("oereb.extract_by_id", result_types=("oereb_extract",))


def extract(**content: Any) -> Outcome:
    item = OerebExtract(
        id="1", label="Auszug", egrid="CH1", pdf_url="https://geo.so.ch/1.pdf", content=CONTENT | content
    )
    return Outcome(items=(item,), message="Geplant: Wohnzone.")


def test_an_extract_is_a_value_with_a_schema_and_its_message_the_text() -> None:
    schema = schemas.outcome(EXTRACT_TOOL.result_types)
    Draft202012Validator.check_schema(schema)
    result = answers.of_outcome(EXTRACT_TOOL, extract(), "req-1", "de")
    assert result.structured_content is not None
    Draft202012Validator(schema).validate(result.structured_content)
    content = result.structured_content["items"][0]["content"]
    assert ExtractContent.model_validate(content).restrictions[0].percent == 41.4
    assert texts(result)[0].startswith("Geplant: Wohnzone.")
    content["restrictions"][0]["lawStatus"] = "perhaps"
    assert not Draft202012Validator(schema).is_valid(result.structured_content)


def test_of_an_extract_nobody_has_to_read_pixels_or_a_book() -> None:
    result = answers.of_outcome(EXTRACT_TOOL, extract(), "req-1", "de")
    assert "Wohnzone" in texts(result)[1] and SYMBOL not in result.model_dump_json()
    book = answers.of_outcome(
        EXTRACT_TOOL, extract(glossary=[{"text": "x" * MAX_CONTENT_CHARS}]), "req-1", "de"
    )
    assert "Wohnzone" in texts(book)[1] and len(texts(book)[1]) < 1_000
    authority = {"name": "x" * MAX_CONTENT_CHARS}
    (item,) = json.loads(
        texts(answers.of_outcome(EXTRACT_TOOL, extract(authority=authority), "req-1", "de"))[1]
    )
    assert item["pdfUrl"] == "https://geo.so.ch/1.pdf"
    assert item["contentTooLong"] and "content" not in item


def test_outlines_are_for_programs_and_not_for_models_to_read() -> None:
    result = answers.of_outcome(descriptor("parcels.by_xy"), Outcome(items=(PARCEL,)), "req-1", "de")
    assert result.meta == {"ask.sogis/requestId": "req-1"}
    assert result.structured_content is not None
    assert result.structured_content["items"][0]["geometry"] == SQUARE
    words, facts = texts(result)
    assert words == "Grundstück 1"
    assert "geometry" not in facts and json.loads(facts)[0]["egrid"] == "CH1"


@pytest.mark.parametrize("example", examples.RESPONSES.values(), ids=examples.RESPONSES)
def test_every_answer_is_what_its_schema_says(example: dict[str, Any]) -> None:
    response = ChatResponse.from_json(json.dumps(example["value"]))
    result = answers.of_response("s-1", response, "de")
    Draft202012Validator(schemas.ANSWER).validate(result.structured_content)
    assert result.structured_content == {"sessionId": "s-1", **json.loads(response.to_json())}
    assert all(step.message in texts(result)[0] for step in response.steps)


def test_an_answer_from_documents_names_its_sources() -> None:
    sources = (Source(n=1, id="d", name="Bericht", url="https://example.org/d.pdf"),)
    research = Research(user_query="q", initial_question="q", sources=sources)
    step = Step(intent="search_documents", status=Status.OK, message="So ist es [1].", research=research)
    result = answers.of_response("s", ChatResponse.of("r", (step,)), "de")
    assert texts(result) == ["So ist es [1].\n[1] Bericht: https://example.org/d.pdf"]


# -- choices --------------------------------------------------------------------------------------


def step(message: str, *labels: str) -> Step:
    options = tuple(Choice(id=f"req-1.0.{n}", label=label) for n, label in enumerate(labels))
    status = Status.NEEDS_USER_CHOICE if options else Status.OK
    return Step(intent="goto_address", status=status, message=message, choices=options)


def view(*rounds: tuple[Step, ...]) -> TurnView:
    ended = tuple(
        Round(state=TurnState.FINISHED, exchanges=(), response=ChatResponse.of("req-1", steps))
        for steps in rounds
    )
    return TurnView(request_id="req-1", session_id="s", state=TurnState.FINISHED, rounds=ended)


def messages(response: ChatResponse) -> list[str]:
    return [each.message for each in response.steps]


def test_what_comes_of_a_choice_takes_the_place_of_its_step() -> None:
    one, two = step("A?", "x", "y"), step("B?", "x", "y")
    first = (step("0"), one, step("1"), two)
    assert messages(choices.completed(view(first), 0)) == ["0", "A?", "1", "B?"]
    assert messages(choices.completed(view(first, (step("a"), step("a2"))), 0)) == ["0", "a", "a2", "1", "B?"]
    whole = choices.completed(view(first, (step("a"),), (step("b"),)), 0)
    assert (messages(whole), whole.overall_status) == (["0", "a", "1", "b"], Status.OK)


def test_a_message_that_answered_an_older_choice_shows_only_what_came_of_it() -> None:
    older = view((step("A?", "x", "y"), step("0")), (step("B?", "x", "y"),), (step("b"),))
    assert messages(choices.completed(older, 1)) == ["b"]


def test_a_choice_that_leads_to_another_is_followed() -> None:
    found = choices.completed(view((step("A?", "x", "y"),), (step("B?", "v", "w"),)), 0)
    assert [option.label for option in choices.open_choices(found)] == ["v", "w"]


# -- arguments ------------------------------------------------------------------------------------

MAP = {"center": [2600500, 1215500], "extent": [2600000, 1215000, 2601000, 1216000], "scale": 5_000}


def test_the_arguments_of_ask_are_described_as_they_are_read() -> None:
    described = schemas.ASK_ARGUMENTS["properties"]
    assert described.keys() == {field.alias for field in Asked.model_fields.values()}
    shown = described["map"]["properties"]
    assert shown.keys() == {field.alias for field in MapContext.model_fields.values()}
    layer = shown["layers"]["items"]["properties"]
    assert layer.keys() == {field.alias for field in MapLayerState.model_fields.values()}


def test_a_map_goes_along_with_what_is_asked() -> None:
    layers = [{"id": "a", "label": "A", "visible": False, "opacity": 0.5, "order": 0}]
    arguments = {"message": "Was ist hier?", "map": MAP | {"point": [2600513, 1215519], "layers": layers}}
    Draft202012Validator(schemas.ASK_ARGUMENTS).validate(arguments)
    request = request_of(CallToolRequestParams(name="ask", arguments=arguments))
    assert request.map is not None
    assert request.map == MapContext.model_validate(arguments["map"])


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"map": MAP | {"scale": 0}}, "#/map/scale"),
        ({"map": MAP | {"extent": [1, 2]}}, "#/map/extent/2"),
        ({"more": 1}, "#/more"),
    ],
)
def test_a_map_that_is_none_is_refused_with_its_place(wrong: dict[str, Any], pointer: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        request_of(CallToolRequestParams(name="ask", arguments={"message": "m"} | wrong))
    assert refused.value.errors[0].pointer == pointer
