"""What users think of answers, in Redis."""

import logging
from datetime import UTC, datetime, timedelta

from contracts import keys
from contracts.feedback import Feedback, FeedbackRequest, JudgedTurn, StepOutcome
from contracts.owners import owner_of
from contracts.turns import TurnView
from pydantic import ValidationError
from redis.asyncio import Redis

from edge import errors, ids
from edge.turns import Turns, redis_answers

log = logging.getLogger("edge.feedback")

_KEEP = """
if redis.call('EXISTS', KEYS[3], KEYS[4]) + redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
    return 0
end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], now, ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local function drop(entries)
    for _, entry in ipairs(entries) do
        redis.call('ZREM', KEYS[2], entry)
        local field, key = string.match(entry, '^(%S+) (.+)$')
        redis.call('HDEL', key, field)
    end
end
drop(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[4], 'LIMIT', 0, 1000))
local beyond = redis.call('ZCARD', KEYS[2]) - ARGV[5]
if beyond > 0 then
    drop(redis.call('ZRANGE', KEYS[2], 0, beyond - 1))
end
return 1
"""
"""Unless its session was deleted meanwhile. The oldest go when they have expired or there is no room."""


class FeedbackStore:
    """Every method raises `StateUnavailable` when Redis does not answer. The `session_id` of a request is the
    one inside, which says whose it is."""

    def __init__(self, redis: Redis, turns: Turns, ttl: timedelta, max_kept: int = keys.MAX_FEEDBACK) -> None:
        self._redis = redis
        self._turns = turns
        self._ttl_ms = int(ttl.total_seconds() * 1000)
        self._max_kept = max_kept
        self._keep = redis.register_script(_KEEP)

    async def put(self, given: FeedbackRequest) -> None:
        """In the place of what was said before. Raises `TurnNotFound`, also for a turn of another session."""
        turn = await self._turn(given.session_id, given.request_id)
        place = keys.feedback(given.session_id), keys.feedback_index()
        known = keys.turn(given.request_id), keys.accepted(given.request_id)
        entry = keys.feedback_entry(given.session_id, given.request_id)
        if given.verdict is None:
            with redis_answers():
                async with self._redis.pipeline(transaction=True) as pipe:
                    pipe.hdel(place[0], given.request_id)
                    pipe.zrem(place[1], entry)
                    await pipe.execute()
            return
        kept = Feedback(
            **turn.model_dump(include=set(JudgedTurn.model_fields)),
            at=datetime.now(UTC),
            verdict=given.verdict,
            reason=given.reason,
            comment=given.comment or None,
        )
        args: list[str | bytes | int] = [
            given.request_id,
            kept.to_json(),
            entry,
            self._ttl_ms,
            self._max_kept,
        ]
        with redis_answers():
            is_kept = await self._keep(keys=[*place, *known], args=args)
        if not is_kept:
            raise errors.TurnNotFound(request_id=given.request_id)

    async def _turn(self, session_id: str, request_id: str) -> JudgedTurn:
        """The turn, or what is known of it from before: feedback is kept for longer than turns are."""
        if not ids.is_request_id(request_id):
            raise errors.TurnNotFound()
        owner = owner_of(session_id)
        try:
            view = await self._turns.view(request_id, owner)
        except errors.TurnNotFound:
            kept = await self._kept(session_id, request_id)
            if kept is None:
                raise
            return kept
        if view.session_id != session_id:
            raise errors.TurnNotFound(request_id=request_id)
        return _judged(view, await self._turns.reached(view, owner))

    async def _kept(self, session_id: str, request_id: str) -> Feedback | None:
        with redis_answers():
            document = await self._redis.hget(keys.feedback(session_id), request_id)
        if document is None:
            return None
        try:
            return Feedback.from_json(document)
        except ValidationError:
            log.warning("a feedback cannot be read", exc_info=True)
            return None


def _judged(asked: TurnView, answered: TurnView) -> JudgedTurn:
    """What was asked, with its latest answer."""
    responses = [each.response for each in answered.rounds if each.response is not None]
    steps = responses[-1].steps if responses else ()
    return JudgedTurn(
        request_id=asked.request_id,
        message=asked.message or "",
        steps=tuple(StepOutcome(intent=step.intent, status=step.status) for step in steps),
    )
