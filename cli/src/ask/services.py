"""The services of the system, as programs to start."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ask.children import Program
from ask.permissions import password_variable
from ask.probes import http_ready

EDGE = "edge"
COMPACT = "compact"


@dataclass(frozen=True)
class Service:
    """`scalable`: several processes share the work. The edge listens on one port, so here it is one."""

    name: str
    argv: tuple[str, ...]
    scalable: bool = True
    needs: str | None = None
    """The variable without which it has nothing to do, and is not started."""
    parts: tuple[str, ...] = ()
    """The services that run in it, where it is a process of several."""


def _module(name: str, *, scalable: bool = True, needs: str | None = None) -> Service:
    return Service(name, (sys.executable, "-m", f"{name.replace('-', '_')}.app"), scalable, needs)


SERVICES = (
    _module("orchestrator"),
    _module("planner"),
    _module("actionplanner"),
    _module("responder"),
    _module("tools-docs"),
    _module("tools-geo"),
    _module("tools-mcp", needs="MCP_SERVERS"),
    _module("tools-oereb"),
    _module(EDGE, scalable=False),
)


def needed(services: Iterable[Service], environment: Mapping[str, str]) -> tuple[Service, ...]:
    """Those that have something to do."""
    return tuple(s for s in services if s.needs is None or environment.get(s.needs, "").strip())


def compacted(services: Sequence[Service]) -> tuple[Service, ...]:
    """One process of all services that can be several, and the edge."""
    parts = tuple(service.name for service in services if service.scalable)
    argv = (sys.executable, "-m", "ask.compact", *parts)
    return (Service(COMPACT, argv, parts=parts), *(s for s in services if not s.scalable))


def preloadable(services: Iterable[Service]) -> list[str]:
    """The modules that processes of these services begin with."""
    by_name = {service.name: service for service in SERVICES}
    alone = [by_name.get(name) for s in services for name in (s.parts or (s.name,))]
    return [service.argv[2] for service in alone if service is not None]


def process_names(service: str, workers: int) -> list[str]:
    """The first process has the service's name, the others a number: tools-geo, tools-geo-2, ..."""
    return [service, *(f"{service}-{n}" for n in range(2, workers + 1))]


def environment_of(
    service: Service,
    *,
    nats_url: str,
    redis_url: str,
    prints_url: str,
    docs_index: str,
    health_port: int,
    host: str,
    port: int,
    edge_secret: str,
    api_keys_file: str,
    passwords: Mapping[str, str],
) -> dict[str, str]:
    """What a process needs to know about its surroundings."""
    variables = {
        "NATS_URL": nats_url,
        "REDIS_URL": redis_url,
        "PRINTS_URL": prints_url,
        "DOCS_INDEX": docs_index,
        "HEALTH_PORT": str(health_port),
        "PYTHONUNBUFFERED": "1",
    }
    if service.name in passwords:
        variables |= {"NATS_USER": service.name, "NATS_PASSWORD": passwords[service.name]}
    variables |= {password_variable(part): passwords[part] for part in service.parts if part in passwords}
    if service.name == EDGE:
        variables |= {"HTTP_HOST": host, "PORT": str(port)}
        variables |= {"EDGE_SECRET": edge_secret, "API_KEYS_FILE": api_keys_file}
    return variables


def program_of(service: Service, name: str, health_port: int, variables: Mapping[str, str]) -> Program:
    return Program(name, service.argv, http_ready(health_port), variables)
