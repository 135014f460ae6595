"""The Kubernetes manifests as a cluster would get them: rendered, with secrets, as plain objects."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pages
import yaml

DEPLOY = pages.ROOT / "deploy"
OVERLAYS = ("dev", "prod")
LONG_RUNNING = ("Deployment", "StatefulSet")

Object = dict[str, Any]
_EXPANSION = re.compile(r"\$\(([A-Z0-9_]+)\)")


def renderer() -> list[str]:
    """The program that renders a folder. Raises `RuntimeError` when there is none."""
    beside_python = str(Path(sys.executable).parent)
    if found := shutil.which("kustomize", path=beside_python) or shutil.which("kustomize"):
        return [found, "build"]
    if found := shutil.which("kubectl"):
        return [found, "kustomize"]
    raise RuntimeError("neither kustomize 5 nor kubectl 1.27 is installed: tests/deploy/kustomize.sh")


def render(
    folder: Path, overlay: str, add: Sequence[str] = (), drop: Sequence[str] = ()
) -> tuple[Object, ...]:
    """An overlay, rendered in a copy below `folder`: with fresh secrets, with or without some components."""
    copy = folder / "deploy"
    for name in ("k8s", "nats"):
        shutil.copytree(DEPLOY / name, copy / name)
    place = copy / "k8s" / "overlays" / overlay
    (place / "secrets.env").write_text(secrets(place), encoding="utf-8")
    kustomization = place / "kustomization.yaml"
    document = yaml.safe_load(kustomization.read_text(encoding="utf-8"))
    kept = [path for path in document["components"] if Path(path).name not in drop]
    added = [f"../../components/{name}" for name in add]
    # The others say where Redis and the prints are.
    first = [path for path in added if Path(path).name == "compact"]
    document["components"] = [*first, *kept, *(path for path in added if path not in first)]
    if "tools-mcp" in add:
        document["images"].append({"name": "ask-sogis/tools-mcp", "newTag": "dev"})
    kustomization.write_text(yaml.safe_dump(document), encoding="utf-8")
    done = subprocess.run([*renderer(), str(place)], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{overlay} cannot be rendered: {done.stderr}")
    return tuple(yaml.safe_load_all(done.stdout))


def secrets(place: Path) -> str:
    """What somebody who follows the documentation puts into `secrets.env`."""
    made = subprocess.run(["sh", DEPLOY / "secrets.sh"], capture_output=True, text=True, check=True).stdout
    example = place / "secrets.example.env"
    further = example.read_text(encoding="utf-8") if example.exists() else ""
    return made + further


@dataclass(frozen=True)
class Workload:
    """Something that runs pods, and their specification."""

    kind: str
    name: str
    object: Object

    @property
    def template(self) -> Object:
        found: Object = self.object["spec"]["template"]
        return found

    @property
    def pod(self) -> Object:
        found: Object = self.template["spec"]
        return found

    @property
    def labels(self) -> dict[str, str]:
        found: dict[str, str] = self.template["metadata"]["labels"]
        return found

    @property
    def containers(self) -> list[Object]:
        return [*self.pod.get("initContainers", []), *self.pod["containers"]]

    @property
    def ports(self) -> dict[str, int]:
        return {p["name"]: p["containerPort"] for c in self.containers for p in c.get("ports", [])}


class Manifests:
    """All objects of one installation."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self.objects = list(objects)

    def of(self, kind: str) -> list[Object]:
        return [each for each in self.objects if each["kind"] == kind]

    def one(self, kind: str, name: str) -> Object:
        """Raises `KeyError`."""
        for each in self.of(kind):
            if each["metadata"]["name"] == name:
                return each
        raise KeyError(f"{kind} {name}")

    def workloads(self, *kinds: str) -> list[Workload]:
        return [
            Workload(each["kind"], each["metadata"]["name"], each)
            for each in self.objects
            if each["kind"] in (kinds or (*LONG_RUNNING, "Job"))
        ]

    def workload(self, name: str) -> Workload:
        """Raises `StopIteration`."""
        return next(w for w in self.workloads() if w.name == name)

    def services(self) -> list[Workload]:
        """The Deployments of our own services."""
        component = "app.kubernetes.io/component"
        return [w for w in self.workloads("Deployment") if w.labels.get(component) == "service"]

    def selected(self, selector: Object) -> list[Workload]:
        """Whose pods a label selector means; an empty one means all."""
        return [w for w in self.workloads() if matches(selector, w.labels)]

    def secret(self, name: str) -> dict[str, str]:
        """The keys of a Secret; the values stay encoded. Raises `KeyError`."""
        return dict(self.one("Secret", name).get("data", {}))

    def environment(self, container: Object) -> dict[str, str]:
        """What a process finds in its environment, in the order of Kubernetes. Raises `KeyError`.

        A secret is stood for by a word of its own.
        """
        found: dict[str, str] = {}
        for source in container.get("envFrom", []):
            if reference := source.get("secretRef"):
                found |= {key: stand_in(key) for key in self.secret(reference["name"])}
            else:
                found |= self.one("ConfigMap", source["configMapRef"]["name"])["data"]
        for variable in container.get("env", []):
            name, origin = variable["name"], variable.get("valueFrom") or {}
            if reference := origin.get("secretKeyRef"):
                if reference["key"] in self.secret(reference["name"]):
                    found[name] = stand_in(reference["key"])
                elif not reference.get("optional"):
                    raise KeyError(f"secret {reference['key']} of {name}")
            elif "fieldRef" in origin:
                found[name] = "nats-0"
            else:
                found[name] = _EXPANSION.sub(lambda m: found[m.group(1)], str(variable.get("value", "")))
        return found


