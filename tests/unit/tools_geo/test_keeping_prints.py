"""Prints are kept in the store, which is swept now and then."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from contracts import prints
from servicekit.errors import SourceError
from servicekit.objects import StoreUnavailable

from tools_geo.prints import Prints


class Store:
    def __init__(self, broken: frozenset[str] = frozenset()) -> None:
        self.objects: dict[str, tuple[bytes, str]] = {}
        self.sweeps = 0
        self._broken = broken

    async def put(self, name: str, body: bytes, content_type: str) -> datetime:
        if "put" in self._broken:
            raise StoreUnavailable
        self.objects[name] = (body, content_type)
        return datetime.now(UTC) + timedelta(hours=1)

    async def open(self, name: str) -> Any:
        raise NotImplementedError

    async def sweep(self) -> int:
        self.sweeps += 1
        if "sweep" in self._broken:
            raise StoreUnavailable
        return 0


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_print_is_kept_where_the_edge_looks_for_it() -> None:
    store = Store()
    kept = await Prints(store).keep(b"%PDF")
    assert store.objects == {prints.name_of("local", kept.id): (b"%PDF", "application/pdf")}
    assert prints.is_id(kept.id)
    assert kept.path == prints.path_of(kept.id)


async def test_many_prints_are_swept_once() -> None:
    store = Store()
    kept = Prints(store)
    for _ in range(10):
        await kept.keep(b"%PDF")
    await settled()
    assert store.sweeps == 1


async def test_a_sweep_that_fails_does_no_harm() -> None:
    store = Store(frozenset({"sweep"}))
    kept = await Prints(store).keep(b"%PDF")
    await settled()
    assert store.sweeps == 1
    assert prints.name_of("local", kept.id) in store.objects


async def test_a_store_that_fails_is_told_to_the_user() -> None:
    with pytest.raises(SourceError) as failed:
        await Prints(Store(frozenset({"put"}))).keep(b"%PDF")
    assert failed.value.source == "Die Ablage für Grundbuchpläne"
