"""Declares streams, the tools bucket and the durable consumers: the one place that does."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import nats
import nats.errors
from contracts import subjects
from nats.aio.client import Client
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError, ServiceUnavailableError
from nats.js.kv import KeyValue
from servicekit.access import NatsAccess, options
from servicekit.errors import BusUnavailable
from servicekit.settings import ServiceSettings

_T = TypeVar("_T")
_STREAM_NOT_FOUND = 10059
_NOT_IN_THIS_ACCOUNT = 10039
TOOLS_STREAM = f"KV_{subjects.TOOLS_BUCKET}"


def _stream_config(stream: subjects.Stream, replicas: int) -> api.StreamConfig:
    work_queue = stream.retention == "work_queue"
    return api.StreamConfig(
        name=stream.name,
        subjects=list(stream.subjects),
        retention=api.RetentionPolicy.WORK_QUEUE if work_queue else api.RetentionPolicy.LIMITS,
        # A full work queue refuses new work instead of forgetting old work.
        discard=api.DiscardPolicy.NEW if work_queue else api.DiscardPolicy.OLD,
        max_msgs=stream.max_msgs,
        max_bytes=stream.max_bytes,
        max_age=stream.max_age_s,
        storage=api.StorageType.FILE,
        duplicate_window=subjects.DUPLICATES_KNOWN_S,
        # Entries of people without an account are kept for a shorter time.
        allow_msg_ttl=stream is subjects.TURNS,
        allow_direct=True,
        num_replicas=replicas,
    )


def _bucket_config(replicas: int) -> api.StreamConfig:
    """A key-value bucket is a stream with these settings; nats-py can create one, but not change it."""
    return api.StreamConfig(
        name=TOOLS_STREAM,
        subjects=[f"$KV.{subjects.TOOLS_BUCKET}.>"],
        max_msgs_per_subject=1,
        max_age=subjects.TOOL_TTL_S,
        max_bytes=subjects.TOOLS_MAX_BYTES,
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.NEW,
        duplicate_window=min(subjects.DUPLICATES_KNOWN_S, subjects.TOOL_TTL_S),
        # Otherwise one announcement could take back those of all others.
        allow_rollup_hdrs=False,
        # As nats-py makes buckets; on one that was made so it cannot be taken back.
        allow_msg_ttl=True,
        allow_direct=True,
        deny_delete=True,
        num_replicas=replicas,
    )


def consumer_config(consumer: subjects.Consumer, settings: ServiceSettings) -> api.ConsumerConfig:
    """What a service binds to, and what the declaration makes."""
    return api.ConsumerConfig(
        durable_name=consumer.service,
        filter_subjects=list(consumer.subjects),
        ack_wait=settings.ack_wait_s,
        max_deliver=settings.max_deliver,
        max_ack_pending=consumer.max_ack_pending,
    )


def differences(
    wanted: api.StreamConfig | api.ConsumerConfig, found: api.StreamConfig | api.ConsumerConfig
) -> dict[str, tuple[Any, Any]]:
    """By name of the setting: what is, and what should be. What we do not set is the server's business."""
    is_, should = found.as_dict(), wanted.as_dict()
    return {name: (is_.get(name), value) for name, value in should.items() if not _same(is_.get(name), value)}


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return sorted(found or []) == sorted(wanted)
    # The server leaves out what is zero or false.
    return bool(found == wanted or (not found and not wanted))


def _incomplete(group: api.ClusterInfo | None, replicas: int) -> dict[str, tuple[Any, Any]]:
    """How many servers have everything, if that is not yet so many: then none of them may be lost."""
    current = 1
    if group is not None:
        current = bool(group.leader) + sum(bool(peer.current) for peer in group.replicas or ())
    return {"current_replicas": (current, replicas)} if current < replicas else {}


@dataclass(frozen=True)
class Drift:
    """Something that is not as it should be; nothing is `found` when it is missing."""

    kind: str
    name: str
    found: dict[str, tuple[Any, Any]] | None


def _streams(replicas: int) -> Iterator[api.StreamConfig]:
    """The first stream of the table comes last: services look for that one, see `exist`."""
    yield _bucket_config(replicas)
    for stream in reversed(subjects.STREAMS):
        yield _stream_config(stream, replicas)


