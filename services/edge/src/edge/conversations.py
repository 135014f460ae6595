"""Conversations that accounts keep, in Redis."""

import logging
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TypeVar

from contracts import keys
from contracts.base import Contract
from contracts.conversations import Conversation, ConversationTitle
from contracts.owners import owner_of
from pydantic import ValidationError
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from edge import errors
from edge.turns import redis_answers

log = logging.getLogger("edge.conversations")

MAX_KEPT = 100

_C = TypeVar("_C", bound=Contract)


class _Entry(ConversationTitle):
    """What the list of an account has of a conversation."""

    session: str
    """Its session inside."""
    size_bytes: int


class Conversations:
    """Of each account the latest, as many as there is room for. Every method raises `StateUnavailable` when
    Redis does not answer. A `session` is the id inside, which says whose it is."""

    def __init__(self, redis: Redis, ttl: timedelta, max_bytes: int) -> None:
        """`max_bytes` is what one account may keep."""
        self._redis = redis
        self._ttl = ttl
        self._max_bytes = max_bytes

    async def titles(self, owner: str) -> tuple[ConversationTitle, ...]:
        """The latest first."""
        with redis_answers():
            entries = await self._entries(owner)
            kept = await self._redis.mget([keys.conversation(each.session) for each in entries])
        return tuple(each for each, document in zip(entries, kept, strict=True) if document is not None)

    async def find(self, session: str) -> Conversation:
        """Raises `ConversationNotFound`."""
        with redis_answers():
            document = await self._redis.get(keys.conversation(session))
        found = None if document is None else _read(Conversation, document)
        if found is None:
            raise errors.ConversationNotFound()
        return found

    async def keep(self, session: str, conversation: Conversation) -> None:
        """In the place of what was kept of it before; the oldest others go when there is no room. Raises
        `StoreFull`."""
        document = conversation.to_json()
        owner = owner_of(session)
        facts = conversation.model_dump(exclude={"content"})
        entry = _Entry(session=session, size_bytes=len(document), **facts)
        with redis_answers():
            others = [each for each in await self._entries(owner) if each.session != session]
            doomed = tuple(self._beyond(others, room=self._max_bytes - len(document)))
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.set(keys.conversation(session), document, px=self._ttl)
                pipe.hset(keys.conversations(owner), session, entry.to_json().decode())
                pipe.pexpire(keys.conversations(owner), self._ttl)
                _remove(pipe, owner, doomed)
                await pipe.execute()

    async def remove(self, session: str) -> None:
        """Also when it is not there."""
        with redis_answers():
            async with self._redis.pipeline(transaction=True) as pipe:
                _remove(pipe, owner_of(session), (session,))
                await pipe.execute()

    def _beyond(self, others: list[_Entry], room: int) -> Iterator[str]:
        """The latest first: what comes after the room, or the number, is used up."""
        for n, each in enumerate(others, start=1):
            room -= each.size_bytes
            if room < 0 or n >= MAX_KEPT:
                yield each.session

    async def _entries(self, owner: str) -> list[_Entry]:
        documents = await self._redis.hvals(keys.conversations(owner))
        read = (_read(_Entry, document) for document in documents)
        return sorted((each for each in read if each is not None), key=lambda each: each.at, reverse=True)


def _remove(pipe: Pipeline, owner: str, sessions: Iterable[str]) -> None:
    for session in sessions:
        pipe.delete(keys.conversation(session))
        pipe.hdel(keys.conversations(owner), session)


def _read(model: type[_C], document: bytes | str) -> _C | None:
    """None for what an older edge has written and nobody can read any more."""
    try:
        return model.from_json(document)
    except ValidationError:
        log.warning("a conversation cannot be read", exc_info=True)
        return None
