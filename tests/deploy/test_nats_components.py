"""Other ways to NATS than the usual one: encrypted, or a server that others run."""

import re
from pathlib import Path

import pytest
from manifest_rules import RULES
from manifest_schemas import VERSIONS, validate
from manifests import DEPLOY, Manifests, render
from network_paths import paths

TLS = {
    "prod": ("prod", ("tools-mcp", "tools-mcp/keda", "nats-tls"), ()),
    "dev": ("dev", ("nats-tls",), ()),
    "dev in one process": ("dev", ("compact", "nats-tls"), ()),
}
ELSEWHERE = (
    "prod",
    ("tools-mcp", "tools-mcp/hpa", "nats-elsewhere", "hpa"),
    ("nats", "nats-cluster", "keda"),
)


def kept(found: Manifests) -> None:
    for each in found.objects:
        for version in VERSIONS:
            validate(each, version)
    assert [said for rule in RULES for said in rule(found)] == []


@pytest.mark.parametrize("name", TLS)
def test_with_certificates_everybody_speaks_tls(name: str, tmp_path: Path) -> None:
    found = Manifests(render(tmp_path, *TLS[name]))
    kept(found)
    for workload in [*found.services(), found.workload("streams")]:
        (container,) = workload.containers
        environment = found.environment(container)
        assert environment["NATS_URL"].startswith("tls://nats:")
        (mount,) = [m for m in container["volumeMounts"] if m["name"] == "tls"]
        assert environment["NATS_CA_FILE"] == f"{mount['mountPath']}/ca.crt"
        (volume,) = [v for v in workload.pod["volumes"] if v["name"] == "tls"]
        assert [item["key"] for item in volume["secret"]["items"]] == ["ca.crt"]


@pytest.mark.parametrize("name", TLS)
def test_the_server_is_told_where_its_certificate_is(name: str, tmp_path: Path) -> None:
    nats = Manifests(render(tmp_path, *TLS[name])).workload("nats")
    (container,) = nats.containers
    (mount,) = [m["mountPath"] for m in container["volumeMounts"] if m["name"] == "tls"]
    (volume,) = [v for v in nats.pod["volumes"] if v["name"] == "tls"]
    there = {item["key"]: f"{mount}/{item['path']}" for item in volume["secret"]["items"]}
    assert container["command"][3:] == [
        "--tls",
        f"--tlscert={there['tls.crt']}",
        f"--tlskey={there['tls.key']}",
    ]
    included = (DEPLOY / "nats" / "tls.conf").read_text(encoding="utf-8")
    assert set(there.values()) == set(re.findall(r"/\S+", included))


def test_a_nats_elsewhere_is_reached_by_all_who_need_it_and_nothing_is_left_of_ours(tmp_path: Path) -> None:
    found = Manifests(render(tmp_path, *ELSEWHERE))
    kept(found)
    assert [w.name for w in found.workloads("StatefulSet")] == []
    assert not found.of("ScaledObject")
    everybody = {w.name for w in found.services()} | {"streams"}
    assert {source for source, _, port in paths(found) if port == 4222} == everybody
    assert {target for _, target, port in paths(found) if port == 4222} == {"own network"}
    (job,) = found.workload("streams").containers
    assert job["args"] == ["bus", "apply", "--replicas", "3"]
