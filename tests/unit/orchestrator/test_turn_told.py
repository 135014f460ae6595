"""What a turn says: commands to workers, entries of its log, words for its user."""

from datetime import timedelta
from typing import Any

import pytest
from contracts.chat import Step
from contracts.intents import Intent
from contracts.messages import ActionPlanRequested, Outcome, PlanRequested, ToolCalled, Usage
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.session import HistoryEntry, LoadedLayer, OpenChoice, Option, Session, StepResult
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind
from world import (
    GOTO,
    LOAD,
    NOW,
    OEREB_HERE,
    OEREB_XY,
    RESPOND,
    SEED,
    TEXT,
    TOOLS,
    World,
    address,
    answer,
    asked,
    called,
    clicked,
    descriptor,
    extract,
    parcel,
    plan,
    step,
    two_parcels,
)

from orchestrator import memory
from orchestrator.arrivals import ChatArrived
from orchestrator.texts import text
from orchestrator.tickets import ticket

XY = {"x": 2600513.0, "y": 1215519.0}
LATER = NOW + timedelta(seconds=90)
FRENCH: dict[str, Any] = {"language": "fr", "retention_s": 600}


def chosen_turn() -> World:
    """A French turn with a choice, whose second round has a deadline of its own."""
    world = World(plan(OEREB_XY, LOAD))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask(asked("Auszug", **FRENCH))
    world.ask(clicked("req-1.0.1", deadline=LATER, **FRENCH))
    return world


def entries(world: World, kind: TurnEventKind) -> list[TurnEvent]:
    return [e for e in world.log.values() if e.kind is kind]


def details(world: World, kind: TurnEventKind) -> list[dict[str, Any]]:
    return [e.detail for e in entries(world, kind)]


class TestCommands:
    def test_all_say_for_whom_they_are_and_until_when(self) -> None:
        commands = [c for d in chosen_turn().decisions for c in d.commands]
        assert {(c.request_id, c.session_id, c.language, c.retention_s) for c in commands} == {
            ("req-1", "s", "fr", 600)
        }
        rounds = {0 if isinstance(c, PlanRequested) else c.round: c.deadline for c in commands}
        assert rounds == {0: NOW + timedelta(seconds=30), 1: LATER}
        assert all(c.ticket == ticket(SEED, c.task) for c in commands)

    def test_they_say_which_call_of_which_step_in_which_round(self) -> None:
        commands = [c for d in chosen_turn().decisions for c in d.commands]
        assert sorted(c.task for c in commands) == [
            "actionplan/0/0/0",
            "actionplan/0/1/0",
            "actionplan/1/0/1",
            "plan",
            "tool/0/0/0",
            "tool/0/1/0",
            "tool/1/0/1",
        ]

    def test_planners_get_the_message_and_what_the_session_knows(self) -> None:
        session = Session(
            history=(HistoryEntry(role="user", text="Hallo"),),
            selections=(parcel(3),),
            results=(StepResult(intent="load_layer", ok=True, text="Geladen."),),
        )
        world = World(plan(LOAD), session=session)
        world.ask(asked("Wald", agent="riskiagent"))
        [command] = called(world, PlanRequested)
        assert (command.user_message, command.session, command.agent) == ("Wald", session, "riskiagent")

    def test_the_turn_keeps_of_the_session_what_it_goes_on_needing(self) -> None:
        session = Session(
            history=(HistoryEntry(role="user", text="Hallo"),),
            selections=(parcel(3),),
            layers=(LoadedLayer(id="w", label="Wald"),),
            results=(StepResult(intent="load_layer", ok=True, text="Geladen."),),
            choices=(OpenChoice(request_id="req-0", step=0, options=(), expires_at=NOW),),
        )
        world = World(plan(LOAD), session=session)
        world.take(ChatArrived(asked(), session))
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
        assert world.turn is not None
        assert world.turn.session == Session(layers=session.layers)
        world.work()
        assert world.turn.session == Session()

    def test_the_action_planner_gets_the_arguments_of_the_calls_under_those_of_the_step(self) -> None:
        wanted = PlanStep(
            intent="load_layer",
            calls=(ToolCall(capability="layers.search", args={"query": "Wald", "limit": 1}),),
            args={"limit": 2, "opacity": 0.5},
        )
        layers = (LoadedLayer(id="gws", label="Gewässerschutz"),)
        world = World(plan(wanted), session=Session(layers=layers))
        found = Outcome(items=(parcel(1),), note="Vielleicht mehr.")
        world.tools["layers.search"] = lambda args: found
        world.ask()
        [command] = called(world, ActionPlanRequested)
        assert command.intent == "load_layer"
        assert command.args == {"query": "Wald", "limit": 2, "opacity": 0.5}
        assert (command.outcome, command.layers) == (found, layers)
        assert (command.choose, command.first_option) == (False, 0)

    def test_a_step_that_is_rendered_again_offers_under_new_ids(self) -> None:
        world = World(plan(step("oereb_extract", ("oereb.egrid_by_xy", XY), "oereb.extract_by_id")))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(
            items=(extract("CH000000000001"), extract("CH000000000002"))
        )
        world.ask()
        [again] = world.ask(clicked("req-1.0.0")).steps
        assert [c.id for c in again.choices] == ["req-1.0.2", "req-1.0.3"]
        assert [c.first_option for c in called(world, ActionPlanRequested)] == [0, 2]


