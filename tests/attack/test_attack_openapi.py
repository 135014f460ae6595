"""Everything that the OpenAPI description allows, and what it does not: the answers are those it promises."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.e2e.running import running

from .conftest import Told

HOOKS = Path(__file__).parents[1] / "support" / "fuzzing_hooks.py"
SEED = 11
EXAMPLES = 30
"""For each operation; beside them come those that show each rule of a schema, which are a hundred times more
for large ones."""
LEAST_CASES = 500
SHORT = (
    ("--phases", "examples,fuzzing,stateful"),
    # Each rule of operations that are quick to answer.
    ("--phases", "coverage", "--exclude-method", "POST"),
)
LONG = ((),)


async def fuzzed(url: str, folder: Path, examples: int, *more: str) -> tuple[dict[str, Any], str]:
    """The report of Schemathesis with all its checks, and what it printed."""
    report = folder / "report.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json", "--checks", "all", *more),
        *("--seed", str(SEED), "--max-examples", str(examples), "--continue-on-failure", "--no-color"),
        *("--suppress-health-check", "all", "--generation-database", "none", "--request-timeout", "40"),
        *("--report", "json", "--report-json-path", str(report)),
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": str(HOOKS)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        printed = (await process.communicate())[0].decode()
    finally:
        if process.returncode is None:
            process.kill()
    assert report.exists(), printed
    return json.loads(report.read_text()), printed


async def test_the_answers_are_those_of_the_description(tmp_path: Path, attack: Told, scale: int) -> None:
    async with running(tmp_path) as system:
        runs = [
            await fuzzed(system.stack.url, tmp_path, EXAMPLES * scale, *more)
            for more in (SHORT if scale == 1 else LONG)
        ]
    reports = [report for report, _ in runs]
    cases = sum(report["test_cases"]["generated"] for report in reports)
    wrong = sum(report["test_cases"]["unique_failures"] for report in reports)
    attack(
        f"{cases} requests made from the description, all checks, stateful too",
        f"{wrong} answers that it does not promise",
    )
    for report, printed in runs:
        assert (report["failures"], report["errors"], report["exit_code"]) == ([], [], 0), printed
        assert report["complete"] and not report["operations"]["errored"], printed
        assert not report["warnings"]["unsupported_regex"], printed
        assert not report["warnings"]["missing_deserializer"], printed
    assert reports[0]["operations"]["tested"] == reports[0]["operations"]["total"] > 10
    assert cases >= LEAST_CASES * scale
