"""Turns and sessions in Redis."""

import json
import logging
from typing import Protocol

from contracts import keys, subjects
from contracts.items import Item
from contracts.owners import owner_of
from contracts.session import HistoryEntry, LoadedLayer, OpenChoice, Session, StepResult
from pydantic import TypeAdapter
from redis.asyncio import Redis
from servicekit.days import day_in_zurich

from orchestrator import memory
from orchestrator.batch import Batch
from orchestrator.memory import Change
from orchestrator.state import Turn

log = logging.getLogger(__name__)

_ITEMS: TypeAdapter[tuple[Item, ...]] = TypeAdapter(tuple[Item, ...])
_HISTORY = TypeAdapter(tuple[HistoryEntry, ...])
_CHOICES = TypeAdapter(tuple[OpenChoice, ...])
_RESULTS = TypeAdapter(tuple[StepResult, ...])

_SAVE = """
local version = redis.call('HGET', KEYS[1], 'version')
if not version and redis.call('EXISTS', KEYS[2]) == 1 then return -1 end
version = version or '0'
local ahead = tonumber(version) - tonumber(ARGV[1])
if ahead > 0 then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'view', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
if version == '0' then redis.call('SET', KEYS[2], '', 'EX', ARGV[7]) end
local function put(key, layer, n)
  layer.n = nil
  local known = string.sub(cjson.encode(layer), 1, -2)
  redis.call('HSET', key, layer.id, known .. ',"n":' .. string.format('%.0f', n) .. '}')
end
for _, op in ipairs(cjson.decode(ARGV[6])) do
  if op[1] == 'HADD' then
    if redis.call('HEXISTS', op[2], op[3]) == 1 or redis.call('HLEN', op[2]) < op[5] then
      redis.call('HSET', op[2], op[3], op[4])
    end
  elseif op[1] == 'HCHANGE' then
    local known = redis.call('HGET', op[2], op[3])
    if known then
      local layer = cjson.decode(known)
      layer[op[4]] = op[5]
      put(op[2], layer, layer.n)
    end
  elseif op[1] == 'HMOVE' and redis.call('HEXISTS', op[2], op[3]) == 1 then
    local layers, moved = {}, nil
    for _, known in ipairs(redis.call('HVALS', op[2])) do
      local layer = cjson.decode(known)
      if layer.id == op[3] then moved = layer else table.insert(layers, layer) end
    end
    table.sort(layers, function(a, b) return a.n < b.n end)
    table.insert(layers, math.min(op[4], #layers) + 1, moved)
    for n, layer in ipairs(layers) do put(op[2], layer, n) end
  elseif op[1] ~= 'HMOVE' then
    redis.call(unpack(op))
  end
end
return ahead < 0 and 2 or 1
"""
"""Saves a turn of the expected version, and what the session learns with it. HADD is a capped HSET;
HCHANGE and HMOVE change one of the layers in a hash, and the place of one among them.

A lower version than the expected one is there when Redis has lost its last writes in a crash; the caller has
them. A turn that was begun and is not there was deleted.
"""

