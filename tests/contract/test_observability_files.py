"""Rules, dashboards and the Compose profile are about metrics that exist, and read by those who read them."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pages
import pytest
import yaml
from jsonschema import Draft202012Validator
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase
from servicekit import connections, lag, telemetry

import orchestrator.metrics
from ask.services import SERVICES, compacted
from edge import metrics

FOLDER = pages.ROOT / "deploy" / "observability"
RULES = sorted((FOLDER / "rules").glob("*.yaml"))
TESTS = sorted((FOLDER / "tests").glob("*.yaml"))
DASHBOARDS = sorted((FOLDER / "grafana" / "dashboards").glob("*.json"))
SCHEMA = Path(__file__).parents[1] / "support" / "dashboard.schema.json"
COMPOSE = pages.ROOT / "deploy" / "compose.observability.yaml"
REGISTERED = (connections, lag, telemetry, metrics, orchestrator.metrics)
"""Loading them declares their metrics."""
PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="promtool is missing (apt install prometheus; its service is not needed)"
)
OF_OTHERS = {
    "up": {"job", "instance"},
    "process_cpu_seconds_total": set[str](),
    "process_resident_memory_bytes": set[str](),
    "jetstream_stream_total_messages": {"stream_name"},
}
"""Of Prometheus, its client library, and the exporter of NATS."""
OF_ALL = {"job", "instance", "le"}
_NAME = re.compile(r"\b(?:ask|up|process|jetstream|[a-z]+:ask)(?:_\w+(?::\w+)?)?\b(?=[\s{\[)]|$)")
_SELECTOR = re.compile(r"([\w:]+)\{([^}]*)\}")
_MATCHED = re.compile(r"(\w+)(?:=|!=|=~|!~)\"")
_BY = re.compile(r"\bby \(([^)]*)\)")


def known() -> dict[str, set[str]]:
    """Every name that can be asked for, and its labels."""
    found: dict[str, set[str]] = {name: set(labels) for name, labels in OF_OTHERS.items()}
    for metric in REGISTRY._collector_to_names:
        if isinstance(metric, MetricWrapperBase) and metric._name.startswith("ask_"):
            kind = type(metric).__name__
            endings = {"Counter": ("_total",), "Histogram": ("_bucket", "_count", "_sum")}.get(kind, ("",))
            found |= {f"{metric._name}{ending}": set(metric._labelnames) for ending in endings}
    for _, rule in rules():
        if "record" in rule:
            found[rule["record"]] = {label for by in _BY.findall(rule["expr"]) for label in by.split(", ")}
    return found


def rules() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in RULES:
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]:
            yield from ((path, rule) for rule in group["rules"])


def dashboard(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def targets() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in DASHBOARDS:
        for panel in dashboard(path)["panels"]:
            yield from ((f"{path.stem}: {panel['title']}", target) for target in panel.get("targets", ()))


EXPRESSIONS = {
    **{f"{path.stem}: {rule.get('record') or rule['alert']}": rule["expr"] for path, rule in rules()},
    **{f"{title} {target['refId']}": target["expr"] for title, target in targets()},
}


def problems(expression: str) -> set[str]:
    """Names and labels that nobody has declared."""
    names = known()
    found = {name for name in _NAME.findall(expression) if name not in names}
    for name, selected in _SELECTOR.findall(expression):
        labels = set(_MATCHED.findall(selected))
        found |= labels - names.get(name, set()) - OF_ALL
    told = {label for name in _NAME.findall(expression) for label in names.get(name, ())} | OF_ALL
    return found | {label for by in _BY.findall(expression) for label in by.split(", ") if label not in told}


def test_there_is_something_to_look_at() -> None:
    assert len(EXPRESSIONS) > 50 and REGISTERED and TESTS
    assert all(_NAME.findall(expression) for expression in EXPRESSIONS.values())


@pytest.mark.parametrize("where", EXPRESSIONS)
def test_expressions_are_about_metrics_and_labels_that_exist(where: str) -> None:
    assert problems(EXPRESSIONS[where]) == set()


def test_every_alert_stands_in_the_runbook() -> None:
    rows = pages.table(pages.ROOT / "docs" / "runbook.md", "First", "alert")
    written = {name for row in rows if row["alert"] for name in pages.names(row["alert"])}
    assert written == {rule["alert"] for _, rule in rules() if "alert" in rule}


@pytest.mark.parametrize(
    "wrong",
    [
        "rate(ask_turn_total[5m])",
        "sum by (interfaces) (rate(ask_turns_total[5m]))",
        'rate(ask_turns_total{state="ok"}[5m])',
        "interface:ask_turns:rate1h",
        "histogram_quantile(0.95, ask_turn_seconds)",
    ],
)
def test_a_wrong_expression_is_noticed(wrong: str) -> None:
    assert problems(wrong)


@needs_promtool
@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_prometheus_reads_the_rules(path: Path) -> None:
    assert "SUCCESS" in promtool("check", "rules", str(path))


@needs_promtool
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_the_rules_do_what_their_tests_say(path: Path) -> None:
    assert "SUCCESS" in promtool("test", "rules", str(path))


@needs_promtool
def test_prometheus_reads_its_configuration() -> None:
    assert "SUCCESS" in promtool("check", "config", "--syntax-only", str(FOLDER / "prometheus.yaml"))


@needs_promtool
def test_prometheus_reads_every_expression_of_the_dashboards(tmp_path: Path) -> None:
    made = [
        {"record": f"panel:{n}:x", "expr": target["expr"].replace("$__rate_interval", "5m")}
        for n, (_, target) in enumerate(targets())
    ]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": made}]}), encoding="utf-8")
    assert f"SUCCESS: {len(made)} rules found" in promtool("check", "rules", str(file))


def promtool(*command: str) -> str:
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, *command], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_alert_is_tested_and_says_what_to_do() -> None:
    tested = "".join(path.read_text(encoding="utf-8") for path in TESTS)
    # Those of dead letters have a test of their own.
    alerts = [rule for path, rule in rules() if "alert" in rule and path.stem == "ask"]
    assert len(alerts) >= 10
    for alert in alerts:
        assert alert["labels"]["severity"] in ("critical", "warning"), alert
        assert {"summary", "description"} <= alert["annotations"].keys(), alert
        assert re.search(rf"\b{alert['alert']}\n\s+exp_alerts:\n\s+- ", tested), alert["alert"]


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)
def test_a_dashboard_is_what_grafana_reads(path: Path) -> None:
    found = dashboard(path)
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(found)
    ids = [panel["id"] for panel in found["panels"]]
    assert len({*ids}) == len(ids)
    for one, other in combinations((panel["gridPos"] for panel in found["panels"]), 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert beside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]


def test_dashboards_ask_a_source_that_is_provisioned_and_have_names_of_their_own() -> None:
    text = (FOLDER / "grafana" / "provisioning" / "datasources" / "ask.yaml").read_text(encoding="utf-8")
    sources = {source["uid"]: source for source in yaml.safe_load(text)["datasources"]}
    assert {target["datasource"]["uid"] for _, target in targets()} == {"prometheus"}
    (leads,) = sources["prometheus"]["jsonData"]["exemplarTraceIdDestinations"]
    assert leads == {"name": "trace_id", "datasourceUid": "jaeger"} and "jaeger" in sources
    assert len({dashboard(path)["uid"] for path in DASHBOARDS}) == len(DASHBOARDS)
    hosts = set(re.findall(r"http://(\w+):", text))
    assert hosts <= compose()["services"].keys()


def test_prometheus_asks_every_service_on_its_health_port() -> None:
    (job,) = yaml.safe_load((FOLDER / "prometheus.yaml").read_text(encoding="utf-8"))["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    assert {*found["names"]} == {service.name for service in (*SERVICES, *compacted(SERVICES))}
    dockerfile = (pages.ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert f"HEALTH_PORT={found['port']}" in dockerfile


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    return found


def test_the_profile_is_confined_pinned_and_for_this_machine_only() -> None:
    for name, service in compose()["services"].items():
        assert service["profiles"] == ["observability"], name
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"] and service["pids_limit"] > 0, name
        assert re.search(r":-[\w/]+:v?\d+\.\d+\.\d+\}$", service["image"]), service["image"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert not source.startswith("./") or (COMPOSE.parent / source).exists(), volume


def test_compose_takes_it_beside_the_others(tmp_path: Path) -> None:
    command = compose_command()
    if command is None:
        pytest.skip("neither `docker compose` nor docker-compose is installed")
    made = subprocess.run(
        [str(pages.ROOT / "deploy" / "secrets.sh")], capture_output=True, text=True, check=True
    ).stdout
    (tmp_path / "env").write_text(made, encoding="utf-8")
    for beside in ((), ("compose.compact.yaml",), ("compose.cluster.yaml",)):
        files = ("compose.yaml", *beside, COMPOSE.name)
        options = [part for file in files for part in ("-f", str(COMPOSE.parent / file))]
        environment = ["--env-file", str(tmp_path / "env"), "--profile", "observability"]
        done = subprocess.run(
            [*command, *options, *environment, "config", "--services"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert {"prometheus", "grafana", "jaeger", "edge"} <= {*done.stdout.split()}


def compose_command() -> list[str] | None:
    docker = shutil.which("docker")
    if (
        docker
        and not subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode
    ):
        return [docker, "compose"]
    found = shutil.which("docker-compose")
    return [found] if found else None
