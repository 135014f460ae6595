"""What Redis keeps of the layers of a session: its script does what the changes say."""

import json
from datetime import timedelta

import pytest
from contracts import keys
from contracts.session import LoadedLayer, Session
from redis.asyncio import Redis
from world import GOTO, NOW, World, asked, plan

from orchestrator.arrivals import ChatArrived
from orchestrator.memory import Change, LayerChanged, LayerGone, LayerLoaded, LayerMoved, MapCleared, MapSeen
from orchestrator.store import RedisTurnStore

WOODS = LoadedLayer(id="wald/1", label="Wälder")
WATER = LoadedLayer(id="gws", label="Gewässerschutz", visible=False, opacity=0.25)
PLAN = LoadedLayer(id="plan", label="Plan")
SEEN = MapSeen((WOODS, WATER, PLAN))
FAINT = PLAN.model_copy(update={"opacity": 0.3})
SESSION = asked().session_id


async def learned(redis_url: str, *turns: tuple[Change, ...]) -> tuple[LoadedLayer, ...]:
    """What is remembered after turns that have changed nothing but the map."""
    store = RedisTurnStore(Redis.from_url(redis_url), timeout_s=20)
    try:
        for n, changes in enumerate(turns):
            world = World(plan(GOTO))
            world.now = NOW + timedelta(seconds=n)
            world.take(ChatArrived(asked("Frage", f"req-{n}"), Session()))
            assert world.turn is not None
            await store.save(world.turn, changes)
        session, _ = await store.open(SESSION, "req-none")
        return session.layers
    finally:
        await store.close()


@pytest.mark.parametrize(
    ("changes", "layers"),
    [
        ((), (WOODS, WATER, PLAN)),
        ((LayerChanged("plan", opacity=0.3),), (WOODS, WATER, FAINT)),
        ((LayerChanged("plan", opacity=0.3), LayerChanged("plan", opacity=1)), (WOODS, WATER, PLAN)),
        (
            (LayerChanged("gws", visible=True, opacity=1), LayerGone("plan")),
            (WOODS, LoadedLayer(id="gws", label=WATER.label)),
        ),
        ((LayerChanged("wald", visible=False), LayerMoved("wald", 0)), (WOODS, WATER, PLAN)),
        ((LayerMoved("plan", 0),), (PLAN, WOODS, WATER)),
        ((LayerMoved("wald/1", 1),), (WATER, WOODS, PLAN)),
        ((LayerMoved("wald/1", 99),), (WATER, PLAN, WOODS)),
        (
            (LayerMoved("plan", 0), LayerMoved("gws", 1), LayerChanged("plan", opacity=0.3)),
            (FAINT, WATER, WOODS),
        ),
        ((LayerLoaded(WOODS),), (WATER, PLAN, WOODS)),
        ((MapCleared(), LayerLoaded(PLAN)), (PLAN,)),
    ],
)
async def test_changes_of_layers(
    changes: tuple[Change, ...], layers: tuple[LoadedLayer, ...], redis_url: str
) -> None:
    assert await learned(redis_url, (SEEN,), changes) == layers


async def test_what_is_loaded_after_a_move_lies_on_top(redis_url: str) -> None:
    moved = (LayerMoved("plan", 0),)
    new = LoadedLayer(id="new", label="Neu")
    assert await learned(redis_url, (SEEN,), moved, (LayerLoaded(new),)) == (PLAN, WOODS, WATER, new)


async def test_what_an_earlier_version_remembered_is_read_and_changed(redis_url: str) -> None:
    redis = Redis.from_url(redis_url)
    old = {"id": "plan", "label": "Plan", "n": 1_789_000_000_123_456}
    await redis.hset(keys.layers(SESSION), "plan", json.dumps(old))
    assert await learned(redis_url) == (PLAN,)
    assert await learned(redis_url, (LayerChanged("plan", opacity=0.3),)) == (FAINT,)
    kept = await redis.hget(keys.layers(SESSION), "plan")
    assert kept is not None and json.loads(kept)["n"] == old["n"]
    await redis.aclose()
