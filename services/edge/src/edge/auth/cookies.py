"""The cookies of the edge: never readable by scripts, never sent along by other sites' forms."""

from starlette.requests import cookie_parser
from starlette.types import Scope

from edge.auth.settings import AuthSettings


class Cookie:
    """One cookie. With TLS its name binds it to this very host: no sister domain can plant one."""

    def __init__(self, name: str, settings: AuthSettings) -> None:
        self._is_secure = (settings.public_url or "").startswith("https:")
        self.name = f"__Host-{name}" if self._is_secure else name

    def read(self, scope: Scope) -> str | None:
        sent = (value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie")
        return cookie_parser("; ".join(sent)).get(self.name) or None

    def header(self, value: str, max_age_s: int) -> str:
        """For `Set-Cookie`; 0 seconds take it away."""
        parts = [f"{self.name}={value}", f"Max-Age={max_age_s}", "Path=/", "HttpOnly", "SameSite=Lax"]
        return "; ".join([*parts, "Secure"] if self._is_secure else parts)

    def cleared(self) -> str:
        return self.header("", 0)
