"""The rules see what is broken: each case breaks what a person could break, and names the rule for it."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from manifest_rules import RULES
from manifest_schemas import VERSIONS, Invalid, validate
from manifests import Manifests, Object, render
from network_paths import paths

Break = Callable[[Manifests], None]
BY_NAME = {rule.__name__: rule for rule in RULES}


def container(found: Manifests, name: str) -> Object:
    return found.workload(name).containers[0]


def pod(found: Manifests, name: str) -> Object:
    return found.workload(name).pod


def variable(found: Manifests, name: str, key: str) -> Object:
    return next(v for v in container(found, name)["env"] if v["name"] == key)


def ingress(found: Manifests) -> Object:
    return found.one("Ingress", "edge")


def without(found: Manifests, kind: str, name: str) -> None:
    found.objects.remove(found.one(kind, name))


def setting(found: Manifests, name: str, value: str, of: str = "settings") -> None:
    (settings,) = [m for m in found.of("ConfigMap") if m["metadata"]["name"].startswith(f"{of}-")]
    settings["data"][name] = value


def edge_setting(found: Manifests, name: str, value: str) -> None:
    setting(found, name, value, "edge")


def put(*path: Any) -> Break:
    """Sets a value in a workload: its name, the keys, the value."""
    name, *keys, last, value = path

    def change(found: Manifests) -> None:
        place: Any = found.workload(name).object["spec"]
        for key in keys:
            place = place[key]
        place[last] = value

    return change


POD = ("template", "spec")
FIRST = (*POD, "containers", 0)

BROKEN: list[tuple[str, Break]] = [
    ("nobody_in_particular", put("planner", *POD, "securityContext", "runAsNonRoot", False)),
    ("nobody_in_particular", put("nats", *POD, "securityContext", "runAsUser", 0)),
    (
        "nobody_in_particular",
        put("streams", *POD, "securityContext", "seccompProfile", {"type": "Unconfined"}),
    ),
    ("contained", put("edge", *FIRST, "securityContext", "readOnlyRootFilesystem", False)),
    (
        "contained",
        put("edge", *FIRST, "securityContext", "capabilities", {"drop": ["ALL"], "add": ["NET_RAW"]}),
    ),
    ("contained", put("edge", *FIRST, "securityContext", "allowPrivilegeEscalation", True)),
    ("contained", put("nats", *FIRST, "securityContext", "runAsUser", 0)),
    ("contained", lambda m: pod(m, "edge")["volumes"].append({"name": "x", "hostPath": {"path": "/"}})),
    ("contained", put("tools-geo", *POD, "hostNetwork", True)),
    ("no_token", put("responder", *POD, "automountServiceAccountToken", True)),
    ("no_token", put("orchestrator", *POD, "serviceAccountName", "admin")),
    ("no_token", put("edge", *POD, "enableServiceLinks", True)),
    ("limited", put("tools-docs", *FIRST, "resources", "limits", {"cpu": "1"})),
    ("limited", put("tools-docs", *FIRST, "resources", "requests", {"cpu": "2", "memory": "128Mi"})),
    ("limited", put("orchestrator", *FIRST, "resources", "requests", {"cpu": "1m", "memory": "64Mi"})),
    ("limited", put("planner", *POD, "volumes", 0, {"name": "tmp", "emptyDir": {}})),
    ("probed", lambda m: container(m, "planner").pop("startupProbe")),
    ("probed", put("nats", *FIRST, "readinessProbe", {"httpGet": {"path": "/healthz", "port": "http"}})),
    ("probed", put("edge", *FIRST, "readinessProbe", {"httpGet": {"path": "/healthz", "port": "health"}})),
    ("pinned", put("nats", *FIRST, "image", "nats:latest")),
    ("pinned", put("edge", *FIRST, "image", "registry.example.org:5000/ask-sogis/edge")),
    ("built", put("planner", *FIRST, "image", "ask-sogis/plannner:1")),
    ("built", put("planner", *FIRST, "image", "ask-sogis/responder:1")),
    ("disruptable", lambda m: without(m, "PodDisruptionBudget", "planner")),
    ("disruptable", lambda m: m.one("PodDisruptionBudget", "edge")["spec"].update(maxUnavailable=0)),
    ("disruptable", lambda m: m.one("PodDisruptionBudget", "edge")["spec"].update(selector={})),
    ("spread", lambda m: pod(m, "edge").pop("topologySpreadConstraints")),
    ("spread", lambda m: pod(m, "edge")["topologySpreadConstraints"][0].pop("matchLabelKeys")),
    (
        "spread",
        lambda m: pod(m, "nats")["topologySpreadConstraints"][0].update(whenUnsatisfiable="ScheduleAnyway"),
    ),
    ("graceful", lambda m: container(m, "edge").pop("lifecycle")),
    ("graceful", put("responder", *POD, "terminationGracePeriodSeconds", 20)),
    ("graceful", lambda m: setting(m, "GRACEFUL_TIMEOUT_S", "60")),
    ("graceful", put("planner", "strategy", "rollingUpdate", {"maxSurge": 0, "maxUnavailable": 1})),
    (
        "own_credentials",
        lambda m: variable(m, "planner", "NATS_PASSWORD")["valueFrom"]["secretKeyRef"].update(
            key="NATS_PASSWORD_EDGE"
        ),
    ),
    ("own_credentials", lambda m: variable(m, "planner", "NATS_USER").update(value="orchestrator")),
    (
        "own_credentials",
        lambda m: container(m, "edge")["envFrom"].append({"secretRef": {"name": _secret(m)}}),
    ),
    (
        "own_credentials",
        lambda m: container(m, "edge")["env"].append(
            {
                "name": "NATS_PASSWORD_ASK",
                "valueFrom": {"secretKeyRef": {"name": _secret(m), "key": "NATS_PASSWORD_ASK"}},
            }
        ),
    ),
    (
        "known_settings",
        lambda m: container(m, "planner")["env"].append({"name": "OPENAI_MODLE", "value": "x"}),
    ),
    ("known_settings", lambda m: setting(m, "MAX_CONCURRENCY", "many")),
    ("known_settings", lambda m: setting(m, "HEALTH_PORT", "8082")),
    ("known_settings", lambda m: variable(m, "edge", "PORT").update(value="80")),
    (
        "known_settings",
        lambda m: container(m, "orchestrator")["env"].remove(variable(m, "orchestrator", "REDIS_URL")),
    ),
    ("known_settings", lambda m: m.one("Secret", _secret(m))["data"].pop("DOCS_INDEX")),
    ("closed", lambda m: without(m, "NetworkPolicy", "default-deny")),
    ("closed", lambda m: m.one("NetworkPolicy", "default-deny")["spec"].update(policyTypes=["Ingress"])),
    (
        "closed",
        lambda m: m.one("NetworkPolicy", "visitors")["spec"]["podSelector"]["matchLabels"].update(
            {"app.kubernetes.io/name": "edgy"}
        ),
    ),
    ("closed", lambda m: m.one("Namespace", "ask")["metadata"]["labels"].clear()),
    ("closed", lambda m: m.one("Service", "nats")["metadata"].update(namespace="default")),
    ("connected", lambda m: m.one("Service", "edge")["spec"]["selector"].update({"app": "x"})),
    ("connected", lambda m: m.one("Service", "edge")["spec"]["ports"][0].update(targetPort="web")),
    ("connected", lambda m: m.one("Service", "edge")["spec"]["ports"][0].update(name="web")),
    ("connected", lambda m: without(m, "Service", "nats-peers")),
    ("connected", lambda m: pod(m, "planner").pop("volumes")),
    ("operators_only", lambda m: ingress(m)["spec"]["rules"][0]["http"]["paths"].pop()),
    (
        "streaming",
        lambda m: ingress(m)["metadata"]["annotations"].update({"nginx.org/proxy-buffering": "True"}),
    ),
    (
        "streaming",
        lambda m: ingress(m)["metadata"]["annotations"].update({"nginx.org/client-max-body-size": "0.1m"}),
    ),
    ("streaming", lambda m: edge_setting(m, "ALLOWED_HOSTS", "other.example.org")),
    ("streaming", lambda m: ingress(m)["spec"]["tls"].clear()),
    ("known_settings", lambda m: edge_setting(m, "AUTH", "none")),
    ("known_settings", lambda m: m.one("Secret", _secret(m))["data"].pop("EDGE_SECRET")),
    ("guarded", lambda m: edge_setting(m, "PUBLIC_URL", "https://other.example.org")),
    ("guarded", lambda m: edge_setting(m, "TRUSTED_PROXIES", "")),
    ("guarded", lambda m: edge_setting(m, "MAX_CONNECTIONS_PER_ADDRESS", "512")),
    ("replicated", put("planner", "replicas", 3)),
    ("replicated", put("actionplanner", "replicas", 1)),
    ("replicated", lambda m: m.one("ScaledObject", "tools-geo")["spec"].update(minReplicaCount=0)),
    (
        "replicated",
        lambda m: m.one("HorizontalPodAutoscaler", "edge")["spec"]["scaleTargetRef"].update(name="tools-geo"),
    ),
]

BROKEN_IN_ONE_PROCESS: list[tuple[str, Break]] = [
    (
        "own_credentials",
        lambda m: variable(m, "compact", "NATS_PASSWORD_PLANNER")["valueFrom"]["secretKeyRef"].update(
            key="NATS_PASSWORD_RESPONDER"
        ),
    ),
    (
        "own_credentials",
        lambda m: container(m, "compact")["env"].remove(variable(m, "compact", "NATS_PASSWORD_TOOLS_GEO")),
    ),
    (
        "own_credentials",
        lambda m: variable(m, "compact", "NATS_PASSWORD_PLANNER")["valueFrom"]["secretKeyRef"].update(
            key="NATS_PASSWORD_EDGE"
        ),
    ),
    (
        "known_settings",
        lambda m: container(m, "compact")["env"].append({"name": "NATS_PASSWORD_EDGE", "value": "x"}),
    ),
    (
        "known_settings",
        lambda m: container(m, "compact")["env"].remove(variable(m, "compact", "REDIS_URL")),
    ),
    ("known_settings", lambda m: setting(m, "GEO_SOURCE", "dead", of="data")),
    ("known_settings", lambda m: setting(m, "PRINTS_URL", "/tmp/prints", of="prints")),
    ("limited", put("compact", *FIRST, "resources", "requests", {"cpu": "1m", "memory": "64Mi"})),
    ("graceful", lambda m: setting(m, "GRACEFUL_TIMEOUT_S", "60")),
    ("replicated", put("compact", "replicas", 1)),
]


def _secret(found: Manifests) -> str:
    (secret,) = found.of("Secret")
    return str(secret["metadata"]["name"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Object, ...]:
    return render(tmp_path_factory.mktemp("render"), "prod")


@pytest.fixture
def broken(whole: tuple[Object, ...]) -> Manifests:
    """A copy to break."""
    return Manifests(deepcopy(whole))


@pytest.fixture(scope="module")
def one_process(tmp_path_factory: pytest.TempPathFactory) -> tuple[Object, ...]:
    return render(tmp_path_factory.mktemp("render"), "prod", ("compact",), ("keda",))


def test_every_rule_is_tried() -> None:
    assert {name for name, _ in BROKEN} == BY_NAME.keys()


@pytest.mark.parametrize(
    ("rule", "change"), BROKEN, ids=[f"{rule}-{n}" for n, (rule, _) in enumerate(BROKEN)]
)
def test_what_is_broken_is_seen(broken: Manifests, rule: str, change: Break) -> None:
    assert list(BY_NAME[rule](broken)) == []
    change(broken)
    assert list(BY_NAME[rule](broken))


@pytest.mark.parametrize(
    ("rule", "change"),
    BROKEN_IN_ONE_PROCESS,
    ids=[f"{rule}-{n}" for n, (rule, _) in enumerate(BROKEN_IN_ONE_PROCESS)],
)
def test_what_is_broken_in_one_process_is_seen(
    one_process: tuple[Object, ...], rule: str, change: Break
) -> None:
    test_what_is_broken_is_seen(Manifests(deepcopy(one_process)), rule, change)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_does_not_exist_is_not_valid(broken: Manifests, version: str) -> None:
    deployment, scaled = broken.one("Deployment", "edge"), broken.one("ScaledObject", "planner")
    validate(deployment, version)
    validate(scaled, version)
    pod(broken, "edge")["readOnlyRootFilesystem"] = True
    scaled["spec"]["triggers"][0]["metadata"]["lagTreshold"] = "32"
    for each in (deployment, scaled):
        with pytest.raises(Invalid):
            validate(each, version)


def test_a_threshold_that_is_a_number_is_not_valid(broken: Manifests) -> None:
    scaled = broken.one("ScaledObject", "planner")
    scaled["spec"]["triggers"][0]["metadata"]["lagThreshold"] = 32
    with pytest.raises(Invalid):
        validate(scaled, VERSIONS[0])


def test_a_policy_too_many_opens_a_path(broken: Manifests) -> None:
    before = paths(broken)
    egress = {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{}]}
    broken.objects.append(
        {
            "kind": "NetworkPolicy",
            "apiVersion": "networking.k8s.io/v1",
            "metadata": {"name": "x", "namespace": "ask"},
            "spec": egress,
        }
    )
    assert ("edge", "internet", 80) in paths(broken) - before