class TestLog:
    def test_each_entry_says_whose_it_is_when_it_was_and_which_round_and_step_it_is_about(self) -> None:
        world = chosen_turn()
        for entry in world.log.values():
            assert (entry.request_id, entry.session_id, entry.retention_s) == ("req-1", "s", 600)
            assert entry.at == NOW
        kind = TurnEventKind
        assert sorted((e.kind, e.round, e.step) for e in world.log.values() if e.step is not None) == sorted(
            [
                (kind.STEP_STARTED, 0, 0),
                (kind.STEP_STARTED, 0, 1),
                (kind.TOOL_CALLED, 0, 0),
                (kind.TOOL_CALLED, 0, 1),
                (kind.TOOL_RESULT, 0, 0),
                (kind.TOOL_RESULT, 0, 1),
                (kind.STEP_FINISHED, 0, 1),
                (kind.CHOICE_PENDING, 0, 0),
                (kind.CHOICE_MADE, 1, 0),
                (kind.STEP_STARTED, 1, 0),
                (kind.TOOL_CALLED, 1, 0),
                (kind.TOOL_RESULT, 1, 0),
                (kind.STEP_FINISHED, 1, 0),
            ]
        )
        assert [(e.kind, e.round) for e in world.log.values() if e.step is None] == [
            (kind.STARTED, 0),
            (kind.PLAN_READY, 0),
            (kind.FINISHED, 0),
            (kind.FINISHED, 1),
        ]

    def test_the_message_and_the_plan(self) -> None:
        world = chosen_turn()
        assert details(world, TurnEventKind.STARTED) == [{"message": "Auszug"}]
        steps = [
            {"intent": "oereb_extract", "calls": ["oereb.egrid_by_xy", "oereb.extract_by_id"]},
            {"intent": "load_layer", "calls": ["layers.search"]},
        ]
        assert details(world, TurnEventKind.PLAN_READY) == [{"planner": "test", "steps": steps}]

    def test_a_call_and_what_came_of_it(self) -> None:
        world = World(plan(OEREB_XY))
        world.take(ChatArrived(asked(), Session()))
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        found = answer(world.queue.pop(0), world.plan, world.tools)
        world.take(found.model_copy(update={"duration_ms": 12.5}))
        world.work()
        assert details(world, TurnEventKind.STEP_STARTED) == [{"intent": "oereb_extract"}]
        assert details(world, TurnEventKind.TOOL_CALLED) == [{"capability": "oereb.egrid_by_xy", "args": XY}]
        assert details(world, TurnEventKind.TOOL_RESULT) == [
            {"capability": "oereb.egrid_by_xy", "status": "ok", "items": 2, "durationMs": 12.5}
        ]

    def test_a_choice_and_which_one_it_was(self) -> None:
        world = chosen_turn()
        [pending] = entries(world, TurnEventKind.CHOICE_PENDING)
        assert pending.detail == {"expiresAt": (NOW + timedelta(minutes=15)).isoformat()}
        assert pending.answer is not None and pending.answer.status is Status.NEEDS_USER_CHOICE
        assert details(world, TurnEventKind.CHOICE_MADE) == [
            {"choiceId": "req-1.0.1", "label": parcel(2).label}
        ]

    def test_the_answer_of_each_step_and_the_response_of_each_round(self) -> None:
        world = chosen_turn()
        answers = {(e.round, e.step): e.answer for e in entries(world, TurnEventKind.STEP_FINISHED)}
        responses = [e.response for e in entries(world, TurnEventKind.FINISHED)]
        assert [r.steps[-1] for r in responses if r is not None] == [answers[0, 1], answers[1, 0]]
        assert [reply.response for reply in world.replies] == responses
        assert details(world, TurnEventKind.FINISHED) == [{}, {}]


