"""Which planner a process gets, by its environment."""

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import cast

import pytest
from contracts.messages import PlanRequested
from e5.wheel import weights
from pydantic import ValidationError
from servicekit.service import Service

from planner.app import planner_for
from planner.settings import Settings

from .fake_openai import API_KEY, Fails, FakeOpenAI, Says
from .llm_kit import GOOD, TOOLS, request


class Process:
    """What the wiring needs of a service."""

    def __init__(self) -> None:
        self.stops: list[Callable[[], Awaitable[None]]] = []

    def on_stop(self, hook: Callable[[], Awaitable[None]]) -> None:
        self.stops.append(hook)


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "FALLBACK_TO_RULES"):
        monkeypatch.delenv(name, raising=False)


async def planner_of(asked: PlanRequested) -> str:
    """Who has made the plan."""
    process = Process()
    planned = await planner_for(cast("Service", process), Settings()).plan(asked, TOOLS)
    for stop in process.stops:
        await stop()
    return planned.planner


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_the_rules_plan(monkeypatch: pytest.MonkeyPatch, key: str | None) -> None:
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    process = Process()
    assert planner_for(cast("Service", process), Settings()).name == "rules"
    assert process.stops == []


async def test_with_a_key_the_model_plans(openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", API_KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai.base_url)
    openai.will(Says(GOOD))
    assert await planner_of(request()) == "gpt-5-mini"
    assert openai.only_request.body["model"] == "gpt-5-mini"


@pytest.mark.parametrize(("setting", "expected"), [("true", True), ("false", False)])
async def test_the_rules_stand_in_unless_they_may_not(
    openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, setting: str, expected: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", API_KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai.base_url)
    monkeypatch.setenv("FALLBACK_TO_RULES", setting)
    openai.will(Fails(401))
    name = await planner_of(request("Lade den Gewässerschutzlayer"))
    assert name == ("rules (fallback)" if expected else "gpt-5-mini")


def test_the_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", API_KEY)
    assert API_KEY not in repr(Settings())


@pytest.mark.parametrize("retries", [-1, 2])
def test_more_than_one_retry_is_refused(retries: int) -> None:
    with pytest.raises(ValidationError):
        Settings(openai_max_retries=retries)


@pytest.mark.skipif(weights() is None, reason="the weights are there for Linux on x86-64 only")
def test_numpy_is_not_loaded_before_a_message_leaves_doubts() -> None:
    said = "Lade Karst"
    planned = "import planner.app, planner.rules, sys; from contracts.session import Session; "
    planned += "from planner.rules.reading.known import knowing; from solothurn import VOCABULARY\n"
    planned += f"with knowing(VOCABULARY): planner.rules.plan({said!r}, Session(), ())\n"
    planned += "sys.exit('numpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", planned], env=environment, check=False).returncode == 0


@pytest.mark.skipif(weights() is None, reason="the weights are there for Linux on x86-64 only")
def test_one_sentence_at_a_time_is_embedded_by_one_thread() -> None:
    sensed = "import os, sys; from planner.rules.learned.sense import sense_of; "
    sensed += "sense_of('Wo holt man hier Kies?'); sys.exit(len(os.listdir('/proc/self/task')) > 1)"
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    assert subprocess.run([sys.executable, "-c", sensed], env=environment, check=False).returncode == 0
