"""Dockerfile, Compose and configuration know every service, and each service only its own password."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import nats_users
import pages
import pytest
import yaml
from one_process import PARTS
from pydantic import ValidationError

from ask.permissions import OPERATOR, password_variable
from edge.settings import EdgeSettings

DEPLOY = pages.ROOT / "deploy"
SERVICES = sorted(path.parent.name for path in pages.ROOT.glob("services/*/pyproject.toml"))
SERVERS = {"nats", "redis", "streams", "volumes", "ask"}


def compose(name: str = "compose.yaml") -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))
    return found


def variables(service: dict[str, Any]) -> str:
    """Everything that is filled in from outside."""
    return yaml.safe_dump({key: service.get(key) for key in ("environment", "command")})


def test_every_service_has_an_image_and_a_user_and_stands_in_compose() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^FROM runtime AS (\S+)$", dockerfile, re.MULTILINE))
    assert targets == {*SERVICES, "compact", "ask"}
    assert set(nats_users.SERVICES) == set(SERVICES)
    assert compose()["services"].keys() == {*SERVICES, *SERVERS}
    listed = set(re.findall(r"^COPY --from=\S+ /opt/ask /images/(\S+)$", dockerfile, re.MULTILINE))
    assert listed == targets


def test_the_image_of_one_process_starts_all_that_have_something_to_do() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    stage = dockerfile.partition("FROM runtime AS compact\n")[2].partition("\nFROM ")[0]
    started = {name: json.loads(rest) for name, rest in re.findall(r"^(ENTRYPOINT|CMD) (.+)$", stage, re.M)}
    assert started == {"ENTRYPOINT": ["python", "-m", "ask.compact"], "CMD": list(PARTS)}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_knows_its_own_password_only(name: str) -> None:
    service = compose()["services"][name]
    assert service["environment"]["NATS_USER"] == name
    used = set(re.findall(r"NATS_PASSWORD_\w+", variables(service)))
    assert used == {password_variable(name)}
    knows_redis = "REDIS_PASSWORD" in variables(service)
    assert knows_redis is (name in ("edge", "orchestrator"))
    assert knows_redis is ("state" in service["networks"])


@pytest.mark.parametrize("name", sorted({*SERVICES, *SERVERS}))
def test_every_container_is_confined(name: str) -> None:
    service = compose()["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] > 0
    assert ("ports" in service) is (name == "edge")
    assert ":latest" not in service["image"].replace("${IMAGE_TAG:-latest}", "")


def told_to_the_edge(**given: str) -> dict[str, str]:
    """Its environment as Compose fills it in, with what its image sets."""
    environment = compose()["services"]["edge"]["environment"]
    made = {"EDGE_SECRET": "s" * 49, "NATS_PASSWORD_EDGE": "x", "REDIS_PASSWORD": "x"} | given

    def filled(found: re.Match[str]) -> str:
        name, _, default = found[1].partition(":-")
        return made.get(name.partition(":?")[0], default)

    variables = {name: re.sub(r"\$\{([^}]+)\}", filled, value) for name, value in environment.items()}
    return variables | {"HTTP_HOST": "0.0.0.0", "PORT": "8080"}


def edge_settings(monkeypatch: pytest.MonkeyPatch, **given: str) -> EdgeSettings:
    variables = told_to_the_edge(**given)
    unknown = {name for name in variables if name.lower() not in EdgeSettings.model_fields}
    assert unknown <= {"OTEL_EXPORTER_OTLP_ENDPOINT"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return EdgeSettings()


def test_the_edge_asks_who_somebody_is_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = edge_settings(monkeypatch)
    assert settings.auth == ("anonymous",)
    assert settings.edge_secret is not None
    assert set(settings.allowed_hosts) == {"127.0.0.1", "localhost", "[::1]", "edge"}


def test_what_is_set_beside_the_passwords_reaches_the_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "AUTH": "keys,oidc",
        "PUBLIC_URL": "https://ask.example.org",
        "ALLOWED_HOSTS": "ask.example.org",
        "OIDC_ISSUER": "https://login.example.org",
        "OIDC_CLIENT_ID": "ask",
        "TRUSTED_PROXIES": "10.0.0.0/8",
        "BUDGET_TOKENS_PER_DAY": "1000000",
    }
    settings = edge_settings(monkeypatch, **given)
    assert settings.auth == ("keys", "oidc")
    assert settings.public_url == "https://ask.example.org"
    assert settings.allowed_hosts == ("ask.example.org", "edge")
    assert settings.oidc_issuer == "https://login.example.org"
    assert len(settings.trusted_proxies) == 1
    assert settings.budget_tokens_per_day == 1_000_000


def test_an_edge_that_asks_nobody_does_not_start_in_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match="AUTH=none"):
        edge_settings(monkeypatch, AUTH="none")


def test_keys_are_written_by_the_command_and_read_by_the_edge() -> None:
    services, name = compose()["services"], "API_KEYS_FILE"
    file = services["edge"]["environment"][name]
    assert file == services["ask"]["environment"][name]
    assert f"keys:{Path(file).parent}:ro" in services["edge"]["volumes"]
    assert f"keys:{Path(file).parent}" in services["ask"]["volumes"]
    assert f"{Path(file).parent}" in (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def test_only_the_edge_is_on_the_network_with_the_published_port() -> None:
    on_front = {n for n, s in compose()["services"].items() if "front" in s.get("networks", ())}
    assert on_front == {"edge", "ask"}
    assert all(compose()["networks"][name]["internal"] for name in ("bus", "state"))


def test_the_cluster_tells_everybody_about_all_its_members() -> None:
    services = compose("compose.cluster.yaml")["services"]
    everybody = {*SERVICES, "streams", "ask"}
    assert {n for n, s in services.items() if "NATS_URL" in (s.get("environment") or {})} == everybody
    single, member = compose()["services"]["nats"], services["nats-2"]
    assert single["environment"].keys() <= member["environment"].keys()
    for key in ("image", "user", "read_only", "cap_drop", "security_opt", "healthcheck", "mem_limit"):
        assert single[key] == member[key] == services["nats-3"][key], key


def test_one_container_has_what_its_services_have_by_themselves() -> None:
    apart, services = compose()["services"], compose("compose.compact.yaml")["services"]
    compact = services.pop("compact")
    assert services == {part: {"profiles": ["apart"]} for part in PARTS}
    environment: dict[str, str] = {}
    for part in PARTS:
        environment |= apart[part]["environment"]
        environment[password_variable(part)] = environment.pop("NATS_PASSWORD")
    del environment["NATS_USER"]
    told = {name: re.sub(r":\?[^}]*", ":?", value) for name, value in environment.items()}
    assert compact["environment"] == told
    for key in ("networks", "volumes"):
        assert set(compact[key]) == {each for part in PARTS for each in apart[part].get(key, ())}, key
    assert compact["depends_on"] == apart["orchestrator"]["depends_on"]
    own = {"image", "environment", "networks", "volumes", "depends_on", "mem_limit"}
    assert {k: v for k, v in compact.items() if k not in own} == {
        k: v for k, v in apart["orchestrator"].items() if k not in own
    }
    assert "ports" not in compact and ":latest" not in compact["image"].replace("${IMAGE_TAG:-latest}", "")


def test_secrets_are_made_for_every_variable_and_never_twice_the_same() -> None:
    def made() -> dict[str, str]:
        done = subprocess.run([str(DEPLOY / "secrets.sh")], capture_output=True, text=True, check=True)
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    first, second = made(), made()
    assert {password_variable(user) for user in (*nats_users.SERVICES, OPERATOR)} <= first.keys()
    wanted = "".join(path.read_text(encoding="utf-8") for path in DEPLOY.glob("compose*.yaml"))
    assert set(re.findall(r"\$\{(\w+):\?", wanted)) <= first.keys()
    passwords = [value for name, value in (*first.items(), *second.items()) if "PASSWORD" in name]
    assert len(set(passwords)) == len(passwords)
    # What nats-server can read as a word of its configuration, and a URL needs not escape.
    assert all(re.fullmatch(r"s[0-9a-f]{48}", password) for password in passwords)
