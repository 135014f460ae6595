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
CONFIG = Path(__file__).with_name("schemathesis.toml")
SEED = 11
EXAMPLES = 5
"""For each operation, beside those that cover the limits of its schema, which are many more."""
LEAST_CASES = 500


async def fuzzed(url: str, folder: Path, *more: str) -> tuple[dict[str, Any], str]:
    """The report of Schemathesis with all its checks, and what it printed."""
    report = folder / "report.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG)),
        *(
            "run",
            f"{url}/openapi.json",
            "--workers",
            "4",
            "--checks",
            "all",
            "--seed",
            str(SEED),
            "--continue-on-failure",
            "--no-color",
        ),
        *("--suppress-health-check", "all", "--generation-database", "none", "--request-timeout", "40"),
        *("--report", "json", "--report-json-path", str(report), *more),
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": str(HOOKS)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed = (await process.communicate())[0].decode()
    assert report.exists(), printed
    return json.loads(report.read_text()), printed


async def test_the_answers_are_those_of_the_description(tmp_path: Path, attack: Told, scale: int) -> None:
    async with running(tmp_path) as system:
        report, printed = await fuzzed(
            system.stack.url, tmp_path, "--max-examples", str(EXAMPLES * scale * scale)
        )
    cases, operations = report["test_cases"], report["operations"]
    attack(
        f"{cases['generated']} requests made from the description, all checks, stateful too",
        f"{cases['unique_failures']} answers that it does not promise",
    )
    assert (report["failures"], report["errors"], report["exit_code"]) == ([], [], 0), printed
    assert report["complete"] and operations["tested"] == operations["total"], printed
    assert all(phase["status"] == "success" for phase in report["phases"].values()), printed
    assert cases["generated"] >= LEAST_CASES * scale, printed
    assert not report["warnings"]["unsupported_regex"], printed
    assert not report["warnings"]["missing_deserializer"], printed
