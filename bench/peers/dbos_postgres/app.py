"""The same work as DBOS workflows on PostgreSQL, behind FastAPI.

The key of a turn is the id of its workflow, so that who asks again gets the same one; workflows that were
at work in a crash go on when their executor is started again. A workflow that finds several items ends with
the question, and the answer is a workflow of its own: cheaper than one that waits in `recv`, which has to
tell by an event what it asks.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from dbos import DBOS, DBOSConfig, SetWorkflowID
from fastapi import FastAPI, Header

from peers import work

Found = list[work.Item]


@DBOS.step()
async def plan(message: str) -> list[work.Call]:
    return work.plan(message)


@DBOS.step()
async def tool(call: work.Call) -> Found:
    return await work.find(call)


@DBOS.step()
async def action_plan(key: str, items: Found) -> work.Response:
    return work.answer(key, items)


@DBOS.workflow()
async def turn(key: str, message: str) -> work.Response:
    calls = await plan(message)
    found = await asyncio.gather(*(tool(call) for call in calls))
    items = [item for each in found for item in each]
    return work.offer(key, items) if work.to_choose(items) else await action_plan(key, items)


@DBOS.workflow()
async def choice(key: str, item: work.Item) -> work.Response:
    return await action_plan(key, [item])


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    DBOS.launch()
    yield
    DBOS.destroy()


config: DBOSConfig = {
    "name": "peers",
    "system_database_url": os.environ["DATABASE_URL"],
    "executor_id": os.environ["WORKER"],
    "log_level": "WARNING",
}
DBOS(config=config)
app = FastAPI(lifespan=lifespan)


@app.post("/api/chat")
async def chat(body: dict[str, Any], idempotency_key: Annotated[str, Header()]) -> work.Response:
    if "choiceId" in body:
        key, n = work.chosen(body["choiceId"])
        offered = await (await DBOS.retrieve_workflow_async(key)).get_result()
        item = offered["steps"][0]["choices"][n]["data"]
        with SetWorkflowID(idempotency_key):
            handle = await DBOS.start_workflow_async(choice, key, item)
    else:
        with SetWorkflowID(idempotency_key):
            handle = await DBOS.start_workflow_async(turn, idempotency_key, body["userMessage"])
    return await handle.get_result()