class TestSessionLearns:
    def test_of_a_choice_that_is_open_and_of_what_was_chosen(self) -> None:
        world = chosen_turn()
        options = tuple(Option(id=f"req-1.0.{n}", label=parcel(n + 1).label) for n in range(2))
        choice = OpenChoice(
            request_id="req-1", step=0, options=options, expires_at=NOW + timedelta(minutes=15)
        )
        changes = [c for d in world.decisions for c in d.changes]
        assert changes[:2] == [memory.TurnBegan("req-1"), memory.said_by_user("Auszug")]
        assert memory.ChoiceOpened(choice) in changes
        closed = changes.index(memory.ChoiceClosed(choice))
        assert changes[closed + 1] == memory.said_by_user(text("chosen", "fr", label=parcel(2).label))

    def test_of_tokens_that_were_spent_where_a_model_was_asked(self) -> None:
        world = World(plan(LOAD))
        world.take(ChatArrived(asked(), Session()))
        planned = answer(world.queue.pop(0), world.plan, world.tools)
        usage = Usage(calls=1, input_tokens=100, output_tokens=10)
        assert world.take(planned.model_copy(update={"usage": usage})).changes == (memory.Spent(110),)
        world.work()
        spent = [c for d in world.decisions for c in d.changes if isinstance(c, memory.Spent)]
        assert len(spent) == 1

    def test_of_the_map_only_when_the_client_shows_it(self) -> None:
        layers = (LoadedLayer(id="gws", label="Gewässerschutz"),)
        for told, seen in ((None, []), (layers, [memory.MapSeen(layers)])):
            world = World(plan(LOAD), session=Session(layers=layers))
            world.ask(asked().model_copy(update={"map_layers": told}))
            changes = [c for d in world.decisions for c in d.changes]
            assert [c for c in changes if isinstance(c, memory.MapSeen)] == seen


