"""Maps behind short links, in Redis."""

import logging
from datetime import UTC, datetime, timedelta

from contracts import keys, shares
from contracts.shares import SharedMap
from pydantic import ValidationError
from redis.asyncio import Redis

from edge import errors, ids
from edge.turns import redis_answers

log = logging.getLogger("edge.shares")

_KEEP = """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', KEYS[2], gone)
    redis.call('DECRBY', KEYS[3], string.match(gone, ':(%d+)$'))
end
local size = string.len(ARGV[2])
if tonumber(redis.call('GET', KEYS[3]) or '0') + size > tonumber(ARGV[4]) then
    return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1] .. ':' .. size)
redis.call('INCRBY', KEYS[3], size)
redis.call('PEXPIRE', KEYS[2], 2 * ARGV[3])
redis.call('PEXPIRE', KEYS[3], 2 * ARGV[3])
return 1
"""
"""What has expired counts no longer. Nothing is kept beyond the room for all: a link that holds is worth more
than a new one."""


class Shares:
    """Links hold from the moment they were made; using them does not keep them. Every method raises
    `StateUnavailable` when Redis does not answer."""

    def __init__(self, redis: Redis, ttl: timedelta, max_bytes: int) -> None:
        self._redis = redis
        self._ttl = ttl
        self._max_bytes = max_bytes
        self._keep = redis.register_script(_KEEP)

    async def keep(self, shared: SharedMap) -> tuple[str, datetime]:
        """The id under which it is found, and until when. Raises `StoreFull`."""
        share_id = ids.new_share_id()
        expires_at = datetime.now(UTC).replace(microsecond=0) + self._ttl
        ttl_ms = int(self._ttl.total_seconds() * 1000)
        with redis_answers():
            kept = await self._keep(
                keys=[keys.share(share_id), keys.shares(), keys.shares_bytes()],
                args=[share_id, shared.to_json(), ttl_ms, self._max_bytes],
            )
        if not kept:
            raise errors.StoreFull()
        return share_id, expires_at

    async def find(self, share_id: str) -> SharedMap:
        """Raises `ShareNotFound`."""
        if not shares.is_id(share_id):
            raise errors.ShareNotFound()
        with redis_answers():
            document = await self._redis.get(keys.share(share_id))
        if document is None:
            raise errors.ShareNotFound()
        try:
            return SharedMap.from_json(document)
        except ValidationError:
            log.warning("a share cannot be read", exc_info=True)
            raise errors.ShareNotFound() from None
