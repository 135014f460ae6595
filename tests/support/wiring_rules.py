"""What holds an installation together. A rule yields one sentence for each violation."""

import os
import re
from collections.abc import Iterator
from unittest.mock import patch
from urllib.parse import urlsplit

from manifests import Manifests, Workload, secret_keys, stand_in
from one_process import parts_of
from pydantic import ValidationError
from servicekit.settings import PrintsSettings, ServiceSettings

from actionplanner.settings import Settings as ActionPlannerSettings
from ask.permissions import OPERATOR, password_variable
from ask.services import COMPACT
from edge.settings import EdgeSettings
from orchestrator.settings import Settings as OrchestratorSettings
from planner.settings import Settings as PlannerSettings
from responder.settings import Settings as ResponderSettings
from tools_docs.settings import Settings as DocsSettings
from tools_geo.settings import Settings as GeoSettings
from tools_mcp.settings import Settings as McpSettings
from tools_oereb.settings import Settings as OerebSettings

SETTINGS: dict[str, type[ServiceSettings]] = {
    "edge": EdgeSettings,
    "orchestrator": OrchestratorSettings,
    "planner": PlannerSettings,
    "actionplanner": ActionPlannerSettings,
    "responder": ResponderSettings,
    "tools-docs": DocsSettings,
    "tools-geo": GeoSettings,
    "tools-mcp": McpSettings,
    "tools-oereb": OerebSettings,
}
_GOODBYE_S = 5
_CREDENTIAL = "NATS_PASSWORD_"
_LIBRARIES = re.compile(r"AWS_|OTEL_|HTTPS?_PROXY|NO_PROXY|SSL_CERT_FILE")
"""Variables that libraries read by themselves."""


def graceful(manifests: Manifests) -> Iterator[str]:
    """Who is told to stop gets the time that its settings promise; who is sent requests waits for proxies."""
    targets = set(_backends(manifests))
    for w in manifests.services():
        container = w.containers[0]
        pause_s = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        if w.name in targets and pause_s < 5:
            yield f"{w.name} gets requests while it stops"
        settings = _settings(manifests, w)
        drain_s = max(s.drain_timeout_s if isinstance(s, EdgeSettings) else 0 for s in settings)
        needed_s = pause_s + drain_s + max(s.graceful_timeout_s for s in settings) + _GOODBYE_S
        if w.pod.get("terminationGracePeriodSeconds", 30) < needed_s:
            yield f"{w.name} is killed before it has finished"
        strategy = w.object["spec"]["strategy"]["rollingUpdate"]
        if strategy["maxUnavailable"] != 0 or strategy["maxSurge"] == 0:
            yield f"{w.name} is away while it is replaced"


def own_credentials(manifests: Manifests) -> Iterator[str]:
    """Each user of NATS is in one workload; nobody else has its password."""
    holders: dict[str, list[str]] = {}
    for w in manifests.workloads():
        for key in secret_keys(w):
            if key == "*":
                yield f"{w.name} gets a whole secret"
            holders.setdefault(key, []).append(w.name)
    for w in manifests.services():
        for part in parts_of(w.name):
            name = password_variable(part)
            if holders.get(name, []) != [w.name, *(["nats"] if _has_nats(manifests) else [])]:
                yield f"the password of {part} is held by {holders.get(name)}"
            environment = _environment(manifests, w, part)
            if environment.get("NATS_USER") != part:
                yield f"{part} comes as {environment.get('NATS_USER')}"
            if environment.get("NATS_PASSWORD") != stand_in(name):
                yield f"{part} has the password of somebody else"
        own = {password_variable(part) for part in parts_of(w.name)}
        if others := [key for key in secret_keys(w) if key.startswith(_CREDENTIAL) and key not in own]:
            yield f"{w.name} holds {others}"
    if set(holders.get(password_variable(OPERATOR), [])) - {"nats"} != {"streams"}:
        yield "the operator is not the job alone"


def _has_nats(manifests: Manifests) -> bool:
    return any(w.name == "nats" for w in manifests.workloads("StatefulSet"))


