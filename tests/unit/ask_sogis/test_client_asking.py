"""What a client does with a question until it has its answer, without a wire."""

import json
import pickle
from typing import Any

import pytest
from ask_sogis import Client
from ask_sogis.asking import Asking
from ask_sogis.errors import Invalid, NoAnswer, NotUnderstood, Refused, Unreachable
from ask_sogis.exchange import Flow, Heard, Lost, Reply
from contracts.chat import ChatResponse, Choice, Step
from contracts.research import ErrorInfo, ErrorType, Research, Source
from contracts.status import Status

from .playing import ANSWER, DONE, GIVEN, NOWHERE, RUNNING, Played, asking, play, refusal


def chat(*heard: Heard, patience_s: float = 10.0) -> Played:
    return play(asking(patience_s).chat("Hallo", None, GIVEN), *heard)


def test_a_message_is_sent_with_its_session_and_a_key() -> None:
    played = chat(ANSWER)
    assert played.answer == DONE
    (call,) = played.calls
    assert (call.method, call.path, call.streams) == ("POST", "/api/chat", False)
    assert json.loads(call.body or b"") == {"sessionId": "s", "userMessage": "Hallo"}
    assert call.headers == {"Content-Type": "application/json", "Idempotency-Key": "k"}


def test_a_choice_is_sent_by_its_id() -> None:
    offered = Choice(id="req-1.0.1", label="B")
    for choice in (offered, offered.id):
        (call,) = play(asking().chat(None, choice, GIVEN), ANSWER).calls
        assert json.loads(call.body or b"") == {"sessionId": "s", "choiceId": "req-1.0.1"}


def test_a_client_makes_up_one_session_and_a_key_for_each_question() -> None:
    one, other = asking(), asking()
    asked = [play(each.chat("Hallo", None, {}), ANSWER).calls[0] for each in (one, one, other)]
    sessions = [json.loads(call.body or b"")["sessionId"] for call in asked]
    assert sessions[0] == sessions[1] == one.session_id != sessions[2]
    assert len({call.headers["Idempotency-Key"] for call in asked}) == 3


def test_the_address_is_the_given_one_else_the_variable_else_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ASK_URL", raising=False)
    assert Asking(None, None, 1).url == "http://127.0.0.1:8080"
    monkeypatch.setenv("ASK_URL", "http://variable/")
    assert Asking(None, None, 1).url == "http://variable"
    assert Asking("http://given/ask/", None, 1).url == "http://given/ask"


@pytest.mark.parametrize("message", ["", "  ", "x" * 4_001])
def test_what_no_server_would_take_is_not_sent(message: str) -> None:
    played = play(asking().chat(message, None, GIVEN))
    assert isinstance(played.error, Invalid) and isinstance(played.error, ValueError)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"session_id": ""}, "session"),
        ({"map": {"scale": 1}}, "map"),
        ({"user_message": "Hallo"}, "user_message"),
        ({"sesion_id": "s"}, "sesion_id"),
    ],
)
def test_what_is_wrong_with_an_option_names_it(options: Any, named: str) -> None:
    error = play(asking().chat("Hallo", None, options)).error
    assert isinstance(error, Invalid) and str(error).startswith(named)


@pytest.mark.parametrize("key", ["schlüssel", "a\nb", " a", "a "])
def test_a_key_that_is_none_is_not_sent(key: str) -> None:
    played = play(asking().chat("Hallo", None, {"idempotency_key": key}))
    assert isinstance(played.error, Invalid)


def test_an_id_stays_in_its_place() -> None:
    assert play(asking().cancel("../x?y"), Reply(204)).lines == ["DELETE /api/chat/..%2Fx%3Fy"]


# -- lost ------------------------------------------------------------------------------------------


def test_a_lost_question_is_sent_again_with_the_same_key() -> None:
    played = chat(Lost(), Lost(), ANSWER)
    assert played.answer == DONE
    assert played.calls[0] == played.calls[1] == played.calls[2]
    assert played.pauses == [0.1, 0.2]


def test_who_was_never_there_is_not_waited_for() -> None:
    played = chat(NOWHERE)
    assert isinstance(played.error, Unreachable)
    assert "http://edge" in str(played.error)


def test_a_password_in_the_address_is_not_repeated() -> None:
    error = play(Asking("http://me:secret@edge", None, 1).tools(), NOWHERE).error
    assert "http://edge" in str(error)
    with pytest.raises(Invalid, match=r"'edge:8080' is no"):
        Client("me:secret@edge:8080")


def test_who_has_hung_up_is_waited_for() -> None:
    assert chat(Lost(), NOWHERE, ANSWER).answer == DONE


def test_who_has_answered_before_is_waited_for() -> None:
    edge = asking()
    assert play(edge.chat("Hallo", None, GIVEN), ANSWER).answer == DONE
    assert play(edge.chat("Hallo", None, GIVEN), NOWHERE, NOWHERE, ANSWER).answer == DONE


