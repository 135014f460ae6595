"""/healthz (the process lives), /readyz (it can work), /metrics (Prometheus)."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder

Check = Callable[[], Coroutine[Any, Any, str | None]]
"""Answers None when all is well, otherwise what is not."""

CHECK_TIMEOUT_S = 1.5
"""Checks are made side by side. Below the usual timeout of a probe, which would not tell what is missing."""


class Health:
    """Collects the readiness checks of a service and serves them as an ASGI app."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._checks: dict[str, Check] = {}
        self._details: dict[str, Callable[[], object]] = {}

    @classmethod
    def of(cls, process: str, parts: Sequence["Health"]) -> "Health":
        """That of a process with several services."""
        health = cls(process)
        for part in parts:
            for name, check in part._checks.items():
                health._checks[f"{part._service}: {name}"] = check
            for name, details in part._details.items():
                health._details[f"{part._service}: {name}"] = details
        return health

    def ready_when(self, name: str, check: Check) -> None:
        """The service is ready when every check answers None."""
        self._checks[name] = check

    def show(self, name: str, details: Callable[[], object]) -> None:
        """Add to `/readyz` what is worth knowing, but no reason not to be ready. It becomes JSON."""
        self._details[name] = details

    async def failures(self) -> dict[str, str]:
        """Check name -> what is wrong; empty when ready."""
        if not self._checks:
            return {}
        made = {name: asyncio.create_task(_made(check)) for name, check in self._checks.items()}
        # Nobody waits for a check that does not even let itself be cancelled.
        await asyncio.wait(made.values(), timeout=CHECK_TIMEOUT_S)
        found = {name: task.result() if task.done() else "no answer" for name, task in made.items()}
        for task in made.values():
            task.cancel()
        return {name: problem for name, problem in found.items() if problem is not None}

    async def respond(self, path: str, accept: str = "") -> tuple[int, str, bytes]:
        """Status, content type and body for one of the three paths; 404 for any other.

        Who accepts OpenMetrics gets examples of traces along with the metrics.
        """
        if path == "/healthz":
            return 200, "application/json", _json({"service": self._service, "status": "alive"})
        if path == "/readyz":
            failures = await self.failures()
            body: dict[str, Any] = {
                "service": self._service,
                "status": "not ready" if failures else "ready",
                "failures": failures,
            }
            if self._details:
                body["details"] = {name: details() for name, details in self._details.items()}
            return (503 if failures else 200), "application/json", _json(body)
        if path == "/metrics":
            write, content_type = choose_encoder(accept)
            return 200, content_type, write(REGISTRY)
        return 404, "application/json", _json({"status": "not found"})

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        accept = b",".join(value for name, value in scope["headers"] if name == b"accept")
        status, content_type, body = await self.respond(scope["path"], accept.decode("latin-1"))
        headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _made(check: Check) -> str | None:
    try:
        return await check()
    except Exception as error:
        # A check that fails says so; the others are still to be heard.
        return type(error).__name__


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode()
