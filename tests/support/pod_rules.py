"""What every pod has to keep. A rule yields one sentence for each violation."""

import re
from collections.abc import Iterator

import pages
from manifests import LONG_RUNNING, Manifests, Workload, quantity

MEASURED_MB = 83
"""The largest service of docs/performance.md; nobody asks for less memory than it will use."""


def nobody_in_particular(manifests: Manifests) -> Iterator[str]:
    """Pods run as a user without rights, under the seccomp profile of the runtime."""
    for w in manifests.workloads():
        context = w.pod.get("securityContext", {})
        if not context.get("runAsNonRoot") or context.get("runAsUser", 0) < 10_000:
            yield f"{w.name} may run as root"
        if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{w.name} has no seccomp profile"


def contained(manifests: Manifests) -> Iterator[str]:
    """Containers cannot write to their image, gain rights, or see their node."""
    for w in manifests.workloads():
        for shared in ("hostNetwork", "hostPID", "hostIPC"):
            if w.pod.get(shared):
                yield f"{w.name} has {shared}"
        if any("hostPath" in volume for volume in w.pod.get("volumes", [])):
            yield f"{w.name} mounts a folder of its node"
        for container in w.containers:
            context = container.get("securityContext", {})
            if not context.get("readOnlyRootFilesystem"):
                yield f"{w.name} can write to its image"
            if context.get("allowPrivilegeEscalation") is not False or context.get("privileged"):
                yield f"{w.name} can gain rights"
            capabilities = context.get("capabilities", {})
            if capabilities.get("drop") != ["ALL"] or capabilities.get("add"):
                yield f"{w.name} has capabilities"
            if context.keys() & {"runAsUser", "runAsNonRoot", "runAsGroup", "seccompProfile"}:
                yield f"{w.name} has a container with a user of its own"


def no_token(manifests: Manifests) -> Iterator[str]:
    """Nobody gets a token for the API of the cluster, nor variables that look like settings."""
    for w in manifests.workloads():
        if w.pod.get("automountServiceAccountToken") is not False or "serviceAccountName" in w.pod:
            yield f"{w.name} gets a token"
        if w.pod.get("enableServiceLinks") is not False:
            yield f"{w.name} gets service links"
    if extra := [o["kind"] for o in manifests.objects if o["kind"].endswith(("Role", "RoleBinding"))]:
        yield f"there are {extra}"


def limited(manifests: Manifests) -> Iterator[str]:
    """Requests and limits of processor and memory; temporary files too."""
    for w in manifests.workloads():
        for container in w.containers:
            resources = container.get("resources", {})
            for what in ("cpu", "memory"):
                request = quantity(resources.get("requests", {}).get(what, "0"))
                limit = quantity(resources.get("limits", {}).get(what, "0"))
                if not 0 < request <= limit:
                    yield f"{w.name} has no limits for {what}"
                if what == "memory" and w.kind == "Deployment" and request < MEASURED_MB * 10**6:
                    yield f"{w.name} will use more memory than it asks for"
        for volume in w.pod.get("volumes", []):
            if "emptyDir" in volume and "sizeLimit" not in volume["emptyDir"]:
                yield f"{w.name} may fill the disk of its node"


def probed(manifests: Manifests) -> Iterator[str]:
    """Start, life and readiness are asked for, at ports that the container names."""
    for w in manifests.workloads(*LONG_RUNNING):
        for container in w.pod["containers"]:
            for name in ("startupProbe", "livenessProbe", "readinessProbe"):
                probe = container.get(name)
                if probe is None:
                    yield f"{w.name} has no {name}"
                    continue
                where = probe.get("httpGet") or probe.get("tcpSocket") or {}
                if where and where["port"] not in w.ports:
                    yield f"{w.name}: {name} asks an unknown port"
                if w.labels.get("app.kubernetes.io/component") == "service":
                    path = "/readyz" if name == "readinessProbe" else "/healthz"
                    if where.get("path") != path or where["port"] != "health":
                        yield f"{w.name}: {name} does not ask {path}"


def pinned(manifests: Manifests) -> Iterator[str]:
    """Images have a version."""
    for w in manifests.workloads():
        for container in w.containers:
            name, _, tag = container["image"].rpartition("/")[2].partition(":")
            if "@sha256:" not in container["image"] and (not tag or tag == "latest"):
                yield f"{w.name} takes any version of {name}"


def built(manifests: Manifests) -> Iterator[str]:
    """Our images are targets of the Dockerfile, and each service runs its own."""
    text = (pages.ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^FROM runtime AS (\S+)$", text, re.MULTILINE))
    for w in manifests.workloads("Deployment", "Job"):
        for container in w.containers:
            name = container["image"].rpartition("/")[2].partition(":")[0]
            if name not in targets:
                yield f"{w.name}: no image {name} is built"
            if name != ("ask" if w.kind == "Job" else w.name):
                yield f"{w.name} runs {name}"


def disruptable(manifests: Manifests) -> Iterator[str]:
    """Each has one budget that lets one pod go: none keeps a node from being emptied."""
    for w in manifests.workloads(*LONG_RUNNING):
        budgets = [
            b["spec"] for b in manifests.of("PodDisruptionBudget") if w in _selected(manifests, b["spec"])
        ]
        if [b.get("maxUnavailable") for b in budgets] != [1]:
            yield f"{w.name} has no budget, or several"
    for budget in manifests.of("PodDisruptionBudget"):
        if len(_selected(manifests, budget["spec"])) != 1:
            yield f"the budget {budget['metadata']['name']} is not about one"


def _selected(manifests: Manifests, spec: dict[str, object]) -> list[Workload]:
    selector = spec["selector"]
    assert isinstance(selector, dict)
    return manifests.selected(selector)


def spread(manifests: Manifests) -> Iterator[str]:
    """Over machines and zones, each service by itself; servers of a cluster never two on one machine."""
    for w in manifests.workloads(*LONG_RUNNING):
        if w.name == "redis":  # a single one
            continue
        constraints = {c["topologyKey"]: c for c in w.pod.get("topologySpreadConstraints", [])}
        if constraints.keys() != {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}:
            yield f"{w.name} may be on one machine as a whole"
            continue
        for constraint in constraints.values():
            only = {**constraint["labelSelector"]["matchLabels"]}
            if "app.kubernetes.io/name" not in {*only, *constraint.get("matchLabelKeys", [])}:
                yield f"{w.name} is spread together with others"
            if w not in manifests.selected(constraint["labelSelector"]):
                yield f"{w.name} is spread by the labels of others"
        cluster = w.kind == "StatefulSet" and w.object["spec"].get("replicas", 1) > 1
        if cluster and constraints["kubernetes.io/hostname"]["whenUnsatisfiable"] != "DoNotSchedule":
            yield f"two of {w.name} may be on one machine"
