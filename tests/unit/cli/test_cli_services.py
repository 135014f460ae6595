"""Which processes a stack has, and what they are told."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.errors import AskError
from ask.services import EDGE, SERVICES, Service, compacted, environment_of, needed, process_names
from ask.settings import load, worker_counts

_ALL = {service.name: service.scalable for service in SERVICES}


def _told(service: Service, **passwords: str) -> dict[str, str]:
    return environment_of(
        service,
        nats_url="nats://127.0.0.1:1",
        redis_url="redis://127.0.0.1:2/0",
        prints_url="/data/prints",
        docs_index="/data/documents.sqlite",
        health_port=3,
        host="127.0.0.1",
        port=4,
        edge_secret="secret",
        api_keys_file="/data/api-keys.json",
        passwords=passwords,
    )


def test_every_service_runs_as_a_module_of_this_python() -> None:
    commands = {service.name: service.argv for service in SERVICES}
    assert commands["tools-geo"] == (sys.executable, "-m", "tools_geo.app")
    assert set(commands) == {
        *("orchestrator", "planner", "actionplanner", "responder"),
        *("tools-docs", "tools-geo", "tools-mcp", "tools-oereb", "edge"),
    }


def test_a_service_that_has_nothing_to_do_is_not_started() -> None:
    def names(**environment: str) -> set[str]:
        return {service.name for service in needed(SERVICES, environment)}

    assert set(_ALL) - names() == {"tools-mcp"} == set(_ALL) - names(MCP_SERVERS=" ")
    assert set(_ALL) == names(MCP_SERVERS="weather=http://127.0.0.1:1/mcp")


def test_compacted_services_are_one_process_beside_the_edge() -> None:
    compact, edge = compacted(needed(SERVICES, {}))
    assert (compact.name, compact.scalable, edge.name) == ("compact", True, EDGE)
    assert set(compact.parts) == set(_ALL) - {EDGE, "tools-mcp"}
    assert compact.argv == (sys.executable, "-m", "ask.compact", *compact.parts)


def test_a_process_of_several_services_has_the_password_of_each_and_no_other() -> None:
    compact, edge = compacted(needed(SERVICES, {}))
    told = _told(compact, planner="p", orchestrator="o", edge="e", ask="a")
    given = {name: value for name, value in told.items() if name.startswith("NATS_") and name != "NATS_URL"}
    assert given == {"NATS_PASSWORD_PLANNER": "p", "NATS_PASSWORD_ORCHESTRATOR": "o"}
    assert _told(edge, planner="p", edge="e")["NATS_PASSWORD"] == "e"


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


def test_only_the_edge_knows_its_secret_and_who_has_keys() -> None:
    told = {service.name: _told(service) for service in SERVICES}
    names = {"EDGE_SECRET", "API_KEYS_FILE"}
    assert {service for service, variables in told.items() if names & variables.keys()} == {EDGE}


def test_those_who_make_prints_and_who_hand_them_out_know_the_same_place() -> None:
    told = {service.name: _told(service)["PRINTS_URL"] for service in SERVICES}
    assert (told["tools-geo"], told[EDGE]) == ("/data/prints", "/data/prints")


def test_every_service_is_told_where_the_documents_are() -> None:
    told = {_told(service)["DOCS_INDEX"] for service in SERVICES}
    assert told == {"/data/documents.sqlite"}


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


def test_a_built_page_is_found_in_the_folder_of_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLIENT_DIR", raising=False)
    assert load().where_the_page_is() is None
    page = tmp_path / "client" / "dist"
    page.mkdir(parents=True)
    assert load().where_the_page_is() is None
    (page / "index.html").touch()
    assert load().where_the_page_is() == page
    monkeypatch.setenv("CLIENT_DIR", str(tmp_path))
    assert load().where_the_page_is() is None
