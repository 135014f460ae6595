"""Maps behind short links: what is taken, and what is told of one that is not there."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import httpx
import pytest
from contracts.shares import Share, SharedMap, is_id

from edge import errors, examples, ids
from edge.admission import Admission
from edge.api_shares import share_routes
from edge.askers import Askers
from edge.description import Application
from edge.settings import EdgeSettings
from edge.shares import Shares
from edge.web import application

TTL = timedelta(days=30)
WHOLE = examples.SHARED_MAP
TABLE = {
    "id": "t",
    "label": "Standorte",
    "features": {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "id": "1",
                "geometry": {"type": "LineString", "coordinates": [[2600000.5, 1200000.5]] * 900},
                "properties": {"label": "A"},
            }
        ],
    },
    "columns": [{"name": "Fläche", "unit": "m²"}],
    "count": 1,
}


class Kept:
    """Shares without Redis."""

    def __init__(self) -> None:
        self.maps: dict[str, SharedMap] = {}

    async def keep(self, shared: SharedMap) -> tuple[str, datetime]:
        share_id = ids.new_share_id()
        self.maps[share_id] = shared
        return share_id, datetime.now(UTC) + TTL

    async def find(self, share_id: str) -> SharedMap:
        if share_id not in self.maps:
            raise errors.ShareNotFound()
        return self.maps[share_id]


class Admitting:
    """An admission that lets everybody in, or says why not."""

    def __init__(self, refusal: errors.EdgeError | None = None) -> None:
        self.askers = Askers((), 65_536)
        self._refusal = refusal

    async def share(self, asker: object) -> None:
        if self._refusal is not None:
            raise self._refusal


def web(kept: Kept, ttl: timedelta = TTL, refusal: errors.EdgeError | None = None) -> Application:
    routes = share_routes(cast(Shares, kept), cast(Admission, Admitting(refusal)), ttl)
    return application([routes], EdgeSettings())


def client(app: Application) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost")


async def share(body: Any, **of_web: Any) -> httpx.Response:
    async with client(web(Kept(), **of_web)) as http:
        return await http.post(
            "/api/shares", content=json.dumps(body), headers={"Content-Type": "application/json"}
        )


@pytest.mark.parametrize("body", [WHOLE, {}, WHOLE | {"features": [TABLE]}])
async def test_what_was_shared_is_read_again(body: dict[str, Any]) -> None:
    async with client(web(Kept())) as http:
        made = await http.post("/api/shares", json=body)
        assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
        told = Share.from_json(made.content)
        assert is_id(told.id) and len(told.id) == 16
        assert (told.url, made.headers["location"]) == (f"/#share={told.id}", f"/api/shares/{told.id}")
        read = await http.get(made.headers["location"])
    assert (read.status_code, read.headers["cache-control"]) == (200, "no-store")
    assert read.json() == json.loads(SharedMap.model_validate(body).to_json())
    assert body.items() <= read.json().items()


def test_ids_are_not_to_be_guessed() -> None:
    made = {ids.new_share_id() for _ in range(1_000)}
    assert len(made) == 1_000 and all(map(is_id, made))


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"view": {"center": ["2600000.5 m", 0], "resolution": 1}}, "#/view/center/0"),
        ({"view": {"center": [0], "resolution": 1}}, "#/view/center/1"),
        ({"view": {"center": [0, 0], "resolution": 0}}, "#/view/resolution"),
        ({"view": {"center": [0, 0], "resolution": 10_000}}, "#/view/resolution"),
        ({"background": "pink"}, "#/background"),
        ({"layers": [WHOLE["layers"][0] | {"opacity": 1.1}]}, "#/layers/0/opacity"),
        ({"layers": [WHOLE["layers"][0] | {"type": "script"}]}, "#/layers/0/type"),
        ({"layers": WHOLE["layers"] * 51}, "#/layers"),
        ({"markers": WHOLE["markers"] * 101}, "#/markers"),
        ({"features": [{"id": "t"}]}, "#/features/0/label"),
        ({"messages": ["Wo wohne ich?"]}, "#/messages"),
        ([], "#"),
    ],
)
async def test_what_is_no_map_is_told_with_its_place(wrong: Any, where: str) -> None:
    refused = await share(wrong)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert where in [each["pointer"] for each in refused.json()["errors"]]


async def test_an_address_that_nobody_may_load_is_not_kept() -> None:
    layer = WHOLE["layers"][0] | {
        "source": {"url": "javascript:alert(1)", "LAYERS": "x"},
        "legendUrl": "file:///etc/passwd",
    }
    kept = Kept()
    async with client(web(kept)) as http:
        assert (await http.post("/api/shares", json={"layers": [layer]})).status_code == 201
    [shared] = kept.maps.values()
    assert shared.layers[0].source == {"url": "", "LAYERS": "x"}
    assert shared.layers[0].legend_url is None


async def test_a_map_that_is_too_large_is_refused() -> None:
    refused = await share({"markers": [{"id": "m", "coord": [0, 0], "label": "x" * 65_536}]})
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")


async def test_a_server_that_keeps_none_says_so() -> None:
    refused = await share(WHOLE, ttl=timedelta())
    assert (refused.status_code, refused.json()["code"]) == (404, "shares_off")


async def test_who_has_shared_too_much_waits() -> None:
    refused = await share(WHOLE, refusal=errors.RateLimited(retry_after_s=77))
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "77")


@pytest.mark.parametrize("share_id", ["A" * 16, "..", "x", "%00" * 16])
async def test_a_link_that_leads_nowhere_is_a_problem_for_people(share_id: str) -> None:
    async with client(web(Kept())) as http:
        lost = await http.get(f"/api/shares/{share_id}")
    assert lost.status_code == 404
    if share_id != "..":
        assert lost.json()["detail"] == "Dieser Link ist abgelaufen, oder es hat ihn nie gegeben."
