"""An image has what its package declares and nothing more: what is imported has to be declared."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from itertools import chain
from pathlib import Path

import pytest

from .parsing import nodes, parsed

ROOT = Path(__file__).parents[3]
PACKAGES = sorted(
    path.parent
    for pattern in ("contracts", "german", "swissgeo", "e5", "servicekit", "packages/*", "cli", "services/*")
    for path in ROOT.glob(f"{pattern}/pyproject.toml")
)
DISTRIBUTIONS = packages_distributions()
KIT = ROOT / "servicekit/src/servicekit"


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


@cache
def imports(path: Path) -> frozenset[str]:
    """What a file imports, by its full name."""
    names: set[str] = set()
    for node in nodes(parsed(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def elsewhere(paths: Iterable[Path], own: set[str]) -> set[str]:
    """The top of each import from elsewhere."""
    tops = {name.partition(".")[0] for path in paths for name in imports(path)}
    return tops - own - sys.stdlib_module_names


def sources(package: Path) -> Iterator[Path]:
    return (package / "src").rglob("*.py")


def of_the_kit(paths: Iterable[Path], known: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """The modules of servicekit that files import, and those that these import."""
    names = (name.split(".") for path in paths for name in imports(path))
    found = {KIT / f"{name[1]}.py" for name in names if name[0] == KIT.name and len(name) > 1}
    new = {path for path in found - known if path.exists()}
    return of_the_kit(new, known | new) if new else known


def undeclared(package: Path, found: set[str]) -> set[str]:
    known = declared(package)
    return {name for name in found if not known & {normal(d) for d in DISTRIBUTIONS[name]}}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_what_is_imported_is_declared(package: Path) -> None:
    found = elsewhere(sources(package), {path.name for path in (package / "src").iterdir()})
    assert found or package.name == "swissgeo"
    assert undeclared(package, found) == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_who_imports_a_module_of_servicekit_asks_for_what_it_needs(package: Path) -> None:
    assert undeclared(package, elsewhere(of_the_kit(sources(package)), {KIT.name})) == set()
