"""The yardstick: the same hops over JetStream by nats-py alone, without typing, state, checks or HTTP.

Four processes (one coordinator, three workers) pass a document of the size of a tool result along:
driver -> coordinator -> worker 1 -> coordinator -> worker 2 -> coordinator -> worker 3 -> coordinator
-> driver.
Seven messages are stored, the last one is a core reply: as many as in a turn with one tool.

A document may bring a `call` for the second worker (`peers.work`), which is a tool then.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import nats
import uvloop
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext, api

from peers import work

COMMANDS = api.StreamConfig(
    name="CHAIN_COMMANDS", subjects=["chain.begin", "chain.work.*"], retention=api.RetentionPolicy.WORK_QUEUE
)
EVENTS = api.StreamConfig(name="CHAIN_EVENTS", subjects=["chain.done"], max_age=3600)
WORKERS = 3
TOOL = 2
ACK_WAIT_S = float(os.environ.get("ACK_WAIT_S", "30"))
CREDITS = 256
_SECOND = 1_000_000_000

Handler = Callable[[dict[str, object]], Awaitable[None]]


async def declare(js: JetStreamContext, replicas: int = 1) -> None:
    for config in (COMMANDS, EVENTS):
        await js.add_stream(config, num_replicas=replicas)


async def consume(
    connection: Client, js: JetStreamContext, stream: str, durable: str, subject: str, handler: Handler
) -> None:
    """One long-lived pull request with credits, one task a message."""
    await js.add_consumer(
        stream,
        api.ConsumerConfig(
            durable_name=durable, filter_subject=subject, ack_wait=ACK_WAIT_S, max_ack_pending=-1
        ),
    )
    inbox = connection.new_inbox()
    requested = 0
    tasks: set[asyncio.Task[None]] = set()

    async def pull() -> None:
        nonlocal requested
        batch = CREDITS - requested
        if batch < CREDITS // 2:
            return
        requested += batch
        wanted = {"batch": batch, "expires": 60 * _SECOND}
        await connection.publish(
            f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}", json.dumps(wanted).encode(), reply=inbox
        )

    async def handle(msg: Msg) -> None:
        await handler(json.loads(msg.data))
        await msg.ack()

    async def on_message(msg: Msg) -> None:
        nonlocal requested
        if msg.header and "Status" in msg.header:
            requested -= int(msg.header.get("Nats-Pending-Messages", "0"))
        else:
            requested -= 1
            task = asyncio.create_task(handle(msg))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await pull()

    await connection.subscribe(inbox, cb=on_message, pending_msgs_limit=-1, pending_bytes_limit=-1)
    await pull()


async def serve(role: str) -> None:
    connection = await nats.connect(os.environ["NATS_URL"].split(","))
    js = connection.jetstream()

    async def store(subject: str, document: dict[str, object]) -> None:
        ack = await js.publish_async(
            subject,
            json.dumps(document).encode(),
            headers={"Nats-Msg-Id": f"{document['id']}/{document['hop']}/{subject}"},
        )
        await ack

    async def conduct(document: dict[str, object]) -> None:
        hop = int(str(document["hop"])) + 1
        document["hop"] = hop
        if hop > WORKERS:
            await connection.publish(str(document["reply"]), json.dumps(document).encode())
        else:
            await store(f"chain.work.{hop}", document)

    async def do(document: dict[str, Any]) -> None:
        if "call" in document and role == str(TOOL):
            await work.find(document["call"])
        await store("chain.done", document)

    if role == "coordinator":
        await consume(connection, js, "CHAIN_COMMANDS", "begin", "chain.begin", conduct)
        await consume(connection, js, "CHAIN_EVENTS", "done", "chain.done", conduct)
    else:
        await consume(connection, js, "CHAIN_COMMANDS", f"work{role}", f"chain.work.{role}", do)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1]))
