"""Tokens, cookies, and the ring of keys, without a server."""

import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servicekit.apikeys import ApiKeys, find, hash_of, new_key

from edge.auth.cookies import Cookie
from edge.auth.identification import needed_for
from edge.auth.keyring import Keyring
from edge.auth.settings import AuthSettings
from edge.auth.sign_in import challenge_of, local_path
from edge.auth.tokens import Signer
from edge.principals import SCOPE_KEY, Principal
from edge.sessions import Sessions

NOW = datetime(2030, 1, 1, tzinfo=UTC)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_token_says_what_was_signed_until_it_expires() -> None:
    clock = Clock()
    signer = Signer(b"k" * 32, clock)
    token, expires_at = signer.sign({"owner": "anonymous-1", "name": "Änni"}, 60)
    assert expires_at == 1_060
    assert signer.read(token) == ({"owner": "anonymous-1", "name": "Änni"}, 60)
    clock.now = 1_059
    assert signer.read(token) == ({"owner": "anonymous-1", "name": "Änni"}, 1)
    clock.now = 1_060
    assert signer.read(token) is None


@given(st.data())
def test_no_other_letter_counts(data: st.DataObject) -> None:
    signer = Signer(b"k" * 32, Clock())
    token, _ = signer.sign({"owner": "a"}, 60)
    place = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.characters().filter(lambda c: c != token[place]))
    assert signer.read(token[:place] + letter + token[place + 1 :]) is None
    assert signer.read(token[:place]) is None


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert Signer(b"k" * 32).read(text) is None
    assert Signer(b"k" * 32).read(f"{text}.{text}") is None


def test_a_key_signs_for_one_thing() -> None:
    token, _ = Signer(b"k" * 32).sign({"owner": "a"}, 60)
    assert Signer(b"l" * 32).read(token) is None


def cookie(public_url: str | None) -> Cookie:
    return Cookie("ask", AuthSettings(public_url=public_url))


def test_cookies_are_for_the_server_only() -> None:
    assert cookie(None).header("v", 60) == "ask=v; Max-Age=60; Path=/; HttpOnly; SameSite=Lax"
    secure = cookie("https://ask.example").header("v", 60)
    assert secure == "__Host-ask=v; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure"
    assert cookie("http://127.0.0.1:8080").cleared() == "ask=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ([b"ask=a.b"], "a.b"),
        ([b"x=1; ask=a.b"], "a.b"),
        ([b"x=1", b"ask=a.b"], "a.b"),
        ([b"mask=a"], None),
        ([b"ask="], None),
        ([], None),
        ([b"\xff\xfe;;;=;ask"], None),
    ],
)
def test_a_cookie_is_found_among_others(sent: list[bytes], expected: str | None) -> None:
    assert cookie(None).read({"headers": [(b"cookie", value) for value in sent]}) == expected


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("/", None),
        ("/assets/x.js", None),
        ("/config.json", None),
        ("/healthz", None),
        ("/docs", None),
        ("/api/me", None),
        ("/api/session", None),
        ("/auth/login", None),
        ("/chat", "chat"),
        ("/chatter", None),
        ("/api/chat", "chat"),
        ("/api/chat/x/stream", "chat"),
        ("/api/ag-ui/map", "chat"),
        ("/api/prints/x", "chat"),
        ("/api/me/", "chat"),
        ("/api/what-comes-next", "chat"),
        ("/api/tools", "tools"),
        ("/mcp", "tools"),
        ("/mcp/", "tools"),
        ("/metrics", "metrics"),
    ],
)
def test_paths_need_scopes(path: str, scope: str | None) -> None:
    assert needed_for(path) == scope


@given(st.text(max_size=50))
def test_after_a_sign_in_one_stays_on_this_server(wanted: str) -> None:
    for each in (wanted, f"/{wanted}", f"//{wanted}", f"/\\{wanted}"):
        path = local_path(each)
        assert path == "/" or path == each
        assert path.startswith("/") and not path.startswith(("//", "/\\"))
        assert path.isprintable() and path.isascii()


