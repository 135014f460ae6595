"""A model plans questions about documents, and answers that are written later."""

from typing import Any

import pytest
from contracts.messages import Usage
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.research import ErrorType
from contracts.session import Session
from contracts.status import Status

from planner.rules.planning import abilities
from planner.texts import text

from .fake_openai import Behaviour, Fails, FakeOpenAI, Hangs, Says, strict_violations
from .llm_kit import (
    CHOICE,
    GOOD,
    SESSION,
    TOOLS,
    WITH_DOCUMENTS,
    MakePlanner,
    OtherPlanner,
    call,
    ending,
    request,
    step,
    steps,
)

QUESTION = "Was kostet die Ausscheidung der Schutzzonen?"
SEARCH = steps(step("search_documents", call("documents.retrieve", query=QUESTION, filters=None, limit=None)))
RESPOND = PlanStep(intent="answer", respond=True)


def one_step(openai: FakeOpenAI) -> dict[str, Any]:
    properties = openai.only_request.schema["properties"]["steps"]["items"]["properties"]
    assert isinstance(properties, dict)
    return properties


# -- what is offered ------------------------------------------------------------------------------------


async def test_documents_are_offered_with_their_filters(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    openai.will(Says(SEARCH))
    await make_planner().plan(request(QUESTION), WITH_DOCUMENTS)

    assert list(strict_violations(openai.only_request.schema)) == []
    offered = one_step(openai)
    assert "search_documents" in offered["intent"]["enum"]
    branches = {b["properties"]["capability"]["const"]: b for b in offered["calls"]["items"]["anyOf"]}
    filters, null = branches["documents.retrieve"]["properties"]["args"]["properties"]["filters"]["anyOf"]
    assert set(filters["properties"]) == {"from", "to", "type", "body"}
    assert null == {"type": "null"}
    assert "How to search documents" in openai.only_request.text(0)


async def test_without_documents_nothing_is_said_of_them(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    openai.will(Says(GOOD))
    await make_planner().plan(request(), TOOLS)
    assert "search_documents" not in openai.only_request.text(0)


async def test_an_answer_may_be_written_later(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says(GOOD))
    await make_planner().plan(request(), TOOLS)
    assert one_step(openai)["respond"]["type"] == "boolean"


async def test_the_document_agent_is_offered_the_search_and_nothing_of_the_map(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    planner = make_planner()
    openai.will(Says(SEARCH), Says(GOOD))
    session = Session(choices=(CHOICE,))
    await planner.plan(request(QUESTION, session=session, agent="riskiagent"), WITH_DOCUMENTS)

    asked = openai.only_request
    assert list(strict_violations(asked.schema)) == []
    assert list(asked.schema["properties"]) == ["steps"]
    offered = one_step(openai)
    assert offered["intent"]["enum"] == ["search_documents", "clarify"]
    assert offered["calls"]["items"]["properties"]["capability"]["const"] == "documents.retrieve"
    assert offered["args"] == {"type": "null"}
    assert "message" not in offered and "respond" not in offered
    assert "geolocation" not in asked.text(0) and "map assistant" not in asked.text(0)

    await planner.plan(request(), WITH_DOCUMENTS)
    _, of_map = openai.received
    assert "geolocation.geocode" in of_map.text(0)


# -- what becomes of the answer -------------------------------------------------------------------------


async def test_what_is_not_filtered_by_is_left_out(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    filters = {"from": "2022-01-01", "to": None, "type": "Merkblatt", "body": None}
    asked = call("documents.retrieve", query="Radwege", filters=filters, limit=None)
    openai.will(Says(steps(step("search_documents", asked))))
    planned = await make_planner().plan(request("Merkblätter zu Radwegen seit 2022"), WITH_DOCUMENTS)
    wanted = {"query": "Radwege", "filters": {"from": "2022-01-01", "type": "Merkblatt"}}
    assert planned.plan.steps[0].calls == (ToolCall(capability="documents.retrieve", args=wanted),)


LONG = "Ich habe dir Grenchen gezeigt und den Gewässerschutz geladen."


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (step("answer") | {"respond": True}, RESPOND),
        (step("answer", message="  ") | {"respond": True}, RESPOND),
        (step("answer", message=LONG) | {"respond": True}, RESPOND.model_copy(update={"message": LONG})),
        (step("answer", message="Hallo!") | {"respond": False}, PlanStep(intent="answer", message="Hallo!")),
        (step("answer", message="Hallo!") | {"respond": None}, PlanStep(intent="answer", message="Hallo!")),
        (step("respond"), RESPOND),
        (step("complete", message="Erledigt."), PlanStep(intent="answer", message="Erledigt.")),
        (
            step("ask_user", message="Welcher Ort?"),
            PlanStep(intent="clarify", message="Welcher Ort?", status=Status.NEEDS_CLARIFICATION),
        ),
        (step("clear_map") | {"respond": True}, PlanStep(intent="clear_map")),
    ],
)
async def test_an_answer_is_said_or_written_later(
    openai: FakeOpenAI, make_planner: MakePlanner, answered: dict[str, Any], expected: PlanStep
) -> None:
    openai.will(Says(steps(answered)))
    assert (await make_planner().plan(request(), TOOLS)).plan == Plan(steps=(expected,))


async def test_a_summary_comes_after_the_steps_that_it_sums_up(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    openai.will(Says(steps(*GOOD["steps"], step("answer") | {"respond": True})))
    planned = await make_planner().plan(request(), TOOLS)
    assert [s.intent for s in planned.plan.steps] == ["goto_address", "answer"]
    assert planned.plan.steps[1] == RESPOND


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (step("answer") | {"respond": True}, "there is no intent 'answer'"),
        (step("load_layer", call("layers.search", query="Wald")), "there is no intent"),
        (step("search_documents"), "needs a call of documents.retrieve"),
    ],
)
async def test_the_document_agent_does_nothing_but_search(
    openai: FakeOpenAI, make_planner: MakePlanner, bad: dict[str, Any], named: str
) -> None:
    openai.will(Says(steps(bad)), Says(SEARCH))
    planned = await make_planner().plan(request(QUESTION, agent="riskiagent"), WITH_DOCUMENTS)
    assert planned.plan.steps[0].calls == (
        ToolCall(capability="documents.retrieve", args={"query": QUESTION}),
    )
    assert named in openai.received[1].text(3)


@pytest.mark.parametrize(
    ("message", "key"),
    [("Was kannst du?", "research_abilities"), ("Grüezi", "research_greeting"), ("Merci!", "welcome")],
)
async def test_talk_with_the_document_agent_needs_neither_documents_nor_a_model(
    openai: FakeOpenAI, make_planner: MakePlanner, message: str, key: str
) -> None:
    planned = await make_planner().plan(request(message, agent="riskiagent"), WITH_DOCUMENTS)
    tried = abilities.suggestions(key, (), "de")
    expected = PlanStep(intent="answer", args={"about": "capabilities"}, message=text(key), suggestions=tried)
    assert planned.plan == Plan(steps=(expected,))
    assert openai.received == []


BY_HEART = [
    "Ich weiss das auswendig: 42.",
    "Die Ausscheidung kostet 2,4 Mio. Franken.",
    "Hallo! Übrigens: Sie kostet zwanzig Franken.",
    "Je le sais par cœur : 42.",
    "Das kostet zwanzig Franken, oder?",
    "Was ich alles kann: Schutzzonen kosten 2,4 Mio.",
    '{"about": "capabilities"}',
]


@pytest.mark.parametrize("said", BY_HEART)
@pytest.mark.parametrize("intent", ["answer", "respond", "complete"])
@pytest.mark.parametrize("question", [QUESTION, "Hallo, was kosten die Schutzzonen?"])
async def test_what_a_model_knows_by_heart_is_no_answer(
    openai: FakeOpenAI, make_planner: MakePlanner, said: str, intent: str, question: str
) -> None:
    off_hand = steps(step(intent, message=said, about="capabilities"))
    openai.will(Says(off_hand), Says(off_hand))
    planned = await make_planner().plan(request(question, agent="riskiagent"), WITH_DOCUMENTS)
    nothing = PlanStep(intent="search_documents", error_type=ErrorType.NO_TOOL_CALL)
    assert planned.plan == Plan(steps=(nothing,))


@pytest.mark.parametrize("said", [*BY_HEART, None, "Welche Zonen meinst du?"])
@pytest.mark.parametrize("intent", ["clarify", "ask_user"])
async def test_the_document_agent_asks_back_in_words_of_its_own(
    openai: FakeOpenAI, make_planner: MakePlanner, said: str | None, intent: str
) -> None:
    openai.will(Says(steps(step(intent, message=said))))
    planned = await make_planner().plan(request("Und die?", agent="riskiagent"), WITH_DOCUMENTS)
    assert ending(planned.plan) == (Status.NEEDS_CLARIFICATION, text("research_unclear"))


async def test_beside_a_search_nothing_is_answered_by_heart_either(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    both = steps(*SEARCH["steps"], step("answer", message="Es kostet 42 Franken."))
    openai.will(Says(both), Says(SEARCH))
    planned = await make_planner().plan(request(QUESTION, agent="riskiagent"), WITH_DOCUMENTS)
    assert [s.intent for s in planned.plan.steps] == ["search_documents"]


async def test_without_the_search_the_document_agent_asks_no_model(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    planned = await make_planner().plan(request(QUESTION, agent="riskiagent"), TOOLS)
    expected = PlanStep(intent="search_documents", error_type=ErrorType.SERVER_ERROR)
    assert planned.plan == Plan(steps=(expected,))
    assert openai.received == []


# -- what is told when there is no plan -----------------------------------------------------------------

NO_PLAN: list[tuple[tuple[Behaviour, ...], ErrorType]] = [
    ((Says(None, refusal="No."),), ErrorType.CONTENT_POLICY_VIOLATION),
    ((Says(None, finish_reason="content_filter"),), ErrorType.CONTENT_POLICY_VIOLATION),
    ((Fails(400, "content_filter"),), ErrorType.CONTENT_POLICY_VIOLATION),
    ((Says("Das kostet viel."), Says("Wirklich viel.")), ErrorType.NO_TOOL_CALL),
    ((Says(SEARCH, finish_reason="length"),), ErrorType.NO_TOOL_CALL),
    ((Fails(401),), ErrorType.SERVER_ERROR),
    ((Fails(500), Fails(500)), ErrorType.SERVER_ERROR),
    ((Hangs(),), ErrorType.TIMEOUT),
]


@pytest.mark.parametrize(
    ("behaviours", "error_type"), NO_PLAN, ids=[str(behaviours) for behaviours, _ in NO_PLAN]
)
@pytest.mark.parametrize("asked", [request(QUESTION), request("Gehe nach Grenchen", agent="riskiagent")])
async def test_a_question_about_documents_gets_the_sort_of_error(
    openai: FakeOpenAI,
    make_planner: MakePlanner,
    behaviours: tuple[Behaviour, ...],
    error_type: ErrorType,
    asked: Any,
) -> None:
    openai.will(*behaviours)
    asked = request(asked.user_message, agent=asked.agent, deadline_in_s=1.5 if Hangs() in behaviours else 30)
    planned = await make_planner().plan(asked, WITH_DOCUMENTS)
    assert planned.plan == Plan(steps=(PlanStep(intent="search_documents", error_type=error_type),))


@pytest.mark.parametrize(
    ("behaviours", "status", "key"),
    [
        ((Says(None, refusal="No."),), Status.NEEDS_CLARIFICATION, "llm_refused"),
        ((Says(None, finish_reason="content_filter"),), Status.NEEDS_CLARIFICATION, "llm_blocked"),
        ((Fails(401),), Status.ERROR, "llm_unreachable"),
    ],
)
async def test_a_wish_for_the_map_is_told_in_words(
    openai: FakeOpenAI,
    make_planner: MakePlanner,
    behaviours: tuple[Behaviour, ...],
    status: Status,
    key: str,
) -> None:
    openai.will(*behaviours)
    planned = await make_planner().plan(request("Gehe nach Grenchen"), WITH_DOCUMENTS)
    assert ending(planned.plan) == (status, text(key))


async def test_a_bug_is_an_error_of_the_server(
    openai: FakeOpenAI, make_planner: MakePlanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("planner.llm.planner.answer_schema", broken)
    planned = await make_planner().plan(request(QUESTION, agent="riskiagent"), WITH_DOCUMENTS)
    assert [s.error_type for s in planned.plan.steps] == [ErrorType.SERVER_ERROR]


# -- what it costs --------------------------------------------------------------------------------------


async def test_every_call_of_the_model_is_counted(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says(GOOD), Says("nein"), Says(GOOD))
    planner = make_planner()
    once = await planner.plan(request(session=SESSION), TOOLS)
    assert once.usage == Usage(calls=1, input_tokens=1_200, output_tokens=80)
    assert once.planner == "gpt-5-mini"
    repaired = await planner.plan(request(), TOOLS)
    assert repaired.usage == once.usage + once.usage


async def test_what_was_asked_in_vain_is_counted_too(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says("nein"), Fails(401))
    planned = await make_planner(OtherPlanner()).plan(request(), TOOLS)
    assert planned.planner == "rules (fallback)"
    assert planned.usage == Usage(calls=2, input_tokens=1_200, output_tokens=80)
