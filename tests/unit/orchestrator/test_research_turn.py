"""What a question about documents means for the rest of its turn and of its session."""

import json

import pytest
from contracts.messages import AnswerReady, Outcome, PlanReady, PlanRequested, ToolResult, Usage
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.session import HistoryEntry, Session
from contracts.status import Status
from contracts.turns import TurnEventKind, TurnState
from world import (
    GOTO,
    LOAD,
    OEREB_XY,
    SEARCH,
    World,
    answer,
    asked,
    called,
    clicked,
    judgement,
    plan,
    step,
    two_parcels,
)

from orchestrator import memory
from orchestrator.arrivals import ChatArrived
from orchestrator.state import Kept, Turn

CAPABILITIES = PlanStep(intent="answer", message="Ich suche Dokumente.", args={"about": "capabilities"})
OFF_HAND = PlanStep(intent="answer", message="Das Grundwasser ist überall geschützt, glaube ich.")


def error_type(world: World, step: int = 0) -> ErrorType | None:
    response = world.replies[-1].response
    assert response is not None
    research = response.steps[step].research
    return research.error_info.error_type if research and research.error_info else None


class TestDocumentAgent:
    @pytest.mark.parametrize("steps", [(OFF_HAND,), (GOTO, LOAD), ()])
    def test_it_answers_nothing_that_was_not_looked_up(self, steps: tuple[PlanStep, ...]) -> None:
        world = World(plan(*steps))
        response = world.ask(asked(agent="riskiagent"))
        assert [s.intent for s in response.steps] == ["search_documents"]
        assert error_type(world) is ErrorType.NO_TOOL_CALL
        assert called(world, PlanRequested)[0].agent == "riskiagent"
        assert len(world.decisions) == 2

    def test_beside_a_search_nothing_is_said_off_hand(self) -> None:
        response = World(plan(SEARCH, OFF_HAND, GOTO)).ask(asked(agent="riskiagent"))
        assert [s.intent for s in response.steps] == ["search_documents"]

    def test_it_may_ask_back(self) -> None:
        unclear = PlanStep(intent="clarify", status=Status.NEEDS_CLARIFICATION, message="Wonach?")
        response = World(plan(unclear)).ask(asked(agent="riskiagent"))
        assert [(s.status, s.message) for s in response.steps] == [(Status.NEEDS_CLARIFICATION, "Wonach?")]

    @pytest.mark.parametrize(("calls", "blames"), [(0, False), (1, True)])
    def test_of_a_model_is_spoken_only_where_one_was_asked(self, calls: int, blames: bool) -> None:
        world = World(plan(OFF_HAND))
        world.take(ChatArrived(asked(agent="riskiagent"), Session()))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        world.take(ready.model_copy(update={"usage": Usage(calls=calls)}))
        response = world.replies[-1].response
        assert response is not None
        assert ("Modell" in response.steps[0].message) is blames

    def test_what_was_looked_up_is_answered(self) -> None:
        response = World(plan(SEARCH)).ask(asked(agent="riskiagent"))
        assert response.overall_status is Status.OK

    def test_it_may_say_what_it_can_do(self) -> None:
        response = World(plan(CAPABILITIES)).ask(asked(agent="riskiagent"))
        assert (response.overall_status, response.steps[0].message) == (Status.OK, "Ich suche Dokumente.")

    def test_a_reason_of_the_planner_is_kept(self) -> None:
        refused = PlanStep(intent="search_documents", error_type=ErrorType.TIMEOUT)
        world = World(plan(refused))
        world.ask(asked(agent="riskiagent"))
        assert error_type(world) is ErrorType.TIMEOUT

    def test_an_open_choice_may_be_answered(self) -> None:
        world = World(Plan(choice_id="req-0.0.1"))
        world.take(ChatArrived(asked(agent="riskiagent"), Session()))
        world.work()
        assert world.turn is not None
        assert world.turn.view().state is TurnState.FORWARDED

    def test_the_copilot_of_the_map_answers_as_before(self) -> None:
        assert World(plan(OFF_HAND)).ask().steps[0].message == OFF_HAND.message

    def test_a_question_of_the_planner_about_a_search_is_passed_on(self) -> None:
        unclear = PlanStep(
            intent="search_documents", status=Status.NEEDS_CLARIFICATION, message="Wonach soll ich suchen?"
        )
        response = World(plan(unclear)).ask()
        assert response.steps[0].message == "Wonach soll ich suchen?"


