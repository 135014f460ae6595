"""Changes the rules one by one and tells which changes no test has noticed.

    .venv/bin/python tests/mutation/mutate.py orchestrator.binding actionplanner

Each package is mutated by mutmut in a folder of its own, because mutmut wants one `src` at the root, and
tested with the unit tests of the same name. Property tests do not count: a rule is proved by a test that
names it.
"""

import argparse
import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "mutation"
MODULES = ("orchestrator", "actionplanner", "planner.rules")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
WIRING = ("app", "settings")
"""What they say is not proved by unit tests."""


@dataclass(frozen=True)
class Mutant:
    module: str
    function: str
    noticed: bool
    was: str
    becomes: str

    @property
    def key(self) -> tuple[str, str, str]:
        return f"{self.module}.{self.function}", self.was, self.becomes


def prepare(package: str, modules: Sequence[str]) -> Path:
    """A project as mutmut wants it: the sources of one package, the tests, and its settings."""
    place = WORK / package
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    [package_folder] = [*ROOT.glob(f"services/*/src/{package}"), *ROOT.glob(f"*/src/{package}")]
    (place / "src").symlink_to(package_folder.parent)
    (place / "tests").symlink_to(ROOT / "tests")
    paths = [f"src/{module.replace('.', '/')}" for module in modules]
    settings = {
        "source_paths": ["src"],
        "only_mutate": [f"{path}{end}" for path in paths for end in (".py", "/*.py")],
        "do_not_mutate": [f"src/{package}/{name}.py" for name in WIRING],
        "pytest_add_cli_args": ["-m", "not hypothesis"],
        "pytest_add_cli_args_test_selection": [f"tests/unit/{package}"],
    }
    lines = [f"{name} = {value!r}" for name, value in settings.items()]
    ours = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = "\n".join([ours, "[tool.mutmut]", *lines, "use_git_change_detection = false", ""])
    (place / "pyproject.toml").write_text(text, encoding="utf-8")
    return place


def run(place: Path, processes: int) -> list[Mutant]:
    """Make the mutants, run the tests on each, and read what came of it."""
    mutmut = [sys.executable, "-m", "mutmut"]
    subprocess.run([*mutmut, "run", "--max-children", str(processes)], cwd=place, check=True)
    said = subprocess.run(
        [*mutmut, "results", "--all", "true"], cwd=place, check=True, capture_output=True, text=True
    )
    told = [line.strip().rsplit(": ", 1) for line in said.stdout.splitlines()]
    by_module: dict[str, list[tuple[str, str]]] = {}
    for name, status in told:
        module, function = name.rsplit(".", 1)
        by_module.setdefault(module, []).append((function, status))
    return [each for module, named in by_module.items() for each in _mutants(place, module, named)]


def _mutants(place: Path, module: str, named: list[tuple[str, str]]) -> Iterator[Mutant]:
    path = place / "mutants" / "src" / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    functions = {
        node.name: node
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for name, status in named:
        mangled, _, _ = name.partition("__mutmut_")
        was, becomes = _difference(*(_lines(functions[each]) for each in (f"{mangled}__mutmut_orig", name)))
        function = mangled[2:].replace("ǁ", ".")
        yield Mutant(module, function, status in ("killed", "timeout"), was, becomes)


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """In the spelling of `ast`: mutants are known by it, however the code is laid out."""
    function.name = "_"
    return ast.unparse(function).splitlines()


def _difference(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    changes = list(ndiff(before, after))
    was, becomes = (" ".join(c[2:].strip() for c in changes if c.startswith(sign)) for sign in "-+")
    return was, becomes


def equivalents() -> dict[tuple[str, str, str], str]:
    """Mutants that behave like the original, with the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    return {(e["in"], e["was"], becomes): e["reason"] for e in entries for becomes in e["becomes"]}


def report(mutants: Sequence[Mutant], console: Console) -> bool:
    """Print what has survived and the score of each module; whether nothing has."""
    known = equivalents()
    alive = [m for m in mutants if not m.noticed]
    survivors = [m for m in alive if m.key not in known]
    for each in survivors:
        _tell(console, f"{each.module}.{each.function}", each.was, each.becomes)
    modules = {m.module for m in mutants}
    for place, was, becomes in known.keys() - {m.key for m in alive}:
        if any(place.startswith(f"{module}.") for module in modules):
            _tell(console, f"Listed as equivalent, but noticed or gone: {place}", was, becomes)
    table = Table("module", "mutants", "killed", "equivalent", "survivors", "score", box=None)
    for module in sorted(modules):
        made, lives, open_ = (sum(m.module == module for m in some) for some in (mutants, alive, survivors))
        score = (made - lives) / ((made - lives + open_) or 1)
        table.add_row(module, *map(str, (made, made - lives, lives - open_, open_)), f"{score:.0%}")
    console.print(table)
    return not survivors


def _tell(console: Console, title: str, was: str, becomes: str) -> None:
    console.print(f"\n{title}\n- {was}\n+ {becomes}", markup=False, highlight=False, soft_wrap=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--processes", type=int, default=2)
    wanted = parser.parse_args()
    mutants: list[Mutant] = []
    for package in dict.fromkeys(module.partition(".")[0] for module in wanted.modules):
        modules = [m for m in wanted.modules if m.partition(".")[0] == package]
        mutants += run(prepare(package, modules), wanted.processes)
    sys.exit(not report(mutants, Console(width=shutil.get_terminal_size((160, 50)).columns)))


if __name__ == "__main__":
    main()
