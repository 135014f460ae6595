"""The manifests for Kubernetes, rendered: valid objects that keep the rules. No cluster is needed."""

import subprocess
from collections import Counter
from pathlib import Path

import manifests
import pages
import pytest
import yaml
from manifest_rules import RULES
from manifest_schemas import VERSIONS, validate
from manifests import Manifests, Rule, config_files, process_environment, render
from one_process import parts_of

from ask.permissions import OPERATOR, configuration, users
from ask.servers import find_nats

INSTALLATIONS = {
    "dev": ("dev", (), ()),
    "prod": ("prod", (), ()),
    "prod without KEDA": ("prod", ("hpa",), ("keda",)),
    "prod with prints on a volume": ("prod", ("prints-volume",), ("prints-bucket",)),
    "prod with sign-in": ("prod", ("oidc",), ()),
    "dev with tools of MCP servers": ("dev", ("tools-mcp",), ()),
    "prod with tools of MCP servers": ("prod", ("tools-mcp", "tools-mcp/keda"), ()),
    "prod with tools of MCP servers, without KEDA": (
        "prod",
        ("hpa", "tools-mcp", "tools-mcp/hpa"),
        ("keda",),
    ),
    "dev in one process": ("dev", ("compact",), ()),
    "prod in one process": ("prod", ("compact",), ("keda",)),
}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Manifests]:
    return {
        name: Manifests(render(tmp_path_factory.mktemp("render"), overlay, add, drop))
        for name, (overlay, add, drop) in INSTALLATIONS.items()
    }


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_every_object_is_valid(rendered: dict[str, Manifests], installation: str, version: str) -> None:
    seen: Counter[str] = Counter()
    for each in rendered[installation].objects:
        seen[each["kind"]] += 1
        validate(each, version)
    assert seen["Deployment"] >= (2 if "one process" in installation else 8) and seen["NetworkPolicy"] >= 8


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_the_rules_are_kept(rendered: dict[str, Manifests], installation: str, rule: Rule) -> None:
    assert list(rule(rendered[installation])) == []


@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_every_user_of_nats_is_a_workload(rendered: dict[str, Manifests], installation: str) -> None:
    expected = {user.name for user in users()} - {OPERATOR}
    optional = set() if "MCP" in installation else {"tools-mcp"}
    found = [part for w in rendered[installation].services() for part in parts_of(w.name)]
    assert sorted(found) == sorted(expected - optional)


def test_one_process_is_two_pods_and_nothing_else_is_scaled_but_the_edge(
    rendered: dict[str, Manifests],
) -> None:
    for overlay in ("dev", "prod"):
        found = rendered[f"{overlay} in one process"]
        assert {w.name for w in found.services()} == {"edge", "compact"}
        assert found.workload("compact").object["spec"]["replicas"] == 2
        assert not found.of("ScaledObject")
        assert {o["metadata"]["name"] for o in found.of("HorizontalPodAutoscaler")} <= {"edge"}


@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_nats_takes_its_configuration(
    rendered: dict[str, Manifests], installation: str, tmp_path: Path
) -> None:
    found = rendered[installation]
    config_files(found, "nats", tmp_path)
    (container,) = found.workload("nats").containers
    _, option, path = container["command"]
    (mount,) = [m["mountPath"] for m in container["volumeMounts"] if path.startswith(f"{m['mountPath']}/")]
    done = subprocess.run(
        [find_nats(), "-t", option, tmp_path / Path(path).relative_to(mount)],
        env=process_environment(found.environment(container)),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "permissions.conf").read_text(encoding="utf-8") == configuration()


def test_the_cluster_knows_all_its_members(rendered: dict[str, Manifests]) -> None:
    found = rendered["prod"]
    nats = found.workload("nats")
    environment = found.environment(nats.containers[0])
    routes = {value for name, value in environment.items() if name.startswith("NATS_ROUTE_")}
    password = environment["NATS_PASSWORD_CLUSTER"]
    service = nats.object["spec"]["serviceName"]
    assert routes == {
        f"nats://cluster:{password}@nats-{n}.{service}:{nats.ports['cluster']}"
        for n in range(nats.object["spec"]["replicas"])
    }
    assert found.one("Service", service)["spec"]["publishNotReadyAddresses"] is True
    (job,) = found.workload("streams").containers
    assert job["args"] == ["bus", "apply", "--replicas", "3"]


def test_development_has_one_of_each(rendered: dict[str, Manifests]) -> None:
    assert {w.object["spec"].get("replicas", 1) for w in rendered["dev"].workloads()} == {1}
    (job,) = rendered["dev"].workload("streams").containers
    assert job["args"] == ["bus", "apply", "--replicas", "1"]


def test_no_secret_is_in_the_repository() -> None:
    folder = manifests.DEPLOY / "k8s"
    ignored = (folder / ".gitignore").read_text(encoding="utf-8").split()
    assert "secrets.env" in ignored
    for path in folder.rglob("*.env"):
        if path.name in ignored:
            continue
        for line in path.read_text(encoding="utf-8").split():
            assert "change-me" in line, f"{path}: {line}"
    for path in folder.rglob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert "kind: Secret\n" not in text, path


@pytest.mark.parametrize("version", VERSIONS)
def test_the_pod_for_copies_may_do_no_more_than_the_servers(
    rendered: dict[str, Manifests], version: str
) -> None:
    document = yaml.safe_load((manifests.DEPLOY / "k8s" / "volume.yaml").read_text(encoding="utf-8"))
    validate(document, version)
    server = rendered["dev"].workload("redis")
    assert document["spec"]["securityContext"].items() <= server.pod["securityContext"].items()
    (container,) = document["spec"]["containers"]
    (own,) = server.containers
    assert container["securityContext"] == own["securityContext"]
    assert container["image"] == own["image"]
    assert document["spec"]["automountServiceAccountToken"] is False
    claims = {
        f"{claim['metadata']['name']}-{name}-0"
        for name in ("redis", "nats")
        for claim in rendered["dev"].workload(name).object["spec"]["volumeClaimTemplates"]
    }
    assert document["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] in claims


def test_every_manifest_is_used() -> None:
    folder = manifests.DEPLOY / "k8s"
    for kustomization in folder.rglob("kustomization.yaml"):
        text = kustomization.read_text(encoding="utf-8")
        for path in kustomization.parent.rglob("*.yaml"):
            if path != kustomization and not any(
                (between / "kustomization.yaml").exists()
                for between in path.parents
                if between.is_relative_to(kustomization.parent) and between != kustomization.parent
            ):
                assert str(path.relative_to(kustomization.parent)) in text, path


def test_the_images_of_compose_and_of_the_manifests_are_the_same(rendered: dict[str, Manifests]) -> None:
    compose = (pages.ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")

    def image(found: Manifests, name: str) -> str:
        (container,) = found.workload(name).containers
        return str(container["image"])

    servers = {
        image(rendered["dev"], "nats"),
        image(rendered["prod"], "nats"),
        image(rendered["dev"], "redis"),
    }
    assert {server for server in servers if f":-{server}}}" not in compose} == set()
