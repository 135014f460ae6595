"""The same work as a Restate virtual object, served by hypercorn; HTTP from outside is that of its server.

A turn is an object with its key. Every piece of work is a `ctx.run`, so that what has ended is not done
again. A question keeps its items in the state of the object, and nothing runs until it is answered.
"""

from typing import Any

import restate

from peers import work

turn = restate.VirtualObject("turn")


@turn.handler()
async def chat(ctx: restate.ObjectContext, body: dict[str, Any]) -> work.Response:
    calls = await ctx.run_typed("plan", work.plan, message=body["userMessage"])
    runs = [ctx.run_typed("tool", work.find, call=call) for call in calls]
    found = await restate.gather(*runs)
    items = [item for each in found for item in await each]
    if work.to_choose(items):
        ctx.set("items", items)
        return work.offer(ctx.key(), items)
    return await ctx.run_typed("action plan", work.answer, key=ctx.key(), items=items)


@turn.handler()
async def choose(ctx: restate.ObjectContext, body: dict[str, Any]) -> work.Response:
    items = await ctx.get("items")
    if items is None:
        raise restate.TerminalError("no open choice", status_code=404)
    ctx.clear("items")
    _, n = work.chosen(body["choiceId"])
    return await ctx.run_typed("action plan", work.answer, key=ctx.key(), items=[items[n]])


app = restate.app([turn])