def test_a_search_and_steps_on_the_map_go_side_by_side() -> None:
    response = World(plan(GOTO, SEARCH, LOAD)).ask()
    assert [(s.intent, s.status) for s in response.steps] == [
        ("goto_address", Status.OK),
        ("search_documents", Status.OK),
        ("load_layer", Status.OK),
    ]


def test_a_search_that_finds_nothing_leaves_the_other_steps_alone() -> None:
    world = World(plan(SEARCH, GOTO))
    world.tools["documents.check"] = lambda args: judgement(args["document"]["id"], False)
    assert [s.status for s in world.ask().steps] == [Status.NEEDS_CLARIFICATION, Status.OK]


def test_two_searches_of_a_message_do_not_mix() -> None:
    other = step("search_documents", ("documents.retrieve", {"query": "Verkehr"}))
    world = World(plan(SEARCH, other))
    response = world.ask()
    researches = [s.research for s in response.steps]
    assert [r.user_query for r in researches if r] == ["Schutz des Grundwassers", "Verkehr"]
    assert [len(r.tracked_documents) for r in researches if r] == [3, 3]


def test_the_journal_tells_of_documents_and_judgements_and_not_of_every_check() -> None:
    world = World(plan(SEARCH))
    world.tools["documents.check"] = lambda args: judgement(
        args["document"]["id"], args["document"]["id"] == "d1"
    )
    world.ask(asked("Was gilt?"))
    events = list(world.log.values())
    assert [e.kind for e in events] == [
        TurnEventKind.STARTED,
        TurnEventKind.PLAN_READY,
        TurnEventKind.STEP_STARTED,
        TurnEventKind.TOOL_CALLED,
        TurnEventKind.TOOL_RESULT,
        TurnEventKind.DOCUMENTS_FOUND,
        *[TurnEventKind.DOCUMENT_CHECKED] * 3,
        TurnEventKind.STEP_FINISHED,
        TurnEventKind.FINISHED,
    ]
    found = events[5].detail
    assert (found["userQuery"], found["initialQuestion"]) == ("Schutz des Grundwassers", "Was gilt?")
    assert [(d["id"], d["isChecked"], "passages" in d) for d in found["documents"]] == [
        ("d1", False, False),
        ("d2", False, False),
        ("d3", False, False),
    ]
    assert [p["documentIds"] for p in found["proposals"]] == [["d1"], ["d2", "d3"]]
    assert [e.detail for e in events[6:9]] == [
        {"id": "d1", "isRelevant": True, "reason": "Passt zur Frage.", "checked": 1, "total": 3},
        {"id": "d2", "isRelevant": False, "reason": "Handelt von etwas anderem.", "checked": 2, "total": 3},
        {"id": "d3", "isRelevant": False, "reason": "Handelt von etwas anderem.", "checked": 3, "total": 3},
    ]


