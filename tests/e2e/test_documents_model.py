"""A language model plans, checks and writes; what it invents does not get through."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from contracts.turns import TurnEventKind
from scripted_model import ScriptedModel

from .research import QUESTION, check_research
from .running import System, answer_of, running

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    answer = (
        '```json\n{"action": "respond"}\n```\n'
        "Die Ausscheidung kostet **einen Kredit** [1]. Erfunden ist das hier [42]. "
        "Mehr unter https://evil.example/x."
    )
    served = ScriptedModel(relevant=("Grundwasserschutzzone",), answer=answer)
    yield served
    served.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def with_model(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> AsyncIterator[System]:
    environment = {
        "OPENAI_API_KEY": "sk-for-tests-only",
        "OPENAI_BASE_URL": model.base_url,
        "JUDGE_MODEL": "small",
        "ACK_WAIT_S": "30",
    }
    async with running(tmp_path_factory.mktemp("model"), **environment) as started:
        yield started


async def test_a_model_plans_checks_and_writes_and_only_what_is_checked_gets_through(
    with_model: System, model: ScriptedModel
) -> None:
    model.asked.clear()
    response = await with_model.conversation().say(QUESTION)
    (step,) = response["steps"]
    research = check_research(step)
    said, _, note = step["message"].rpartition("\n\n")
    assert said == "Die Ausscheidung kostet **einen Kredit** [1]. Erfunden ist das hier . Mehr unter"
    assert note.startswith("Durchsucht wurden Beispieldokumente")
    relevant = [d for d in research["trackedDocuments"] if d["isRelevant"]]
    assert research["sources"][0]["id"] == relevant[0]["id"]
    assert {d["relevanceReason"] for d in relevant} == {"Passt zur Frage."}
    checks = len(research["trackedDocuments"])
    assert model.asked[0] == "plan" and model.asked[-1] == "answer"
    assert model.asked.count("relevance") == checks
    events = await with_model.events(response["requestId"])
    usage = next(e.detail["usage"] for e in events if e.kind is TurnEventKind.FINISHED)
    assert usage["calls"] == checks + 2
    assert usage["outputTokens"] == 10 * (checks + 1) + 60


async def test_which_models_do_it_is_told(with_model: System) -> None:
    listed = (await with_model.http.get("/api/tools")).json()
    assert listed["models"] == [
        {"service": "responder", "use": "answer", "model": "gpt-5-mini"},
        {"service": "tools-docs", "use": "judge", "model": "small"},
        {"service": "planner", "use": "plan", "model": "gpt-5-mini"},
    ]


@pytest.mark.parametrize("intent", ["answer", "clarify"])
async def test_what_a_model_knows_by_heart_does_not_get_through(
    with_model: System, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, intent: str
) -> None:
    said = "Ich weiss das auswendig: 42."
    by_heart: dict[str, Any] = {"intent": intent, "calls": [], "args": None, "message": said}
    monkeypatch.setattr(model, "plan", lambda content: {"steps": [by_heart]})
    response = answer_of(await with_model.conversation().post(userMessage=QUESTION, agent="riskiagent"))
    (step,) = response["steps"]
    assert (step["status"], "42" in step["message"]) == ("needs_clarification", False)
    error = step.get("research", {}).get("errorInfo", {})
    assert error.get("errorType") == ("no_tool_call" if intent == "answer" else None)
    assert ("Modell" in step["message"]) is (intent == "answer")


@pytest.mark.parametrize(
    ("ending", "error", "said"),
    [
        (None, "server_error", "Das Sprachmodell hat keine Antwort geliefert."),
        ("content_filter", "content_policy_violation", "Das Sprachmodell hat diese Antwort abgelehnt."),
    ],
)
async def test_when_it_fails_the_documents_answer_and_what_it_has_said_is_withdrawn(
    with_model: System,
    model: ScriptedModel,
    monkeypatch: pytest.MonkeyPatch,
    ending: str | None,
    error: str,
    said: str,
) -> None:
    monkeypatch.setattr(model, "ending", ending)
    response = await with_model.conversation().say(QUESTION)
    (step,) = response["steps"]
    assert step["status"] == "ok"
    assert step["message"].startswith(f"{said}\n\n") and "[1]" in step["message"]
    assert "einen Kredit" not in step["message"]
    assert check_research(step)["sources"]
    events = await with_model.events(response["requestId"])
    detail = next(e.detail for e in events if e.kind is TurnEventKind.STEP_FINISHED)
    assert (detail["author"], detail["modelError"]) == ("extract", error)


async def test_the_documents_of_a_question_may_go_in_one_call(
    tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel
) -> None:
    environment = {
        "OPENAI_API_KEY": "sk-for-tests-only",
        "OPENAI_BASE_URL": model.base_url,
        "DOCS_CHECK_BATCH": "20",
        "ACK_WAIT_S": "30",
    }
    model.asked.clear()
    async with running(tmp_path_factory.mktemp("together"), **environment) as system:
        (step,) = (await system.conversation().say(QUESTION))["steps"]
    research = check_research(step)
    assert len(research["trackedDocuments"]) > 3
    assert {d["relevanceReason"] for d in research["trackedDocuments"]} == {
        "Passt zur Frage.",
        "Behandelt etwas anderes.",
    }
    assert model.asked.count("relevance") == 1
