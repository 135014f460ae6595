"""The sample documents: read from the package, and put into an index that has none of its own."""

from collections.abc import Iterator
from importlib.resources import as_file, files

from tools_docs.corpus import SAMPLE, Proposal, SourceDocument
from tools_docs.formats.jsonl import read_records
from tools_docs.formats.markdown import read_markdown
from tools_docs.formats.reading import Origin
from tools_docs.gateways import IndexWriter
from tools_docs.preparing import prepare


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
    if known == {document.facts.id: document.fingerprint for document in documents}:
        return
    await writer.put(SAMPLE, [prepare(document) for document in documents])
    proposals = sample_proposals()
    await writer.put_proposals(SAMPLE, proposals)
    await writer.keep_only(SAMPLE, [d.facts.id for d in documents], [p.identifier for p in proposals])
    await writer.finish()
