"""Gives the passages of an index their vectors, batch by batch. Cut off, the next run goes on."""

from collections.abc import Callable

from tools_docs.gateways import Embedder, IndexWriter

_BATCH = 64
"""Passages: one request of an endpoint, a few seconds of the model that comes with the package."""


async def embed_missing(
    writer: IndexWriter, embedder: Embedder, progressed: Callable[[int, int], None] = lambda *_: None
) -> None:
    """`progressed` hears how many passages have got one, of how many that had none.

    Raises `NoVectors`, `IndexUnavailable`.
    """
    after = done = 0
    total = await writer.missing_vectors(embedder.model)
    while missing := await writer.without_vectors(embedder.model, after, _BATCH):
        vectors = await embedder.passages([text for _, text in missing])
        numbers = [n for n, _ in missing]
        await writer.put_vectors(embedder.model, dict(zip(numbers, vectors, strict=True)))
        after = numbers[-1]
        done += len(numbers)
        progressed(done, total)
