"""What docs/deploy.md says about copies of volumes holds: the files alone bring everything back."""

import shutil
from pathlib import Path

import nats
from contracts import subjects
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import BusyLoadingError
from servicekit import streams

from .conftest import ServerProcess


def put_back(copy: Path, store: Path) -> None:
    shutil.rmtree(store)
    shutil.copytree(copy, store)


async def test_a_snapshot_of_the_volume_of_nats_has_all_that_was_acknowledged(
    nats_server: ServerProcess, nats_url: str, tmp_path: Path
) -> None:
    connection = await nats.connect(nats_url)
    for n in range(50):
        await connection.jetstream().publish(subjects.turn_event(f"req-{n}"), b"{}")
    await connection.close()
    # A snapshot is what a killed server leaves behind.
    nats_server.kill()
    shutil.copytree(tmp_path / "nats", tmp_path / "copy")
    nats_server.start()
    await _forget(nats_url)
    nats_server.kill()
    put_back(tmp_path / "copy", tmp_path / "nats")
    nats_server.start()
    connection = await nats.connect(nats_url)
    assert await streams.exist(connection, "edge")
    assert (await connection.jetstream().stream_info("TURNS")).state.messages == 50
    await connection.close()


async def _forget(nats_url: str) -> None:
    connection = await nats.connect(nats_url)
    await connection.jetstream().purge_stream("TURNS")
    await connection.close()


async def test_redis_can_be_copied_while_it_runs(
    redis_server: ServerProcess, redis_url: str, tmp_path: Path
) -> None:
    redis = Redis.from_url(redis_url, decode_responses=True)
    await redis.mset({f"k{n}": str(n) for n in range(500)})
    await redis.config_set("auto-aof-rewrite-percentage", 0)
    shutil.copytree(tmp_path / "redis" / "appendonlydir", tmp_path / "copy")
    await redis.flushall()
    await redis.aclose()
    redis_server.kill()
    put_back(tmp_path / "copy", tmp_path / "redis" / "appendonlydir")
    redis_server.start()
    # It takes connections before it has read its file.
    loading = Retry(ConstantBackoff(0.05), retries=200, supported_errors=(BusyLoadingError,))
    redis = Redis.from_url(redis_url, decode_responses=True, retry=loading)
    assert await redis.dbsize() == 500
    assert await redis.get("k499") == "499"
    await redis.aclose()
