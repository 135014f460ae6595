"""Turns and sessions in Redis."""

import asyncio
import json
import logging
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from contracts import keys, subjects
from contracts.owners import owner_of
from contracts.session import HistoryEntry, LoadedLayer, OpenChoice, Session, StepResult
from contracts.turns import Round, TurnEvent, TurnState, TurnView
from pydantic import TypeAdapter
from pydantic_core import from_json
from redis.asyncio import Redis
from servicekit.batch import Batch
from servicekit.days import day_in_zurich

from orchestrator import memory, scripts
from orchestrator.arrivals import ChatArrived, begun
from orchestrator.memory import Change
from orchestrator.state import Kept, Turn

log = logging.getLogger(__name__)

_ARRIVED = TypeAdapter(ChatArrived)
_LISTS = b"history", b"selections", b"layers", b"choices", b"results"
_DELETED = -1
_LOST = -2

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

    async def begin(self, arrived: ChatArrived) -> tuple[Turn, bool]:
        """The turn of a message, and whether it begins with it. Raises `TurnDeleted`."""
        ...

    async def save(
        self, turn: Turn, changes: tuple[Change, ...], told: tuple[TurnEvent, ...] = ()
    ) -> Turn | None:
        """Save if nobody saved since `turn.version`, with what the session learns and what is told of it.

        Returns the saved turn, or None when somebody did. Raises `TurnDeleted`.
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
    """A `TurnStore` on Redis: one script begins a turn, one saves it, one round trip reads a session."""

    def __init__(self, redis: "Redis", timeout_s: float = 2.0) -> None:
        self._batch = Batch(redis, timeout_s)

    async def close(self) -> None:
        """Close the connection."""
        await self._batch.close()

    async def load(self, request_id: str) -> Turn | None:
        return _turn(*await self._batch.run(scripts.LOAD, (keys.turn(request_id), keys.journal(request_id))))

    async def open(self, session_id: str, request_id: str) -> tuple[Session, Turn | None]:
        turn, remembered = await asyncio.gather(
            self.load(request_id),
            self._batch.all(
                ("LRANGE", keys.history(session_id), 0, -1),
                ("HVALS", keys.selection(session_id)),
                ("HVALS", keys.layers(session_id)),
                ("LRANGE", keys.choices(session_id), 0, -1),
                ("LRANGE", keys.results(session_id), 0, -1),
            ),
        )
        named = zip(_LISTS, remembered, strict=True)
        members = (b'"%b":[%b]' % (name, b",".join(values)) for name, values in named)
        return _session(b"{" + b",".join(members) + b"}"), turn

    async def begin(self, arrived: ChatArrived) -> tuple[Turn, bool]:
        request, session_id = arrived.request, arrived.request.session_id
        view = TurnView(
            request_id=request.request_id,
            session_id=session_id,
            message=request.user_message,
            state=TurnState.RUNNING,
            rounds=(Round(state=TurnState.RUNNING, exchanges=(request.exchange,)),),
        )
        found = await self._batch.run(
            scripts.BEGIN,
            (
                keys.turn(request.request_id),
                keys.journal(request.request_id),
                keys.begun(request.request_id),
                keys.history(session_id),
                keys.selection(session_id),
                keys.layers(session_id),
                keys.choices(session_id),
                keys.results(session_id),
            ),
            _ARRIVED.dump_json(arrived, exclude={"session"}, exclude_none=True),
            view.to_json(),
            request.retention_s or keys.TURN_TTL_S,
            keys.BEGUN_TTL_S,
            json.dumps(operations(session_id, memory.beginning(request), arrived.at, request.retention_s)),
        )
        if found == _DELETED:
            raise TurnDeleted
        if isinstance(found, bytes):
            return begun(replace(arrived, session=_session(found))), True
        known = _turn(*found)
        assert known is not None
        return known, False

    async def save(
        self, turn: Turn, changes: tuple[Change, ...], told: tuple[TurnEvent, ...] = ()
    ) -> Turn | None:
        saved = turn.model_copy(update={"version": turn.version + 1})
        done = await self._save(turn, changes, turn.kept(*told))
        if done == _LOST:
            log.warning("redis had lost a turn's last state", extra={"request_id": turn.request_id})
            done = await self._save(turn, changes, turn.kept(*turn.log()), "all")
        if done == _DELETED:
            raise TurnDeleted
        return saved if done else None

    async def _save(self, turn: Turn, changes: tuple[Change, ...], kept: Kept, journal: str = "new") -> Any:
        request_id = turn.request_id
        return await self._batch.run(
            scripts.SAVE,
            (keys.turn(request_id), keys.begun(request_id), keys.journal(request_id)),
            turn.version,
            journal,
            kept.state,
            kept.view,
            turn.retention_s or keys.TURN_TTL_S,
            keys.BEGUN_TTL_S,
            json.dumps(operations(turn.session_id, changes, turn.journal[-1].at, turn.retention_s)),
            *kept.journal,
        )

    async def was_deleted(self, request_id: str) -> bool:
        return bool(await self._batch.execute("EXISTS", keys.begun(request_id)))

    async def delete_turns(self, session_id: str) -> tuple[str, ...]:
        listed = await self._batch.execute("LRANGE", keys.turns(session_id), 0, -1)
        found = tuple(each.decode() for each in listed)
        if found:
            await self._batch.execute("UNLINK", *(key for each in found for key in keys.of_turn(each)))
        return tuple(filter(subjects.is_token, found))

    async def forbid(self, request_id: str) -> bool:
        names = keys.turn(request_id), keys.begun(request_id), keys.accepted(request_id)
        return bool(await self._batch.run(scripts.FORBID, names, keys.BEGUN_TTL_S))


def _turn(parts: list[bytes | None], journal: list[bytes]) -> Turn | None:
    version, state, view, arrival, session = parts
    if version is None:
        return None
    if state is None or view is None:
        assert arrival is not None and session is not None
        return begun(replace(_ARRIVED.validate_json(arrival), session=_session(session)))
    return Turn.restored(int(version), Kept(state, view, tuple(journal)))


def _session(document: bytes) -> Session:
    """Layers are kept with `n`, which tells their order."""
    parts = from_json(document)
    parts["layers"] = sorted(parts["layers"], key=lambda layer: layer["n"])
    return Session.model_validate(parts)


def operations(
    session_id: str, changes: tuple[Change, ...], now: datetime, retention_s: int | None
) -> list[Operation]:
    """The Redis commands that carry out changes of a session. Every key gets its TTL, every list its cap."""
    found: list[Operation] = []
    touched: set[str] = set()

    def add(key: str, *commands: Operation) -> None:
        found.extend(commands)
        touched.add(key)

    def load(layer: LoadedLayer, n: int) -> None:
        key = keys.layers(session_id)
        at = int(now.timestamp() * 1_000_000) + n
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
                day = day_in_zurich(now)
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
    lasts_s = retention_s or keys.SESSION_TTL_S
    return found + [["EXPIRE", key, lasts_s] for key in sorted(touched)]


def _text(value: HistoryEntry | OpenChoice | StepResult) -> str:
    return value.to_json().decode()