def known_settings(manifests: Manifests) -> Iterator[str]:
    """Every variable is a setting of its service, with a value that the service takes."""
    for w in manifests.services():
        container = w.containers[0]
        known = {name.upper() for part in parts_of(w.name) for name in SETTINGS[part].model_fields}
        if w.name == COMPACT:
            known |= {password_variable(part) for part in parts_of(w.name)}
        try:
            environment = manifests.environment(container)
        except KeyError as missing:
            yield f"{w.name}: {missing} does not exist"
            continue
        used = " ".join(str(v.get("value", "")) for v in container.get("env", []))
        for name in environment:
            if name not in known and not _LIBRARIES.match(name) and f"$({name})" not in used:
                yield f"{w.name} knows no {name}"
        try:
            settings = _settings(manifests, w)
        except ValidationError as error:
            yield f"{w.name} refuses its settings: {error}"
            continue
        redis_needed = any(isinstance(each, EdgeSettings | OrchestratorSettings) for each in settings)
        if redis_needed != ("REDIS_URL" in environment):
            yield f"{w.name} and Redis"
        mounts = [m["mountPath"] for m in container["volumeMounts"]]
        for each in settings:
            if each.health_port != w.ports.get("health") or each.health_host != "0.0.0.0":
                yield f"{w.name} cannot be asked how it is"
            if isinstance(each, EdgeSettings) and (
                each.port != w.ports.get("http") or each.http_host != "0.0.0.0"
            ):
                yield f"{w.name} cannot be reached"
            if isinstance(each, PrintsSettings) and (
                each.prints_url not in mounts and not each.prints_url.startswith("s3://")
            ):
                yield f"{w.name} keeps prints for itself"


def _environment(manifests: Manifests, w: Workload, part: str) -> dict[str, str]:
    """What a service reads; `ask.compact` tells it who it is."""
    found = manifests.environment(w.containers[0])
    if w.name == COMPACT and (password := found.get(password_variable(part))):
        found |= {"NATS_USER": part, "NATS_PASSWORD": password}
    return found


def _settings(manifests: Manifests, w: Workload) -> list[ServiceSettings]:
    """Of each service of it, as the process would read them. Raises `ValidationError`."""
    found = []
    for part in parts_of(w.name):
        with patch.dict(os.environ, _environment(manifests, w, part), clear=True):
            found.append(SETTINGS[part]())
    return found


def _edge(manifests: Manifests) -> EdgeSettings:
    (settings,) = _settings(manifests, manifests.workload("edge"))
    assert isinstance(settings, EdgeSettings)
    return settings


def closed(manifests: Manifests) -> Iterator[str]:
    """Nothing may be said or heard unless a policy says so; pods have to keep the strictest standard."""
    everything = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    if everything not in [policy["spec"] for policy in manifests.of("NetworkPolicy")]:
        yield "the network is open"
    for policy in manifests.of("NetworkPolicy"):
        spec = policy["spec"]
        if spec["podSelector"] and not manifests.selected(spec["podSelector"]):
            yield f"the policy {policy['metadata']['name']} is about nobody"
    for namespace in manifests.of("Namespace"):
        if namespace["metadata"]["labels"].get("pod-security.kubernetes.io/enforce") != "restricted":
            yield "the namespace takes any pod"
    names = {namespace["metadata"]["name"] for namespace in manifests.of("Namespace")}
    for each in manifests.objects:
        if each["kind"] != "Namespace" and {each["metadata"].get("namespace")} != names:
            yield f"{each['kind']} {each['metadata']['name']} is in no namespace, or in another one"


def connected(manifests: Manifests) -> Iterator[str]:
    """Whoever names another object names one that is there."""
    for service in manifests.of("Service"):
        found = manifests.selected({"matchLabels": service["spec"].get("selector", {"none": "at all"})})
        name = service["metadata"]["name"]
        if name == "nowhere":
            if found:
                yield "nowhere is somewhere"
            continue
        if len(found) != 1:
            yield f"the service {name} leads to {[w.name for w in found]}"
        for port in service["spec"]["ports"]:
            if any(port["targetPort"] not in w.ports for w in found):
                yield f"the service {name} leads to an unknown port"
    services = {s["metadata"]["name"]: s["spec"]["ports"] for s in manifests.of("Service")}
    for ingress in manifests.of("Ingress"):
        for rule in ingress["spec"]["rules"]:
            for path in rule["http"]["paths"]:
                backend = path["backend"]["service"]
                if backend["port"]["name"] not in [p["name"] for p in services.get(backend["name"], [])]:
                    yield f"{path['path']} leads nowhere"
    claims = {c["metadata"]["name"] for c in manifests.of("PersistentVolumeClaim")}
    for w in manifests.workloads():
        wanted = {v["name"] for c in w.containers for v in c.get("volumeMounts", [])}
        own = {v["name"] for v in w.pod.get("volumes", [])}
        made = {v["metadata"]["name"] for v in w.object["spec"].get("volumeClaimTemplates", [])}
        if wanted != own | made:
            yield f"{w.name} mounts {wanted} of {own | made}"
        for volume in w.pod.get("volumes", []):
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            if claim is not None and claim not in claims:
                yield f"{w.name} claims {claim}"
        governing = w.object["spec"].get("serviceName")
        if governing is not None and governing not in services:
            yield f"{w.name} has no service {governing}"


