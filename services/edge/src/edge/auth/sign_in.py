"""The routes of the sign-in at an OpenID provider: authorization code with PKCE. Nothing is kept here."""

import base64
import hashlib
import hmac
import secrets
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from edge import errors, languages
from edge.auth.cookies import Cookie
from edge.auth.identities import Identities
from edge.negotiation import names
from edge.principals import principal_of
from edge.problems import response_of
from edge.texts import text

if TYPE_CHECKING:
    from edge.auth.provider import Provider

LOGIN, CALLBACK, LOGOUT = "/auth/login", "/auth/callback", "/auth/logout"
_STATE_TTL_S = 600
"""To find a password and a second factor."""
_MAX_NEXT_CHARS = 1_024


def sign_in_routes(identities: Identities, provider: "Provider") -> APIRouter:
    """What a browser visits on its way to the provider and back."""
    router = APIRouter(prefix="/auth", include_in_schema=False)
    settings = identities.settings
    redirect_uri = f"{settings.public_url}{CALLBACK}"
    cookie = Cookie("ask-sign-in", settings)

    @router.get("/login")
    async def begin(next: str = "/") -> Response:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        facts = {"state": state, "nonce": nonce, "verifier": verifier, "next": local_path(next)}
        asked = {
            "response_type": "code",
            "client_id": settings.oidc_client_id or "",
            "redirect_uri": redirect_uri,
            "scope": settings.oidc_scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
        }
        where = await provider.endpoint("authorization_endpoint") or ""
        found = _redirect(f"{where}{'&' if urlsplit(where).query else '?'}{urlencode(asked)}")
        value, _ = identities.states.sign(facts, _STATE_TTL_S)
        found.headers.append("Set-Cookie", cookie.header(value, _STATE_TTL_S))
        return found

    @router.get("/callback")
    async def end(
        request: Request, code: str = "", state: str = "", iss: str | None = None, error: str | None = None
    ) -> Response:
        try:
            read = identities.states.read(cookie.read(request.scope) or "")
            # Only the browser that has begun can end: nobody signs others in as somebody else.
            if read is None or not hmac.compare_digest(read[0]["state"].encode(), state.encode()):
                raise errors.SignInFailed()
            if error is not None or not code or iss not in (None, provider.issuer):
                raise errors.SignInFailed()
            facts = read[0]
            claims = await provider.redeem(code, facts["verifier"], redirect_uri, facts["nonce"])
        except (errors.SignInFailed, errors.ProviderUnavailable) as failed:
            found = _failed(request, failed)
        else:
            found = _redirect(facts["next"])
            signed = identities.signed_in(claims)
            found.headers.append("Set-Cookie", identities.cookie.header(signed, settings.sign_in_ttl_s))
        found.headers.append("Set-Cookie", cookie.cleared())
        return found

    @router.post("/logout")
    async def leave(request: Request) -> Response:
        """Forgets who uses this browser; `location` is where the provider does so, too."""
        where = await _end_session(request, provider)
        answered = JSONResponse({"location": where}, headers={"Cache-Control": "no-store"})
        answered.headers.append("Set-Cookie", identities.cookie.cleared())
        return answered

    async def _end_session(request: Request, provider: "Provider") -> str | None:
        if principal_of(request.scope).kind != "user":
            return None
        try:
            where = await provider.endpoint("end_session_endpoint")
        except errors.ProviderUnavailable:
            return None
        asked = {
            "client_id": settings.oidc_client_id or "",
            "post_logout_redirect_uri": f"{settings.public_url}/",
        }
        return f"{where}{'&' if urlsplit(where).query else '?'}{urlencode(asked)}" if where else None

    return router


def challenge_of(verifier: str) -> str:
    """What the provider sees of a verifier (S256)."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def local_path(wanted: str) -> str:
    """Where to go after the sign-in: a path of this server, else its first page."""
    parts = wanted.partition("?")[0]
    is_local = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted
    is_plain = wanted.isascii() and wanted.isprintable() and " " not in wanted
    if is_local and is_plain and len(wanted) <= _MAX_NEXT_CHARS and not parts.startswith("/auth/"):
        return wanted
    return "/"


def _redirect(where: str) -> Response:
    return RedirectResponse(where, 303, {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def _failed(request: Request, error: errors.EdgeError) -> Response:
    language = languages.spoken(request.scope)
    if not names(request.headers.get("accept", ""), "text/html"):
        return response_of(error, language)
    title, said, again, back = (
        escape(text(key, language)) for key in ("page_title", error.code, "sign_in_again", "sign_in_back")
    )
    page = f"""<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<main>
<h1>{title}</h1>
<p>{said}</p>
<p><a href="{LOGIN}">{again}</a></p>
<p><a href="/">{back}</a></p>
</main>
</html>
"""
    policy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": policy}
    return HTMLResponse(page, error.status, headers)
