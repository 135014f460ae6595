"""The examples of the Python client, as their readers start them."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from .running import System

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
SAID = {
    "chat": (
        "ok: Adresse Langendorfstrasse 19b zentriert.\n  setView\n  addMarker\n",
        "ok: Gewässerschutz-Layer geladen.\n  addLayer\n",
        "rund 460 m ü. M.",
    ),
    "choice": ("  2. EGRID CH710620327442", "ÖREB-Auszug für CH710620327442 bereit.\n"),
    "stream": ("… geolocation.municipality\n", "apply setView\n", "«Die Abgabe beträgt 20 Prozent", "\nok\n"),
    "documents": (
        "148 Liter je Person und Tag.» [1]",
        "[1] Jahresbericht 2022 zur Wasserversorgung, https://",
    ),
    "together": ("2'607'094", "2'635'345", "2'596'632", "404 turn_not_found\n"),
}
"""What is seen of each, in this order."""


async def test_all_examples_are_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == SAID.keys()


@pytest.mark.parametrize("name", SAID)
async def test_an_example_does_what_it_says(system: System, name: str) -> None:
    environment = {**os.environ, "ASK_URL": system.stack.url, "PYTHONUNBUFFERED": "1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLES / f"{name}.py"), env=environment, stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, err.decode()) == (0, "")
    shown, at = out.decode(), 0
    for words in SAID[name]:
        assert words in shown[at:], shown
        at = shown.index(words, at)