def test_patience_ends() -> None:
    played = chat(*[Lost()] * 5, patience_s=2.0)
    assert isinstance(played.error, Unreachable)
    assert sum(played.pauses) == pytest.approx(1.5)


def test_pauses_grow_and_then_stay() -> None:
    assert chat(*[Lost()] * 8, ANSWER, patience_s=60).pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]


def test_the_time_until_a_connection_was_lost_counts() -> None:
    assert isinstance(chat(Lost(after_s=9.0), Lost(after_s=1.0)).error, Unreachable)


# -- busy ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code"), [(429, "too_many_turns"), (503, "bus_unavailable"), (503, "state_unavailable")]
)
def test_who_is_busy_is_asked_again_when_it_says(status: int, code: str) -> None:
    played = chat(refusal(status, code, after_s=3), ANSWER)
    assert played.answer == DONE
    assert played.pauses == [3.0]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_gateway_that_is_busy_in_its_own_words_is_asked_again(status: int) -> None:
    played = chat(Reply(status, content=b"later"), ANSWER)
    assert (played.answer, played.pauses) == (DONE, [1.0])


def test_a_quota_that_is_spent_for_longer_than_one_waits_is_told_at_once() -> None:
    played = chat(refusal(429, "quota_spent", after_s=3600))
    assert isinstance(played.error, Refused)
    assert (played.error.code, played.error.retry_after_s) == ("quota_spent", 3600.0)


def test_pauses_of_all_kinds_are_of_one_patience() -> None:
    busy = refusal(503, "no_room", after_s=4)
    played = chat(busy, busy, busy)
    assert isinstance(played.error, Refused)
    assert played.pauses == [4.0, 4.0]


def test_the_time_until_somebody_was_busy_counts() -> None:
    played = chat(Reply(503, after_s=9.5))
    assert isinstance(played.error, Refused) and played.pauses == []


@pytest.mark.parametrize("said", ["soon", "-1", "", "²"])
def test_a_time_that_makes_no_sense_is_none(said: str) -> None:
    assert chat(Reply(503, {"retry-after": said}), ANSWER).pauses == [1.0]


# -- refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "idempotency_key_invalid"),
        (401, "invalid_token"),
        (403, "forbidden"),
        (410, "session_deleted"),
        (422, "idempotency_key_reused"),
        (500, "internal_error"),
    ],
)
def test_what_time_does_not_change_is_told_at_once(status: int, code: str) -> None:
    played = chat(refusal(status, code, request_id="req-1"))
    assert isinstance(played.error, Refused)
    refused = played.error
    assert (refused.status, refused.code, refused.detail, refused.request_id) == (
        status,
        code,
        "So nicht.",
        "req-1",
    )
    assert str(refused) == "So nicht."


def test_a_refusal_names_what_is_wrong_with_the_request() -> None:
    wrong = [{"pointer": "#/map/scale", "detail": "Zu klein."}]
    played = chat(refusal(422, "invalid_request", errors=wrong))
    assert isinstance(played.error, Refused)
    assert [(each.pointer, each.detail) for each in played.error.fields] == [("#/map/scale", "Zu klein.")]


@pytest.mark.parametrize(("status", "detail"), [(404, "Not Found"), (301, "Moved Permanently"), (599, "")])
def test_a_refusal_by_somebody_else_has_no_problem(status: int, detail: str) -> None:
    played = chat(Reply(status, content=b"<html>"))
    assert isinstance(played.error, Refused)
    assert (played.error.status, played.error.detail, played.error.code) == (status, detail, "")
    assert (played.error.problem, played.error.request_id, played.error.fields) == (None, None, ())


def test_a_problem_that_is_none_is_by_somebody_else() -> None:
    problem = json.loads(refusal(500, "internal_error").content) | {"status": "bad"}
    played = chat(Reply(500, content=json.dumps(problem).encode()))
    assert isinstance(played.error, Refused)
    assert (played.error.problem, played.error.detail) == (None, "Internal Server Error")


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}", b'{"hello": "world"}'])
def test_an_answer_that_is_none_is_not_understood(content: bytes) -> None:
    assert isinstance(chat(Reply(200, content=content)).error, NotUnderstood)


# -- later -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "code"), [(504, "turn_timeout"), (503, "shutting_down")])
def test_a_turn_that_goes_on_is_asked_for_until_it_has_its_answer(status: int, code: str) -> None:
    played = chat(refusal(status, code, request_id="req-1", after_s=1), RUNNING, Lost(), RUNNING, ANSWER)
    assert played.answer == DONE
    assert played.lines == ["POST /api/chat", *["GET /api/chat/req-1"] * 4]
    assert played.pauses == [1.0, 0.1, 1.0]


def test_whoever_asks_for_no_turn_asks_another_replica() -> None:
    stopping = refusal(503, "shutting_down", request_id="req-1", after_s=1)
    listed = Reply(200, content=b'{"tools": []}')
    assert play(asking().tools(), stopping, listed).answer.tools == ()
    late = refusal(504, "turn_timeout", request_id="req-1")
    assert isinstance(play(asking().identify(0, 0, (), None), late).error, Refused)


