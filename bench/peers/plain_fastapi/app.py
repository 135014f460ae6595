"""The same work in FastAPI alone, in memory: what durability is to be compared with."""

import asyncio
from typing import Annotated, Any

from fastapi import FastAPI, Header

from peers import work

app = FastAPI()
open_choices: dict[str, list[work.Item]] = {}


@app.post("/api/chat")
async def chat(body: dict[str, Any], idempotency_key: Annotated[str, Header()]) -> work.Response:
    if "choiceId" in body:
        key, n = work.chosen(body["choiceId"])
        return work.answer(key, [open_choices.pop(key)[n]])
    calls = work.plan(body["userMessage"])
    found = await asyncio.gather(*(work.find(call) for call in calls))
    items = [item for each in found for item in each]
    if work.to_choose(items):
        open_choices[idempotency_key] = items
        return work.offer(idempotency_key, items)
    return work.answer(idempotency_key, items)