Rule = Callable[[Manifests], Iterator[str]]
"""Yields one sentence for each violation."""


def stand_in(key: str) -> str:
    """In the place of a secret: long enough, of letters and digits, and of that secret only."""
    words = {"REDIS_URL": "redis://redis.example.org:6379/0", "DOCS_INDEX": "postgresql://example.org/ask"}
    return words.get(key, f"secret0{key.lower().replace('_', '')}{'0' * 20}")


def matches(selector: Object, labels: dict[str, str]) -> bool:
    """A label selector, as Kubernetes reads it."""
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for expression in selector.get("matchExpressions", []):
        if expression["operator"] != "In":
            raise NotImplementedError(expression["operator"])
        if labels.get(expression["key"]) not in expression["values"]:
            return False
    return True


def secret_keys(workload: Workload) -> Iterator[str]:
    """The keys of secrets that a workload gets; `*` is all of one."""
    for container in workload.containers:
        for source in container.get("envFrom", []):
            if "secretRef" in source:
                yield "*"
        for variable in container.get("env", []):
            if reference := (variable.get("valueFrom") or {}).get("secretKeyRef"):
                yield reference["key"]
    for volume in workload.pod.get("volumes", []):
        if secret := volume.get("secret"):
            yield from (item["key"] for item in secret.get("items", [{"key": "*"}]))


def quantity(text: str) -> float:
    """A quantity of Kubernetes as a number: `250m`, `128Mi`, `1`."""
    units = {"m": 1e-3, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    for unit, factor in units.items():
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    return float(text)


def config_files(manifests: Manifests, prefix: str, folder: Path) -> None:
    """Writes the files of a generated ConfigMap, as a pod finds them."""
    found = [
        m for m in manifests.of("ConfigMap") if re.fullmatch(f"{prefix}(-[a-z0-9]+)?", m["metadata"]["name"])
    ]
    assert len(found) == 1, [m["metadata"]["name"] for m in found]
    for name, text in found[0]["data"].items():
        (folder / name).write_text(text, encoding="utf-8")


def process_environment(variables: dict[str, str]) -> dict[str, str]:
    """Nothing of this machine but its PATH."""
    return {"PATH": os.environ["PATH"], **variables}
