"""Declares the streams and the tools bucket: the one place that does."""

import nats
from contracts import subjects
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError


def _config(stream: subjects.Stream) -> api.StreamConfig:
    work_queue = stream.retention == "work_queue"
    return api.StreamConfig(
        name=stream.name,
        subjects=list(stream.subjects),
        retention=api.RetentionPolicy.WORK_QUEUE if work_queue else api.RetentionPolicy.LIMITS,
        # A full work queue refuses new work instead of forgetting old work.
        discard=api.DiscardPolicy.NEW if work_queue else api.DiscardPolicy.OLD,
        max_msgs=stream.max_msgs,
        max_age=stream.max_age_s,
        storage=api.StorageType.FILE,
        duplicate_window=120,
        allow_direct=True,
    )


_TOOLS = api.KeyValueConfig(
    bucket=subjects.TOOLS_BUCKET, history=1, ttl=subjects.TOOL_TTL_S, storage=api.StorageType.FILE
)


async def declare_on(js: JetStreamContext) -> None:
    """Create what is missing and bring existing streams to this configuration."""
    for stream in subjects.STREAMS:
        config = _config(stream)
        try:
            await js.stream_info(stream.name)
        except NotFoundError:
            await js.add_stream(config)
        else:
            await js.update_stream(config)
    await js.create_key_value(_TOOLS)


async def declare(nats_url: str) -> None:
    """Connect, declare everything, disconnect. Idempotent."""
    connection = await nats.connect(nats_url, max_reconnect_attempts=3, reconnect_time_wait=0.2)
    try:
        await declare_on(connection.jetstream())
    finally:
        await connection.close()


async def missing(js: JetStreamContext) -> list[str]:
    """Names of the streams that do not exist (yet)."""
    absent = []
    for name in (*(s.name for s in subjects.STREAMS), f"KV_{subjects.TOOLS_BUCKET}"):
        try:
            await js.stream_info(name)
        except NotFoundError:
            absent.append(name)
    return absent
