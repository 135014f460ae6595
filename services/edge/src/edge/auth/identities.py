"""Credentials as principals. Nothing is kept here: what a client has brought along says everything."""

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from servicekit import apikeys

from edge import errors
from edge.auth.cookies import Cookie
from edge.auth.derivation import derivation_of, keyed_digest
from edge.auth.keyring import Keyring
from edge.auth.tokens import Signer
from edge.principals import Principal
from edge.settings import EdgeSettings

if TYPE_CHECKING:
    from edge.auth.provider import Provider

_SCOPES = frozenset({"chat", "tools"})
NOBODY = Principal("nobody", "anonymous")
"""Who has not said who they are, and need not: they may do nothing that belongs to anybody."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A principal whose credential is new to the client."""

    principal: Principal
    token: str
    expires_at: int
    """Unix time in seconds."""


class Identities:
    """Those of one edge."""

    def __init__(self, settings: EdgeSettings) -> None:
        self.settings = settings
        derivation = derivation_of(settings)
        self._owners = derivation.key("owners")
        self._anonymous = Signer(derivation.key("anonymous"))
        self._signed_in = Signer(derivation.key("sign-in"))
        self.states = Signer(derivation.key("oidc-state"))
        self.cookie = Cookie("ask", settings)
        keys_file = settings.api_keys_file if "keys" in settings.auth else None
        self._keyring = Keyring(keys_file) if keys_file else None
        self.provider = _provider_of(settings)

    @property
    def knows_anonymous(self) -> bool:
        return "anonymous" in self.settings.auth

    async def close(self) -> None:
        if self.provider is not None:
            await self.provider.close()

    def new_anonymous(self) -> Issued:
        return self._issued_anonymous(f"anonymous-{secrets.token_hex(12)}")

    async def of_bearer(self, token: str) -> Principal:
        """Whoever has this token. Raises `InvalidToken`, and `ProviderUnavailable`."""
        found: Principal | None = None
        if apikeys.is_key(token):
            found = self._of_key(token)
        elif token.count(".") == 2:
            found = await self._of_jwt(token)
        elif self.knows_anonymous and (read := self._anonymous.read(token)):
            found = _anonymous(read[0]["owner"])
        if found is None:
            raise errors.InvalidToken()
        return found

    def of_cookie(self, value: str) -> tuple[Principal, Issued | None] | None:
        """Whose browser it is, and a younger cookie when this one is getting old; None for a cookie that
        does not count: it is as good as none."""
        if self.provider is not None and (read := self._signed_in.read(value)):
            return _user(read[0]["owner"], read[0].get("name")), None
        if self.knows_anonymous and (read := self._anonymous.read(value)):
            owner, left_s = read[0]["owner"], read[1]
            is_old = left_s < self.settings.anonymous_ttl_s / 2
            return _anonymous(owner), self._issued_anonymous(owner) if is_old else None
        return None

    def signed_in(self, claims: dict[str, Any]) -> str:
        """The value of the cookie of a person that the provider has named."""
        facts = {"owner": self._owner_of(claims)}
        if name := _name_of(claims):
            facts["name"] = name
        return self._signed_in.sign(facts, self.settings.sign_in_ttl_s)[0]

    def _issued_anonymous(self, owner: str) -> Issued:
        return Issued(
            _anonymous(owner), *self._anonymous.sign({"owner": owner}, self.settings.anonymous_ttl_s)
        )

    def _of_key(self, token: str) -> Principal | None:
        key = self._keyring.find(token) if self._keyring else None
        if key is None:
            return None
        owner = f"key-{keyed_digest(self._owners, 'key', key.name)}"
        return Principal(owner, "key", frozenset(key.scopes), key.name)

    async def _of_jwt(self, token: str) -> Principal | None:
        claims = await self.provider.bearer(token) if self.provider else None
        return _user(self._owner_of(claims), _name_of(claims)) if claims else None

    def _owner_of(self, claims: dict[str, Any]) -> str:
        return f"user-{keyed_digest(self._owners, 'user', str(claims['iss']), str(claims['sub']))}"


def _provider_of(settings: EdgeSettings) -> "Provider | None":
    if "oidc" not in settings.auth:
        return None
    # Imported here: what checks signatures takes 10 MB, which nobody pays where nobody signs in.
    from edge.auth.provider import Provider

    return Provider(settings)


def _anonymous(owner: str) -> Principal:
    return Principal(owner, "anonymous", _SCOPES)


def _user(owner: str, name: str | None) -> Principal:
    return Principal(owner, "user", _SCOPES, name)


def _name_of(claims: dict[str, Any]) -> str | None:
    """What the page calls somebody; browsers drop cookies of over 4 KB."""
    named = (claims.get(claim) for claim in ("name", "preferred_username", "email"))
    return next((name[:200] for name in named if isinstance(name, str) and name.strip()), None)
