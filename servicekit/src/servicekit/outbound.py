"""HTTP to the configured servers: bounded in time and size, retried, and paused when they keep failing."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from random import random
from time import monotonic
from typing import TypedDict, Unpack

import httpx2
from servicekit import deadline
from servicekit.answers import Answer
from servicekit.breaker import Breaker, Ticket
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.exchange import REDIRECTS, Failed, Request, Values, exchange, pooled_client
from servicekit.origins import NotAllowed, Origins, origin_of
from servicekit.retries import backoff_s
from servicekit.settings import OutboundSettings
from servicekit.telemetry import source_called, source_retried
from servicekit.tracing import Kind, span

__all__ = ["Answer", "Outbound", "OutboundSettings", "SourceError", "SourceErrorKind"]

_MAX_REDIRECTS = 3

log = logging.getLogger("ask.outbound")


class Options(TypedDict, total=False):
    """What can be said about any call."""

    params: Values
    """Added to the query of the URL."""
    headers: Mapping[str, str]
    """Sent to the server of the URL; not to another one that it redirects to."""
    accept: Collection[str]
    """The content types that are taken, with their families of JSON and XML; all unless given."""
    statuses: Collection[int]
    """Further statuses that are an answer and no failure; their content type is not looked at."""
    max_body_bytes: int | None
    """Unless given, that of the settings."""
    retry: bool
    """Whether to try again what the server may have received: true for `get`, false for `post`."""
    follow_redirects: bool
    """True unless given; otherwise a 3xx comes back, with its headers and without its body."""


@dataclass
class _Call:
    """One call, and where it stands."""

    request: Request
    retry: bool
    follow_redirects: bool
    limit_s: float
    is_fair: bool
    """Whether the source gets enough time to be blamed for a timeout: the caller's deadline may be near."""
    url: httpx2.URL
    """What is asked at the moment: redirects may lead from one service to another."""
    tries: int = 0
    ticket: Ticket | None = None
    """Of a try that failed."""

    @property
    def question(self) -> int:
        """The same for the same request, in whichever call."""
        form = tuple((self.request.form or {}).items())
        return hash((self.request.method, self.request.url, form))


