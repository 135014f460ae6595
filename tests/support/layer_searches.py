"""Searches for layers at a live source, and what it answers."""

import json
from typing import Any

from contracts.items import Layer, LayerGroup
from geo_live import live_gateway
from misbehaving import Exchange, MisbehavingServer, healthy, status

from tools_geo.gateways import Found


def ids(found: Found[Layer | LayerGroup]) -> list[str]:
    return [item.id for item in found.items]


def product(identity: str, title: str, kind: str = "singleactor", **more: Any) -> dict[str, Any]:
    entry = {"dataproduct_id": identity, "display": title, "type": kind, "stacktype": "foreground", **more}
    return {"dataproduct": entry}


def answering(*products: Any, weblayers: Any = None, counts: Any = (), code: int = 200) -> MisbehavingServer:
    """A canton that finds these, and nobody else does; `weblayers` describes them, `code` for them all."""
    server = MisbehavingServer()

    async def answer(exchange: Exchange) -> None:
        path = exchange.request.path
        document: Any = {"results": []}
        if "search" in path:
            document = {"results": list(products), "result_counts": counts}
        elif "weblayers" in path:
            document = weblayers if weblayers is not None else {}
        body = json.dumps(document).encode()
        failed = "weblayers" in path and code != 200
        await (status(code) if failed else healthy(body))(exchange)

    server.behave(answer)
    return server


async def found_by(query: str, server: MisbehavingServer, **changes: Any) -> Found[Layer | LayerGroup]:
    async with server, live_gateway("layers", server.url, **changes) as gateway:
        answer: Found[Layer | LayerGroup] = await gateway.layers(query)
        return answer