def _backends(manifests: Manifests) -> Iterator[str]:
    for ingress in manifests.of("Ingress"):
        for rule in ingress["spec"]["rules"]:
            yield from (path["backend"]["service"]["name"] for path in rule["http"]["paths"])


def operators_only(manifests: Manifests) -> Iterator[str]:
    """Figures and health of the edge are not for its visitors."""
    for ingress in manifests.of("Ingress"):
        for rule in ingress["spec"]["rules"]:
            closed_paths = {
                path["path"]
                for path in rule["http"]["paths"]
                if path["pathType"] == "Exact" and path["backend"]["service"]["name"] == "nowhere"
            }
            if missing := {"/metrics", "/healthz", "/readyz"} - closed_paths:
                yield f"visitors reach {missing}"


def streaming(manifests: Manifests) -> Iterator[str]:
    """The proxy is as patient as the edge, buffers no streams, takes its largest bodies, knows its names."""
    settings = _edge(manifests)
    for ingress in manifests.of("Ingress"):
        notes = ingress["metadata"]["annotations"]
        for prefix in ("nginx.org", "nginx.ingress.kubernetes.io"):
            if notes[f"{prefix}/proxy-buffering"].lower() not in ("false", "off"):
                yield f"{prefix} buffers streams"
            timeout_s = float(notes[f"{prefix}/proxy-read-timeout"].removesuffix("s"))
            if timeout_s < 2 * max(settings.wait_timeout_s, settings.ping_period_s):
                yield f"{prefix} gives up before the edge does"
        sizes = (
            notes["nginx.org/client-max-body-size"],
            notes["nginx.ingress.kubernetes.io/proxy-body-size"],
        )
        largest = max(settings.max_body_bytes, settings.max_run_input_bytes)
        if any(float(size.removesuffix("m")) * 2**20 < largest for size in sizes):
            yield "the proxy refuses bodies that the edge takes"
        hosts = {rule["host"] for rule in ingress["spec"]["rules"]}
        if not hosts <= set(settings.allowed_hosts):
            yield "visitors are refused under the name of the Ingress"
        if hosts != {host for tls in ingress["spec"]["tls"] for host in tls["hosts"]}:
            yield "without TLS"


def guarded(manifests: Manifests) -> Iterator[str]:
    """Somebody is asked who they are; the way back from the provider leads to a name that is let in; where a
    request comes from is what the Ingress says, which is also the only one that connects."""
    settings = _edge(manifests)
    if settings.asks_nobody or settings.edge_secret is None:
        yield "everybody is the same"
    if urlsplit(settings.public_url or "").hostname not in settings.allowed_hosts:
        yield "the public name is not let in"
    if not settings.trusted_proxies:
        yield "all visitors come from the address of the Ingress"
    if settings.max_connections_per_address < settings.max_connections:
        yield "the Ingress may not open as many connections as there are"


def replicated(manifests: Manifests) -> Iterator[str]:
    """Who is scaled has no number of its own (an `apply` would restore it); the others are at least two."""
    scaled = [
        o["spec"]["scaleTargetRef"]["name"]
        for kind in ("HorizontalPodAutoscaler", "ScaledObject")
        for o in manifests.of(kind)
    ]
    if len(set(scaled)) != len(scaled):
        yield "two autoscalers pull at one service"
    if unknown := set(scaled) - {w.name for w in manifests.services()}:
        yield f"{unknown} cannot be scaled"
    if not scaled:  # development
        return
    for o in [*manifests.of("HorizontalPodAutoscaler"), *manifests.of("ScaledObject")]:
        if o["spec"].get("minReplicas", o["spec"].get("minReplicaCount", 0)) < 2:
            yield f"{o['metadata']['name']} may be down to one"
    for w in manifests.services():
        if w.name in scaled and "replicas" in w.object["spec"]:
            yield f"{w.name} is scaled and has a number of its own"
        if w.name not in scaled and w.object["spec"].get("replicas", 1) < 2:
            yield f"{w.name} is one"
