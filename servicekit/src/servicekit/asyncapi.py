"""What services take and say, as AsyncAPI: made by FastStream of what is declared to its brokers."""

from importlib.metadata import version
from typing import Any

from faststream.specification import AsyncAPI
from servicekit.service import Service


def description_of(*services: Service) -> dict[str, Any]:
    """An AsyncAPI 3.0 document. The services need not run."""
    for service in services:
        service.bus.declare()
    described = AsyncAPI(
        *(service.bus.broker for service in services),
        title="ask.sogis",
        version=version("ask-sogis-contracts"),
        description="What is said on NATS, and who takes it. Streams, consumers, permissions: docs/bus.md.",
    )
    document: dict[str, Any] = described.to_specification().to_jsonable()
    # FastStream has them in no order.
    parts = document["components"]
    document |= {name: _sorted(document[name]) for name in ("channels", "operations")}
    return document | {"components": {name: _sorted(parts[name]) for name in sorted(parts)}}


def _sorted(named: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(named.items()))
