"""Makes a document ready for an index: its passages, their terms, and the words they are written with."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from german.stems import stem
from german.words import form_of, words_in

from tools_docs.chunking import chunks
from tools_docs.corpus import Chunk, DocumentFacts, SourceDocument

VERSION = 2
"""Of how terms and passages are made. A new one makes the next ingest read everything again."""


@dataclass(frozen=True, slots=True)
class PreparedPassage:
    """Terms are in the order of the text and separated by spaces."""

    text: str
    heading: str | None
    terms: str
    heading_terms: str
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready for an index."""

    facts: DocumentFacts
    fingerprint: str
    title_terms: str
    passages: tuple[PreparedPassage, ...]
    forms: Counter[str]
    """Way to write a word -> number of passages with it; a title counts as one more passage."""


def prepare(document: SourceDocument) -> Prepared:
    facts, passages = document.facts, []
    title_terms, title_forms = _analysed(facts.name)
    forms = Counter(title_forms)
    for chunk in chunks(document.sections):
        terms, own = _analysed(chunk.text)
        heading_terms, headings = _analysed(chunk.heading or "")
        passages.append(
            PreparedPassage(chunk.text, chunk.heading, terms, heading_terms, chunk.page, chunk.anchor)
        )
        forms.update(own | headings)
    return Prepared(facts, document.fingerprint, title_terms, tuple(passages), forms)


def forms_of(name: str, passages: Iterable[Chunk]) -> Counter[str]:
    """What `Prepared.forms` was for a document with this name and these passages."""
    forms = Counter(_analysed(name)[1])
    for passage in passages:
        forms.update(_analysed(passage.text)[1] | _analysed(passage.heading or "")[1])
    return forms


def _analysed(text: str) -> tuple[str, frozenset[str]]:
    forms = [form_of(word.text) for word in words_in(text)]
    return " ".join(map(stem, forms)), frozenset(forms)


def to_embed(name: str, body: str | None, heading: str | None, text: str) -> str:
    """A passage with what it is a part of: by itself it seldom says that."""
    return "\n".join(filter(None, (name, body, heading, text)))
