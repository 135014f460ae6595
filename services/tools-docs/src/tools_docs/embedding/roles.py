"""Models such as E5 are told what a text is: a question, or a passage that may answer one."""

from collections.abc import Sequence
from typing import Protocol

from e5.wheel import PASSAGE, QUERY


class Encoder(Protocol):
    model: str

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text, in the same order. Raises `NoVectors`."""

    async def close(self) -> None:
        """Gives back what it has opened."""


class RoleEmbedder:
    """See `gateways.Embedder`."""

    def __init__(self, encoder: Encoder, query_prefix: str | None, passage_prefix: str | None) -> None:
        """Without prefixes those of E5, where a model is called so."""
        self.model = encoder.model
        self._encoder = encoder
        is_e5 = "e5" in encoder.model.lower()
        self._query = query_prefix if query_prefix is not None else QUERY * is_e5
        self._passage = passage_prefix if passage_prefix is not None else PASSAGE * is_e5

    async def question(self, text: str) -> Sequence[float]:
        return (await self._encoder.embed([self._query + text]))[0]

    async def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await self._encoder.embed([self._passage + text for text in texts])

    async def close(self) -> None:
        await self._encoder.close()
