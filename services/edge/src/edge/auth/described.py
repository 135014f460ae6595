"""The credentials in the OpenAPI description."""

from typing import Any

from edge.auth.identification import needed_for
from edge.auth.identities import Identities


def declare(description: dict[str, Any], identities: Identities) -> None:
    """Which credentials there are in this installation, and which operations ask for them."""
    schemes: dict[str, Any] = {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key, a token of `POST /api/session`, or one of the provider.",
        }
    }
    if identities.knows_anonymous or identities.provider is not None:
        schemes["cookie"] = {
            "type": "apiKey",
            "in": "cookie",
            "name": identities.cookie.name,
            "description": "What a browser gets from the edge.",
        }
    description["components"]["securitySchemes"] = schemes
    for path, operations in description["paths"].items():
        needed = needed_for(path)
        if needed is None:
            continue
        # Nobody at all becomes somebody without a name, except where the figures are.
        nobody: list[dict[str, list[str]]] = (
            [{}] if identities.knows_anonymous and needed != "metrics" else []
        )
        for operation in operations.values():
            operation["security"] = [*nobody, *({name: []} for name in schemes)]