async def declare_on(js: JetStreamContext, replicas: int = 1, *, check: bool = False) -> list[Drift]:
    """Create the streams that are missing and bring existing ones to this configuration.

    Returns what was not as it should be; with `check` it stays so, and replicas that have not everything yet
    are told, too.
    """
    drifts = []
    for config in _streams(replicas):
        name = str(config.name)
        try:
            found = await js.stream_info(name)
        except NotFoundError:
            drifts.append(Drift("stream", name, None))
            if not check:
                await js.add_stream(config)
            continue
        differs = differences(config, found.config)
        if check:
            differs |= _incomplete(found.cluster, replicas)
        if differs:
            drifts.append(Drift("stream", name, differs))
            if not check:
                await js.update_stream(config)
    return drifts


async def declare_consumers_on(
    js: JetStreamContext,
    settings: ServiceSettings,
    consumers: tuple[subjects.Consumer, ...] = subjects.CONSUMERS,
    replicas: int = 1,
    *,
    check: bool = False,
) -> list[Drift]:
    """The same for the durable consumers; those of streams that do not exist are missing too.

    Of the settings ACK_WAIT_S and MAX_DELIVER count, which all services share.
    """
    drifts = []
    for consumer in consumers:
        config = consumer_config(consumer, settings)
        name = f"{consumer.stream}/{consumer.service}"
        try:
            found = await js.consumer_info(consumer.stream, consumer.service)
        except NotFoundError:
            drift = Drift("consumer", name, None)
        else:
            differs = differences(config, found.config)
            if check:
                differs |= _incomplete(found.cluster, replicas)
            if not differs:
                continue
            drift = Drift("consumer", name, differs)
        drifts.append(drift)
        if not check:
            await js.add_consumer(consumer.stream, config)
    return drifts


async def declare(nats_url: str) -> None:
    """Connect, declare all streams, disconnect. Idempotent."""
    access = options(nats_url, NatsAccess())
    connection = await nats.connect(**access, max_reconnect_attempts=3, reconnect_time_wait=0.2)
    try:
        await declare_on(connection.jetstream())
    finally:
        await connection.close()


async def exist(connection: Client, service: str) -> bool:
    """Whether the streams are declared: COMMANDS is the last.

    Only `ask` may ask for streams: the answer can list their subjects, and so all request ids. A service may
    ask for its consumer, and the edge for the one that takes its turns, which tells the same.
    """
    try:
        await consumer_info(connection, subjects.COMMANDS.name, _durable_of(service))
    except NotFoundError as error:
        return error.err_code != _STREAM_NOT_FOUND
    return True


def _durable_of(service: str) -> str:
    return "orchestrator" if service == "edge" else service


async def consumer_info(connection: Client, stream: str, durable: str) -> api.ConsumerInfo:
    """What is known of a consumer. Raises `NotFoundError`, `TimeoutError` and others of JetStream."""
    return await _asked(connection, lambda js: js.consumer_info(stream, durable))


async def server_time(connection: Client, service: str) -> datetime:
    """What NATS says the time is, to the second: it tells so with what is known of a consumer.

    Raises `TimeoutError` and errors of NATS.
    """
    question = f"CONSUMER.INFO.{subjects.COMMANDS.name}.{_durable_of(service)}"
    known = await _asked(connection, lambda js: js._api_request(f"{js._prefix}.{question}"))
    return datetime.fromisoformat(f"{known['ts'][:19]}+00:00")


async def fullness(connection: Client, stream: subjects.Stream) -> float | None:
    """How much of its room a stream takes, 0 to 1; None when it is not declared. Raises `BusUnavailable`.

    Of COMMANDS the edge may ask that too: no subject there tells a request id.
    """
    try:
        info: api.StreamInfo = await _asked(connection, lambda js: js.stream_info(stream.name))
    except NotFoundError:
        return None
    except (TimeoutError, nats.errors.Error) as error:
        raise BusUnavailable(f"{BusUnavailable.__doc__} ({type(error).__name__})") from None
    taken = (info.state.messages, info.config.max_msgs), (info.state.bytes, info.config.max_bytes)
    return max(now / most if most and most > 0 else 0.0 for now, most in taken)


async def _asked(connection: Client, question: Callable[[JetStreamContext], Awaitable[_T]]) -> _T:
    """Under its own prefix, the server looks into the account of who asks. Where services have one without
    streams (see `ask.permissions`), those of the bus answer under another prefix.
    """
    try:
        return await question(connection.jetstream())
    except ServiceUnavailableError as error:
        if error.err_code != _NOT_IN_THIS_ACCOUNT:
            raise
        return await question(connection.jetstream(prefix=subjects.BUS_API))


def tools_bucket(js: JetStreamContext) -> KeyValue:
    """The bucket of the tools. Unlike `js.key_value` it does not ask for its stream first."""
    name = subjects.TOOLS_BUCKET
    return KeyValue(name=name, stream=TOOLS_STREAM, pre=f"$KV.{name}.", js=js, direct=True)
