"""Files that live for a while, in a folder or an S3 bucket: one process writes them, others read them."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

from servicekit.errors import ServiceKitError
from servicekit.settings import PrintsSettings

if TYPE_CHECKING:
    from obstore.store import LocalStore, S3Store

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")
_CHUNK_BYTES = 256 * 1024
_SWEEP_OBJECTS = 1_000
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


class StoreUnavailable(ServiceKitError):
    """The object store does not take or give objects."""

    code = "store_unavailable"


@dataclass(frozen=True)
class StoredObject:
    """An object that has not expired."""

    size_bytes: int
    modified: datetime
    expires_at: datetime
    chunks: AsyncIterator[bytes]
    """To be read once, or not at all. Raises `StoreUnavailable`, also in the middle."""


class ObjectStore(Protocol):
    """Objects by name: letters, digits, `.`, `_` and `-`. Nobody sees half of one."""

    async def put(self, name: str, body: bytes, content_type: str) -> datetime:
        """Keep an object; until when. Raises `StoreUnavailable`, and `ValueError` for a name that is none."""

    async def open(self, name: str) -> StoredObject | None:
        """None for what is unknown, expired, or no name. Raises `StoreUnavailable`."""

    async def sweep(self) -> int:
        """Delete expired objects, at most a thousand; how many. Raises `StoreUnavailable`."""


def open_store(
    settings: PrintsSettings, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> ObjectStore:
    """The store that the settings name. It is touched when it is first used, not before."""
    return _Objects(settings.prints_url, timedelta(seconds=settings.prints_ttl_s), now)


class _Objects:
    def __init__(self, url: str, ttl: timedelta, now: Callable[[], datetime]) -> None:
        self._url = url
        self._ttl = ttl
        self._now = now

    async def put(self, name: str, body: bytes, content_type: str) -> datetime:
        if not _NAME.fullmatch(name):
            raise ValueError(f"no name of an object: {name!r}")
        expires_at = self._now() + self._ttl
        # A file has no content type. It is written under another name first, then renamed.
        attributes = None if self._folder else {"Content-Type": content_type}
        with _available():
            await self._store.put_async(name, body, attributes=attributes, use_multipart=False)
        return expires_at

    async def open(self, name: str) -> StoredObject | None:
        if not _NAME.fullmatch(name):
            return None
        with _available():
            try:
                found = await self._store.get_async(name)
            except FileNotFoundError:
                return None
            modified = found.meta["last_modified"]
            if self._is_expired(modified):
                return None
            stream = found.stream(min_chunk_size=_CHUNK_BYTES)
        return StoredObject(found.meta["size"], modified, modified + self._ttl, _chunks(stream))

    async def sweep(self) -> int:
        expired: list[str] = []
        with _available():
            async for page in self._store.list():
                expired += [entry["path"] for entry in page if self._is_expired(entry["last_modified"])]
                if len(expired) >= _SWEEP_OBJECTS:
                    break
            for path in expired[:_SWEEP_OBJECTS]:
                # Another process may sweep too.
                with suppress(FileNotFoundError):
                    await self._store.delete_async(path)
            await asyncio.to_thread(self._sweep_leftovers)
        return len(expired[:_SWEEP_OBJECTS])

    def _sweep_leftovers(self) -> None:
        """What a process has left that was killed while it wrote; such files are not listed as objects."""
        for path in self._folder.glob("*#*") if self._folder else ():
            with suppress(FileNotFoundError):
                if self._is_expired(datetime.fromtimestamp(path.stat().st_mtime, UTC)):
                    path.unlink()

    def _is_expired(self, modified: datetime) -> bool:
        return self._now() - modified >= self._ttl

    @cached_property
    def _folder(self) -> Path | None:
        if self._url.startswith("s3:"):
            return None
        return Path(unquote(urlsplit(self._url).path) if self._url.startswith("file:") else self._url)

    @cached_property
    def _store(self) -> "LocalStore | S3Store":
        # Imported here: it takes 5 MB, which nobody pays while there are no files.
        from obstore.store import LocalStore, S3Store

        if self._folder is not None:
            return LocalStore(self._folder.absolute(), mkdir=True)
        # Whoever names an endpoint without TLS, on the same machine or network, wants just that.
        endpoint = next(filter(None, map(os.environ.get, _ENDPOINTS)), "")
        return S3Store.from_url(
            self._url,
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=2),
                "read_timeout": timedelta(seconds=5),
            },
            # Somebody waits.
            retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=4)},
        )


async def _chunks(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    with _available():
        async for chunk in stream:
            yield bytes(chunk)


@contextmanager
def _available() -> Iterator[None]:
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        raise StoreUnavailable(f"The object store failed: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [repr(error)])[0][:200]