class Outbound:
    """The HTTP client of a service: one a process, for all its sources, closed with `close`.

    `allowed` are base URLs: only their servers are called, also by redirects. Proxies and certificates come
    from the environment (`HTTPS_PROXY`, `SSL_CERT_FILE`). No cookies are kept. All errors are `SourceError`.
    """

    def __init__(
        self,
        settings: OutboundSettings,
        allowed: Iterable[str],
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        rand: Callable[[], float] = random,
    ) -> None:
        self._settings = settings
        self._origins = Origins(allowed)
        self._sleep = sleep
        self._rand = rand
        self._client = pooled_client(settings)
        self._breakers: defaultdict[str, Breaker] = defaultdict(lambda: Breaker(settings, clock))
        """One for each service, see `Origins.service_of`."""

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def get(self, url: str, *, source: str, **options: Unpack[Options]) -> Answer:
        """Fetch a URL. `source` is its German name in errors, e.g. «Die Adresssuche von geo.so.ch»."""
        return await self._run("GET", url, source, None, {"retry": True, **options})

    async def post(
        self, url: str, *, source: str, form: Values | None = None, **options: Unpack[Options]
    ) -> Answer:
        """Send a form, as `get`, but not again once the server may have received it (unless `retry`)."""
        return await self._run("POST", url, source, form, options)

    async def _run(self, method: str, url: str, source: str, form: Values | None, options: Options) -> Answer:
        try:
            target = self._origins.check(url)
        except NotAllowed:
            log.warning("source failed", extra={"source": source, "kind": SourceErrorKind.FORBIDDEN})
            raise SourceError(SourceErrorKind.FORBIDDEN, source) from None
        call = self._call(Request(method, target, source, {}, form), options)
        origin, started = origin_of(target), monotonic()
        attributes = {"http.request.method": method, "server.address": target.host}
        with span(method, attributes, Kind.CLIENT) as called:
            try:
                answer = await self._bounded(call)
            except Failed as failed:
                called.fail(failed.kind)
                seconds = monotonic() - started
                failing = origin_of(call.url)
                source_called(failing, failed.kind, seconds)
                facts = {
                    "source": source,
                    # Without the query, which holds what users have typed.
                    "url": origin + target.path,
                    "redirected_to": failing if failing != origin else None,
                    "kind": failed.kind,
                    "status": failed.status,
                    "reason": failed.reason or None,
                    "tries": call.tries,
                    "ms": round(seconds * 1000),
                }
                log.warning("source failed", extra=facts)
                raise SourceError(failed.kind, source, failed.status) from None
            called.set("http.response.status_code", answer.status)
            if call.tries > 1:
                called.set("http.request.resend_count", call.tries - 1)
            source_called(origin, "ok", monotonic() - started)
        return answer

    def _call(self, request: Request, options: Options) -> _Call:
        params, accept = options.get("params"), options.get("accept", ())
        headers = {name.lower(): value for name, value in (options.get("headers") or {}).items()}
        total_s, left_s = self._settings.outbound_total_timeout_s, deadline.remaining_s()
        limit_s = total_s if left_s is None else min(total_s, left_s)
        url = request.url.copy_merge_params(dict(params)) if params else request.url
        return _Call(
            replace(
                request,
                url=url,
                # Some servers refuse a type that they do not know (406) where they would answer otherwise.
                headers={"accept": ", ".join((*accept, "*/*;q=0.1")), **headers},
                accept=accept,
                statuses=options.get("statuses", ()),
                max_body_bytes=options.get("max_body_bytes") or self._settings.outbound_max_body_bytes,
            ),
            retry=options.get("retry", False),
            follow_redirects=options.get("follow_redirects", True),
            limit_s=limit_s,
            is_fair=limit_s >= min(total_s, self._settings.outbound_read_timeout_s),
            url=url,
        )

    async def _bounded(self, call: _Call) -> Answer:
        """Bounds retries, pauses and slow bodies together."""
        if call.limit_s <= 0:
            raise Failed(SourceErrorKind.TIMEOUT, "no time left")
        try:
            async with asyncio.timeout(call.limit_s) as timeout:
                return await self._persist(call, timeout)
        except TimeoutError:
            raise Failed(SourceErrorKind.TIMEOUT, f"after {call.limit_s:.3g} s") from None

    async def _persist(self, call: _Call, timeout: asyncio.Timeout) -> Answer:
        """Tries until there is an answer, or no reason to hope for one."""
        while True:
            call.tries += 1
            try:
                return await self._follow(call, timeout)
            except Failed as failed:
                pause_s = max(failed.after_s, backoff_s(call.tries, self._rand))
                is_last = not self._may_retry(call, failed) or pause_s >= _left_s(timeout)
                self._blame(call, failed, is_last=is_last)
                if is_last:
                    raise
            source_retried(origin_of(call.url))
            await self._sleep(pause_s)

    def _may_retry(self, call: _Call, failed: Failed) -> bool:
        return (
            failed.again
            and (call.retry or not failed.sent)
            and call.tries <= self._settings.outbound_max_retries
            and failed.after_s <= self._settings.outbound_max_retry_after_s
            and not self._breaker(call).is_open
        )

    async def _follow(self, call: _Call, timeout: asyncio.Timeout) -> Answer:
        """One try, along its redirects."""
        request = call.request
        for _ in range(_MAX_REDIRECTS + 1):
            call.url = request.url
            answer = await self._ask(request, call, timeout)
            if answer.status not in REDIRECTS or not call.follow_redirects:
                return answer
            request = self._redirected(request, answer)
        raise Failed(SourceErrorKind.FAILED, "too many redirects", status=answer.status)

    def _redirected(self, request: Request, answer: Answer) -> Request:
        location = answer.headers.get("location")
        if location is None:
            raise Failed(SourceErrorKind.FAILED, "redirect to nowhere", status=answer.status)
        try:
            url = self._origins.redirected(request.url, location)
        except NotAllowed:
            raise Failed(SourceErrorKind.FORBIDDEN, "redirect", status=answer.status) from None
        if answer.status not in (307, 308):
            request = replace(request, method="GET", form=None)
        if origin_of(url) != origin_of(request.url):
            request = replace(request, headers={"accept": request.headers["accept"]})
        return replace(request, url=url)

    async def _ask(self, request: Request, call: _Call, timeout: asyncio.Timeout) -> Answer:
        """One request, unless its source is left alone at the moment."""
        breaker = self._breaker(call)
        ticket = breaker.admit()
        if ticket is None:
            raise Failed(SourceErrorKind.PAUSED)
        try:
            answer = await exchange(self._client, request)
        except Failed as failed:
            if failed.is_source_down:
                call.ticket = ticket
            else:
                breaker.succeeded(ticket, call.question)
            raise
        except BaseException:
            # Cancelled, by the timeout or by a caller who no longer waits.
            if call.is_fair and timeout.expired():
                breaker.failed(ticket, call.question)
            else:
                breaker.abandoned(ticket)
            raise
        breaker.succeeded(ticket, call.question)
        return answer

    def _blame(self, call: _Call, failed: Failed, *, is_last: bool) -> None:
        """Only the last try counts: a failure that the retries hide is none."""
        ticket, call.ticket = call.ticket, None
        if ticket is None:
            return
        if is_last:
            # Without a connection it was not the question.
            self._breaker(call).failed(ticket, call.question if failed.sent else ticket)
        else:
            self._breaker(call).abandoned(ticket)

    def _breaker(self, call: _Call) -> Breaker:
        return self._breakers[self._origins.service_of(call.url)]


def _left_s(timeout: asyncio.Timeout) -> float:
    ends_at = timeout.when()
    assert ends_at is not None
    return ends_at - asyncio.get_running_loop().time()
