"""A planner with the real client, talking to a local server."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from servicekit.completions import LanguageModel
from solothurn import VOCABULARY

from planner.llm.planner import LlmPlanner
from planner.planning import Planner
from planner.rules.reading.known import knowing

from .fake_openai import API_KEY, FakeOpenAI
from .llm_kit import MakePlanner, settings


@pytest.fixture(autouse=True)
def names() -> Iterator[None]:
    """Messages are read with the names of the packaged data."""
    with knowing(VOCABULARY):
        yield


@pytest.fixture
def openai() -> Iterator[FakeOpenAI]:
    server = FakeOpenAI()
    yield server
    server.stop()
    assert server.surprises == []


@pytest.fixture
async def make_planner(openai: FakeOpenAI) -> AsyncIterator[MakePlanner]:
    """Makes planners wired as the service wires them; keywords are settings."""
    async with AsyncExitStack() as stack:

        def make(stand_in: Planner | None = None, *, base_url: str = "", **values: Any) -> LlmPlanner:
            endpoint = {"openai_api_key": API_KEY, "openai_base_url": base_url or openai.base_url}
            chosen = settings(**{"openai_timeout_s": 5, **endpoint, **values})
            model = LanguageModel(chosen, chosen.plan_model)
            stack.push_async_callback(model.close)
            return LlmPlanner(model, chosen, stand_in)

        yield make