_FORBID = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[2], '', 'EX', ARGV[1])
redis.call('DEL', KEYS[3])
return 1
"""
"""To a turn that was begun and is not there nothing happens any more."""

_DELETED = -1
_RECOVERED = 2

Operation = list[str | int | float]


class TurnDeleted(Exception):
    """The turn was deleted with its session; nothing more is to happen to it."""


class TurnStore(Protocol):
    """Where turns and sessions are kept."""

    async def load(self, request_id: str) -> Turn | None:
        """The saved turn, or None."""
        ...

    async def open(self, session_id: str, request_id: str) -> tuple[Session, Turn | None]:
        """What is remembered of a session (empty for a new one), and the turn if it exists; at once."""
        ...

    async def save(self, turn: Turn, changes: tuple[Change, ...]) -> Turn | None:
        """Save if nobody saved since `turn.version`; the saved turn, or None when somebody did.

        Raises `TurnDeleted`.
        """
        ...

    async def was_deleted(self, request_id: str) -> bool:
        """Whether a turn that is not there was begun."""
        ...

    async def delete_turns(self, session_id: str) -> tuple[str, ...]:
        """Delete the turns of a session, of which nobody can save one from then on. Returns their ids.

        The session keeps its list of them: who erases what else there is of them, may have to do so again.
        """
        ...

    async def forbid(self, request_id: str) -> bool:
        """A turn that does not exist never will: `save` raises `TurnDeleted`. False when it exists."""
        ...


class RedisTurnStore:
    """A `TurnStore` on Redis: one script saves, one round trip reads a session."""

    def __init__(self, redis: "Redis", timeout_s: float = 2.0) -> None:
        self._batch = Batch(redis, timeout_s)

    async def close(self) -> None:
        """Close the connection."""
        await self._batch.close()

    async def problem(self) -> str | None:
        """A readiness check. Raises what Redis or the connection to it says."""
        return None if await self._batch.execute("PING") else "no answer"

    async def load(self, request_id: str) -> Turn | None:
        return _turn(await self._batch.execute(*_load(request_id)))

    async def open(self, session_id: str, request_id: str) -> tuple[Session, Turn | None]:
        turn, history, selections, layers, choices, results = await self._batch.all(
            _load(request_id),
            ("LRANGE", keys.history(session_id), 0, -1),
            ("HVALS", keys.selection(session_id)),
            ("HVALS", keys.layers(session_id)),
            ("LRANGE", keys.choices(session_id), 0, -1),
            ("LRANGE", keys.results(session_id), 0, -1),
        )
        loaded = sorted((json.loads(value) for value in layers), key=lambda entry: entry["n"])
        session = Session(
            history=_HISTORY.validate_json(_array(history)),
            selections=_ITEMS.validate_json(_array(selections)),
            layers=tuple(map(LoadedLayer.model_validate, loaded)),
            choices=_CHOICES.validate_json(_array(choices)),
            results=_RESULTS.validate_json(_array(results)),
        )
        return session, _turn(turn)

    async def save(self, turn: Turn, changes: tuple[Change, ...]) -> Turn | None:
        saved = turn.model_copy(update={"version": turn.version + 1})
        done = await self._batch.execute(
            "EVAL",
            _SAVE,
            2,
            keys.turn(turn.request_id),
            keys.begun(turn.request_id),
            str(turn.version),
            str(saved.version),
            saved.to_json(),
            saved.view().to_json(),
            turn.retention_s or keys.TURN_TTL_S,
            json.dumps(operations(turn.session_id, saved, changes)),
            keys.BEGUN_TTL_S,
        )
        if done == _DELETED:
            raise TurnDeleted
        if done == _RECOVERED:
            log.warning("redis had lost a turn's last state", extra={"request_id": turn.request_id})
        return saved if done else None

    async def was_deleted(self, request_id: str) -> bool:
        return bool(await self._batch.execute("EXISTS", keys.begun(request_id)))

    async def delete_turns(self, session_id: str) -> tuple[str, ...]:
        listed = await self._batch.execute("LRANGE", keys.turns(session_id), 0, -1)
        found = tuple(each.decode() for each in listed)
        if found:
            await self._batch.execute("UNLINK", *map(keys.turn, found), *map(keys.accepted, found))
        return tuple(filter(subjects.is_token, found))

    async def forbid(self, request_id: str) -> bool:
        names = keys.turn(request_id), keys.begun(request_id), keys.accepted(request_id)
        return bool(await self._batch.execute("EVAL", _FORBID, 3, *names, keys.BEGUN_TTL_S))


def _load(request_id: str) -> tuple[str, ...]:
    return ("HMGET", keys.turn(request_id), "version", "state")


def _array(documents: list[bytes]) -> bytes:
    """One JSON array: reading it at once costs a tenth of reading its elements one by one."""
    return b"[" + b",".join(documents) + b"]"


def _turn(answer: list[bytes | None]) -> Turn | None:
    version, state = answer
    if version is None or state is None:
        return None
    return Turn.from_json(state).model_copy(update={"version": int(version)})


def operations(session_id: str, turn: Turn, changes: tuple[Change, ...]) -> list[Operation]:
    """The Redis commands that carry out changes of a session. Every key gets its TTL, every list its cap."""
    found: list[Operation] = []
    touched: set[str] = set()

    def add(key: str, *commands: Operation) -> None:
        found.extend(commands)
        touched.add(key)

    def load(layer: LoadedLayer, n: int) -> None:
        key = keys.layers(session_id)
        at = int(turn.journal[-1].at.timestamp() * 1_000_000) + n
        value = json.dumps(layer.model_dump() | {"n": at})
        add(key, ["HADD", key, layer.id, value, keys.MAX_LAYERS])

    for n, change in enumerate(changes):
        match change:
            case memory.TurnBegan(request_id):
                key = keys.turns(session_id)
                # An edge may have put it there when it submitted the turn.
                add(key, ["LREM", key, 1, request_id], ["LPUSH", key, request_id])
                add(key, ["LTRIM", key, 0, keys.MAX_TURNS - 1])
            case memory.Spent(tokens):
                day = day_in_zurich(turn.journal[-1].at)
                for key in (keys.spent(owner_of(session_id), day), keys.spent_by_all(day)):
                    found.extend((["INCRBY", key, tokens], ["EXPIRE", key, keys.SPENT_TTL_S]))
            case memory.Said(entry):
                key = keys.history(session_id)
                add(key, ["RPUSH", key, _text(entry)], ["LTRIM", key, -keys.MAX_HISTORY, -1])
            case memory.Resulted(result):
                key = keys.results(session_id)
                add(key, ["RPUSH", key, _text(result)], ["LTRIM", key, -keys.MAX_RESULTS, -1])
            case memory.Selected(item):
                key = keys.selection(session_id)
                add(key, ["HSET", key, item.family, item.to_json().decode()])
            case memory.MapSeen(layers):
                key = keys.layers(session_id)
                add(key, ["DEL", key])
                for above, layer in enumerate(layers):
                    load(layer, above)
            case memory.LayerLoaded(layer):
                load(layer, n)
            case memory.LayerChanged(layer_id, visible, opacity):
                key = keys.layers(session_id)
                if visible is not None:
                    add(key, ["HCHANGE", key, layer_id, "visible", visible])
                if opacity is not None:
                    add(key, ["HCHANGE", key, layer_id, "opacity", opacity])
            case memory.LayerMoved(layer_id, order):
                key = keys.layers(session_id)
                add(key, ["HMOVE", key, layer_id, order])
            case memory.LayerGone(layer_id):
                key = keys.layers(session_id)
                add(key, ["HDEL", key, layer_id])
            case memory.MapCleared():
                key = keys.layers(session_id)
                add(key, ["DEL", key])
            case memory.ChoiceOpened(choice):
                key = keys.choices(session_id)
                add(key, ["LPUSH", key, _text(choice)], ["LTRIM", key, 0, keys.MAX_OPEN_CHOICES - 1])
            case memory.ChoiceClosed(choice):
                key = keys.choices(session_id)
                add(key, ["LREM", key, 0, _text(choice)])
    lasts_s = turn.retention_s or keys.SESSION_TTL_S
    return found + [["EXPIRE", key, lasts_s] for key in sorted(touched)]


def _text(value: HistoryEntry | OpenChoice | StepResult) -> str:
    return value.to_json().decode()
