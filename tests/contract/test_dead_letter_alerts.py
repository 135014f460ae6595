"""The alerts about dead letters, as Prometheus itself reads them and works them out."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pages
import pytest
import yaml
from contracts import subjects
from prometheus_client import REGISTRY
from servicekit import telemetry

RULES = pages.ROOT / "deploy" / "observability" / "rules" / "dead-letters.yaml"
_PROMTOOL = shutil.which("promtool")
BURIED, KEPT = "AskMessageBuried", "AskDeadLetters"
DEAD = 'ask_messages_handled_total{kind="plan.requested",outcome="dead",instance="a"}'
ELSEWHERE = 'ask_messages_handled_total{kind="plan.requested",outcome="dead",instance="b"}'
RETRIED = 'ask_messages_handled_total{kind="plan.requested",outcome="retry",instance="a"}'
IN_DEAD = f'jetstream_stream_total_messages{{stream_name="{subjects.DEAD.name}",server="nats-%d"}}'

with_promtool = pytest.mark.skipif(
    _PROMTOOL is None, reason="promtool is not installed (Debian: apt-get install prometheus)"
)


def promtool(*arguments: str | Path) -> None:
    assert _PROMTOOL is not None
    done = subprocess.run([_PROMTOOL, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


@with_promtool
def test_prometheus_can_read_the_rules() -> None:
    promtool("check", "rules", RULES)


@with_promtool
@pytest.mark.parametrize(
    ("alert", "series", "firing"),
    [
        # By minute: a counter that is born with its first message, and one that was there before.
        (BURIED, {DEAD: "_x10 1x60"}, range(10, 25)),
        (BURIED, {DEAD: "0x9 1x60"}, range(10, 25)),
        (BURIED, {DEAD: "3x60"}, range(15)),
        (BURIED, {DEAD: "0x60"}, ()),
        (BURIED, {RETRIED: "0x9 5x60"}, ()),
        # A process that begins anew counts from nothing: nothing was buried.
        (BURIED, {DEAD: "0x60", ELSEWHERE: "_x30 0x30"}, ()),
        (BURIED, {DEAD: "0x60", ELSEWHERE: "_x30 2x30"}, range(30, 45)),
        (KEPT, {IN_DEAD % 0: "0x9 2x20 0x30", IN_DEAD % 1: "0x60"}, range(10, 31)),
        (KEPT, {'jetstream_stream_total_messages{stream_name="TURNS"}': "7x60"}, ()),
    ],
)
def test_it_fires_for_a_quarter_of_an_hour_after_a_burial_or_as_long_as_anything_lies_there(
    tmp_path: Path, alert: str, series: dict[str, str], firing: range | tuple[()]
) -> None:
    shown = {rule["alert"]: rule for rule in yaml.safe_load(RULES.read_text("utf-8"))["groups"][0]["rules"]}

    def expected(minute: int) -> list[dict[str, Any]]:
        if minute not in firing:
            return []
        if alert == KEPT:
            summary = shown[alert]["annotations"]["summary"].replace("{{ $value }}", "2")
            labels = {"severity": "info", "stream_name": subjects.DEAD.name}
        else:
            summary = shown[alert]["annotations"]["summary"].replace("{{ $labels.kind }}", "plan.requested")
            labels = {"severity": "warning", "kind": "plan.requested"}
        description = shown[alert]["annotations"]["description"]
        return [{"exp_labels": labels, "exp_annotations": {"summary": summary, "description": description}}]

    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": expected(minute)}
            for minute in range(51)
        ],
    }
    document = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [test]}
    path = tmp_path / "test.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    promtool("test", "rules", path)


def test_the_rules_are_about_metrics_that_the_services_have() -> None:
    assert telemetry  # registers them
    known = {metric.name for metric in REGISTRY.collect()}
    named = set(re.findall(r"\bask_[a-z_]+", RULES.read_text(encoding="utf-8")))
    assert named and {name.removesuffix("_total") for name in named} <= known
