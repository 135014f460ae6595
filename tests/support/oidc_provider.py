"""A small OpenID provider, made with Authlib on Flask: a real server on this machine, in a thread.

Discovery, keys that can be rotated, authorization code with PKCE (which it insists on), sign-out. Its page
has a button for each person, and one to go away.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin
from authlib.oauth2.rfc6749.errors import OAuth2Error
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, Response, jsonify, redirect, request
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT_ID = "ask-sogis"
PEOPLE = {"anna": "Anna Muster", "beat": "Beat Beispiel"}


@dataclass
class _Client(ClientMixin):  # type: ignore[misc]
    secret: str | None
    redirect_uris: set[str] = field(default_factory=set)
    id_token_signed_response_alg: ClassVar[str] = "RS256"

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_allowed_scope(self, scope: str) -> str:
        return " ".join(each for each in (scope or "").split() if each in ("openid", "profile"))

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == ("client_secret_post" if self.secret else "none")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class _Code(AuthorizationCodeMixin):  # type: ignore[misc]
    code: str
    user: str
    scope: str
    redirect_uri: str
    nonce: str | None
    code_challenge: str | None
    code_challenge_method: str | None

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class OidcProvider:
    """`running` starts one; `issuer` is its address."""

    def __init__(self, client_secret: str | None = None) -> None:
        self.asked: Counter[str] = Counter()
        """How often each path was asked for."""
        self.claims: dict[str, Any] = {}
        """What ID tokens of sign-ins claim besides, or instead."""
        self.redeeming: Callable[[], object] = lambda: None
        """Called before a code is redeemed."""
        self.is_broken = False
        """Answers everything with 500."""
        self.keys = [_new_key()]
        """All that are published; the first one signs."""
        self._codes: dict[str, _Code] = {}
        self._client = _Client(client_secret)
        self._app = self._application()
        self._server = make_server("127.0.0.1", 0, self._app, threaded=True)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    def allow(self, public_url: str) -> None:
        """Let an edge sign people in that browsers reach there."""
        self._client.redirect_uris.add(f"{public_url}/auth/callback")

    def rotate(self) -> None:
        """Sign with a new key; the old ones are withdrawn."""
        self.keys = [_new_key()]

    def token(
        self, user: str = "anna", *, key: RSAKey | None = None, alg: str = "RS256", **claims: Any
    ) -> str:
        """A token as a program has one; a claim of None is left out."""
        now = int(time.time())
        every = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": user,
            "name": PEOPLE.get(user, user),
            "iat": now,
            "exp": now + 600,
        } | claims
        key = key or self.keys[0]
        header = {"alg": alg, "kid": key.kid}
        return jwt.encode(header, {k: v for k, v in every.items() if v is not None}, key, [alg])

    def run(self) -> None:
        self._server.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _application(self) -> Flask:
        app = Flask("oidc-provider")
        server = AuthorizationServer(app, self._query_client, lambda token, asked: None)
        server.register_grant(_grant_of(self), [CodeChallenge(required=True), _ids_of(self)])

        @app.before_request
        def count() -> Response | None:
            self.asked[request.path] += 1
            return Response("broken", 500) if self.is_broken else None

        @app.get("/.well-known/openid-configuration")
        def discovery() -> Response:
            endpoints = {
                name: f"{self.issuer}/{path}"
                for name, path in {
                    "authorization_endpoint": "authorize",
                    "token_endpoint": "token",
                    "jwks_uri": "jwks",
                    "end_session_endpoint": "end-session",
                }.items()
            }
            return jsonify(
                endpoints
                | {
                    "issuer": self.issuer,
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )

        @app.get("/jwks")
        def jwks() -> Response:
            return jsonify({"keys": [key.as_dict(private=False) for key in self.keys]})

        @app.get("/authorize")
        def ask() -> Any:
            try:
                server.get_consent_grant(end_user=None)
            except OAuth2Error as error:
                return server.handle_error_response(request, error)
            buttons = "".join(
                f'<p><button name="user" value="{escape(user)}">{escape(name)}</button></p>'
                for user, name in PEOPLE.items()
            )
            return f"""<!doctype html><html lang="de"><title>Anmelden</title><form method="post">
                {buttons}<p><button name="user" value="">Abbrechen</button></p></form></html>"""

        @app.post("/authorize")
        def grant() -> Any:
            user = request.form["user"] or None
            try:
                asked = server.get_consent_grant(end_user=user)
            except OAuth2Error as error:
                return server.handle_error_response(request, error)
            return server.create_authorization_response(grant_user=user, grant=asked)

        @app.post("/token")
        def token() -> Any:
            self.redeeming()
            return server.create_token_response()

        @app.get("/end-session")
        def end_session() -> Any:
            return redirect(request.args["post_logout_redirect_uri"])

        return app

    def _query_client(self, client_id: str) -> _Client | None:
        return self._client if client_id == CLIENT_ID else None


def _grant_of(provider: OidcProvider) -> type[AuthorizationCodeGrant]:
    class Grant(AuthorizationCodeGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS: ClassVar[list[str]] = ["none", "client_secret_post"]

        def save_authorization_code(self, code: str, asked: Any) -> None:
            data = asked.payload.data
            provider._codes[code] = _Code(
                code,
                asked.user,
                asked.scope,
                asked.payload.redirect_uri,
                data.get("nonce"),
                data.get("code_challenge"),
                data.get("code_challenge_method"),
            )

        def query_authorization_code(self, code: str, client: _Client) -> _Code | None:
            return provider._codes.get(code)

        def delete_authorization_code(self, authorization_code: _Code) -> None:
            provider._codes.pop(authorization_code.code, None)

        def authenticate_user(self, authorization_code: _Code) -> str:
            return authorization_code.user

    return Grant


def _ids_of(provider: OidcProvider) -> OpenIDCode:
    class Ids(OpenIDCode):  # type: ignore[misc]
        def exists_nonce(self, nonce: str, asked: Any) -> bool:
            return any(code.nonce == nonce for code in provider._codes.values())

        def resolve_client_private_key(self, client: _Client) -> RSAKey:
            return provider.keys[0]

        def get_encode_header(self, client: _Client) -> dict[str, str]:
            return {"alg": "RS256", "kid": str(provider.keys[0].kid)}

        def get_client_claims(self, client: _Client) -> dict[str, Any]:
            return {"iss": provider.issuer, "aud": [CLIENT_ID]}

        def generate_user_info(self, user: str, scope: str) -> dict[str, Any]:
            return {"sub": user, "name": PEOPLE[user]} | provider.claims

    return Ids(require_nonce=True)


def _new_key() -> RSAKey:
    return RSAKey.generate_key(
        2048, {"kid": secrets.token_hex(4), "use": "sig", "alg": "RS256"}, private=True
    )


@contextmanager
def running(client_secret: str | None = None) -> Iterator[OidcProvider]:
    """A provider, for as long as the block."""
    provider = OidcProvider(client_secret)
    thread = threading.Thread(target=provider.run, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.stop()
        thread.join()
