"""The services of the system, as programs to start."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ask.probes import http_ready
from ask.process import Program

EDGE = "edge"


@dataclass(frozen=True)
class Service:
    """`scalable`: several processes share the work. The edge listens on one port, so here it is one."""

    name: str
    argv: tuple[str, ...]
    scalable: bool = True


def _module(name: str, *, scalable: bool = True) -> Service:
    return Service(name, (sys.executable, "-m", f"{name.replace('-', '_')}.app"), scalable)


SERVICES = (
    _module("orchestrator"),
    _module("planner"),
    _module("actionplanner"),
    _module("responder"),
    _module("tools-docs"),
    _module("tools-geo"),
    _module("tools-oereb"),
    _module(EDGE, scalable=False),
)


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
    if service.name == EDGE:
        variables |= {"HTTP_HOST": host, "PORT": str(port)}
    return variables


def program_of(service: Service, name: str, health_port: int, variables: Mapping[str, str]) -> Program:
    return Program(name, service.argv, http_ready(health_port), variables)
