"""docs/deploy.md names what there is: folders, files, metrics, settings."""

import re

import pages
from prometheus_client import REGISTRY
from servicekit import lag, telemetry
from servicekit.settings import ServiceSettings

import orchestrator.metrics
from edge import metrics
from edge.settings import EdgeSettings
from tools_docs.postgres.schema import SCHEMA

PAGE = pages.ROOT / "docs" / "deploy.md"
TEXT = PAGE.read_text(encoding="utf-8")
K8S = pages.ROOT / "deploy" / "k8s"


def test_every_folder_of_the_manifests_is_described() -> None:
    named = {
        name
        for row in pages.table(PAGE, "What is where", "folder")
        for name in re.findall(r"`(.+?)`", row["folder"])
    }
    there = {str(path.parent.relative_to(K8S)) for path in K8S.rglob("kustomization.yaml")}
    assert named == there | {"volume.yaml"}


def test_files_of_the_repository_are_there() -> None:
    named = set(re.findall(r"\b((?:deploy|tests|bench|docs)/[\w./-]*\w)", TEXT)) - {
        "deploy/k8s/overlays/dev/secrets.env"
    }
    assert len(named) >= 8
    assert {name for name in named if not (pages.ROOT / name).exists()} == set()


def test_alerts_are_about_metrics_that_exist() -> None:
    assert telemetry and lag and metrics and orchestrator.metrics  # they register them
    known = {m.name for m in REGISTRY.collect()}
    named = set(re.findall(r"\bask_[a-z_]+", TEXT)) - {SCHEMA}
    assert named and {name for name in named if name.removesuffix("_total") not in known} == set()


def test_values_of_settings_are_those_of_the_settings() -> None:
    defaults = {name.upper(): field.default for name, field in EdgeSettings.model_fields.items()}
    assert ServiceSettings.model_fields["max_concurrency"].default == 64
    for name, value in re.findall(r"`([A-Z_]{4,})` \((\d+)\)", TEXT):
        assert str(defaults[name]) == value, name
