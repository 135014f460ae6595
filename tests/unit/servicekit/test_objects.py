"""The object store, in a folder and on a server that speaks S3: the same behaviour."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import Request, urlopen

import obstore
import pytest
from moto.server import ThreadedMotoServer
from obstore.store import S3Store
from pydantic import ValidationError
from servicekit.objects import ObjectStore, StoreUnavailable, open_store
from servicekit.settings import PrintsSettings

PDF = "application/pdf"
HOUR = timedelta(hours=1)


class Clock:
    """Real time, which a test may move."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The URL of an S3 server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def aws(s3: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The usual variables lead to that server, where there is a bucket `prints`."""
    for name, value in {
        "AWS_ENDPOINT_URL": s3,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    urlopen(Request(f"{s3}/moto-api/reset", method="POST")).close()
    urlopen(Request(f"{s3}/prints", method="PUT")).close()
    return s3


@pytest.fixture(params=["folder", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path / "data" / "prints")
    request.getfixturevalue("aws")
    return "s3://prints/in/here"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: str, clock: Clock) -> ObjectStore:
    return opened(url, clock)


def opened(url: str, clock: Callable[[], datetime]) -> ObjectStore:
    return open_store(PrintsSettings(prints_url=url, prints_ttl_s=HOUR.total_seconds()), now=clock)


async def content(store: ObjectStore, name: str) -> bytes | None:
    found = await store.open(name)
    if found is None:
        return None
    body = b"".join([chunk async for chunk in found.chunks])
    assert len(body) == found.size_bytes
    return body


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_what_is_put_can_be_read_by_another_process(store: ObjectStore, url: str, clock: Clock) -> None:
    before = clock()
    expires_at = await store.put("a1.pdf", b"%PDF", PDF)
    assert before + HOUR <= expires_at <= clock() + HOUR
    other = opened(url, clock)
    assert await content(other, "a1.pdf") == b"%PDF"
    found = await other.open("a1.pdf")
    assert found is not None
    # S3 knows whole seconds only.
    assert abs(found.expires_at - expires_at) < timedelta(seconds=2)
    assert found.expires_at - found.modified == HOUR


async def test_a_large_object_comes_in_parts(store: ObjectStore) -> None:
    body = os.urandom(3_000_000)
    await store.put("large.pdf", body, PDF)
    found = await store.open("large.pdf")
    assert found is not None and found.size_bytes == len(body)
    chunks = [chunk async for chunk in found.chunks]
    assert b"".join(chunks) == body
    assert len(chunks) > 1


async def test_an_object_may_be_empty_and_be_replaced(store: ObjectStore) -> None:
    await store.put("a.pdf", b"", PDF)
    assert await content(store, "a.pdf") == b""
    await store.put("a.pdf", b"new", PDF)
    assert await content(store, "a.pdf") == b"new"


@pytest.mark.parametrize(
    "name",
    [
        "unknown.pdf",
        "",
        ".",
        "..",
        "../a.pdf",
        "a/b.pdf",
        "/etc/passwd",
        "a.pdf#1",
        "a\0.pdf",
        "ä",
        "x" * 101,
    ],
)
async def test_what_is_not_there_or_no_name_is_not_found(store: ObjectStore, name: str) -> None:
    assert await store.open(name) is None


@pytest.mark.parametrize("name", ["", "..", "../a.pdf", "a/b.pdf", "a.pdf#1"])
async def test_nothing_is_put_under_a_name_that_is_none(store: ObjectStore, name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        await store.put(name, b"x", PDF)


async def test_an_object_expires_by_its_age(store: ObjectStore, clock: Clock) -> None:
    await store.put("a.pdf", b"x", PDF)
    clock.ahead = HOUR - timedelta(minutes=1)
    assert await content(store, "a.pdf") == b"x"
    clock.ahead = HOUR + timedelta(seconds=1)
    assert await store.open("a.pdf") is None


async def test_a_sweep_deletes_what_has_expired_and_nothing_else(store: ObjectStore, clock: Clock) -> None:
    assert await store.sweep() == 0
    for n in range(3):
        await store.put(f"{n}.pdf", b"x", PDF)
    assert await store.sweep() == 0
    clock.ahead = HOUR + timedelta(seconds=1)
    assert await store.sweep() == 3
    assert await store.sweep() == 0
    clock.ahead = timedelta()
    assert await store.open("0.pdf") is None


async def test_two_processes_may_sweep_at_the_same_time(store: ObjectStore, url: str, clock: Clock) -> None:
    for n in range(20):
        await store.put(f"{n}.pdf", b"x", PDF)
    clock.ahead = 2 * HOUR
    await asyncio.gather(store.sweep(), opened(url, clock).sweep(), store.sweep())
    clock.ahead = timedelta()
    assert [await store.open(f"{n}.pdf") for n in range(20)] == [None] * 20


async def test_a_sweep_is_bounded(tmp_path: Path, clock: Clock) -> None:
    store = opened(str(tmp_path), clock)
    for n in range(1_005):
        (tmp_path / f"{n}.pdf").touch()
    clock.ahead = 2 * HOUR
    assert await store.sweep() == 1_000
    assert await store.sweep() == 5


async def test_readers_never_see_half_an_object(tmp_path: Path, clock: Clock) -> None:
    store = opened(str(tmp_path), clock)
    bodies = {bytes([n]) * 400_000 for n in range(8)}
    seen: list[bytes | None] = []
    writing = asyncio.gather(*(store.put("a.pdf", body, PDF) for body in bodies))
    while not writing.done():
        seen.append(await content(store, "a.pdf"))
    await writing
    assert set(seen) - {None} <= bodies
    assert names_in(tmp_path) == ["a.pdf"]


async def test_what_a_killed_writer_has_left_is_no_object_and_is_swept(tmp_path: Path, clock: Clock) -> None:
    store = opened(str(tmp_path), clock)
    leftover = tmp_path / "a.pdf#1"
    leftover.write_bytes(b"half")
    await store.sweep()
    assert leftover.exists()
    assert await store.open("a.pdf") is None
    clock.ahead = 2 * HOUR
    await store.sweep()
    assert not leftover.exists()


async def test_a_folder_is_named_by_a_path_or_a_file_url(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "my prints"
    await opened(str(folder), clock).put("a.pdf", b"x", PDF)
    for url in (folder.as_uri(), f"file:{folder}"):
        assert await content(opened(url, clock), "a.pdf") == b"x"


async def test_the_age_of_a_file_is_that_of_its_content(tmp_path: Path, clock: Clock) -> None:
    store = opened(str(tmp_path), clock)
    await store.put("a.pdf", b"x", PDF)
    long_ago = time.time() - 7_200
    os.utime(tmp_path / "a.pdf", (long_ago, long_ago))
    assert await store.open("a.pdf") is None


async def test_a_folder_that_cannot_be_made_is_noticed_at_use(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").touch()
    store = opened(str(tmp_path / "file" / "prints"), clock)
    with pytest.raises(StoreUnavailable):
        await store.put("a.pdf", b"x", PDF)
    with pytest.raises(StoreUnavailable):
        await store.open("a.pdf")
    (tmp_path / "file").unlink()
    await store.put("a.pdf", b"x", PDF)


async def test_a_server_that_does_not_answer_is_noticed(
    aws: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    store = opened("s3://prints/in/here", clock)
    for work in (store.put("a.pdf", b"x", PDF), store.open("a.pdf"), store.sweep()):
        with pytest.raises(StoreUnavailable):
            await work


async def test_on_s3_an_object_has_its_content_type_and_its_place(aws: str, clock: Clock) -> None:
    await opened("s3://prints/in/here", clock).put("a.pdf", b"x", PDF)
    bucket = S3Store.from_url("s3://prints", client_options={"allow_http": True})
    found = await obstore.get_async(bucket, "in/here/a.pdf")
    assert found.attributes["Content-Type"] == PDF


@pytest.mark.parametrize("url", ["", "ftp://prints", "http://prints/x", "s3://", "C:prints"])
def test_a_place_that_is_none_ends_the_process_at_its_start(url: str) -> None:
    with pytest.raises(ValidationError):
        PrintsSettings(prints_url=url)