class TestMemory:
    def changes(self, world: World) -> list[memory.Change]:
        return [change for decision in world.decisions for change in decision.changes]

    def said(self, world: World) -> str:
        (entry,) = [
            c.entry for c in self.changes(world) if isinstance(c, memory.Said) and c.entry.role == "assistant"
        ]
        return entry.text

    def test_the_session_learns_what_was_searched_and_found(self) -> None:
        world = World(plan(SEARCH))
        world.tools["documents.check"] = lambda args: judgement(
            args["document"]["id"], args["document"]["id"] != "d2"
        )
        world.ask()
        assert self.said(world).startswith(
            "[search_documents: ok] (gesucht: «Schutz des Grundwassers»; Dokumente: Bericht 1; Bericht 3) Zu"
        )

    def test_of_a_search_in_vain_it_learns_the_query(self) -> None:
        world = World(plan(SEARCH))
        world.tools["documents.check"] = lambda args: judgement(args["document"]["id"], False)
        world.ask()
        assert "(gesucht: «Schutz des Grundwassers») Es wurden Dokumente gefunden" in self.said(world)

    def test_documents_are_no_selection(self) -> None:
        world = World(plan(SEARCH))
        world.ask()
        assert not [c for c in self.changes(world) if isinstance(c, memory.Selected)]

    def test_nothing_of_an_earlier_turn_enters_the_next_one(self) -> None:
        first = World(plan(SEARCH))
        first.ask()
        history = tuple(c.entry for c in self.changes(first) if isinstance(c, memory.Said))
        follow_up = step(
            "search_documents", ("documents.retrieve", {"query": "Kosten des Grundwasserschutzes"})
        )
        second = World(plan(follow_up), session=Session(history=history))
        second.tools["documents.retrieve"] = lambda args: Outcome()
        response = second.ask(asked("Und was kostet das?", request_id="req-2"))
        research = response.steps[0].research
        assert research is not None
        assert (research.tracked_documents, research.sources) == ((), ())
        assert research.user_query == "Kosten des Grundwasserschutzes"
        assert research.initial_question == "Und was kostet das?"
        third = World(plan(SEARCH)).ask(asked(request_id="req-3")).steps[0].research
        assert third is not None and third.error_info is None

    def test_only_who_writes_an_answer_needs_what_was_said(self) -> None:
        said = tuple(HistoryEntry(role="user", text=f"Frage {n}") for n in range(9))
        kept = []
        for steps in ((GOTO,), (GOTO, SEARCH)):
            world = World(plan(*steps), session=Session(history=said))
            world.take(ChatArrived(asked(), world.session))
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
            assert world.turn is not None
            kept.append(world.turn.history)
        assert kept == [(), said[-4:]]


class TestUsage:
    def usage(self, world: World) -> list[dict[str, int] | None]:
        return [e.detail.get("usage") for e in world.log.values() if e.kind is TurnEventKind.FINISHED]

    def work(self, world: World, usage: Usage) -> None:
        world.take(ChatArrived(asked(), Session()))
        while world.queue:
            event = answer(world.queue.pop(0), world.plan, world.tools)
            if isinstance(event, PlanReady | ToolResult | AnswerReady):
                event = event.model_copy(update={"usage": usage})
            world.take(event)

    def test_everything_that_models_were_asked_is_told_at_the_end(self) -> None:
        world = World(plan(SEARCH))
        self.work(world, Usage(calls=1, input_tokens=100, output_tokens=10))
        assert self.usage(world) == [{"calls": 6, "inputTokens": 600, "outputTokens": 60}]

    def test_nothing_is_told_when_no_model_was_asked(self) -> None:
        world = World(plan(SEARCH))
        self.work(world, Usage())
        assert self.usage(world) == [None]

    def test_a_choice_adds_to_what_was_used_before(self) -> None:
        world = World(plan(OEREB_XY))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        self.work(world, Usage(calls=1, input_tokens=5))
        world.ask(clicked("req-1.0.0"))
        assert self.usage(world) == [{"calls": 2, "inputTokens": 10, "outputTokens": 0}] * 2


def test_a_turn_that_was_stored_before_there_were_documents_can_be_read_and_goes_on() -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask()
    assert world.turn is not None
    document = world.turn.model_dump(mode="json", exclude_none=True)
    for name in ("agent", "history", "usage"):
        document.pop(name, None)
    document["journal"] = [entry.as_json() for entry in world.turn.journal]
    for n, known in enumerate(world.turn.steps):
        if known.answer is not None:
            document["steps"][n]["answer"] = known.answer.as_json()
    world.turn = Turn.restored(world.turn.version, Kept(json.dumps(document).encode(), b"{}"))
    assert world.ask(clicked("req-1.0.0")).overall_status is Status.OK
