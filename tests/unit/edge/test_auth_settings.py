"""Which settings let an edge start, and what it says when they do not."""

import pytest
from pydantic import SecretStr, ValidationError

from edge.auth.derivation import Derivation, derivation_of, keyed_digest
from edge.auth.settings import AuthSettings, is_loopback, refusal
from edge.settings import EdgeSettings

SECRET = "s" * 32
OIDC = {
    "auth": "oidc",
    "edge_secret": SECRET,
    "oidc_issuer": "https://id.example",
    "oidc_client_id": "ask",
    "public_url": "https://ask.example",
}


def refused(http_host: str = "127.0.0.1", **values: str) -> str:
    return refusal(AuthSettings.model_validate(values), http_host) or ""


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_this_machine_needs_nothing(host: str) -> None:
    assert is_loopback(host)
    assert refused(host) == ""


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "192.168.1.7", "10.0.0.1", "ask.example", "localhost.example"]
)
def test_others_are_not_let_in_without_being_asked(host: str) -> None:
    said = refused(host)
    assert "AUTH=anonymous" in said and "EDGE_SECRET" in said
    assert refused(host, auth="anonymous", edge_secret=SECRET) == ""


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({"auth": "none,anonymous"}, "AUTH=none"),
        ({"auth": "anonymous"}, "EDGE_SECRET"),
        ({"auth": "keys", "edge_secret": SECRET}, "API_KEYS_FILE"),
        (OIDC | {"oidc_issuer": ""}, "OIDC_ISSUER"),
        (OIDC | {"public_url": ""}, "PUBLIC_URL"),
        (OIDC | {"oidc_issuer": "http://id.example"}, "https"),
        (OIDC, ""),
        (OIDC | {"oidc_issuer": "http://127.0.0.1:9000"}, ""),
    ],
)
def test_what_is_missing_is_named(
    values: dict[str, str], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name.upper(), value)
    said = refusal(AuthSettings(), "127.0.0.1") or ""
    assert missing in said
    assert bool(said) == bool(missing)


@pytest.mark.parametrize(
    "values",
    [{"auth": "open"}, {"edge_secret": "short"}, {"public_url": "ask.example"}, {"oidc_issuer": "x"}],
)
def test_impossible_values_are_refused(values: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        AuthSettings.model_validate(values)


def test_an_edge_refuses_to_be_made_with_them() -> None:
    with pytest.raises(ValidationError, match="AUTH=none asks nobody"):
        EdgeSettings(http_host="0.0.0.0")


def test_each_thing_has_a_key_of_its_own_that_all_replicas_share() -> None:
    one = derivation_of(AuthSettings(edge_secret=SecretStr(SECRET)))
    two = Derivation(SECRET.encode())
    other = Derivation(b"t" * 32)
    keys = {one.key("sessions"), one.key("anonymous"), one.key("sign-in"), one.key("mcp-state")}
    assert len(keys) == 4 and all(len(key) == 32 for key in keys)
    assert one.key("sessions") == two.key("sessions") != other.key("sessions")
    assert derivation_of(AuthSettings()).key("sessions") == derivation_of(AuthSettings()).key("sessions")


def test_a_digest_does_not_confuse_its_parts() -> None:
    assert keyed_digest(b"k", "a", "bc") != keyed_digest(b"k", "ab", "c") != keyed_digest(b"l", "ab", "c")
