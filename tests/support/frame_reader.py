"""A client of event streams that remembers the bytes."""

import contextlib
import json
from typing import Any

import httpx


class FrameReader:
    """What it has read of one connection. Pings are no frames, and neither is one that was cut off."""

    def __init__(self) -> None:
        self.bytes = b""
        self.status = 0
        self.headers: httpx.Headers = httpx.Headers()

    @property
    def frames(self) -> list[bytes]:
        return [f + b"\n\n" for f in self.bytes.split(b"\n\n")[:-1] if not f.startswith(b":")]

    @property
    def last_id(self) -> str:
        ids = [line for f in self.frames for line in f.split(b"\n") if line.startswith(b"id: ")]
        return ids[-1].removeprefix(b"id: ").decode() if ids else "0"

    @property
    def events(self) -> list[str]:
        return [f.split(b"event: ")[1].split(b"\n")[0].decode() for f in self.frames]

    def data(self, n: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.frames[n].split(b"data: ")[1])
        return found

    async def read(self, response: httpx.Response, frames: int | None = None) -> None:
        """Until the end, even a sudden one, or until so many frames have come."""
        self.status, self.headers = response.status_code, response.headers
        with contextlib.suppress(httpx.RemoteProtocolError, httpx.ReadError):
            async for piece in response.aiter_raw():
                self.bytes += piece
                if frames is not None and len(self.frames) >= frames:
                    return
