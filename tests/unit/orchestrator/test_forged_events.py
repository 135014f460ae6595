"""Who was not asked cannot answer: forged events change nothing, and nothing is said because of them."""

from typing import Any

import pytest
from contracts.messages import AnswerReady, ChatCancelled, Command, Event, PlanReady, ToolCalled, ToolResult
from contracts.plan import Plan
from contracts.session import Session
from contracts.tools import ToolDescriptor
from hypothesis import given
from hypothesis import strategies as st
from world import GOTO, NOW, SEED, Tool, World, answer, asked, plan

from orchestrator.arrivals import ChatArrived
from orchestrator.decision import Decision
from orchestrator.state import Turn
from orchestrator.tickets import sealed, ticket
from orchestrator.turn import advance

from .turn_strategies import plans, tool_sets


def forgeries(event: Event, others: list[str]) -> list[Event]:
    """The right answer, with one thing in it that only somebody else would say."""
    changes: list[dict[str, Any]] = [
        {"ticket": ""},
        {"ticket": "0" * 32},
        {"session_id": "another"},
        {"request_id": "req-2"},
        *({"ticket": other} for other in others),
    ]
    if not isinstance(event, PlanReady):
        changes += [{"step": event.step + 1}, {"round": event.round + 1}, {"call": event.call + 1}]
    if isinstance(event, ToolResult):
        changes += [{"capability": "terrain.height_by_xy"}, {"service": "tools-mcp"}]
        where = event.model_dump(include={"request_id", "session_id", "deadline", "step", "call", "ticket"})
        return [*(event.model_copy(update=c) for c in changes), AnswerReady(**where, text="…")]
    return [event.model_copy(update=change) for change in changes]


def refuses(turn: Turn, event: Event) -> None:
    decision = advance(turn, event, NOW)
    assert decision.refused is not None, event
    assert decision.turn == turn and not decision.changed
    said = (decision.commands, decision.progress, decision.replies, decision.timers, decision.stopped)
    assert said == ((), (), (), (), ())


@given(made=plans, tools=tool_sets(), data=st.data())
def test_forged_events_change_nothing_and_the_right_ones_count(
    made: Plan, tools: dict[str, Tool], data: st.DataObject
) -> None:
    calm, world = World(made, tools), World(made, tools)
    expected = calm.ask()
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    while world.queue:
        turn = world.turn
        assert turn is not None
        command = world.queue[data.draw(st.integers(0, len(world.queue) - 1))]
        others = [each.ticket for each in turn.outstanding if each.task != command.task]
        for forged in forgeries(answer(command, made, tools), others):
            refuses(turn, forged)
        world.queue.remove(command)
        right = answer(command, made, tools)
        world.take(right)
        assert world.turn is not None
        # Also when nobody waits for it any more.
        refuses(world.turn, right.model_copy(update={"ticket": "0" * 32}))
    assert world.replies[-1].response == expected


def test_a_ticket_is_for_one_task_of_one_turn() -> None:
    tasks = ["plan", *(f"{kind}/{n}/0/0" for kind in ("tool", "actionplan", "answer") for n in range(3))]
    made = {ticket(seed, task) for seed in ("a", "b") for task in tasks}
    assert len(made) == 2 * len(tasks)
    assert {len(each) for each in made} == {32}


def test_the_id_of_an_event_cannot_be_told_from_those_before() -> None:
    world = World(plan(GOTO))
    world.ask()
    turn = world.turn
    assert turn is not None
    ids = [sealed(turn.seed, event).message_id for event in turn.journal]
    seals = {each.rpartition("/")[2] for each in ids}
    assert len(seals) == len(ids) and all(seals)
    assert all(SEED not in each for each in ids)
    event = turn.journal[0]
    assert sealed(turn.seed, event).to_json() == event.to_json()


def test_a_turn_of_an_earlier_version_takes_answers_without_a_ticket() -> None:
    world = World(plan(GOTO))
    world.take(ChatArrived(asked(), Session(), "t"))
    (command,) = world.queue
    assert command.ticket == ""
    world.work()
    assert world.replies[-1].response is not None


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"ticket": ""}, "ticket"),
        ({"ticket": "0" * 32}, "ticket"),
        ({"session_id": "another"}, "session"),
        ({"request_id": "req-2"}, "session"),
        ({"call": 1}, "ticket"),
        ({"capability": "terrain.height_by_xy"}, "capability"),
        ({"service": "tools-mcp"}, "sender"),
    ],
)
def test_an_answer_of_somebody_else_is_refused_with_a_reason(change: dict[str, Any], refused: str) -> None:
    world = World(plan(GOTO))
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    world.take(answer(world.queue.pop(0), world.plan, world.tools))
    turn = world.turn
    forged = answer(world.queue[0], world.plan, world.tools).model_copy(update=change)
    assert world.take(forged) == Decision(turn=turn, changed=False, refused=refused)


def test_who_cancels_a_turn_of_another_session_is_refused() -> None:
    world = World(plan(GOTO))
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    cancel = ChatCancelled(request_id="req-1", session_id="another", deadline=NOW, exchange="c")
    assert world.take(cancel) == Decision(turn=world.turn, changed=False, refused="session")


def further(capability: str, service: str) -> ToolDescriptor:
    return ToolDescriptor(
        capability=capability, service=service, description="d", parameters={}, result_types=()
    )


@pytest.mark.parametrize(("service", "refused"), [("tools-hello", None), ("tools-geo", "sender")])
def test_a_service_outside_of_the_table_answers_for_the_tools_it_announces(
    service: str, refused: str | None
) -> None:
    world = World(plan(GOTO))
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    assert world.turn is not None
    tool = ticket(SEED, "tool/0/0/0")
    called = ToolCalled(
        request_id="req-1",
        session_id="s",
        deadline=NOW,
        step=0,
        capability="maps.x",
        args={},
        ticket=tool,
    )
    commands: tuple[Command, ...] = (called,)
    turn = world.turn.model_copy(
        update={"outstanding": commands, "tools": (further("maps.x", "tools-hello"),), "steps": ()}
    )
    result = ToolResult(**called.envelope(), service=service, capability="maps.x", outcome={})
    if refused is None:
        with pytest.raises(IndexError):
            # Taken: it goes on with a step that is not there.
            advance(turn, result, NOW)
    else:
        assert advance(turn, result, NOW).refused == refused


def test_a_turn_is_cancelled_for_its_own_session_only() -> None:
    world = World(plan(GOTO))
    world.take(ChatArrived(asked(), Session(), "t", SEED))
    wish = ChatCancelled(request_id="req-1", session_id="another", deadline=NOW, exchange="x")
    assert world.turn is not None
    assert advance(world.turn, wish, NOW).refused == "session"
    mine = wish.model_copy(update={"session_id": "s"})
    assert advance(world.turn, mine, NOW).changed


@pytest.mark.parametrize("place", ["$JS.API.STREAM.PURGE.TURNS", "edge.reply.*", "edge.reply.a.b", ">"])
def test_replies_go_to_edges_only(place: str) -> None:
    world = World(plan(GOTO))
    world.take(ChatArrived(asked(reply_to=place), Session(), "t", SEED))
    world.work()
    assert world.turn is not None and world.turn.rounds[0].state == "finished"
    assert [d.replies for d in world.decisions if d.replies] == []
