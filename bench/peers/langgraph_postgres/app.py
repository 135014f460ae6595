"""The same work as a LangGraph with the PostgreSQL checkpointer, behind FastAPI.

As its documentation has it: calls fan out with `Send`, a choice is an `interrupt` that
`Command(resume=...)` answers, a thread is a turn, and `durability="sync"` stores each step before the next
begins. Nothing goes on by itself after a crash: who asks again with the same key resumes the thread from
its last checkpoint.
"""

import operator
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypedDict

from fastapi import FastAPI, Header, Request
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from peers import work

CONNECTIONS = 10


class Turn(TypedDict, total=False):
    key: str
    message: str
    calls: list[work.Call]
    items: Annotated[list[work.Item], operator.add]
    response: work.Response


async def plan(turn: Turn) -> Turn:
    return {"calls": work.plan(turn["message"])}


def fan_out(turn: Turn) -> list[Send]:
    return [Send("tool", call) for call in turn["calls"]]


async def tool(call: work.Call) -> Turn:
    return {"items": await work.find(call)}


async def action_plan(turn: Turn) -> Turn:
    items = turn["items"]
    if work.to_choose(items):
        items = [items[interrupt(work.offer(turn["key"], items))]]
    return {"response": work.answer(turn["key"], items)}


def graph() -> StateGraph[Turn]:
    made = StateGraph(Turn)
    for node in (plan, tool, action_plan):
        made.add_node(node.__name__, node)
    made.add_edge(START, "plan")
    made.add_conditional_edges("plan", fan_out, ["tool"])
    made.add_edge("tool", "action_plan")
    made.add_edge("action_plan", END)
    return made


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(
        os.environ["DATABASE_URL"], min_size=CONNECTIONS, max_size=CONNECTIONS, kwargs=settings, open=False
    ) as pool:
        checkpointer = AsyncPostgresSaver(pool)
        await checkpointer.setup()
        app.state.graph = graph().compile(checkpointer=checkpointer)
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/api/chat")
async def chat(
    body: dict[str, Any], request: Request, idempotency_key: Annotated[str, Header()]
) -> work.Response:
    compiled = request.app.state.graph
    key, wanted = idempotency_key, {"key": idempotency_key, "message": body.get("userMessage")}
    if "choiceId" in body:
        key, n = work.chosen(body["choiceId"])
        wanted = Command(resume=n)
    thread = {"configurable": {"thread_id": key}}
    if request.headers.get("x-again"):
        before = await compiled.aget_state(thread)
        if "response" in before.values:
            return before.values["response"]
        if before.interrupts and "choiceId" not in body:
            return before.interrupts[0].value
        if before.values and not before.interrupts:
            wanted = None
    turn = await compiled.ainvoke(wanted, thread, durability="sync")
    if paused := turn.get("__interrupt__"):
        return paused[0].value
    return turn["response"]
