"""The sample documents: read from the package, and put into an index that has none of its own."""

import asyncio
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from importlib.resources import as_file, files

from e5.wheel import MODEL, weights

from tools_docs.corpus import SAMPLE, Proposal, SourceDocument
from tools_docs.embedding.local import LocalEncoder
from tools_docs.embedding.roles import RoleEmbedder
from tools_docs.formats.jsonl import read_records
from tools_docs.formats.markdown import read_markdown
from tools_docs.formats.reading import Origin
from tools_docs.gateways import IndexWriter
from tools_docs.packing import packed, unpacked
from tools_docs.preparing import prepare, to_embed

_VECTORS = "data/vectors.bin"
_DIMENSIONS, _KEY_BYTES = 384, 8
_RECORD_BYTES = _KEY_BYTES + 4 + _DIMENSIONS
_MAX_PASSAGES = 10_000


def sample_documents() -> Iterator[SourceDocument]:
    """As they ship. Their fingerprints change with their files."""
    with as_file(files("tools_docs").joinpath("data/documents")) as folder:
        for path in sorted(folder.glob("*.md")):
            yield read_markdown(path.read_bytes(), Origin(id=path.stem, url=path.name))


def sample_proposals() -> tuple[Proposal, ...]:
    listed = files("tools_docs").joinpath("data/proposals.jsonl").read_text(encoding="utf-8")
    return tuple(each for _, each in read_records(listed) if isinstance(each, Proposal))


async def put_sample(writer: IndexWriter) -> None:
    """Brings the sample in an index up to date."""
    if await writer.has_own():
        return
    documents = list(sample_documents())
    known = await writer.fingerprints(SAMPLE)
    if known != {document.facts.id: document.fingerprint for document in documents}:
        await _put(writer, documents)
    missing = await writer.without_vectors(MODEL, 0, _MAX_PASSAGES)
    shipped = shipped_vectors() if missing else {}
    if found := {n: unpacked(shipped[key]) for n, text in missing if (key := _key(text)) in shipped}:
        await writer.put_vectors(MODEL, found)


async def _put(writer: IndexWriter, documents: Sequence[SourceDocument]) -> None:
    await writer.put(SAMPLE, [prepare(document) for document in documents])
    proposals = sample_proposals()
    await writer.put_proposals(SAMPLE, proposals)
    await writer.keep_only(SAMPLE, [d.facts.id for d in documents], [p.identifier for p in proposals])
    await writer.finish()


def shipped_vectors() -> dict[bytes, bytes]:
    """The vectors of the sample, packed, so that nobody waits for a model: by what each is made of."""
    raw = files("tools_docs").joinpath(_VECTORS).read_bytes()
    records = (raw[at : at + _RECORD_BYTES] for at in range(0, len(raw), _RECORD_BYTES))
    return {record[:_KEY_BYTES]: record[_KEY_BYTES:] for record in records}


def _key(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=_KEY_BYTES).digest()


async def _renew() -> None:
    """Makes the vectors again, after the sample has changed: `python -m tools_docs.sample`."""
    path = weights()
    assert path is not None, "there is no model on this machine"
    embedder = RoleEmbedder(LocalEncoder(path), None, None)
    texts = [
        to_embed(document.facts.name, document.facts.body, passage.heading, passage.text)
        for document in map(prepare, sample_documents())
        for passage in document.passages
    ]
    vectors = await embedder.passages(texts)
    records = (_key(text) + packed(vector) for text, vector in zip(texts, vectors, strict=True))
    with as_file(files("tools_docs").joinpath(_VECTORS)) as file:
        file.write_bytes(b"".join(records))
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(_renew())
