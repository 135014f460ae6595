"""Which processes a stack has, and what they are told."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.errors import AskError
from ask.services import EDGE, SERVICES, Service, environment_of, process_names
from ask.settings import load, worker_counts

_ALL = {service.name: service.scalable for service in SERVICES}


def _told(service: Service) -> dict[str, str]:
    return environment_of(
        service,
        nats_url="nats://127.0.0.1:1",
        redis_url="redis://127.0.0.1:2/0",
        health_port=3,
        host="127.0.0.1",
        port=4,
    )


def test_every_service_runs_as_a_module_of_this_python() -> None:
    commands = {service.name: service.argv for service in SERVICES}
    assert commands["tools-geo"] == (sys.executable, "-m", "tools_geo.app")
    assert set(commands) == {"orchestrator", "planner", "actionplanner", "tools-geo", "tools-oereb", "edge"}


def test_a_service_runs_once_unless_a_variable_says_otherwise() -> None:
    counts = worker_counts({"TOOLS_GEO_WORKERS": "3", "PLANNER_WORKERS": " "}, _ALL)
    assert counts == dict.fromkeys(_ALL, 1) | {"tools-geo": 3}


@pytest.mark.parametrize("value", ["0", "-1", "65", "many", "1.5", "²"])
def test_a_number_of_workers_that_makes_no_sense_is_named(value: str) -> None:
    with pytest.raises(AskError, match=f"PLANNER_WORKERS.*{value}"):
        worker_counts({"PLANNER_WORKERS": value}, _ALL)


def test_a_second_edge_is_refused() -> None:
    with pytest.raises(AskError, match="EDGE_WORKERS"):
        worker_counts({"EDGE_WORKERS": "2"}, _ALL)


@given(st.integers(1, 64))
def test_processes_have_different_names_and_the_first_has_that_of_the_service(workers: int) -> None:
    names = process_names("tools-geo", workers)
    assert names[0] == "tools-geo"
    assert len(set(names)) == workers


def test_every_process_knows_its_servers_and_where_to_say_that_it_is_ready() -> None:
    for service in SERVICES:
        variables = _told(service)
        assert variables["NATS_URL"] == "nats://127.0.0.1:1"
        assert variables["REDIS_URL"] == "redis://127.0.0.1:2/0"
        assert variables["HEALTH_PORT"] == "3"


def test_only_the_edge_is_told_the_public_port() -> None:
    told = {s.name for s in SERVICES if _told(s).get("PORT") == "4"}
    assert told == {EDGE}


def test_a_setting_that_makes_no_sense_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "acht")
    with pytest.raises(AskError, match=r"PORT.*acht"):
        load()


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NATS_URL", "")
    monkeypatch.setenv("PORT", "")
    settings = load()
    assert settings.nats_url is None
    assert settings.port == 8080
