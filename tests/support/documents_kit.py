"""Small documents to index."""

from contracts.base import Day

from tools_docs.corpus import DocumentFacts, Section, SourceDocument
from tools_docs.preparing import Prepared, prepare


def document(
    id: str,
    text: str,
    *,
    name: str = "",
    heading: str | None = None,
    date: Day | None = None,
    kind: str | None = None,
    body: str | None = None,
    fingerprint: str = "1",
) -> SourceDocument:
    """`text` is one section; its id is its name unless it has another one."""
    facts = DocumentFacts(id, name or id, f"https://example.org/{id}", len(text), date, kind, body)
    return SourceDocument(facts, (Section(text, heading),), fingerprint)


def indexed(*documents: SourceDocument) -> list[Prepared]:
    return [prepare(each) for each in documents]
