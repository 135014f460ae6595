"""A responder with the real client, talking to a local server."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from servicekit.completions import LanguageModel
from streaming_openai import StreamingOpenAI

from responder.answering import Responder
from responder.llm.writer import ModelWriter
from responder.settings import Settings


@pytest.fixture
def openai() -> Iterator[StreamingOpenAI]:
    server = StreamingOpenAI()
    yield server
    server.stop()


@pytest.fixture
async def make_responder(openai: StreamingOpenAI) -> AsyncIterator[Callable[..., Responder]]:
    """Makes responders wired as the service wires them; keywords are settings."""
    async with AsyncExitStack() as stack:

        def make(**values: Any) -> Responder:
            endpoint = {"openai_api_key": "sk-for-tests-only", "openai_base_url": openai.base_url}
            bounds = {"openai_timeout_s": 5, "openai_max_retries": 0}
            settings = Settings(**{**endpoint, **bounds, **values})
            model = LanguageModel(settings, settings.answer_model)
            stack.push_async_callback(model.close)
            return Responder(ModelWriter(model, settings), settings)

        yield make
