"""The OpenAPI description tells the truth."""

import asyncio
import re
import time
from typing import Any

import httpx
import pytest
from contracts.chat import ChatRequest, ChatResponse, SessionRef
from contracts.conversations import Conversation, ConversationList, ConversationPut
from contracts.feedback import FeedbackRequest
from contracts.identify import Identified, IdentifyRequest
from contracts.items import Layer
from contracts.problems import Problem
from contracts.shares import Share, SharedMap
from contracts.suggest import Suggestions
from contracts.tools import ToolList
from contracts.turns import TurnProgress
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from edge import app, errors, examples
from edge.api_description import description_routes
from edge.settings import EdgeSettings

MODELS = {
    model.__name__: model
    for model in (
        *(ChatRequest, ChatResponse, IdentifyRequest, Identified),
        *(Conversation, ConversationList, ConversationPut),
        *(SessionRef, FeedbackRequest, Problem, ToolList, TurnProgress),
        *(Layer, SharedMap, Share, Suggestions),
    )
}


def described(**settings: Any) -> dict[str, Any]:
    return app.build(EdgeSettings(**settings)).web.openapi()


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return described()


async def test_who_asks_while_it_is_made_gets_all_of_it() -> None:
    making: list[int] = []

    def describe() -> dict[str, Any]:
        making.append(len(making))
        time.sleep(0.05)
        return {"made": making}

    web = FastAPI(openapi_url=None)
    web.include_router(description_routes(describe))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://localhost") as client:
        got = await asyncio.gather(*(client.get("/openapi.json") for _ in range(4)))
    assert [each.json() for each in got] == [{"made": [0]}] * 4


