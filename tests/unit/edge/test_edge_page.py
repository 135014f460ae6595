"""The page for people: the built client, or how to get it."""

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from contracts.languages import LANGUAGES
from contracts.vocabulary import Example, PlaceName, Vocabulary
from pydantic import ValidationError

from edge.page import page_routes
from edge.settings import EdgeSettings
from edge.web import application

INDEX = (
    b'<!doctype html><title>ask.sogis</title><script type="module" src="/assets/index-B1a_-x9Z.js"></script>'
)
SCRIPT = b"console.log('ask')\n" * 50
SCRIPT_PATH = "/assets/index-B1a_-x9Z.js"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A built client; the file beside it is nobody's business."""
    (tmp_path / "secret.txt").write_text("geheim")
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "icons").mkdir()
    for name, body in {
        "index.html": INDEX,
        "assets/index-B1a_-x9Z.js": SCRIPT,
        "assets/index-B1a_-x9Z.js.br": b"as brotli",
        "assets/index-B1a_-x9Z.js.gz": gzip.compress(SCRIPT, mtime=0),
        "assets/plain.json": b"{}",
        "icons/pin.svg": b"<svg/>",
        "archive.gz": b"packed by somebody",
        ".hidden": b"geheim",
    }.items():
        (folder / name).write_bytes(body)
    return folder


def client(vocabulary: Vocabulary | None = None, **settings: Any) -> httpx.AsyncClient:
    read = EdgeSettings(**settings)
    app = application([page_routes(read, lambda: vocabulary or Vocabulary())], read)
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(
        transport=transport, base_url="http://localhost", headers={"Accept-Encoding": ""}
    )


@pytest.fixture
async def http(built: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with client(client_dir=built) as opened:
        yield opened


def code_of(answered: httpx.Response) -> str:
    assert answered.headers["content-type"] == "application/problem+json"
    code: str = answered.json()["code"]
    return code


def policy_of(answered: httpx.Response) -> dict[str, str]:
    parts = answered.headers["content-security-policy"].split("; ")
    return dict(part.split(" ", 1) for part in parts)


@pytest.mark.parametrize("headers", [BROWSER, {}, {"Accept": "*/*"}])
async def test_the_client_is_at_the_root(http: httpx.AsyncClient, headers: dict[str, str]) -> None:
    answered = await http.get("/", headers=headers)
    assert (answered.status_code, answered.content) == (200, INDEX)
    assert answered.headers["content-type"] == "text/html; charset=utf-8"
    assert answered.headers["cache-control"] == "no-cache"
    assert (await http.get("/index.html")).headers["content-security-policy"]


async def test_who_asks_for_json_gets_the_api_named(http: httpx.AsyncClient) -> None:
    answered = await http.get("/", headers={"Accept": "application/json"})
    assert answered.json()["docs"] == "/docs"
    assert "Accept" in answered.headers["vary"]


async def test_without_a_client_browsers_are_told_how_to_get_it() -> None:
    async with client() as http:
        shown = await http.get("/", headers=BROWSER)
        named = await http.get("/")
        asset = await http.get(SCRIPT_PATH)
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert "make client" in shown.text
    assert "script-src 'self'" in shown.headers["content-security-policy"]
    assert named.json()["chat"] == "/api/chat"
    assert (asset.status_code, code_of(asset)) == (404, "not_found")


async def test_only_what_has_a_hash_in_its_name_is_kept_for_ever(http: httpx.AsyncClient) -> None:
    hashed = await http.get(SCRIPT_PATH)
    assert hashed.headers["cache-control"] == "public, max-age=31536000, immutable"
    for path in ("/assets/plain.json", "/icons/pin.svg", "/index.html"):
        assert (await http.get(path)).headers["cache-control"] == "no-cache", path


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        (SCRIPT_PATH, "text/javascript; charset=utf-8"),
        ("/assets/plain.json", "application/json"),
        ("/icons/pin.svg", "image/svg+xml"),
        ("/archive.gz", "application/octet-stream"),
    ],
)
async def test_files_have_their_media_type(http: httpx.AsyncClient, path: str, media_type: str) -> None:
    headers = (await http.get(path)).headers
    assert headers["content-type"] == media_type
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("GZIP", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br; q=0.000", None),
        ("identity", None),
        ("brotli, gzip2", None),
        ("", None),
    ],
)
async def test_compressed_files_are_for_those_who_take_them(
    http: httpx.AsyncClient, accepted: str, coding: str | None
) -> None:
    headers = {"Accept-Encoding": accepted}
    async with http.stream("GET", SCRIPT_PATH, headers=headers) as answered:
        raw = b"".join([chunk async for chunk in answered.aiter_raw()])
    assert answered.headers.get("content-encoding") == coding
    assert answered.headers["vary"] == "Accept-Encoding"
    assert answered.headers["content-type"] == "text/javascript; charset=utf-8"
    assert raw == {"br": b"as brotli", "gzip": gzip.compress(SCRIPT, mtime=0), None: SCRIPT}[coding]


async def test_who_has_a_file_is_told_so(http: httpx.AsyncClient) -> None:
    for path in ("/", SCRIPT_PATH):
        etag = (await http.get(path)).headers["etag"]
        for known in (etag, f'"other", W/{etag}', "*"):
            again = await http.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        assert (await http.get(path, headers={"If-None-Match": '"other"'})).status_code == 200


