"""Vectors of texts from any endpoint that speaks OpenAI's protocol."""

import asyncio
from collections.abc import Sequence

from openai import AsyncOpenAI, OpenAIError
from servicekit.asking import asking
from servicekit.llm import failure

from tools_docs.errors import NoVectors

_MAX_INPUT_CHARS = 8_000
"""Models take some thousand tokens; a passage is far shorter, a pasted question may not be."""


class EndpointEncoder:
    """See `roles.Encoder`."""

    def __init__(self, client: AsyncOpenAI, model: str, timeout_s: float) -> None:
        self.model = model
        self._client = client
        self._timeout_s = timeout_s

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            with asking(self.model, operation="embeddings") as call:
                async with asyncio.timeout(self._timeout_s):
                    answer = await self._client.embeddings.create(
                        model=self.model,
                        input=[each[:_MAX_INPUT_CHARS] for each in texts],
                        encoding_format="float",
                    )
                if answer.usage is not None:
                    call.used(answer.usage.prompt_tokens)
        except TimeoutError:
            raise NoVectors("timeout") from None
        except OpenAIError as error:
            raise NoVectors(failure(error).reason) from None
        vectors = [each.embedding for each in sorted(answer.data, key=lambda each: each.index)]
        if len(vectors) != len(texts) or not all(vectors) or len({len(v) for v in vectors}) > 1:
            raise NoVectors("protocol")
        return vectors

    async def close(self) -> None:
        await self._client.close()
