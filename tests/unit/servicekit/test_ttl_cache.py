"""What a cache keeps, for how long, and what it does while a source is down."""

import asyncio
import contextlib
import gc
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from servicekit import deadline
from servicekit.cache import Cached, TtlCache
from servicekit.errors import SourceError, SourceErrorKind

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Time:
    """Seconds after noon."""

    def __init__(self) -> None:
        self.s = 0.0

    def clock(self) -> float:
        return self.s

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.s)


class Source:
    """Answers with the number of the load, or fails."""

    def __init__(self) -> None:
        self.loads = 0
        self.error: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.cancelled = False

    async def load(self) -> int:
        self.loads += 1
        number = self.loads
        if self.gate is not None:
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        if self.error is not None:
            raise self.error
        return number


DOWN = SourceError(SourceErrorKind.UNREACHABLE, "Die Adresssuche")


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def cache(time: Time) -> TtlCache:
    return TtlCache(max_entries=3, ttl_s=10, stale_s=100, clock=time.clock, now=time.now)


async def test_a_value_is_loaded_once_while_it_is_fresh(cache: TtlCache, source: Source, time: Time) -> None:
    for second in (0, 5, 9.9):
        time.s = second
        assert await cache.fetch("k", source.load) == Cached(1, NOON)
    time.s = 10
    assert await cache.fetch("k", source.load) == Cached(2, NOON + timedelta(seconds=10))


async def test_keys_are_told_apart(cache: TtlCache, source: Source) -> None:
    found = [(await cache.fetch(key, source.load)).value for key in ("a", ("a", 1), "a", 1)]
    assert found == [1, 2, 1, 3]


async def test_a_stale_value_stands_in_for_a_source_that_is_down(
    cache: TtlCache, source: Source, time: Time
) -> None:
    await cache.fetch("k", source.load)
    source.error = DOWN
    time.s = 99.9
    assert await cache.fetch("k", source.load) == Cached(1, NOON, stale=True)
    time.s = 100
    with pytest.raises(SourceError):
        await cache.fetch("k", source.load)


async def test_a_source_that_is_back_is_asked_again(cache: TtlCache, source: Source, time: Time) -> None:
    await cache.fetch("k", source.load)
    time.s, source.error = 20, DOWN
    assert (await cache.fetch("k", source.load)).stale
    source.error = None
    assert await cache.fetch("k", source.load) == Cached(3, NOON + timedelta(seconds=20))


async def test_without_an_old_value_the_failure_is_the_callers(cache: TtlCache, source: Source) -> None:
    source.error = DOWN
    with pytest.raises(SourceError) as caught:
        await cache.fetch("k", source.load)
    assert caught.value is DOWN
    source.error = None
    assert (await cache.fetch("k", source.load)).value == 2


async def test_a_defect_is_not_covered_up(cache: TtlCache, source: Source, time: Time) -> None:
    await cache.fetch("k", source.load)
    time.s, source.error = 20, KeyError("bug")
    with pytest.raises(KeyError):
        await cache.fetch("k", source.load)


async def test_the_least_recently_used_value_is_forgotten(cache: TtlCache, source: Source) -> None:
    for key in ("a", "b", "c", "a", "d"):
        await cache.fetch(key, source.load)
    assert len(cache) == 3
    loads = source.loads
    for key in ("a", "c", "d"):
        await cache.fetch(key, source.load)
    assert source.loads == loads
    await cache.fetch("b", source.load)
    assert source.loads == loads + 1


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_calls_at_the_same_time_share_one_load(cache: TtlCache, source: Source) -> None:
    source.gate = asyncio.Event()
    calls = [asyncio.create_task(cache.fetch("k", source.load)) for _ in range(20)]
    await settle()
    source.gate.set()
    assert {found.value for found in await asyncio.gather(*calls)} == {1}
    assert source.loads == 1


async def test_calls_at_the_same_time_share_one_failure(cache: TtlCache, source: Source) -> None:
    source.gate, source.error = asyncio.Event(), DOWN
    calls = [asyncio.create_task(cache.fetch("k", source.load)) for _ in range(20)]
    await settle()
    source.gate.set()
    assert await asyncio.gather(*calls, return_exceptions=True) == [DOWN] * 20
    assert source.loads == 1


async def test_a_caller_who_leaves_does_not_disturb_the_others(cache: TtlCache, source: Source) -> None:
    source.gate = asyncio.Event()
    first, second = (asyncio.create_task(cache.fetch("k", source.load)) for _ in range(2))
    await settle()
    first.cancel()
    await settle()
    source.gate.set()
    assert (await second).value == 1
    assert first.cancelled()


async def test_a_load_ends_when_the_last_caller_leaves(cache: TtlCache, source: Source) -> None:
    source.gate = asyncio.Event()
    calls = [asyncio.create_task(cache.fetch("k", source.load)) for _ in range(2)]
    await settle()
    for call in calls:
        call.cancel()
    await settle()
    assert source.cancelled
    source.gate = None
    assert (await cache.fetch("k", source.load)).value == 2


