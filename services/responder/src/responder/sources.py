"""The documents that an answer cites, and where in them its words stand. Pure."""

from collections.abc import Iterator, Sequence

from contracts.items import Document, Passage
from contracts.research import MAX_PLACES, Source, SourcePlace
from contracts.urls import place

from responder.writing import Written


def sources_of(documents: Sequence[Document], written: Written) -> tuple[Source, ...]:
    """The facts are those that the index has given, whatever a text may say about them."""
    return tuple(_source(n, documents[n - 1], written) for n in written.cited)


def _source(n: int, document: Document, written: Written) -> Source:
    places = dict.fromkeys(_places(document, document.quotes or document.passages))
    return Source(
        n=n,
        id=document.id,
        name=document.name,
        url=document.url,
        size_bytes=document.size_bytes,
        date=document.date,
        places=tuple(places)[:MAX_PLACES] or None,
        sample=True if document.provenance is not None and document.provenance.sample else None,
    )


def _places(document: Document, passages: Sequence[Passage]) -> Iterator[SourcePlace]:
    """Of the passages that know where they are; the title of a document is no place in it."""
    for each in passages:
        section = each.heading if each.heading != document.name else None
        if section or each.page:
            address = place(document.url, page=each.page, anchor=each.anchor)
            yield SourcePlace(section=section, page=each.page, url=address)
