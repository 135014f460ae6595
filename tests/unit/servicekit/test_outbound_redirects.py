"""Redirects are followed by hand, and only to where they may lead."""

from collections.abc import Callable

import httpx2
import misbehaving
import pytest
from misbehaving import METADATA_SERVICE, MisbehavingServer, healthy, status
from servicekit.origins import NotAllowed, Origins
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

SOURCE = "Die Adresssuche"


async def failure_of(outbound: Outbound, url: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await outbound.get(url, source=SOURCE)
    return caught.value


async def test_a_redirect_on_the_same_server_is_followed(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(misbehaving.redirect("../b/?y=2", 308), healthy(b"{}"))
    answer = await outbound.get(f"{server.url}/a/x", source=SOURCE, params={"q": "1"}, headers={"X-Own": "1"})
    assert answer.status == 200
    assert [(request.path, request.query) for request in server.requests] == [
        ("/a/x", {"q": ["1"]}),
        ("/b/", {"y": ["2"]}),
    ]
    assert server.requests[1].headers["x-own"] == "1"


async def test_a_redirect_to_another_allowed_server_takes_no_headers_along(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    async with MisbehavingServer() as other:
        other.behave(healthy(b"{}"))
        server.behave(misbehaving.redirect(f"{other.url}/there"))
        outbound = make_outbound(server.url, other.url)
        await outbound.get(server.url, source=SOURCE, headers={"Authorization": "secret"})
        (request,) = other.requests
        assert request.path == "/there"
        assert "authorization" not in request.headers


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_to_another_port_is_forbidden(
    code: int, outbound: Outbound, server: MisbehavingServer
) -> None:
    async with MisbehavingServer() as other:
        server.behave(misbehaving.redirect(other.url, code))
        error = await failure_of(outbound, server.url)
        assert (error.kind, error.status) == (SourceErrorKind.FORBIDDEN, code)
        assert other.connections == 0
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "location",
    [
        "https://127.0.0.1:{port}/",
        "//169.254.169.254/",
        "http://127.0.0.1:{port}@169.254.169.254/",
        "http://localhost:{port}/",
        "http://[::1]:{port}/",
        "http://2130706433:{port}/",
        "gopher://127.0.0.1:{port}/",
        "javascript:alert(1)",
        "http://[x",
    ],
)
async def test_a_redirect_off_the_list_is_forbidden(
    location: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(misbehaving.redirect(location.format(port=server.url.rpartition(":")[2])))
    error = await failure_of(outbound, server.url)
    assert (error.kind, len(server.requests)) == (SourceErrorKind.FORBIDDEN, 1)


async def test_redirects_are_followed_three_times(outbound: Outbound, server: MisbehavingServer) -> None:
    hop = misbehaving.redirect("/again")
    server.behave(hop, hop, hop, healthy(b"{}"))
    assert (await outbound.get(server.url, source=SOURCE)).status == 200
    server.behave(hop)
    error = await failure_of(outbound, server.url)
    assert (error.kind, error.status, len(server.requests)) == (SourceErrorKind.FAILED, 302, 4)


async def test_a_redirect_to_nowhere_is_a_failure(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(status(302, b""))
    error = await failure_of(outbound, server.url)
    assert (error.kind, error.status) == (SourceErrorKind.FAILED, 302)


async def test_a_redirect_can_be_the_answer(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(misbehaving.redirect(METADATA_SERVICE, 303))
    answer = await outbound.get(
        server.url, source=SOURCE, accept=("application/json",), follow_redirects=False
    )
    assert (answer.status, answer.headers["location"]) == (303, METADATA_SERVICE)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("code", "then"), [(302, ("GET", b"")), (303, ("GET", b"")), (307, ("POST", b"a=1"))]
)
async def test_a_redirected_form_is_sent_on_only_where_the_status_says_so(
    code: int, then: tuple[str, bytes], outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(misbehaving.redirect("/there", code), healthy(b"{}"))
    await outbound.post(server.url, source=SOURCE, form={"a": "1"})
    assert (server.requests[1].method, server.requests[1].body) == then


def test_no_redirect_leads_from_https_to_http() -> None:
    origins = Origins(["https://geo.so.ch/api", "http://geo.so.ch/api", "https://api3.geo.admin.ch"])
    secure, open_ = httpx2.URL("https://geo.so.ch/api"), httpx2.URL("http://geo.so.ch/api")
    assert str(origins.redirected(secure, "https://api3.geo.admin.ch/x")) == "https://api3.geo.admin.ch/x"
    assert str(origins.redirected(open_, "https://geo.so.ch/x")) == "https://geo.so.ch/x"
    assert str(origins.redirected(open_, "/x")) == "http://geo.so.ch/x"
    with pytest.raises(NotAllowed):
        origins.redirected(secure, "http://geo.so.ch/x")


@pytest.mark.parametrize("same", ["https://geo.so.ch", "HTTPS://GEO.SO.CH:443/x?y#z", "https://u@geo.so.ch/"])
def test_the_origin_counts_and_not_how_it_is_written(same: str) -> None:
    assert Origins(["https://geo.so.ch:443/api/"]).check(same).host == "geo.so.ch"


@pytest.mark.parametrize(
    "other",
    ["https:\\\\geo.so.ch", "https://geo.so.ch.", "https://geo.so.ch\\@x.ch", "https://geo.so.ch:444"],
)
def test_what_only_looks_like_the_origin_is_another(other: str) -> None:
    with pytest.raises(NotAllowed):
        Origins(["https://geo.so.ch/api/"]).check(other)
