"""The description of the bus is what the services declare, and says no less than the table of the bus."""

import os
import subprocess
from typing import Any

import commands
import forked
import pages
import pytest
import yaml
from contracts.subjects import CONSUMERS, ROUTES, Consumer, roles_of

from ask.services import SERVICES

NAMES = [service.name for service in SERVICES]


def described(*arguments: str) -> str:
    """In a process of its own: whoever makes services does not end them."""
    loaded = ("ask.main", "ask.describing", *forked.SERVICES)
    done = commands.ask("bus", "asyncapi", *arguments, environment=os.environ, loaded=loaded)
    done.check_returncode()
    return done.stdout


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((pages.ROOT / "docs/asyncapi.yaml").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    ("file", "arguments"), [("docs/asyncapi.yaml", ()), ("services/edge/src/edge/bus.html", ("--html",))]
)
def test_what_is_kept_is_what_is_declared(file: str, arguments: tuple[str, ...]) -> None:
    assert (pages.ROOT / file).read_text(encoding="utf-8") == described(*arguments), "make asyncapi"


@pytest.mark.parametrize("service", NAMES)
def test_a_service_says_what_the_table_has_of_it(service: str, document: dict[str, Any]) -> None:
    said = {name for name in document["channels"] if name.startswith(f"{service} says ")}
    mine = [route for route in ROUTES if roles_of(service) & {*route.publishers}]
    assert said == {f"{service} says {route.address(service)}" for route in mine}


@pytest.mark.parametrize("consumer", CONSUMERS, ids=lambda each: f"{each.service}-{each.stream}")
def test_a_handler_takes_what_its_consumer_is_for(consumer: Consumer, document: dict[str, Any]) -> None:
    addresses = {route.pattern: route.address("{service}") for route in ROUTES}
    wanted = {f"{consumer.service} takes {addresses.get(each, each)}" for each in consumer.subjects}
    assert wanted <= document["channels"].keys()


def test_one_service_can_be_described_alone() -> None:
    alone = yaml.safe_load(described("planner"))
    assert {name.partition(" ")[0] for name in alone["channels"]} == {"planner"}
    assert "PlanReady" in alone["components"]["schemas"]


def test_a_service_that_is_not_there_is_named() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        described("nobody")
    assert "nobody" in failed.value.stderr


def test_the_page_names_who_says_and_takes_what() -> None:
    page = (pages.ROOT / "services/edge/src/edge/bus.html").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if "<code>plan.requested</code>" in line)
    assert "<td>orchestrator</td><td>planner</td>" in row and "#PlanRequested" in row
    assert '<h2 id="PlanRequested">' in page
