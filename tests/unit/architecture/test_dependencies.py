"""An image has what its package declares and nothing more: what is imported has to be declared."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = sorted(
    path.parent
    for pattern in ("contracts", "german", "swissgeo", "e5", "servicekit", "packages/*", "cli", "services/*")
    for path in ROOT.glob(f"{pattern}/pyproject.toml")
)
DISTRIBUTIONS = packages_distributions()


def normal(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=;!~@]", requirement)[0]).lower()


@cache
def brought_by(name: str) -> frozenset[str]:
    """A distribution and what it brings along; its extras too, whoever asks for them."""
    found = {name}
    try:
        wanted = requires(name) or []
    except PackageNotFoundError:
        return frozenset(found)
    names = {normal(each) for each in wanted if "extra ==" not in each}
    return frozenset(found.union(*map(brought_by, names - found)))


def declared(package: Path) -> set[str]:
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    found = {normal(project["name"])}
    optional = project.get("optional-dependencies", {}).values()
    for requirement in (*project["dependencies"], *chain.from_iterable(optional)):
        found |= brought_by(normal(requirement))
        extras = "".join(re.findall(r"\[(.+?)\]", requirement)).split(",")
        for extra in filter(None, extras):
            wanted = requires(normal(requirement)) or []
            found |= {normal(each) for each in wanted if f'"{extra}"' in each or f"'{extra}'" in each}
    return found


def imported(package: Path) -> Iterator[str]:
    """The top of each import from elsewhere."""
    own = {path.name for path in (package / "src").iterdir()}
    for path in (package / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            yield from ({name.partition(".")[0] for name in names} - own - sys.stdlib_module_names)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_what_is_imported_is_declared(package: Path) -> None:
    known = declared(package)
    found = set(imported(package))
    assert found or package.name == "swissgeo"
    assert {name for name in found if not known & {normal(d) for d in DISTRIBUTIONS[name]}} == set()
