"""What the edge reads and keeps in Redis. The turns themselves are the orchestrator's."""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from contracts import keys
from contracts.chat import ChatRequest, ChatResponse
from contracts.messages import Outcome
from contracts.owners import owner_of
from contracts.turns import TurnState, TurnView
from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError, RedisError
from servicekit.batch import Batch
from servicekit.rediswatch import RedisWatch

from edge import errors, ids
from edge.settings import ACCEPTED_TTL_S, IDEMPOTENCY_TTL_S

log = logging.getLogger("edge.turns")

_CLAIM = """
local known = redis.call('GET', KEYS[1])
if known then
    return known
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
local beyond = redis.call('LPUSH', KEYS[2], KEYS[1]) - tonumber(ARGV[3])
for _ = 1, beyond do
    redis.call('DEL', redis.call('RPOP', KEYS[2]))
end
redis.call('EXPIRE', KEYS[2], ARGV[2])
return ARGV[1]
"""
"""Who comes first writes; all get what stands there. Keys beyond the cap are forgotten, oldest first."""

_REMEMBER = """
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then
    redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[2])
    redis.call('LREM', KEYS[4], 1, ARGV[3])
    redis.call('LPUSH', KEYS[4], ARGV[3])
    redis.call('LTRIM', KEYS[4], 0, ARGV[4] - 1)
    redis.call('EXPIRE', KEYS[4], ARGV[5])
end
"""
"""Unless somebody has begun the turn. It also goes to where deleting the session looks for turns."""


class _Pool(ConnectionPool):
    """Makes nobody wait for a Redis that is known not to answer."""

    watch: RedisWatch

    async def get_connection(self, *args: Any, **options: Any) -> AbstractConnection:
        if not self.watch.answers:
            raise RedisConnectionError("does not answer")
        found: AbstractConnection = await super().get_connection(*args, **options)  # type: ignore[no-untyped-call]
        return found


def connect(redis_url: str, timeout_s: float, watch: RedisWatch) -> Redis:
    """A client that gives up early: somebody waits on the other side."""
    pool = _Pool.from_url(
        redis_url,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        # A connection that died while it was idle shows on its next use.
        retry=Retry(ConstantBackoff(0.05), retries=1),
    )
    pool.watch = watch
    return Redis.from_pool(pool)


def fingerprint(request: ChatRequest) -> str:
    """The same for two requests that ask the same; says nothing about what they ask.

    A map may have been moved before its client sends again.
    """
    return hashlib.sha256(request.model_copy(update={"map": None}).to_json()).hexdigest()


