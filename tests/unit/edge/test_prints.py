"""Downloads: what is kept is handed out as it is, and nothing else."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from contracts import prints
from PIL import Image
from reportlab.pdfgen.canvas import Canvas
from servicekit.objects import ObjectStore, StoredObject, StoreUnavailable, open_store
from servicekit.settings import PrintsSettings
from starlette.types import Message

from edge import pictures
from edge.api_prints import print_routes
from edge.description import Application
from edge.settings import EdgeSettings
from edge.web import application

ID = "0123456789abcdef" * 2
PDF = b"%PDF-1.4\n" + bytes(range(256)) * 20 + b"\n%%EOF\n"
PATH = prints.path_of(ID)


def web(store: ObjectStore) -> Application:
    return application([print_routes(store)], EdgeSettings())


def client(store: ObjectStore) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=web(store)), base_url="http://localhost")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "prints"


def store_in(
    folder: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC), ttl_s: float = 3_600
) -> ObjectStore:
    return open_store(PrintsSettings(prints_url=str(folder), prints_ttl_s=ttl_s), now=now)


@pytest.fixture
async def store(folder: Path) -> ObjectStore:
    """With one print in it."""
    opened = store_in(folder)
    await opened.put(prints.name_of("local", ID), PDF, prints.MEDIA_TYPE)
    return opened


@pytest.fixture
async def http(store: ObjectStore) -> AsyncIterator[httpx.AsyncClient]:
    async with client(store) as opened:
        yield opened


def code_of(answered: httpx.Response) -> str:
    assert answered.headers["content-type"] == "application/problem+json"
    code: str = answered.json()["code"]
    return code


async def test_a_print_is_shown_in_the_browser_and_has_a_name_for_saving(http: httpx.AsyncClient) -> None:
    answered = await http.get(PATH)
    assert (answered.status_code, answered.content) == (200, PDF)
    headers = answered.headers
    assert headers["content-type"] == "application/pdf"
    assert headers["content-length"] == str(len(PDF))
    assert headers["content-disposition"] == 'inline; filename="grundbuchplan-01234567.pdf"'
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["etag"] == f'"{ID}"'
    assert headers["last-modified"].endswith(" GMT")


async def test_only_the_browser_keeps_it_and_no_longer_than_it_exists(http: httpx.AsyncClient) -> None:
    visibility, age = (await http.get(PATH)).headers["cache-control"].split(", ")
    assert visibility == "private"
    assert 3_500 < int(age.removeprefix("max-age=")) <= 3_600


async def test_head_tells_the_same_without_the_file(http: httpx.AsyncClient) -> None:
    got, asked = await http.get(PATH), await http.head(PATH)
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["content-length"] == str(len(PDF))
    same = got.headers.keys() - {"cache-control"}
    assert {name: asked.headers[name] for name in same} == {name: got.headers[name] for name in same}


@pytest.mark.parametrize("known", [f'"{ID}"', f'W/"{ID}"', f'"other", "{ID}"', "*"])
async def test_what_the_client_has_is_not_sent_again(http: httpx.AsyncClient, known: str) -> None:
    answered = await http.get(PATH, headers={"If-None-Match": known})
    assert (answered.status_code, answered.content) == (304, b"")
    assert answered.headers["etag"] == f'"{ID}"'
    other = await http.get(PATH, headers={"If-None-Match": '"other"'})
    assert other.content == PDF


@pytest.mark.parametrize(
    "path",
    [
        prints.path_of("f" * 32),
        "/api/prints/",
        "/api/prints/unknown",
        PATH.upper().replace("/API/PRINTS", "/api/prints"),
        PATH + ".pdf",
        PATH + "/",
        PATH + "%00",
        "/api/prints/..%2f" + ID,
        "/api/prints/%2e%2e/%2e%2e/etc/passwd",
        "/api/prints/..%2F..%2Fetc%2Fpasswd",
        "/api/prints//etc/passwd",
        "/api/prints/s3:%2f%2fbucket",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_what_is_no_print_is_not_found(http: httpx.AsyncClient, method: str, path: str) -> None:
    answered = await http.request(method, path)
    assert answered.status_code == 404
    assert answered.headers["content-type"] == "application/problem+json"
    if method == "GET":
        assert code_of(answered) == "print_not_found"
        assert ID not in answered.text


async def test_a_file_beside_the_prints_is_out_of_reach(http: httpx.AsyncClient, folder: Path) -> None:
    (folder.parent / "secret.pdf").write_bytes(b"secret")
    (folder / "notes.txt").write_bytes(b"secret")
    for path in ("..%2fsecret.pdf", "../secret.pdf", "..%5csecret.pdf", "notes.txt", "%2e%2e%2fsecret"):
        answered = await http.get(
            httpx.URL("http://localhost").copy_with(raw_path=f"/api/prints/{path}".encode())
        )
        assert answered.status_code == 404
        assert b"secret" not in answered.content


async def test_an_expired_print_is_gone(folder: Path, store: ObjectStore) -> None:
    later = store_in(folder, now=lambda: datetime.now(UTC) + timedelta(hours=1))
    async with client(later) as http:
        answered = await http.get(PATH)
    assert (answered.status_code, code_of(answered)) == (404, "print_not_found")


async def test_every_replica_has_the_same_prints(folder: Path, store: ObjectStore) -> None:
    async with client(store_in(folder)) as one, client(store_in(folder)) as other:
        first, second = await one.get(PATH), await other.get(PATH)
    assert first.content == second.content == PDF
    assert first.headers["etag"] == second.headers["etag"]


async def test_a_large_print_is_passed_on_in_parts(store: ObjectStore) -> None:
    body = os.urandom(3_000_000)
    await store.put(prints.name_of("local", ID), body, prints.MEDIA_TYPE)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": "GET",
        "path": PATH,
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    await web(store)(scope, receive, send)
    parts = [message["body"] for message in sent if message["type"] == "http.response.body"]
    assert b"".join(parts) == body
    assert max(map(len, parts)) < 1_000_000


async def test_posting_to_a_print_is_refused(http: httpx.AsyncClient) -> None:
    answered = await http.post(PATH)
    assert (answered.status_code, code_of(answered)) == (405, "method_not_allowed")
    assert answered.headers["allow"] == "GET, HEAD"


def drawn(pages: int = 1) -> bytes:
    pdf = io.BytesIO()
    canvas = Canvas(pdf, pagesize=(595, 842))
    for _ in range(pages):
        canvas.setFillColorRGB(0.7, 0.1, 0.2)
        canvas.rect(0, 0, 595, 421, stroke=0, fill=1)
        canvas.showPage()
    canvas.save()
    return pdf.getvalue()


async def test_a_plan_can_be_seen_before_it_is_opened(store: ObjectStore) -> None:
    await store.put(prints.name_of("local", ID), drawn(), prints.MEDIA_TYPE)
    async with client(store) as http:
        answered = await http.get(PATH + "/picture")
        again = await http.get(PATH + "/picture", headers={"If-None-Match": answered.headers["etag"]})
        plan = await http.get(PATH, headers={"If-None-Match": answered.headers["etag"]})
    assert answered.headers["content-type"] == "image/png"
    assert answered.headers["cache-control"].startswith("private, ")
    with Image.open(io.BytesIO(answered.content)) as picture:
        assert picture.size == (720, 1_019)
        colors = picture.convert("RGB")
    assert colors.getpixel((360, 100)) == (255, 255, 255)
    red = colors.getpixel((360, 900))
    assert isinstance(red, tuple) and red == pytest.approx((178, 26, 51), abs=2)
    assert (again.status_code, plan.status_code) == (304, 200)


@pytest.mark.parametrize("body", [b"", PDF, b"%PDF-1.4 and no more"])
async def test_what_cannot_be_drawn_has_no_picture_and_breaks_nothing(
    store: ObjectStore, body: bytes
) -> None:
    await store.put(prints.name_of("local", ID), body, prints.MEDIA_TYPE)
    async with client(store) as http:
        answered = await http.get(PATH + "/picture")
        file = await http.get(PATH)
    assert (answered.status_code, code_of(answered)) == (404, "picture_not_found")
    assert file.content == body


async def test_who_goes_away_disturbs_nobody(store: ObjectStore) -> None:
    await store.put(prints.name_of("local", ID), drawn(), prints.MEDIA_TYPE)
    async with client(store) as http:
        impatient = [asyncio.create_task(http.get(PATH + "/picture")) for _ in range(8)]
        await asyncio.sleep(0.02)
        for each in impatient[::2]:
            each.cancel()
        gone = await asyncio.gather(*impatient[::2], return_exceptions=True)
        answered = await asyncio.gather(*impatient[1::2])
    assert all(isinstance(each, asyncio.CancelledError | httpx.Response) for each in gone)
    assert len({each.content for each in answered}) == 1
    assert {each.status_code for each in answered} == {200}


async def test_what_is_too_large_is_not_drawn(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.put(prints.name_of("local", ID), drawn(), prints.MEDIA_TYPE)
    monkeypatch.setattr(pictures, "MAX_PDF_BYTES", 100)
    async with client(store) as http:
        answered = await http.get(PATH + "/picture")
    assert (answered.status_code, code_of(answered)) == (404, "picture_not_found")


@pytest.mark.parametrize("path", [prints.path_of("f" * 32), "/api/prints/x", "/api/prints/..%2fx"])
async def test_of_what_is_no_print_there_is_no_picture(http: httpx.AsyncClient, path: str) -> None:
    answered = await http.get(path + "/picture")
    assert (answered.status_code, code_of(answered)) == (404, "print_not_found")


class Gone:
    """A store that fails at once, or while it is read."""

    def __init__(self, found: StoredObject | None = None) -> None:
        self._found = found

    async def put(self, name: str, body: bytes, content_type: str) -> datetime:
        raise StoreUnavailable

    async def open(self, name: str) -> StoredObject | None:
        if self._found is None:
            raise StoreUnavailable
        return self._found

    async def sweep(self) -> int:
        raise StoreUnavailable


async def test_a_store_that_does_not_answer_is_told(store: ObjectStore) -> None:
    async with client(Gone()) as http:
        answered = await http.get(PATH)
    assert (answered.status_code, code_of(answered)) == (503, "prints_unavailable")
    assert answered.headers["retry-after"] == "2"


async def test_a_store_that_fails_in_the_middle_breaks_the_connection() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"%PDF"
        raise StoreUnavailable

    now = datetime.now(UTC)
    half = StoredObject(100, now, now + timedelta(hours=1), chunks())
    async with client(Gone(half)) as http:
        with pytest.raises(StoreUnavailable):
            await http.get(PATH)


async def test_a_folder_that_does_not_exist_yet_has_no_prints(folder: Path) -> None:
    async with client(store_in(folder / "not" / "yet")) as http:
        answered = await http.get(PATH)
    assert (answered.status_code, code_of(answered)) == (404, "print_not_found")