def bodies(description: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every body that is described: (where, media type object)."""
    found = []
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            sides = {"request": operation.get("requestBody", {}), **operation["responses"]}
            for side, described in sides.items():
                for content in described.get("content", {}).values():
                    found.append((f"{method} {path} {side}", content))
    return found


def test_every_reference_leads_to_a_schema(description: dict[str, Any]) -> None:
    references = set(re.findall(r"#/components/schemas/([^\"']+)", str(description)))
    assert references >= MODELS.keys()
    assert references <= description["components"]["schemas"].keys()


def test_every_example_is_what_its_schema_says(description: dict[str, Any]) -> None:
    checked = 0
    for where, content in bodies(description):
        reference = content.get("schema", {}).get("$ref")
        if reference is None:
            assert not content.get("examples"), where
            continue
        for name, example in content.get("examples", {}).items():
            model = MODELS[reference.rpartition("/")[2]]
            read = model.model_validate(example["value"])
            written = read.model_dump(mode="json", exclude_none=True, exclude_unset=True)
            assert written == example["value"], f"{where}: {name}"
            checked += 1
    assert checked > 20


def test_what_is_shown_fits_its_schema(description: dict[str, Any]) -> None:
    for where, content in bodies(description):
        if "$ref" in content.get("schema", {}):
            checker = Draft202012Validator(content["schema"] | {"components": description["components"]})
            for name, example in content.get("examples", {}).items():
                assert not [*checker.iter_errors(example["value"])], f"{where}: {name}"


def test_all_flows_are_shown() -> None:
    flows = {"one_step", "two_steps", "choice", "chosen", "beside_a_map", "not_found"}
    assert examples.REQUESTS.keys() == examples.RESPONSES.keys() == flows
    offered, answer = examples.RESPONSES["choice"]["value"], examples.RESPONSES["chosen"]["value"]
    ids = [choice["id"] for step in offered["steps"] for choice in step["choices"]]
    assert examples.REQUESTS["chosen"]["value"]["choiceId"] in ids
    assert offered["requestId"] == answer["requestId"]
    assert all(choice_id.startswith(offered["requestId"]) for choice_id in ids)


def test_every_problem_of_the_api_is_described_with_its_code(description: dict[str, Any]) -> None:
    described: dict[str, set[str]] = {}
    for where, content in bodies(description):
        if content.get("schema", {}).get("$ref", "").endswith("/Problem"):
            described.setdefault(where.rpartition(" ")[0], set()).update(content["examples"])
    everything = {kind.code for kind in errors.EdgeError.__subclasses__()}
    # These are about addresses and defects, not about an operation that is described.
    assert set().union(*described.values()) == everything - {
        "host_invalid",
        "misdirected_request",
        "method_not_allowed",
        "internal_error",
        # This one about the visit of a browser.
        "sign_in_failed",
    }
    assert {"too_many_turns", "turn_timeout", "idempotency_key_reused"} <= described["post /api/chat"]
    assert "turn_not_found" in described["get /api/chat/{requestId}"]


def test_the_framework_adds_no_errors_of_its_own(description: dict[str, Any]) -> None:
    assert "HTTPValidationError" not in str(description)


def test_the_chat_takes_an_idempotency_key_and_a_language(description: dict[str, Any]) -> None:
    for path in ("/api/chat", "/api/chat/stream"):
        told = [(p["name"], p["in"], p["required"]) for p in description["paths"][path]["post"]["parameters"]]
        assert told == [("Idempotency-Key", "header", False), ("Accept-Language", "header", False)]


def test_limits_are_in_the_schema(description: dict[str, Any]) -> None:
    fields = description["components"]["schemas"]["ChatRequest"]["properties"]
    assert fields["sessionId"]["maxLength"] == 128
    assert fields["userMessage"]["anyOf"][0]["maxLength"] == 4000


def test_a_request_without_a_question_is_none(description: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/ChatRequest", "components": description["components"]}
    checker = Draft202012Validator(schema)
    for fits in ({"userMessage": "hallo"}, {"choiceId": "c"}, {"userMessage": None, "choiceId": "c"}):
        checker.validate({"sessionId": "s", **fits})
    for no in ({}, {"userMessage": None}, {"userMessage": " \t\u3000"}, {"choiceId": ""}, {"choiceId": " "}):
        assert not checker.is_valid({"sessionId": "s", **no}), no


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" \t\n\x1c\x85\u2028\u3000")), max_size=4))
def test_the_schema_and_the_model_mean_the_same_texts(text: str) -> None:
    checker = Draft202012Validator(ChatRequest.model_json_schema())
    for request in (
        {"sessionId": text, "userMessage": "x"},
        {"sessionId": "s", "userMessage": text},
        {"sessionId": "s", "choiceId": text},
    ):
        try:
            ChatRequest.model_validate(request)
        except ValidationError:
            assert not checker.is_valid(request)
        else:
            checker.validate(request)


def test_a_stream_is_described_by_its_events(description: dict[str, Any]) -> None:
    paths = description["paths"]
    for operation in (paths["/api/chat/stream"]["post"], paths["/api/chat/{requestId}/stream"]["get"]):
        event = operation["responses"]["200"]["content"]["text/event-stream"]["itemSchema"]
        assert "turn.finished" in event["properties"]["event"]["enum"]
        assert "data" in event["required"]


def test_links_lead_to_operations(description: dict[str, Any]) -> None:
    operations = [each for path in description["paths"].values() for each in path.values()]
    ids = [each["operationId"] for each in operations]
    assert len(set(ids)) == len(ids)
    links = [link for each in operations for r in each["responses"].values() for link in r.get("links", {})]
    assert {"get_turn", "cancel_turn", "get_stream"} <= set(links) <= set(ids)


def test_credentials_are_described_where_somebody_asks_for_them(description: dict[str, Any]) -> None:
    assert "securitySchemes" not in description["components"]
    anonymous = described(auth="anonymous", edge_secret="x" * 32)
    assert anonymous["components"]["securitySchemes"].keys() == {"bearer", "cookie"}
    chat, metrics = anonymous["paths"]["/api/chat"]["post"], anonymous["paths"]["/metrics"]["get"]
    assert chat["security"] == [{}, {"bearer": []}, {"cookie": []}]
    assert metrics["security"] == [{"bearer": []}, {"cookie": []}]
    assert "security" not in anonymous["paths"]["/healthz"]["get"]
    keys = described(auth="keys", edge_secret="x" * 32, api_keys_file="keys.json")
    assert keys["paths"]["/api/chat"]["post"]["security"] == [{"bearer": []}]
