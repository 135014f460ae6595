"""A responder with the real client, talking to a local server."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from servicekit.llm import openai_client
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
            settings = Settings(**{"openai_timeout_s": 5, "openai_max_retries": 0, **values})
            client = openai_client(
                api_key="sk-for-tests-only",
                base_url=openai.base_url,
                timeout_s=settings.openai_timeout_s,
                max_retries=settings.openai_max_retries,
                max_retry_pause_s=settings.openai_max_retry_pause_s,
            )
            stack.push_async_callback(client.close)
            return Responder(ModelWriter(client, settings), settings)

        yield make
