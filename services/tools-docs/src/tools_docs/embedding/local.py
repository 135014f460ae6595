"""The model that comes with a wheel, in a thread of its own."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from e5.wheel import MODEL

from tools_docs.errors import NoVectors

if TYPE_CHECKING:
    from e5.model import E5


class LocalEncoder:
    """See `roles.Encoder`. An idle service does not pay for the model: the first text loads it."""

    model = MODEL

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: E5 | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedding")

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._embed, list(texts))
        except (OSError, ValueError) as error:
            raise NoVectors(f"{self._path.name}: {error}") from error

    async def close(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    def _embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._loaded is None:
            # Imported here: NumPy and the weights take 200 MB.
            from e5.model import loaded

            self._loaded = loaded(self._path)
        vectors: list[list[float]] = self._loaded.embed(texts).tolist()
        return vectors