class TestWords:
    @pytest.mark.parametrize(
        ("parameters", "what"),
        [
            (("x", "y"), "eine Adresse, ein Grundstück oder eine Koordinate"),
            (("geometry",), "eine Adresse, ein Grundstück oder eine Koordinate"),
            (("x",), "eine Adresse, ein Grundstück oder eine Koordinate"),
            (("y",), "eine Adresse, ein Grundstück oder eine Koordinate"),
            (("egrid",), "ein Grundstück (Nummer und Gemeinde, oder EGRID)"),
            (("municipality",), "eine Gemeinde"),
            (("q",), "wonach ich suchen soll"),
            (("query",), "wonach ich suchen soll"),
            (("number", "municipality"), "eine Gemeinde, «number»"),
        ],
    )
    def test_what_is_missing_is_named(
        self, parameters: tuple[str, ...], what: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tool = descriptor("layers.search", ("layer",), **dict.fromkeys(parameters, TEXT))
        monkeypatch.setitem(TOOLS, "layers.search", tool)
        [only] = World(plan(step("load_layer", "layers.search"))).ask().steps
        assert only.message == f"Dafür brauche ich noch eine Angabe: {what}."

    def test_what_is_given_is_not_asked_for(self) -> None:
        [only] = World(plan(step("show_parcel", ("parcels.by_number", {"number": "7"})))).ask().steps
        assert only.message == "Dafür brauche ich noch eine Angabe: eine Gemeinde."

    @pytest.mark.parametrize(
        ("outcome", "status", "message"),
        [
            (Outcome(status=Status.ERROR), Status.ERROR, "Der Dienst konnte die Anfrage nicht bearbeiten."),
            (Outcome(status=Status.ERROR, message="Kaputt."), Status.ERROR, "Kaputt."),
            (
                Outcome(),
                Status.NEEDS_CLARIFICATION,
                "Es wurde nichts gefunden. Bitte präzisiere deine Angabe.",
            ),
            (Outcome(message="Kein Treffer."), Status.NEEDS_CLARIFICATION, "Kein Treffer."),
            (
                Outcome(status=Status.NEEDS_CLARIFICATION, items=(address(),), message="Welche?"),
                Status.NEEDS_CLARIFICATION,
                "Welche?",
            ),
        ],
    )
    def test_a_tool_says_itself_what_is_wrong(self, outcome: Outcome, status: Status, message: str) -> None:
        world = World(plan(GOTO, OEREB_HERE))
        world.tools["geolocation.geocode"] = lambda args: outcome
        first, second = world.ask().steps
        assert (first.intent, first.status, first.message) == ("goto_address", status, message)
        skipped = "Übersprungen, weil der Schritt davor nicht gelungen ist."
        assert (second.intent, second.status, second.message) == ("oereb_extract", status, skipped)

    def test_a_tool_that_nobody_offers_is_named(self) -> None:
        [only] = World(plan(step("dance", "ballroom.dance"))).ask().steps
        assert (only.status, only.message) == (
            Status.ERROR,
            "Dafür ist im Moment kein Dienst verfügbar (ballroom.dance).",
        )

    def test_a_plan_of_nothing_or_of_too_much(self) -> None:
        [nothing] = World(Plan(steps=())).ask().steps
        [too_much] = World(plan(*[LOAD] * 11)).ask().steps
        assert [each.intent for each in (nothing, too_much)] == [Intent.CLARIFY] * 2
        assert nothing.message == ("Das habe ich nicht verstanden. Bitte formuliere deine Frage anders.")
        assert too_much.message == ("Das sind zu viele Schritte (höchstens 10). Bitte teile die Anfrage auf.")

    def test_a_status_of_the_planner_without_a_message_is_not_understood(self) -> None:
        unsure = PlanStep(intent="clarify", status=Status.NEEDS_CLARIFICATION)
        [only] = World(plan(unsure)).ask().steps
        assert only == Step(
            intent="clarify",
            status=Status.NEEDS_CLARIFICATION,
            message="Das habe ich nicht verstanden. Bitte formuliere deine Frage anders.",
        )

    def test_a_step_with_calls_is_not_ended_by_the_message_of_the_planner(self) -> None:
        said = GOTO.model_copy(update={"message": "Ich suche die Adresse."})
        world = World(plan(said))
        assert world.ask().overall_status is Status.OK
        assert called(world, ToolCalled)

    def test_a_short_message_of_an_answer_to_be_written_does_not_end_it(self) -> None:
        said = RESPOND.model_copy(update={"message": "Gerne."})
        world = World(plan(LOAD, said))
        assert "load_layer" in world.ask().steps[1].message
