"""What KEDA scales on is there: its question, asked of a real nats-server with our users and our streams."""

import json
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nats
import nats_users
import pytest
from contracts import subjects
from contracts.subjects import CONSUMERS
from edge_process import free_port
from manifests import Manifests, Object, render
from servicekit.access import options
from servicekit.settings import ServiceSettings
from typer.testing import CliRunner

from ask.main import app
from ask.servers import find_nats


@pytest.fixture(scope="module")
def prod(tmp_path_factory: pytest.TempPathFactory) -> Manifests:
    return Manifests(render(tmp_path_factory.mktemp("render"), "prod", ("tools-mcp", "tools-mcp/keda")))


def triggers(found: Manifests) -> dict[str, Object]:
    """By service, what its ScaledObject asks NATS for."""
    return {
        each["spec"]["scaleTargetRef"]["name"]: each["spec"]["triggers"][0]["metadata"]
        for each in found.of("ScaledObject")
    }


class Server:
    """A nats-server with monitoring, on this machine only."""

    def __init__(self, folder: Path) -> None:
        self.port, self.monitor = free_port(), free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        command = nats_users.command(str(find_nats()), self.port, folder)
        with (folder / "nats.conf").open("a", encoding="utf-8") as config:
            config.write(f'http: "127.0.0.1:{self.monitor}"\n')
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait(self) -> None:
        for _ in range(1_200):
            try:
                self.get("/healthz")
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("nats-server did not start")

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}{path}", timeout=5) as answer:
            return json.load(answer)

    def lag(self, trigger: Object) -> int:
        """As the scaler computes it: the consumer's waiting messages and those in work."""
        account = urllib.parse.quote(trigger["account"])
        document = self.get(f"/jsz?acc={account}&consumers=true&config=true")
        (details,) = [a for a in document["account_details"] if a["name"] == trigger["account"]]
        (stream,) = [s for s in details["stream_detail"] if s["name"] == trigger["stream"]]
        (consumer,) = [c for c in stream["consumer_detail"] if c["name"] == trigger["consumer"]]
        return int(consumer["num_pending"] + consumer["num_ack_pending"])

    def comes_to(self, lags: Mapping[str, int], of: Mapping[str, Object]) -> None:
        """Until these are the lags: what was acknowledged is counted a moment later."""
        until = time.monotonic() + 60
        while (found := {service: self.lag(of[service]) for service in lags}) != lags:
            assert time.monotonic() < until, found
            time.sleep(0.05)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in nats_users.variables().items():
        monkeypatch.setenv(name, value)
    running = Server(tmp_path)
    try:
        running.wait()
        made = CliRunner().invoke(app, ["bus", "apply", "--nats", running.url])
        assert made.exit_code == 0, made.output
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def test_every_worker_follows_its_work(prod: Manifests) -> None:
    # Every turn lies unacknowledged before the orchestrator, and templates are filled at once.
    others = {"orchestrator", "actionplanner"}
    assert set(triggers(prod)) == {consumer.service for consumer in CONSUMERS} - others


async def test_the_lag_of_every_scaled_service_is_what_waits_for_it(server: Server, prod: Manifests) -> None:
    found = triggers(prod)
    assert {service: server.lag(trigger) for service, trigger in found.items()} == dict.fromkeys(found, 0)
    connection = await nats.connect(**options(server.url, nats_users.access("orchestrator")))
    js = connection.jetstream()
    waiting = {}
    for n, service in enumerate(sorted(found), start=1):
        (consumer,) = [c for c in CONSUMERS if c.service == service]
        for _ in range(n):
            await js.publish(consumer.subjects[0].replace(">", "anything"), b"{}")
        waiting[service] = n
    await connection.close()
    server.comes_to(waiting, found)


async def test_what_is_in_work_counts_too(server: Server, prod: Manifests) -> None:
    orchestrator = await nats.connect(**options(server.url, nats_users.access("orchestrator")))
    planner = await nats.connect(**options(server.url, nats_users.access("planner")))
    for _ in range(3):
        await orchestrator.jetstream().publish(subjects.PLAN_REQUESTED, b"{}")
    pulled = await planner.jetstream().pull_subscribe_bind("planner", "COMMANDS")
    (message,) = await pulled.fetch(1)
    server.comes_to({"planner": 3}, triggers(prod))
    await message.ack_sync()
    server.comes_to({"planner": 2}, triggers(prod))
    await orchestrator.close()
    await planner.close()


def test_the_endpoint_is_that_of_the_servers_themselves(prod: Manifests) -> None:
    peers = prod.one("Service", "nats-peers")
    (monitor,) = [p["port"] for p in peers["spec"]["ports"] if p["name"] == "monitor"]
    endpoint = f"{peers['metadata']['name']}.{peers['metadata']['namespace']}.svc:{monitor}"
    assert {trigger["natsServerMonitoringEndpoint"] for trigger in triggers(prod).values()} == {endpoint}
    # Otherwise the name means any of them, and not the leader of a consumer.
    assert peers["spec"]["clusterIP"] == "None"


def test_another_process_starts_before_one_is_full(prod: Manifests) -> None:
    full = ServiceSettings.model_fields["max_concurrency"].default
    for service, trigger in triggers(prod).items():
        settings = prod.environment(prod.workload(service).containers[0])
        assert int(trigger["lagThreshold"]) <= int(settings.get("MAX_CONCURRENCY", full)) / 2


def test_workers_scale_alike_with_and_without_keda(
    prod: Manifests, tmp_path_factory: pytest.TempPathFactory
) -> None:
    add = ("hpa", "tools-mcp", "tools-mcp/hpa")
    without = Manifests(render(tmp_path_factory.mktemp("render"), "prod", add, ("keda",)))
    by_lag = {
        o["metadata"]["name"]: (o["spec"]["minReplicaCount"], o["spec"]["maxReplicaCount"])
        for o in prod.of("ScaledObject")
    }
    by_processor = {
        o["metadata"]["name"]: (o["spec"]["minReplicas"], o["spec"]["maxReplicas"])
        for o in without.of("HorizontalPodAutoscaler")
    }
    assert by_lag.items() <= by_processor.items()
    assert by_processor.keys() - by_lag.keys() == {"edge", "orchestrator"}
    assert not without.of("ScaledObject")
