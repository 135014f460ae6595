"""One HTTP request and its answer, bounded in size. Whatever goes wrong becomes a `Failed`."""

import os
import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2
from servicekit.answers import Answer, is_acceptable
from servicekit.errors import SourceErrorKind
from servicekit.retries import RETRIABLE, retry_after_s
from servicekit.settings import OutboundSettings

REDIRECTS = frozenset({301, 302, 303, 307, 308})
Values = Mapping[str, str | int | float]

_KEEP_ALIVE_S = 15.0
"""Connections outlive the pause between two messages of a user, and no server closes them sooner."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent, and what is taken as an answer."""

    method: str
    url: httpx2.URL
    source: str
    headers: Mapping[str, str]
    form: Values | None = None
    accept: Collection[str] = ()
    statuses: Collection[int] = ()
    max_body_bytes: int = 0


class Failed(Exception):
    """One request has failed."""

    def __init__(
        self,
        kind: SourceErrorKind,
        reason: str | Exception = "",
        *,
        status: int | None = None,
        sent: bool = True,
        again: bool = False,
        after_s: float = 0,
    ) -> None:
        self.kind = kind
        self.reason = reason if isinstance(reason, str) else _named(reason)
        self.status = status
        self.sent = sent
        """Whether the server may have begun to work on it."""
        self.again = again
        """Whether the same request may succeed a moment later."""
        self.after_s = after_s
        """How long the server wants to be left alone."""

    @property
    def is_source_down(self) -> bool:
        """Whether it counts for the circuit breaker: timeouts, lost connections, 502 to 504.

        These are what may pass in a moment, but for 429, which only a source that works says.
        """
        return self.again and self.status != 429


def _named(error: Exception) -> str:
    """What is wrong with the certificate of the server, otherwise the name of the exception.

    Not its message, which may quote the URL, and so what a user has typed.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"certificate: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return f"TLS: {cause.reason or type(cause).__name__}"
        cause = cause.__cause__ or cause.__context__
    return type(error).__name__


@cache
def _trust(*_certificates: str | None) -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def trusted() -> ssl.SSLContext:
    """Whom clients trust, read once: that takes longer than anything else about a client."""
    return _trust(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


def pooled_client(settings: OutboundSettings) -> httpx2.AsyncClient:
    """A client that keeps connections and nothing else."""
    return httpx2.AsyncClient(
        verify=trusted(),
        timeout=httpx2.Timeout(
            settings.outbound_read_timeout_s,
            connect=settings.outbound_connect_timeout_s,
            # Waiting for a connection is bounded by the call as a whole.
            pool=None,
        ),
        limits=httpx2.Limits(
            max_connections=settings.outbound_max_connections,
            max_keepalive_connections=settings.outbound_max_connections,
            keepalive_expiry=_KEEP_ALIVE_S,
        ),
        headers={"user-agent": "ask.sogis"},
        # A cookie would tie the requests of all users together.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        follow_redirects=False,
    )


async def exchange(client: httpx2.AsyncClient, request: Request) -> Answer:
    """Send a request and read the answer: a success, a listed status, or a redirect (without its body).

    Raises `Failed`. The connection is closed when the answer is not read to its end.
    """
    prepared = client.build_request(
        request.method, request.url, headers=request.headers, data=dict(request.form or {}) or None
    )
    try:
        response = await client.send(prepared, stream=True)
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise Failed(SourceErrorKind.UNREACHABLE, error, sent=False, again=True) from None
    except httpx2.TimeoutException as error:
        raise Failed(SourceErrorKind.TIMEOUT, error, again=True) from None
    except httpx2.TransportError as error:
        raise Failed(SourceErrorKind.UNREACHABLE, error, again=True) from None
    try:
        return await _read(request, response)
    finally:
        await response.aclose()


async def _read(request: Request, response: httpx2.Response) -> Answer:
    status = response.status_code
    listed, redirect = status in request.statuses, status in REDIRECTS
    if not (listed or redirect or 200 <= status < 300):
        kind = SourceErrorKind.OVERLOADED if status in (429, 503) else SourceErrorKind.FAILED
        after_s = retry_after_s(response.headers.get("retry-after"))
        raise Failed(kind, status=status, again=status in RETRIABLE, after_s=after_s)
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (listed or redirect or status == 204 or is_acceptable(content_type, request.accept)):
        reason = f"content type {content_type or 'absent'}"
        raise Failed(SourceErrorKind.UNREADABLE, reason, status=status)
    return Answer(
        status=status,
        content_type=content_type,
        body=b"" if redirect else await _body(response, request.max_body_bytes),
        headers=response.headers,
        source=request.source,
        charset=response.charset_encoding or "utf-8",
    )


async def _body(response: httpx2.Response, limit: int) -> bytes:
    """Unpacked. What is larger than the limit is not read to its end, whatever its headers say."""
    too_large = Failed(SourceErrorKind.TOO_LARGE, status=response.status_code)
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise too_large
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                raise too_large
    except httpx2.TimeoutException as error:
        raise Failed(SourceErrorKind.TIMEOUT, error, again=True) from None
    except httpx2.TransportError as error:
        raise Failed(SourceErrorKind.UNREADABLE, error, again=True) from None
    except httpx2.DecodingError as error:
        raise Failed(SourceErrorKind.UNREADABLE, error) from None
    return bytes(body)
