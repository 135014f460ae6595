"""The layer that finds out who asks, before anything is done for them."""

from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from edge import errors
from edge.auth.identities import NOBODY, Identities, Issued
from edge.boundary import facts_of
from edge.principals import SCOPE_KEY, Principal

ME = "/api/me"
_OPEN = frozenset({ME, "/api/session"})
_TOOLS = ("/api/tools", "/mcp")
_CHAT = ("/api", "/chat")
"""What else is below `/api` belongs to conversations, so a new route is closed before somebody opens it."""
_METRICS = "/metrics"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def needed_for(path: str) -> str | None:
    """The scope that a path needs; None when it is for everybody."""
    if path == _METRICS:
        return "metrics"
    if path in _OPEN:
        return None
    if _is_below(path, _TOOLS):
        return "tools"
    return "chat" if _is_below(path, _CHAT) else None


class Identification:
    """Puts the principal into the scope of every request. Raises an `EdgeError` out of the application."""

    def __init__(self, app: ASGIApp, identities: Identities) -> None:
        self._app = app
        self._identities = identities
        settings = identities.settings
        self._origins = frozenset(filter(None, (_origin(settings.public_url), *settings.allowed_origins)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not scope["path"].isprintable():
            # The router takes a line feed at the end for nothing.
            raise errors.NotFound()
        needed = needed_for(scope["path"])
        if needed is None and scope["path"] != ME and not scope["path"].startswith("/auth/"):
            scope[SCOPE_KEY] = NOBODY
            await self._app(scope, receive, send)
            return
        principal, issued = await self._identified(scope, needed)
        if needed is not None and needed not in principal.scopes:
            raise _refused(principal, needed)
        scope[SCOPE_KEY] = principal
        if issued is not None:
            max_age_s = self._identities.settings.anonymous_ttl_s
            facts_of(scope).set_cookie = self._identities.cookie.header(issued.token, max_age_s)
        await self._app(scope, receive, send)

    async def _identified(self, scope: Scope, needed: str | None) -> tuple[Principal, Issued | None]:
        token = _bearer(scope)
        if token is not None:
            try:
                return await self._identities.of_bearer(token), None
            except errors.EdgeError:
                if needed is not None:
                    raise
                return NOBODY, None
        cookie = self._identities.cookie.read(scope)
        known = self._identities.of_cookie(cookie) if cookie else None
        if known is not None:
            self._check_origin(scope)
            return known
        if self._identities.knows_anonymous and (needed in ("chat", "tools") or scope["path"] == ME):
            issued = self._identities.new_anonymous()
            return issued.principal, issued
        return NOBODY, None

    def _check_origin(self, scope: Scope) -> None:
        """Browsers say which page makes them change something. Raises `OriginRefused`."""
        origin = _header(scope, b"origin")
        if scope["method"] in _SAFE or origin is None or origin in self._origins:
            return
        # Behind a proxy nobody knows the scheme, so only names and ports are compared.
        if not self._identities.settings.public_url and urlsplit(origin).netloc == _header(scope, b"host"):
            return
        raise errors.OriginRefused()


def _refused(principal: Principal, needed: str) -> errors.EdgeError:
    if needed == "metrics":
        # They are for those who run it; others need not know that they are here too.
        return errors.NotFound()
    return errors.Unauthenticated() if principal is NOBODY else errors.Forbidden()


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _bearer(scope: Scope) -> str | None:
    """The token of the request; another scheme is meant for somebody else, a proxy perhaps."""
    scheme, _, token = (_header(scope, b"authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _header(scope: Scope, wanted: bytes) -> str | None:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), None)


def _origin(url: str | None) -> str | None:
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc}" if url else None