async def test_a_failure_that_nobody_waits_for_is_no_news(
    cache: TtlCache, caplog: pytest.LogCaptureFixture
) -> None:
    async def load() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise DOWN from None
        return 0

    call = asyncio.create_task(cache.fetch("k", load))
    await settle()
    call.cancel()
    await settle()
    del call
    gc.collect()
    assert caplog.records == []


async def test_a_deadline_ends_the_waiting_where_there_is_an_old_value(
    cache: TtlCache, source: Source, time: Time
) -> None:
    await cache.fetch("k", source.load)
    time.s, source.gate = 20, asyncio.Event()
    with deadline.ends_in(0.02):
        assert await cache.fetch("k", source.load) == Cached(1, NOON, stale=True)
    await settle()
    assert source.cancelled


async def test_a_load_ends_with_the_caller_who_has_begun_it(cache: TtlCache) -> None:
    async def load() -> float | None:
        return deadline.remaining_s()

    with deadline.ends_in(5):
        left_s = (await cache.fetch("k", load)).value
        assert left_s is not None and left_s <= 5
    assert (await cache.fetch("l", load)).value is None


class SlowSource:
    """Asks for ever; as a call of a source does, it ends with a word about who was slow."""

    def __init__(self) -> None:
        self.loads = 0

    async def load(self) -> int:
        self.loads += 1
        if self.loads == 1:
            await asyncio.sleep(deadline.remaining_s() or 60)
            raise SourceError(SourceErrorKind.TIMEOUT, "Die Quelle")
        return self.loads


@pytest.mark.parametrize("more_s", [None, 30.0])
async def test_who_has_more_time_than_the_one_who_began_a_load_asks_again(
    cache: TtlCache, more_s: float | None
) -> None:
    source = SlowSource()

    async def hasty() -> None:
        with deadline.ends_in(0.02), pytest.raises(SourceError):
            await cache.fetch("k", source.load)

    async def patient() -> int:
        with deadline.ends_in(more_s) if more_s else contextlib.nullcontext():
            return (await cache.fetch("k", source.load)).value

    _, *found = await asyncio.gather(hasty(), *(patient() for _ in range(3)))
    assert found == [2, 2, 2]
    assert source.loads == 2


async def test_who_has_hardly_more_time_does_not_ask_again(cache: TtlCache) -> None:
    source = SlowSource()

    async def ask(seconds: float) -> None:
        with deadline.ends_in(seconds):
            await cache.fetch("k", source.load)

    found = await asyncio.gather(ask(0.02), ask(0.1), return_exceptions=True)
    assert [type(each) for each in found] == [SourceError] * 2
    assert source.loads == 1


async def test_a_source_that_is_slow_for_everybody_is_asked_once(cache: TtlCache) -> None:
    loads = 0

    async def load() -> int:
        nonlocal loads
        loads += 1
        await asyncio.sleep(0)
        raise SourceError(SourceErrorKind.TIMEOUT, "Die Quelle")

    async def ask() -> None:
        with deadline.ends_in(60):
            await cache.fetch("k", load)

    found = await asyncio.gather(*(ask() for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [SourceError] * 3
    assert loads == 1


class Caches(RuleBasedStateMachine):
    """Any sequence of calls, against a cache that keeps everything and looks at the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.time = Time()
        self.cache = TtlCache(max_entries=2, ttl_s=10, stale_s=30, clock=self.time.clock, now=self.time.now)
        self.kept: dict[str, float] = {}
        """Key -> when it was loaded, least recently used first."""

    def fetch(self, key: str, load: Callable[[], Awaitable[str]]) -> Cached[str]:
        return asyncio.run(self.cache.fetch(key, load))

    @rule(key=st.sampled_from("abc"), works=st.booleans())
    def ask(self, key: str, works: bool) -> None:
        loads = []

        async def load() -> str:
            loads.append(key)
            if not works:
                raise DOWN
            return key

        age = self.time.s - self.kept[key] if key in self.kept else 1e9
        try:
            found = self.fetch(key, load)
        except SourceError:
            assert not works
            assert age >= 30
            return
        assert found.value == key
        assert bool(loads) == (age >= 10)
        assert found.stale == (not works and age >= 10)
        at = self.time.s if works and age >= 10 else self.kept[key]
        assert found.retrieved_at == NOON + timedelta(seconds=at)
        self.kept.pop(key, None)
        self.kept[key] = at
        if len(self.kept) > 2:
            del self.kept[next(iter(self.kept))]

    @rule(seconds=st.sampled_from([1, 9, 10, 21]))
    def wait(self, seconds: float) -> None:
        self.time.s += seconds

    @invariant()
    def is_bounded(self) -> None:
        assert len(self.cache) == len(self.kept) <= 2


TestCaches = Caches.TestCase
