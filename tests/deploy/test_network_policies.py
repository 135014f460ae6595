"""Who reaches whom in the cluster: exactly these paths, in every installation."""

import pytest
from manifests import Manifests, render
from network_paths import OUTSIDE, paths
from one_process import PARTS

from ask.services import COMPACT

SERVICES = {
    "edge",
    "orchestrator",
    "planner",
    "actionplanner",
    "responder",
    "tools-geo",
    "tools-oereb",
    "tools-docs",
}
ASKS_A_MODEL = {"planner", "responder", "tools-docs"}
ASKS_MAP_SERVICES = {"tools-geo", "tools-oereb"}
KEEPS_STATE = {"edge", "orchestrator"}
HANDLES_PRINTS = {"edge", "tools-geo"}

COMMON = (
    {("visitors", "edge", 8080)}
    | {("monitoring", service, 8081) for service in SERVICES}
    | {(service, "nats", 4222) for service in SERVICES | {"streams"}}
    | {(pod, "names", 53) for pod in SERVICES | {"streams", "nats"}}
    | {
        (service, place, 443)
        for service in ASKS_A_MODEL | ASKS_MAP_SERVICES
        for place in ("internet", "internet (IPv6)")
    }
)
DEV = COMMON | {(service, "redis", 6379) for service in KEEPS_STATE} | {("redis", "names", 53)}
PROD = (
    COMMON
    | {("nats", "nats", 6222), ("keda", "nats", 8222)}
    | {(service, "own network", 6379) for service in KEEPS_STATE}
    | {(service, "own network", 443) for service in HANDLES_PRINTS}
    | {("tools-docs", "own network", 5432)}
)
OIDC = {("edge", "internet", 443), ("edge", "internet (IPv6)", 443)}
MCP = {
    ("monitoring", "tools-mcp", 8081),
    ("tools-mcp", "nats", 4222),
    ("tools-mcp", "names", 53),
    ("tools-mcp", "internet", 443),
    ("tools-mcp", "internet (IPv6)", 443),
}


def together(apart: set[tuple[str, str, int]]) -> set[tuple[str, str, int]]:
    """What is open to services by themselves, where they are one process."""
    names = dict.fromkeys(PARTS, COMPACT)
    return {(names.get(source, source), names.get(target, target), port) for source, target, port in apart}


@pytest.mark.parametrize(
    ("overlay", "add", "drop", "expected"),
    [
        ("dev", (), (), DEV),
        ("dev", ("tools-mcp",), (), DEV | MCP),
        ("prod", (), (), PROD),
        ("prod", ("tools-mcp", "tools-mcp/keda"), (), PROD | MCP),
        ("prod", ("oidc",), (), PROD | OIDC),
        ("prod", ("hpa",), ("keda",), PROD - {("keda", "nats", 8222)}),
        ("dev", ("compact",), (), together(DEV)),
        ("dev", ("compact", "tools-mcp"), (), together(DEV | MCP)),
        ("prod", ("compact",), ("keda",), together(PROD - {("keda", "nats", 8222)})),
    ],
    ids=[
        "dev",
        "dev with tools of MCP servers",
        "prod",
        "prod with tools of MCP servers",
        "prod with sign-in",
        "prod without KEDA",
        "dev in one process",
        "dev in one process with tools of MCP servers",
        "prod in one process",
    ],
)
def test_exactly_these_paths_are_open(
    tmp_path_factory: pytest.TempPathFactory,
    overlay: str,
    add: tuple[str, ...],
    drop: tuple[str, ...],
    expected: set[tuple[str, str, int]],
) -> None:
    found = Manifests(render(tmp_path_factory.mktemp("render"), overlay, add, drop))
    assert paths(found) == expected
    assert {place.name for place in OUTSIDE} - {end for path in expected for end in path[:2]} >= {
        "stranger",
        "api server",
        "cloud metadata",
    }
