"""Calls of servers that behave."""

from collections.abc import Callable

import pytest
from misbehaving import MisbehavingServer, healthy, status
from servicekit.outbound import Answer, Outbound, SourceError, SourceErrorKind

SOURCE = "Die Adresssuche"
JSON = ("application/json",)


async def test_an_answer_has_what_the_server_said(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy('{"ort":"Zürich"}'.encode(), "Application/JSON; charset=utf-8", x_cache="hit"))
    answer = await outbound.get(server.url, source=SOURCE, accept=JSON)
    assert (answer.status, answer.content_type, answer.headers["X-Cache"]) == (200, "application/json", "hit")
    assert answer.json() == {"ort": "Zürich"}
    assert answer.text() == '{"ort":"Zürich"}'


async def test_parameters_are_added_to_the_query_of_the_url(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(healthy(b"{}"))
    params: dict[str, str | int | float] = {"searchtext": "Rötistrasse 4, Solothurn & so", "limit": 25}
    await outbound.get(f"{server.url}/api/wms?map=so", source=SOURCE, params=params)
    (request,) = server.requests
    assert request.path == "/api/wms"
    assert request.query == {"map": ["so"], "searchtext": ["Rötistrasse 4, Solothurn & so"], "limit": ["25"]}


async def test_a_request_says_what_it_would_like_and_takes_anything(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(healthy(b"%PDF", "application/pdf"))
    await outbound.get(
        server.url, source=SOURCE, accept=("application/pdf",), headers={"Accept-Language": "de"}
    )
    (request,) = server.requests
    assert request.headers["accept"] == "application/pdf, */*;q=0.1"
    assert request.headers["accept-language"] == "de"
    assert request.headers["user-agent"] == "ask.sogis"


async def test_a_caller_may_name_the_accepted_types_itself(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(healthy(b"{}"))
    await outbound.get(server.url, source=SOURCE, accept=JSON, headers={"Accept": "text/json"})
    assert server.requests[0].headers["accept"] == "text/json"


async def test_a_form_is_posted(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy(b"%PDF-1.7", "application/pdf"))
    form: dict[str, str | int | float] = {"TEMPLATE": "A4-Hoch", "scale": 6000}
    answer = await outbound.post(server.url, source=SOURCE, form=form, accept=("application/pdf",))
    (request,) = server.requests
    assert (request.method, request.body) == ("POST", b"TEMPLATE=A4-Hoch&scale=6000")
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    assert answer.body == b"%PDF-1.7"


async def test_no_content_is_an_answer_of_any_type(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(status(204))
    answer = await outbound.get(server.url, source=SOURCE, accept=JSON)
    assert (answer.status, answer.body, answer.content_type) == (204, b"", "")


async def test_a_listed_status_is_an_answer_of_any_type(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(status(400, b"<p>wrong", "text/html"))
    answer = await outbound.get(server.url, source=SOURCE, accept=JSON, statuses=(400, 404))
    assert (answer.status, answer.text()) == (400, "<p>wrong")


@pytest.mark.parametrize(
    ("accepted", "sent"),
    [
        ("application/json", "application/geo+json"),
        ("application/json", "text/json"),
        ("application/geo+json", "application/json"),
        ("application/xml", "text/xml; charset=UTF-8"),
        ("application/xml", "application/gml+xml"),
        ("application/pdf", "application/pdf"),
    ],
)
async def test_types_of_one_family_are_taken_for_each_other(
    accepted: str, sent: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(healthy(b"x", sent))
    assert (await outbound.get(server.url, source=SOURCE, accept=(accepted,))).body == b"x"


@pytest.mark.parametrize(
    ("accepted", "sent"),
    [
        ("application/json", "text/html"),
        ("application/json", "application/xml"),
        ("application/xml", "application/xhtml+xml"),
        ("application/xml", "application/vnd.x+json"),
        ("application/pdf", "application/json"),
        ("application/pdf", "text/html"),
        ("application/json", ""),
    ],
)
async def test_other_types_are_not(
    accepted: str, sent: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(healthy(b"x", sent))
    with pytest.raises(SourceError) as caught:
        await outbound.get(server.url, source=SOURCE, accept=(accepted,))
    assert caught.value.kind is SourceErrorKind.UNREADABLE


def answer(body: bytes, charset: str = "utf-8") -> Answer:
    return Answer(200, "application/json", body, {}, SOURCE, charset)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a":1',
        b"<html>",
        b"\xff\xfe",
        b'{"a": NaN}',
        b"[Infinity]",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'"\xe9"',
    ],
)
def test_what_is_no_json_is_unreadable(body: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        answer(body).json()
    assert (caught.value.kind, caught.value.source) == (SourceErrorKind.UNREADABLE, SOURCE)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"\xef\xbb\xbf{}", {}),
        (b" [1, 2.5, null] ", [1, 2.5, None]),
        (b"123456789012345678901", 123456789012345678901),
    ],
)
def test_json_is_read(body: bytes, value: object) -> None:
    assert answer(body).json() == value


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("Rötistr.".encode("latin-1"), "iso-8859-1", "Rötistr."),
        ("Rötistr.".encode(), "no-such-charset", "Rötistr."),
        ("Rötistr.".encode(), "hex", "Rötistr."),
        (b"a\xff", "utf-8", "a\ufffd"),
    ],
)
def test_text_is_read_in_the_charset_of_the_server(body: bytes, charset: str, text: str) -> None:
    assert answer(body, charset).text() == text


async def test_the_charset_is_that_of_the_answer(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy("Rötistrasse".encode("latin-1"), "text/plain; charset=ISO-8859-1"))
    assert (await outbound.get(server.url, source=SOURCE)).text() == "Rötistrasse"


async def test_connections_are_used_again(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy(b"{}"))
    for _ in range(3):
        await outbound.get(server.url, source=SOURCE)
    assert (len(server.requests), server.connections) == (3, 1)


async def test_cookies_are_not_kept(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy(b"{}", set_cookie="session=1; Path=/"))
    for _ in range(2):
        await outbound.get(server.url, source=SOURCE)
    assert all("cookie" not in request.headers for request in server.requests)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:{port}/",
        "http://127.0.0.1:1/",
        "https://127.0.0.1:{port}/",
        "http://127.0.0.1:{port}@169.254.169.254/",
        "file:///etc/passwd",
        "ftp://127.0.0.1:{port}/",
        "//127.0.0.1:{port}/",
        "/etc/passwd",
        "",
        "http://",
        "http://[",
        "http://127.0.0.1:99999999/",
        "http://127.0.0.1:port/",
        "http://127.0.0.1:{port}\r\nHost: x/",
    ],
)
async def test_other_servers_are_not_called(url: str, outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy(b"{}"))
    with pytest.raises(SourceError) as caught:
        await outbound.get(url.format(port=server.url.rpartition(":")[2]), source=SOURCE)
    assert caught.value.kind is SourceErrorKind.FORBIDDEN
    assert server.connections == 0


def test_a_base_url_that_is_none_is_noticed_at_the_start(make_outbound: Callable[..., Outbound]) -> None:
    for base_url in ("geo.so.ch", "file:///etc", "https://", "http://127.0.0.1:70000"):
        with pytest.raises(ValueError, match="no base URL"):
            make_outbound(base_url)


async def test_an_absent_base_url_allows_nothing(make_outbound: Callable[..., Outbound]) -> None:
    outbound = make_outbound("", "https://geo.so.ch/api")
    with pytest.raises(SourceError):
        await outbound.get("http://127.0.0.1/", source=SOURCE)
