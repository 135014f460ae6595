"""Stores messages in JetStream and waits for the acknowledgements, many at a time.

With nats-py, `publish` costs a request each, and `publish_async` never ends when the server answers an error.
"""

import asyncio
import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, MaxPayloadError
from servicekit.errors import BusFull, BusUnavailable, MessageTooLarge

Entry = tuple[str, bytes, dict[str, str]]
"""Subject, body, headers."""

_FULL = (10077, 10023)
"""The stream has as many messages or bytes as it may; the server has no more room on its disk."""
_NO_RESPONDERS = "503"
_HEADER_BYTES = len(": \r\n")
_HEADERS_BYTES = len("NATS/1.0\r\n\r\n")


class Publisher:
    """One inbox for the acknowledgements of one connection."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._prefix: str | None = None
        self._tokens = count()
        self._waiting: dict[str, tuple[Entry, asyncio.Future[None]]] = {}

    async def store(self, connection: Client, entries: Sequence[Entry]) -> None:
        """Returns when the server has stored all entries.

        Raises `BusFull`, `BusUnavailable` or `MessageTooLarge`; some of the entries may then be stored.
        """
        if not all(fits(connection, body, headers) for _, body, headers in entries):
            raise MessageTooLarge
        loop = asyncio.get_running_loop()
        acks: dict[str, asyncio.Future[None]] = {}
        try:
            async with asyncio.timeout(self._timeout_s):
                if self._prefix is None:
                    self._prefix = connection.new_inbox()
                    await connection.subscribe(f"{self._prefix}.*", cb=self._on_ack)
                for entry in entries:
                    token, ack = str(next(self._tokens)), loop.create_future()
                    acks[token], self._waiting[token] = ack, (entry, ack)
                    await self._say(connection, token, entry)
                for ack in acks.values():
                    await ack
        except MaxPayloadError:
            raise MessageTooLarge from None
        except (TimeoutError, Error) as error:
            raise BusUnavailable(f"{BusUnavailable.__doc__} ({type(error).__name__})") from None
        finally:
            for token, ack in acks.items():
                self._waiting.pop(token, None)
                # An error that nobody came to wait for, because another one was first.
                if ack.done() and not ack.cancelled():
                    ack.exception()

    async def repeat(self, connection: Client) -> None:
        """Say once more what is not acknowledged yet: a server that died may not have stored it.

        The ids of messages make it harmless where it has.
        """
        for token, (entry, _) in tuple(self._waiting.items()):
            await self._say(connection, token, entry)

    async def _say(self, connection: Client, token: str, entry: Entry) -> None:
        subject, body, headers = entry
        await connection.publish(subject, body, reply=f"{self._prefix}.{token}", headers=headers)

    async def _on_ack(self, msg: Msg) -> None:
        _, ack = self._waiting.pop(msg.subject.rpartition(".")[2], (None, None))
        if ack is None or ack.done():
            return
        error = _error_of(msg)
        if error is None:
            ack.set_result(None)
        else:
            ack.set_exception(error)


def fits(connection: Client, body: bytes, headers: dict[str, str]) -> bool:
    """Whether the server takes so much. The client forgets headers, and the server would hang up."""
    around = sum(len(name) + len(value.encode()) + _HEADER_BYTES for name, value in headers.items())
    return len(body) + around + _HEADERS_BYTES <= connection.max_payload


def _error_of(msg: Msg) -> Exception | None:
    if msg.header and msg.header.get("Status") == _NO_RESPONDERS:
        return BusUnavailable("No stream stores this subject; are the streams declared?")
    answer: dict[str, Any] = json.loads(msg.data)
    error = answer.get("error")
    if error is None:
        return None
    if error.get("err_code") in _FULL:
        return BusFull()
    return BusUnavailable(f"JetStream: {error.get('description')}")