async def test_each_coding_has_a_tag_of_its_own(http: httpx.AsyncClient) -> None:
    plain = (await http.get(SCRIPT_PATH)).headers["etag"]
    async with http.stream("GET", SCRIPT_PATH, headers={"Accept-Encoding": "gzip"}) as packed:
        assert packed.headers["etag"] != plain


async def test_head_is_get_without_the_body(http: httpx.AsyncClient) -> None:
    for path in ("/", SCRIPT_PATH):
        full, head = await http.get(path), await http.head(path)
        assert head.status_code == 200
        assert dict(head.headers) == dict(full.headers)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/index-00000000.js",
        "/assets/",
        "/assets",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets//index-B1a_-x9Z.js",
        "/%2e%2e/secret.txt",
        "/.hidden",
        "/deep/link",
        "/assets/index-B1a_-x9Z.js.br",
    ],
)
async def test_nothing_else_is_there(http: httpx.AsyncClient, path: str) -> None:
    answered = await http.send(
        httpx.Request("GET", httpx.URL("http://localhost").copy_with(raw_path=path.encode()))
    )
    assert (answered.status_code, code_of(answered)) == (404, "not_found")


async def test_files_are_only_read(http: httpx.AsyncClient) -> None:
    for path in ("/", SCRIPT_PATH):
        answered = await http.post(path)
        assert (answered.status_code, code_of(answered)) == (405, "method_not_allowed")
        assert answered.headers["allow"] == "GET, HEAD"


async def test_what_was_read_at_the_start_is_served_while_files_change(
    http: httpx.AsyncClient, built: Path
) -> None:
    (built / "index.html").write_bytes(b"half a fi")
    assert (await http.get("/")).content == INDEX


async def test_scripts_and_styles_come_from_this_server_only(http: httpx.AsyncClient) -> None:
    policy = policy_of(await http.get("/"))
    assert policy["default-src"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert "unsafe" not in str(policy)
    assert policy["frame-ancestors"] == "'none'"
    maps = {"https://geo.so.ch", "https://wmts.geo.admin.ch", "https://wms.geo.admin.ch"}
    assert set(policy["connect-src"].split()) == {"'self'", *maps}
    assert set(policy["img-src"].split()) == {"'self'", "data:", "blob:", *maps}


async def test_other_map_hosts_and_pages_around_can_be_named(built: Path) -> None:
    async with client(
        client_dir=built,
        map_hosts="https://*.maps.example:8443, http://tiles",
        frame_ancestors="https://portal.example",
    ) as http:
        policy = policy_of(await http.get("/"))
    assert policy["connect-src"] == "'self' https://*.maps.example:8443 http://tiles"
    assert policy["frame-ancestors"] == "https://portal.example"


@pytest.mark.parametrize(
    "host", ["maps.example", "https://a.example/path", "https://a; script-src *", "'unsafe-inline'"]
)
def test_what_is_no_origin_does_not_get_into_the_policy(host: str) -> None:
    with pytest.raises(ValidationError):
        EdgeSettings(map_hosts=host)
    with pytest.raises(ValidationError):
        EdgeSettings(frame_ancestors=host)


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=re.escape(f"{tmp_path} has no index.html")):
        EdgeSettings(client_dir=tmp_path)


async def test_the_page_is_told_whose_maps_it_shows() -> None:
    async with client(map_hosts="https://maps.example", background_maps="federal") as http:
        told = (await http.get("/config.json")).json()
    assert told["backgrounds"] == {"sw": "federal", "color": "federal", "ortho": "federal"}
    assert told["layerHosts"] == ["https://maps.example"]


async def test_the_page_is_told_what_the_sources_know_by_name() -> None:
    names = Vocabulary(
        places=(
            PlaceName(name="Kanton Aubonnes", kind="canton", also=("Aubonnes", "AU")),
            PlaceName(name="Rives", kind="district"),
            PlaceName(name="Aubonnes", kind="municipality", coord=(2560000, 1200000)),
            PlaceName(name="Grünmatt", kind="municipality", coord=(2571400, 1204800)),
            PlaceName(name="Kleinmatt", kind="locality", coord=(2572100, 1206000)),
        ),
        examples=(Example(intent="show_parcel", subject="Parzelle 7", subjects={"fr": "la parcelle 7"}),),
        extent=(2556000, 1195000, 2578000, 1213000),
    )
    async with client(names) as http:
        told = (await http.get("/config.json")).json()
    assert [(name, rank) for name, _, _, rank in told["places"]] == [
        ("Aubonnes", 0),
        ("Grünmatt", 1),
        ("Kleinmatt", 2),
    ]
    assert told["examples"].keys() == {*LANGUAGES}
    assert [told["examples"][language] for language in ("de", "fr")] == [
        [{"intent": "show_parcel", "text": "Zeige mir Parzelle 7", "subject": "Parzelle 7"}],
        [{"intent": "show_parcel", "text": "Montre-moi la parcelle 7", "subject": "la parcelle 7"}],
    ]
    assert told["extent"] == [2556000, 1195000, 2578000, 1213000]
    async with client() as http:
        told = (await http.get("/config.json")).json()
    assert (told["places"], told["examples"]["de"], told["extent"]) == ([], [], None)
