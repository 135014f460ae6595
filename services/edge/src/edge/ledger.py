"""What all replicas count together, in Redis: rates, turns at work, tokens. One round trip a turn."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from redis.asyncio import Redis
from redis.exceptions import OutOfMemoryError, RedisError

log = logging.getLogger("edge.ledger")

_ENTER = """
local asked = cjson.decode(ARGV[1])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for _, p in ipairs(asked.places) do
  redis.call('ZREMRANGEBYSCORE', p.key, '-inf', now)
  if p.most and redis.call('ZCARD', p.key) >= p.most then return {p.name, 0} end
end
for _, q in ipairs(asked.quotas) do
  local spent = tonumber(redis.call('GET', q.key) or '0')
  local open = q.places and redis.call('ZCARD', q.places) or 0
  if spent >= q.most then return {q.name, -1} end
  if spent + open * q.reserve >= q.most then return {'reserved', 0} end
end
local due = {}
for n, r in ipairs(asked.rates) do
  local window = math.floor(now / r.window)
  local known = redis.call('HMGET', r.key, 'window', 'count', 'before')
  local count, before = 0, 0
  if tonumber(known[1]) == window then
    count, before = tonumber(known[2]), tonumber(known[3])
  elseif tonumber(known[1]) == window - 1 then
    before = tonumber(known[2])
  end
  local elapsed = now % r.window
  if before * (1 - elapsed / r.window) + count + r.cost > r.most then
    local left = r.most - r.cost
    local wait = r.window
    if count <= left then
      wait = r.window * (1 - (left - count) / before) - elapsed
    elseif left >= 0 then
      wait = r.window - elapsed + r.window * (1 - left / count)
    end
    return {r.name, math.ceil(wait)}
  end
  due[n] = {window, count + r.cost, before}
end
for n, r in ipairs(asked.rates) do
  redis.call('HSET', r.key, 'window', due[n][1], 'count', due[n][2], 'before', due[n][3])
  redis.call('PEXPIRE', r.key, 2 * r.window)
end
for _, p in ipairs(asked.places) do
  redis.call('ZADD', p.key, now + asked.hold, asked.permit)
  redis.call('PEXPIRE', p.key, asked.hold)
end
return {}
"""
"""Sliding windows are estimated from the count of this window and the part of the one before that still
counts. Nothing is counted of what is refused. Answers the name of what speaks against it and milliseconds
until it does not; -1: until the day is over."""


@dataclass(frozen=True)
class SharedPlaces:
    """At most so many turns at work; without `most` they are only counted."""

    name: str
    key: str
    most: int | None = None


@dataclass(frozen=True)
class Rate:
    """At most so much in any `window` milliseconds, of which this costs `cost`."""

    name: str
    key: str
    most: int
    cost: int = 1
    window: int = 60_000


@dataclass(frozen=True)
class Quota:
    """At most so many tokens; each turn that is at work (in `places`) may still need `reserve`."""

    name: str
    key: str
    most: int
    reserve: int
    places: str | None


@dataclass(frozen=True)
class Account:
    """What has to hold for one turn."""

    places: Sequence[SharedPlaces] = ()
    rates: Sequence[Rate] = ()
    quotas: Sequence[Quota] = ()

    def __bool__(self) -> bool:
        return bool(self.places or self.rates or self.quotas)


@dataclass(frozen=True)
class Refusal:
    """`name` of what speaks against a turn."""

    name: str
    retry_ms: int | None
    """None: when the day is over; 0: not known."""


class StoreFull(Exception):
    """Redis takes nothing more."""


@dataclass
class Ledger:
    """`hold_s`: what nobody gives back is free after this."""

    redis: Redis
    hold_s: float
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._enter = self.redis.register_script(_ENTER)

    async def enter(self, permit: str, account: Account) -> Refusal | None:
        """None: the turn may begin. Without an answer of Redis it may, too. Raises `StoreFull`."""
        document = json.dumps(
            {
                "permit": permit,
                "hold": int(self.hold_s * 1000),
                "places": [_known(each) for each in account.places],
                "rates": [_known(each) for each in account.rates],
                "quotas": [_known(each) for each in account.quotas],
            }
        )
        try:
            refused = await self._enter(args=[document])
        except OutOfMemoryError:
            raise StoreFull from None
        except RedisError as error:
            # What this process counts by itself still holds.
            log.warning("limits are not shared", extra={"reason": repr(error)})
            return None
        if not refused:
            return None
        return Refusal(refused[0].decode(), None if refused[1] < 0 else int(refused[1]))

    def leave(self, permit: str, account: Account) -> None:
        """Give back the places; nobody waits for it."""
        if account.places:
            task = asyncio.get_running_loop().create_task(self._leave(permit, account))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _leave(self, permit: str, account: Account) -> None:
        try:
            async with self.redis.pipeline(transaction=False) as pipeline:
                for each in account.places:
                    pipeline.zrem(each.key, permit)
                await pipeline.execute()
        except RedisError as error:
            log.warning("a place is given back later", extra={"reason": repr(error)})

    async def settled(self) -> None:
        """Until everything is given back that is under way."""
        if self._tasks:
            await asyncio.wait(self._tasks)


def _known(part: SharedPlaces | Rate | Quota) -> dict[str, str | int]:
    """Without what is None: the script would take it for a value."""
    return {name: value for name, value in asdict(part).items() if value is not None}