def test_a_turn_that_takes_too_long_is_given_up_with_its_id() -> None:
    played = chat(refusal(504, "turn_timeout", request_id="req-1"), *[RUNNING] * 4, patience_s=3.0)
    assert isinstance(played.error, NoAnswer)
    assert (played.error.request_id, played.error.patience_s) == ("req-1", 3.0)
    assert "req-1" in str(played.error)


def test_a_turn_that_is_gone_meanwhile_is_refused() -> None:
    played = chat(refusal(504, "turn_timeout", request_id="req-1"), refusal(404, "turn_not_found"))
    assert isinstance(played.error, Refused) and played.error.code == "turn_not_found"


# -- other questions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flow", "line", "body"),
    [
        (asking().turn("req-1"), "GET /api/chat/req-1", None),
        (asking().cancel("req-1"), "DELETE /api/chat/req-1", None),
        (asking().delete_session("s"), "DELETE /api/chat", {"sessionId": "s"}),
    ],
)
def test_requests_are_those_of_the_api(flow: Flow[Any], line: str, body: Any) -> None:
    played = play(flow, Lost(), ANSWER)
    assert played.lines == [line] * 2
    assert (json.loads(played.calls[1].body) if played.calls[1].body else None) == body


def test_without_a_name_the_session_of_the_client_is_deleted() -> None:
    edge = asking()
    (call,) = play(edge.delete_session(None), Reply(204)).calls
    assert json.loads(call.body or b"") == {"sessionId": edge.session_id}


def test_a_turn_tells_how_far_it_is() -> None:
    assert play(asking().turn("req-1"), RUNNING).answer.state == "running"
    assert play(asking().turn("req-1"), ANSWER).answer == DONE


def test_a_point_and_a_half_written_name_are_asked_for() -> None:
    found = b'{"requestId": "req-1", "status": "ok", "message": "", "items": []}'
    played = play(asking().identify(2607744, 1228431, ("a",), 5), Reply(200, content=found))
    assert (
        json.loads(played.calls[0].body or b"").items()
        >= {"x": 2607744, "y": 1228431, "tolerance": 5}.items()
    )
    assert isinstance(play(asking().identify(float("nan"), 0, (), None)).error, Invalid)
    played = play(asking().suggest("Lang", 3), Reply(200, content=b'{"items": [], "from": 0}'))
    assert played.calls[0].params == {"q": "Lang", "limit": 3}


@pytest.mark.parametrize("heard", [refusal(429, "too_many_requests", after_s=3), Lost()])
def test_names_that_come_late_are_of_no_use(heard: Heard) -> None:
    played = play(asking().suggest("Lang", 3), heard)
    assert isinstance(played.error, Refused | Unreachable) and played.pauses == []


def test_the_list_of_tools_keeps_what_the_server_has_said() -> None:
    listed = b'{"tools": [], "news": 1}'
    assert play(asking().tools(), Reply(200, content=listed)).answer.document == listed


@pytest.mark.parametrize(
    "error",
    [chat(refusal(403, "forbidden", request_id="req-1")).error, NoAnswer("req-1", 3.0), Invalid("a: b")],
)
def test_errors_can_come_from_another_process(error: Exception) -> None:
    there = pickle.loads(pickle.dumps(error))
    assert (type(there), str(there), there.__dict__) == (type(error), str(error), error.__dict__)


# -- documents -------------------------------------------------------------------------------------


def _researched(status: Status, **research: Any) -> Reply:
    state = Research(user_query="q", initial_question="q", **research)
    step = Step(intent="search_documents", status=status, message="Es kostet [1].", research=state)
    return Reply(200, content=ChatResponse.of("req-1", (step,)).to_json())


def test_an_answer_from_documents_has_its_sources() -> None:
    source = Source(n=1, id="d", name="Bericht", url="http://localhost/d")
    played = play(asking().documents("Was kostet es?", GIVEN), _researched(Status.OK, sources=(source,)))
    assert json.loads(played.calls[0].body or b"")["agent"] == "riskiagent"
    answer = played.answer
    assert (answer.markdown, answer.is_supported, answer.sources) == ("Es kostet [1].", True, (source,))
    assert answer.research.user_query == "q" and answer.suggestions == ()


def test_without_an_answer_there_are_suggestions() -> None:
    error = ErrorInfo(error_type=ErrorType.NO_DOCUMENTS_FOUND, message="Nichts.", suggestions=("Und so?",))
    reply = _researched(Status.NEEDS_CLARIFICATION, error_info=error)
    answer = play(asking().documents("x", GIVEN), reply).answer
    assert not answer.is_supported
    assert (answer.suggestions, answer.sources) == (("Und so?",), ())
    greeted = play(asking().documents("x", GIVEN), ANSWER).answer
    assert (greeted.markdown, greeted.research, greeted.is_supported) == ("Fertig.", None, False)
