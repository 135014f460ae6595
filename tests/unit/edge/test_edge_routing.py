"""Routes whose bodies and answers are contracts."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

import httpx
import pytest
from contracts.base import Contract
from fastapi import Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, model_validator

from edge import errors, idempotency, languages, shapes
from edge.boundary import Boundary
from edge.description import EventId
from edge.routing import ContractRouter
from edge.web import validation_failed

JSON = {"content-type": "application/json"}


class Asked(Contract):
    numbers: tuple[int, ...] = ()
    language: str | None = None
    read: int = 0

    @model_validator(mode="before")
    @classmethod
    def counted(cls, given: Any) -> Any:
        return given if isinstance(given, cls) else {**given, "read": given.get("read", 0) + 1}


class Open(Contract):
    """Takes what it does not know along."""

    model_config = ConfigDict(extra="allow")


class Told(Contract):
    numbers: int
    language: str
    read: int = 0
    absent: str | None = None


def application() -> FastAPI:
    app = FastAPI()
    router = ContractRouter()

    @router.post("/usual")
    async def usual(request: Request, asked: Asked) -> Told:
        return told(request, asked)

    @router.post("/plain")
    async def plain(request: Request, asked: Asked) -> Response:
        idempotency.key_of(request.scope)
        return Response(told(request, asked).to_json(), media_type="application/json")

    @router.post("/small")
    async def small(
        request: Request,
        asked: Annotated[Asked, Body(), shapes.Shape(max_values=50, max_containers=9, max_entries=8)],
    ) -> Told:
        return told(request, asked)

    @router.post("/open")
    async def open_(request: Request, asked: Open) -> Told:
        return Told(numbers=0, language=languages.spoken(request.scope))

    @router.delete("/nothing", status_code=204)
    async def remove() -> None: ...

    @router.get("/nothing")
    async def nothing(after: Annotated[EventId, Query()] = None) -> Told:
        return Told(numbers=0, language="de")

    def told(request: Request, asked: Asked) -> Told:
        return Told(numbers=len(asked.numbers), language=languages.spoken(request.scope), read=asked.read)

    app.include_router(router)
    app.add_exception_handler(RequestValidationError, validation_failed)
    app.add_middleware(Boundary)
    return app


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(application())
    async with httpx.AsyncClient(transport=transport, base_url="http://edge") as client:
        yield client


async def post(client: httpx.AsyncClient, path: str, body: Any, **headers: str) -> dict[str, Any]:
    response = await client.post(path, content=json.dumps(body), headers=JSON | headers)
    found: dict[str, Any] = response.json()
    return found


@pytest.mark.parametrize("path", ["/usual", "/plain"])
async def test_a_body_is_read_once_and_handed_on_as_it_is(client: httpx.AsyncClient, path: str) -> None:
    assert await post(client, path, {"numbers": [1, 2]}) == {"numbers": 2, "language": "de", "read": 1}
    assert (await post(client, path, {"language": "fr"}, **{"accept-language": "it"}))["language"] == "fr"


async def test_a_heavy_body_is_read_beside_the_loop_and_is_the_same(client: httpx.AsyncClient) -> None:
    padded = {"numbers": [1, 2], "more": [["x" * 40_000] * 2]}
    assert (await post(client, "/usual", padded))["numbers"] == 2


async def test_how_much_a_body_may_hold_is_said_by_its_route(client: httpx.AsyncClient) -> None:
    asked = {"numbers": [0] * 9}
    assert (await post(client, "/usual", asked))["numbers"] == 9
    refused = await post(client, "/small", asked)
    assert (refused["code"], refused["errors"][0]["pointer"]) == ("invalid_request", "#/numbers")


async def test_what_a_body_says_of_its_language_counts(client: httpx.AsyncClient) -> None:
    assert (await post(client, "/usual", {"language": "fr"}, **{"accept-language": "it"}))["language"] == "fr"
    assert (await post(client, "/usual", {}, **{"accept-language": "it"}))["language"] == "it"


@pytest.mark.parametrize("language", ["fr", 123, ["fr"], {"a": 1}, True])
async def test_what_no_field_says_of_the_language_counts_for_nothing(
    client: httpx.AsyncClient, language: Any
) -> None:
    told = await post(client, "/open", {"language": language}, **{"accept-language": "it"})
    assert told["language"] == "it"


async def test_nothing_has_no_media_type(client: httpx.AsyncClient) -> None:
    nothing = await client.delete("/nothing")
    assert (nothing.status_code, nothing.content) == (204, b"")
    assert "content-type" not in nothing.headers


@pytest.mark.parametrize(
    ("content", "headers", "code"),
    [
        (b"{}", {}, "unsupported_media_type"),
        (b"{}", {"content-type": "text/plain"}, "unsupported_media_type"),
        (b"", JSON, "malformed_json"),
        (b"{", JSON, "malformed_json"),
        (b'{"numbers": ["x"]}', JSON, "invalid_request"),
        (b"{}", JSON | {"idempotency-key": ""}, "idempotency_key_invalid"),
        (b"{}", JSON | {"idempotency-key": "x" * 129}, "idempotency_key_invalid"),
        (b"{}", JSON | {"idempotency-key": "gr\u00fcn".encode("latin-1")}, "idempotency_key_invalid"),
    ],
)
async def test_what_is_wrong_is_a_problem_with_its_code(
    client: httpx.AsyncClient, content: bytes, headers: Mapping[str, Any], code: str
) -> None:
    refused = await client.post("/plain", content=content, headers=headers)
    assert refused.json()["code"] == code
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.status_code == next(
        kind.status for kind in errors.EdgeError.__subclasses__() if kind.code == code
    )
    assert "{" not in refused.json()["detail"]


async def test_the_place_in_a_body_is_told(client: httpx.AsyncClient) -> None:
    refused = await post(client, "/usual", {"numbers": [1, "zwei"]})
    assert [each["pointer"] for each in refused["errors"]] == ["#/numbers/1"]
    assert "zwei" not in json.dumps(refused)


@pytest.mark.parametrize("event_id", ["-1", "1.5", "x", "\u0663", "9" * 19])
async def test_only_positions_are_ids_of_events(client: httpx.AsyncClient, event_id: str) -> None:
    refused = await client.get("/nothing", params={"after": event_id})
    assert (refused.status_code, refused.json()["code"]) == (400, "event_id_invalid")


@pytest.mark.parametrize("event_id", ["", "0", "4711", "9" * 18])
async def test_positions_are_ids_of_events(client: httpx.AsyncClient, event_id: str) -> None:
    assert (await client.get("/nothing", params={"after": event_id})).status_code == 200


async def test_where_there_is_get_there_is_head_with_the_same_headers(client: httpx.AsyncClient) -> None:
    got, head = await client.get("/nothing"), await client.head("/nothing")
    assert head.status_code == got.status_code == 200
    assert head.headers == got.headers
    assert (await client.head("/usual")).status_code == 405


async def test_what_is_absent_is_left_out(client: httpx.AsyncClient) -> None:
    assert "absent" not in (await client.get("/nothing")).json()


def test_head_is_not_described_beside_get() -> None:
    assert set(application().openapi()["paths"]["/nothing"]) == {"get", "delete"}