class Turns:
    """Every method raises `StateUnavailable` when Redis does not answer."""

    def __init__(self, redis: Redis, timeout_s: float) -> None:
        self._redis = redis
        self._batch = Batch(redis, timeout_s)
        self._remember = redis.register_script(_REMEMBER)

    async def aclose(self) -> None:
        """Close its own connection."""
        await self._batch.close()

    async def views(self, request_ids: Iterable[str]) -> dict[str, TurnView]:
        """The turns that exist, by request id, read in one go."""
        wanted = tuple(request_ids)
        with redis_answers():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for request_id in wanted:
                    pipeline.hget(keys.turn(request_id), "view")
                documents = await pipeline.execute()
        pairs = zip(wanted, documents, strict=True)
        return {request_id: TurnView.from_json(document) for request_id, document in pairs if document}

    async def outcome(self, request_id: str, owner: str) -> ChatResponse | TurnView:
        """The latest answer of a turn, or how far it is. Raises `TurnNotFound`, also for a turn of others."""
        if not ids.is_request_id(request_id):
            raise errors.TurnNotFound()
        view = await self.reached(await self.view(request_id, owner), owner)
        answers = [each.response for each in view.rounds if each.response is not None]
        return answers[-1] if view.state is not TurnState.RUNNING and answers else view

    async def reached(self, view: TurnView, owner: str) -> TurnView:
        """The turn itself, or the one that its message has answered a choice of. Raises `TurnNotFound`."""
        if view.state is not TurnState.FORWARDED:
            return view
        target = ids.turn_of(view.rounds[-1].choice_id or "") if view.rounds else None
        if target is None or target == view.request_id:
            return view
        return await self.view(target, owner)

    async def found(self, request_id: str, owner: str) -> Outcome | None:
        """What the tool has found that was called by its name; None when it has not answered, and for a turn
        that is gone or of others."""
        view = (await self.views([request_id])).get(request_id)
        if view is None or owner_of(view.session_id) != owner or not view.rounds:
            return None
        return view.rounds[-1].outcome

    async def view(self, request_id: str, owner: str) -> TurnView:
        """A turn, also one that nobody has begun yet. Raises `TurnNotFound`, also for a turn of others.

        Both take the same steps: nobody can measure whether others have such a turn.
        """
        with redis_answers():
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.hget(keys.turn(request_id), "view")
                pipeline.get(keys.accepted(request_id))
                document, accepted = await pipeline.execute()
        if document:
            view = TurnView.from_json(document)
        elif accepted:
            view = TurnView(request_id=request_id, session_id=accepted.decode(), state=TurnState.RUNNING)
        if not (document or accepted) or owner_of(view.session_id) != owner:
            raise errors.TurnNotFound(request_id=request_id)
        return view

    async def is_of(self, request_id: str, session_id: str) -> bool:
        """Whether there is such a turn in a session."""
        view = (await self.views([request_id])).get(request_id)
        return view is not None and view.session_id == session_id

    async def remember(self, request_id: str, session_id: str) -> None:
        """Keep that a turn was submitted, for clients that ask for it before anybody has begun it.

        Never raises: the client is told about the turn in any case.
        """
        known = keys.turn(request_id), keys.begun(request_id)
        try:
            with redis_answers():
                await self._remember(
                    keys=[*known, keys.accepted(request_id), keys.turns(session_id)],
                    args=[session_id, ACCEPTED_TTL_S, request_id, keys.MAX_TURNS, keys.SESSION_TTL_S],
                )
        except errors.StateUnavailable:
            log.warning("turn not remembered", extra={"request_id": request_id, "session_id": session_id})

    async def claim(self, request: ChatRequest, idempotency_key: str, request_id: str) -> str:
        """The request id that belongs to an idempotency key: the given one for a new key, else the first one.

        Raises `IdempotencyKeyReused` when the key came with another request before.
        """
        hashed = hashlib.sha256(idempotency_key.encode()).hexdigest()
        print_of_this = fingerprint(request)
        with redis_answers():
            known: bytes = await self._batch.run(
                _CLAIM,
                (
                    keys.idempotency(request.session_id, hashed),
                    keys.idempotency_index(request.session_id),
                ),
                f"{print_of_this} {request_id}",
                IDEMPOTENCY_TTL_S,
                keys.MAX_IDEMPOTENCY_KEYS,
            )
        print_of_first, _, first = known.decode().partition(" ")
        if print_of_first != print_of_this:
            raise errors.IdempotencyKeyReused(request_id=first)
        return str(first)

    async def of_session(self, session_id: str) -> list[str]:
        """The request ids of a session's turns, newest first."""
        with redis_answers():
            turns = cast("list[bytes]", await self._redis.lrange(keys.turns(session_id), 0, -1))
        return [turn.decode() for turn in turns]

    async def forget(self, session_id: str) -> None:
        """Delete everything that is kept about a session and its turns. Nothing there is fine too."""
        with redis_answers():
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.lrange(keys.turns(session_id), 0, -1)
                pipeline.lrange(keys.idempotency_index(session_id), 0, -1)
                pipeline.hkeys(keys.feedback(session_id))
                turns, idempotency_keys, judged = await pipeline.execute()
            request_ids = [turn.decode() for turn in turns]
            doomed = [*keys.of_session(session_id), *(key.decode() for key in idempotency_keys)]
            doomed += (key for each in request_ids for key in keys.of_turn(each))
            if judged:
                entries = [keys.feedback_entry(session_id, each.decode()) for each in judged]
                await self._redis.zrem(keys.feedback_index(), *entries)
            await self._redis.unlink(*doomed)


@contextmanager
def redis_answers() -> Iterator[None]:
    """Raises `StoreFull` or `StateUnavailable` for what Redis says, or does not say."""
    try:
        yield
    except OutOfMemoryError:
        raise errors.StoreFull() from None
    except (RedisError, TimeoutError) as error:
        log.warning("redis does not answer", extra={"reason": repr(error)})
        raise errors.StateUnavailable() from error