def test_the_challenge_is_that_of_the_standard() -> None:
    # The example of RFC 7636, appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert challenge_of(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def scope_of(owner: str) -> dict[str, object]:
    return {SCOPE_KEY: Principal(owner, "anonymous")}


def test_the_same_name_is_another_session_for_another_principal() -> None:
    sessions = Sessions(b"k" * 32)
    a, b = (sessions.inner(scope_of(owner), "s-1") for owner in ("a", "b"))
    assert a != b and a.partition(".")[2] != b.partition(".")[2]
    same, other = (Sessions(key * 32).inner(scope_of("a"), "s-1") for key in (b"k", b"l"))
    assert a == same != other
    assert a.startswith("a.") and "s-1" not in a
    assert sessions.inner(scope_of("a"), "x") != sessions.inner(scope_of("a"), "X")


# -- API keys --------------------------------------------------------------------------------------


def test_a_key_is_found_by_its_secret_until_it_expires() -> None:
    key, text = new_key("bot", ("chat",), NOW, NOW + timedelta(days=1))
    keys = ApiKeys(keys=(key,))
    assert find(keys, text, NOW) == key
    assert find(keys, text, NOW + timedelta(days=1)) is None
    assert find(keys, text[:-1] + ("a" if text[-1] != "a" else "b"), NOW) is None
    assert find(keys, f"ask_{key.id}_{key.hash.removeprefix('sha256:')[:43]}", NOW) is None
    assert text not in keys.to_json().decode() and key.hash == hash_of(text.split("_", 2)[2])


class Ring:
    """A key ring, its file, and its clock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.ring = Keyring(path, clock=self.clock, now=lambda: NOW)
        self._version = 0

    def write(self, document: bytes) -> None:
        self.path.write_bytes(document)
        self._version += 1
        os.utime(self.path, ns=(self._version, self._version))

    def knows(self, text: str) -> bool:
        return self.ring.find(text) is not None


@pytest.fixture
def ring(tmp_path: Path) -> Ring:
    return Ring(tmp_path / "keys.json")


def test_the_file_is_read_again_when_it_has_changed_and_a_second_is_over(ring: Ring) -> None:
    (one, one_text), (two, two_text) = (new_key("bot", ("chat",), NOW, None) for _ in range(2))
    ring.write(ApiKeys(keys=(one,)).to_json())
    assert ring.knows(one_text) and not ring.knows(two_text)
    ring.write(ApiKeys(keys=(two,)).to_json())
    assert ring.knows(one_text)
    ring.clock.now += 1
    assert not ring.knows(one_text) and ring.knows(two_text)


def test_a_key_that_was_just_made_counts_at_once(ring: Ring) -> None:
    (one, one_text), (two, two_text) = (new_key("bot", ("chat",), NOW, None) for _ in range(2))
    ring.write(ApiKeys(keys=(one,)).to_json())
    assert ring.knows(one_text)
    ring.write(ApiKeys(keys=(one, two)).to_json())
    assert ring.knows(two_text)


@pytest.mark.parametrize("document", [b"", b"{", b'{"keys":[{}]}', b'{"keys":[{"id":"x"}]}'])
def test_a_file_that_cannot_be_read_changes_nothing(
    ring: Ring, document: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    key, text = new_key("bot", ("chat",), NOW, None)
    ring.write(ApiKeys(keys=(key,)).to_json())
    assert ring.knows(text)
    ring.write(document)
    ring.clock.now += 1
    with caplog.at_level(logging.WARNING):
        assert ring.knows(text)
    assert "API_KEYS_FILE cannot be read" in caplog.text
    ring.path.unlink()
    ring.clock.now += 1
    assert ring.knows(text)


def test_without_a_file_there_are_no_keys_yet(ring: Ring) -> None:
    key, text = new_key("bot", ("chat",), NOW, None)
    assert not ring.knows(text)
    ring.write(ApiKeys(keys=(key,)).to_json())
    ring.clock.now += 1
    assert ring.knows(text)
