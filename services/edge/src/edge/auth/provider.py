"""The OpenID provider: what it says about itself, its keys, and who it says somebody is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import jwt
from servicekit.errors import SourceError
from servicekit.outbound import Answer, Outbound

from edge import errors
from edge.auth.tokens import MAX_TOKEN_CHARS
from edge.settings import EdgeSettings

log = logging.getLogger("edge.auth")

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures that only the provider can make: none with a shared key, and not `none`."""
_TYPES = frozenset({"JWT", "AT+JWT", "APPLICATION/AT+JWT"})
_LEEWAY_S = 30
"""Clocks that are set by the network differ by less."""
_MAX_AGE_S = 3_600.0
"""Keys that were withdrawn count no longer than that, while the provider answers."""
_REFETCH_PAUSE_S = 10.0
"""A token with an unknown key may come from a provider with new keys, or from anybody who makes up names."""
_MAX_BODY_BYTES = 262_144
_SOURCE = "OpenID provider"
"""Its name in logs."""
_ASKED = ("jwks_uri", "token_endpoint")
"""Its addresses that the edge asks itself."""


class _Refused(Exception):
    """The provider gives no tokens for a code."""


class _Fetched:
    """When something was fetched, and when that was tried last."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._done_at = self._tried_at = float("-inf")

    @property
    def age_s(self) -> float:
        return self._clock() - self._done_at

    @property
    def since_try_s(self) -> float:
        return self._clock() - self._tried_at

    def tried(self) -> None:
        self._tried_at = self._clock()

    def done(self) -> None:
        self._done_at = self._clock()


class Provider:
    """Asked when it is needed for the first time; what it has said is kept while it does not answer.

    Every method raises `ProviderUnavailable` when it does not answer and nothing is known.
    """

    def __init__(self, settings: EdgeSettings, clock: Callable[[], float] = monotonic) -> None:
        assert settings.oidc_issuer is not None and settings.oidc_client_id is not None
        self.issuer = settings.oidc_issuer
        self._client_id = settings.oidc_client_id
        self._audience = settings.oidc_audience or settings.oidc_client_id
        secret = settings.oidc_client_secret
        self._secret = secret.get_secret_value() if secret else None
        self._settings = settings
        self._discovery = Outbound(settings, [self.issuer])
        self._endpoints: Outbound | None = None
        self._document: dict[str, Any] = {}
        self._keys: list[dict[str, Any]] = []
        self._document_at, self._keys_at = _Fetched(clock), _Fetched(clock)
        self._lock = asyncio.Lock()

    async def close(self) -> None:
        await self._discovery.close()
        if self._endpoints is not None:
            await self._endpoints.close()

    async def endpoint(self, name: str) -> str | None:
        """A URL that the provider names, e.g. `authorization_endpoint`."""
        async with self._lock:
            await self._discover()
        url = self._document.get(name)
        return url if isinstance(url, str) else None

    async def bearer(self, token: str) -> dict[str, Any] | None:
        """The claims of a token that a program has brought along; None when it does not count here."""
        return await self._claims(token, self._audience)

    async def redeem(self, code: str, verifier: str, redirect_uri: str, nonce: str) -> dict[str, Any]:
        """The claims of the person that a code stands for. Raises `SignInFailed`."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
            "client_id": self._client_id,
        }
        if self._secret is not None:
            form["client_secret"] = self._secret
        url = await self.endpoint("token_endpoint")
        assert self._endpoints is not None
        try:
            if url is None:
                raise _Refused("no token endpoint")
            answer = await self._endpoints.post(
                url,
                source=_SOURCE,
                form=form,
                accept=("application/json",),
                statuses=(400, 401, 403),
                max_body_bytes=_MAX_BODY_BYTES,
            )
            given = answer.json() if answer.status == 200 else {}
            id_token = given.get("id_token") if isinstance(given, dict) else None
            if not isinstance(id_token, str):
                raise _Refused(f"status {answer.status}")
            claims = await self._claims(id_token, self._client_id)
            if claims is None or claims.get("nonce") != nonce:
                raise _Refused("the ID token does not count")
            if claims.get("azp", self._client_id) != self._client_id:
                raise _Refused("the ID token is for another client")
        except SourceError as error:
            raise errors.ProviderUnavailable() from error
        except _Refused as refused:
            log.warning("sign-in refused", extra={"reason": str(refused)})
            raise errors.SignInFailed() from None
        return claims

    async def _claims(self, token: str, audience: str) -> dict[str, Any] | None:
        """Of a token of this issuer for an audience, signed with one of its keys and valid now."""
        if len(token) > MAX_TOKEN_CHARS:
            return None
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            if algorithm not in ALGORITHMS or str(header.get("typ", "JWT")).upper() not in _TYPES:
                return None
            key = await self._key(header.get("kid"), algorithm)
            if key is None:
                return None
            claims: dict[str, Any] = jwt.decode(
                token,
                jwt.PyJWK(key, algorithm=algorithm),
                algorithms=[algorithm],
                audience=audience,
                issuer=self.issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            log.info("token refused", extra={"reason": type(error).__name__})
            return None
        return claims

    async def _key(self, kid: object, algorithm: str) -> dict[str, Any] | None:
        is_old = self._keys_at.age_s >= _MAX_AGE_S
        # Whoever has a known key does not wait for a slow provider while another request asks it.
        if not self._fitting(kid, algorithm) or (is_old and not self._lock.locked()):
            async with self._lock:
                is_unknown = not self._fitting(kid, algorithm)
                await self._refresh(self._keys_at, self._fetch_keys, bool(self._keys), is_unknown)
        fitting = self._fitting(kid, algorithm)
        # Without a name it has to be clear which one is meant.
        return fitting[0] if len(fitting) == 1 else None

    def _fitting(self, kid: object, algorithm: str) -> list[dict[str, Any]]:
        return [
            key
            for key in self._keys
            if (kid is None or key.get("kid") == kid)
            and key.get("use", "sig") == "sig"
            and key.get("alg", algorithm) == algorithm
        ]

    async def _discover(self) -> None:
        await self._refresh(self._document_at, self._fetch_document, bool(self._document))

    async def _refresh(
        self, at: "_Fetched", fetch: Callable[[], Awaitable[None]], is_known: bool, is_wanted: bool = False
    ) -> None:
        """Fetch what is old or `is_wanted`, now and then; what is known counts while that fails."""
        if is_known and at.age_s < _MAX_AGE_S and not is_wanted:
            return
        if at.since_try_s >= _REFETCH_PAUSE_S:
            at.tried()
            try:
                await fetch()
            except (SourceError, ValueError) as error:
                log.warning("provider does not answer", extra={"reason": str(error)})
            else:
                at.done()
                return
        if not is_known:
            raise errors.ProviderUnavailable()

    async def _fetch_document(self) -> None:
        url = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        document = _object(await self._get(self._discovery, url))
        if document.get("issuer") != self.issuer:
            raise ValueError("another issuer answers")
        named = [document.get(name) for name in (*_ASKED, "authorization_endpoint")]
        allowed = {"https", urlsplit(self.issuer).scheme}
        if not all(isinstance(url, str) and urlsplit(url).scheme in allowed for url in named):
            raise ValueError("an endpoint is missing, or not https")
        before = self._endpoints
        if any(document[name] != self._document.get(name) for name in _ASKED):
            self._endpoints = Outbound(self._settings, [document[name] for name in _ASKED])
        self._document = document
        if before is not None and before is not self._endpoints:
            # With it ends what somebody is asking there.
            await before.close()

    async def _fetch_keys(self) -> None:
        await self._discover()
        assert self._endpoints is not None
        found = _object(await self._get(self._endpoints, self._document["jwks_uri"])).get("keys")
        if not isinstance(found, list):
            raise ValueError("no keys")
        self._keys = [key for key in found if isinstance(key, dict)]

    async def _get(self, outbound: Outbound, url: str) -> Answer:
        return await outbound.get(url, source=_SOURCE, max_body_bytes=_MAX_BODY_BYTES)


def _object(answer: Answer) -> dict[str, Any]:
    document = answer.json()
    if not isinstance(document, dict):
        raise ValueError("no JSON object")
    return document
