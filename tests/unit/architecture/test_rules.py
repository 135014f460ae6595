"""What the architecture forbids, read from the source."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from contracts.agents import Agent, only_intent
from contracts.subjects import TOOL_FAMILIES

from .parsing import imports, nodes, parsed

ROOT = Path(__file__).parents[3]
SERVICES = sorted(path.parent for path in ROOT.glob("services/*/pyproject.toml"))
PACKAGES = {path.parent.name: path.parent for path in ROOT.glob("services/*/src/*/__init__.py")}
SKELETON = {"__init__.py", "py.typed", "app.py", "handlers.py", "settings.py", "texts.py", "texts.toml"}
BUS_WORDS = {"nats", "faststream"}


def modules(package: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGES[package].rglob("*.py")):
        yield path, parsed(path)


def roots(tree: ast.Module) -> set[str]:
    return {name.partition(".")[0] for name in imports(tree)}


def test_there_are_services_to_look_at() -> None:
    assert {"edge", "orchestrator", "planner", "actionplanner", "tools_geo", "tools_oereb"} <= PACKAGES.keys()


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_a_service_imports_no_other_service(package: str) -> None:
    others = PACKAGES.keys() - {package}
    for path, tree in modules(package):
        assert not roots(tree) & others, path


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_every_service_has_the_same_files(package: str) -> None:
    assert {path.name for path in PACKAGES[package].iterdir()} >= SKELETON


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_the_entry_point_only_wires(package: str) -> None:
    lines = (PACKAGES[package] / "app.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_no_service_goes_past_servicekit_to_the_bus(package: str) -> None:
    for path, tree in modules(package):
        assert not roots(tree) & BUS_WORDS, path


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_domain_modules_do_not_know_the_bus(package: str) -> None:
    wiring = {"app.py", "handlers.py", "settings.py"}
    for path, tree in modules(package):
        if path.name in wiring or package == "edge":
            continue
        known = {name for name in imports(tree) if name.startswith("servicekit")}
        if package == "orchestrator" and path.name == "publisher.py":
            known -= {"servicekit.bus"}
        assert "servicekit.bus" not in known and "servicekit.service" not in known, path


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_subjects_are_not_spelled_out(package: str) -> None:
    subject = re.compile(
        r"^(chat|plan|actionplan|answer)\.(requested|ready)$|^tool\.(call|result)\b|^turn\.event|^dead\."
    )
    for path, tree in modules(package):
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not subject.match(node.value), f"{path}:{node.lineno}"


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_german_sentences_live_in_the_catalogue(package: str) -> None:
    sentence = re.compile(r"\b(Bitte|nicht|wurde|wurden|keine|kein|konnte)\b")
    for path, tree in modules(package):
        if "rules" in path.parts or path.name == "examples.py":
            continue
        docstrings = {
            id(node.body[0].value)
            for node in nodes(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                assert not sentence.search(node.value), f"{path}:{node.lineno}: {node.value!r}"


def test_the_core_of_the_orchestrator_is_pure() -> None:
    allowed = {
        "contracts",
        "orchestrator",
        "jsonschema",
        "dataclasses",
        "datetime",
        "typing",
        "enum",
        "collections",
        "functools",
        "hmac",
        "itertools",
        "json",
        "pydantic",
        "pydantic_core",
    }
    shell = {"service.py", "publisher.py", "store.py", "metrics.py"}
    core = [(path, tree) for path, tree in modules("orchestrator") if path.name not in SKELETON | shell]
    assert {"turn.py", "transition.py", "steps.py", "research.py"} <= {path.name for path, _ in core}
    for path, tree in core:
        assert roots(tree) <= allowed, path
        assert not any(
            name.startswith("orchestrator.") and f"{name[13:]}.py" in shell for name in imports(tree)
        )
        assert ".now(" not in ast.unparse(tree), path


def test_the_orchestrator_knows_no_tool_and_no_special_agent_by_its_name() -> None:
    families = {family for of_service in TOOL_FAMILIES.values() for family in of_service}
    special = {agent for agent in get_args(Agent) if only_intent(agent) is not None}
    assert families and special
    for path, tree in modules("orchestrator"):
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                family, dot, name = node.value.partition(".")
                named = family in families and dot and name.isidentifier()
                assert not named and node.value not in special, f"{path}:{node.lineno}"


def test_contracts_do_no_io() -> None:
    allowed = {"contracts", "pydantic", "dataclasses", "datetime", "typing", "enum", "collections", "re"}
    allowed |= {"functools", "html", "markdown_it", "operator", "pydantic_core", "urllib"}
    for path in (ROOT / "contracts" / "src").rglob("*.py"):
        assert roots(parsed(path)) <= allowed, path


@pytest.mark.parametrize(
    ("package", "libraries"), [("german", {"Stemmer", "rapidfuzz", "importlib"}), ("swissgeo", {"math"})]
)
def test_words_and_geometry_do_no_io_and_know_no_other_package(package: str, libraries: set[str]) -> None:
    allowed = {package, "calendar", "collections", "dataclasses", "datetime", "functools", "itertools", "re"}
    allowed |= {"typing", "unicodedata"} | libraries
    for path in (ROOT / package / "src").rglob("*.py"):
        assert roots(parsed(path)) <= allowed, path


def test_vectors_know_numpy_alone_and_their_weights_are_found_without_it() -> None:
    for path in (ROOT / "e5" / "src").rglob("*.py"):
        known = roots(parsed(path))
        assert known <= {"e5", "numpy"} | sys.stdlib_module_names, path
        assert path.name == "model.py" or "numpy" not in known, path


def test_what_others_install_knows_the_contracts_and_http_alone() -> None:
    allowed = {"ask_sogis", "contracts", "httpx", "pydantic", "pydantic_core"} | sys.stdlib_module_names
    shell = {"__init__.py", "aio.py", "client.py", "wire.py"}
    for path in (ROOT / "packages" / "ask-sogis" / "src").rglob("*.py"):
        known = roots(parsed(path))
        assert known <= allowed, path
        assert path.name in shell or not known & {"httpx", "time", "asyncio", "threading", "socket"}, path


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_every_module_is_short_enough_to_read(service: Path) -> None:
    for path in service.rglob("src/**/*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path
