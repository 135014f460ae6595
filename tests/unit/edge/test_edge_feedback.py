"""What users think of answers: what is taken, and what is told of what is not."""

import json
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from contracts.feedback import MAX_COMMENT_CHARS, Feedback, FeedbackRequest, Reason, Verdict
from contracts.turns import TurnState, TurnView
from prometheus_client import REGISTRY

from edge import errors, examples
from edge.admission import Admission
from edge.api_feedback import feedback_routes
from edge.feedback import FeedbackStore
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.web import application

GIVEN = examples.FEEDBACK


class Store:
    """A store without Redis, and an admission that can be full."""

    def __init__(self, refusal: errors.EdgeError | None = None) -> None:
        self.given: list[FeedbackRequest] = []
        self.is_full = False
        self._refusal = refusal

    async def put(self, given: FeedbackRequest) -> None:
        if self._refusal is not None:
            raise self._refusal
        self.given.append(given)

    def check_redis(self) -> None:
        if self.is_full:
            raise errors.StoreFull()


async def say(body: Any, store: Store | None = None, days: int = 90) -> httpx.Response:
    around = cast(Any, store or Store())
    routes = feedback_routes(
        cast(FeedbackStore, around), Sessions(b"k" * 32), cast(Admission, around), timedelta(days=days)
    )
    transport = httpx.ASGITransport(app=application([routes], EdgeSettings()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        return await http.post(
            "/api/feedback", content=json.dumps(body), headers={"Content-Type": "application/json"}
        )


def counted(verdict: str) -> float:
    return REGISTRY.get_sample_value("ask_feedback_total", {"verdict": verdict}) or 0.0


async def test_what_was_said_reaches_the_store_under_the_session_inside_and_is_counted() -> None:
    store, before = Store(), counted("down")
    answered = await say(GIVEN, store)
    assert (answered.status_code, answered.content) == (204, b"")
    [given] = store.given
    assert given.session_id != GIVEN["sessionId"] and given.session_id.startswith("local.")
    assert (given.request_id, given.verdict, given.reason) == (
        GIVEN["requestId"],
        Verdict.DOWN,
        Reason.WRONG_PLACE,
    )
    assert counted("down") == before + 1


async def test_what_is_taken_back_needs_no_room() -> None:
    store = Store()
    store.is_full = True
    assert (await say(GIVEN, store)).json()["code"] == "store_full"
    before = counted("withdrawn")
    assert (await say(GIVEN | {"verdict": None}, store)).status_code == 204
    assert counted("withdrawn") == before + 1


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"verdict": "sideways"}, "#/verdict"),
        ({"reason": "ugly"}, "#/reason"),
        ({"comment": "x" * (MAX_COMMENT_CHARS + 1)}, "#/comment"),
        ({"requestId": "x" * 129}, "#/requestId"),
        ({"sessionId": " "}, "#/sessionId"),
        ({"message": "Hallo"}, "#/message"),
    ],
)
async def test_what_is_wrong_is_told_with_its_place(wrong: dict[str, Any], where: str) -> None:
    store = Store()
    refused = await say(GIVEN | wrong, store)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert [each["pointer"] for each in refused.json()["errors"]] == [where]
    assert not store.given


async def test_a_verdict_has_to_be_said() -> None:
    refused = await say({key: value for key, value in GIVEN.items() if key != "verdict"})
    assert refused.json()["errors"][0]["pointer"] == "#/verdict"


async def test_a_server_that_keeps_none_says_so() -> None:
    refused = await say(GIVEN, days=0)
    assert (refused.status_code, refused.json()["code"]) == (404, "feedback_off")


async def test_a_turn_that_is_not_there_is_not_counted() -> None:
    before = counted("down")
    refused = await say(GIVEN, Store(errors.TurnNotFound()))
    assert (refused.status_code, refused.json()["code"]) == (404, "turn_not_found")
    assert counted("down") == before


def test_what_was_written_goes_over_http_with_no_progress() -> None:
    view = TurnView(request_id="req-1", session_id="s", state=TurnState.RUNNING, message="Hallo")
    assert b"Hallo" in view.to_json()
    assert b"Hallo" not in view.progress.to_json()


def test_nothing_that_is_kept_says_who_it_was() -> None:
    assert not {"session_id", "owner", "address"} & set(Feedback.model_fields)
