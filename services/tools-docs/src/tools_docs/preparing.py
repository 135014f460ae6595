"""Makes a document ready for an index: its passages, their terms, and the words they are written with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tools_docs.chunking import chunks
from tools_docs.corpus import Chunk, DocumentFacts, SourceDocument
from tools_docs.languages import Language, language_of

VERSION = 3
"""Of how terms and passages are made. A new one makes the next ingest read everything again."""
_TELLING_PASSAGES = 3
"""In the language of the first ones is the document."""

Form = tuple[str, str]
"""A way to write a word, and its term."""


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
    forms: Counter[Form]
    """Number of passages with it; a title counts as one more passage."""


def prepare(document: SourceDocument) -> Prepared:
    facts, passages = document.facts, []
    found = list(chunks(document.sections))
    language = _language(found)
    title_terms, title_forms = _analysed(facts.name, language)
    forms = Counter(title_forms)
    for chunk in found:
        terms, own = _analysed(chunk.text, language)
        heading_terms, headings = _analysed(chunk.heading or "", language)
        passages.append(
            PreparedPassage(chunk.text, chunk.heading, terms, heading_terms, chunk.page, chunk.anchor)
        )
        forms.update(own | headings)
    return Prepared(facts, document.fingerprint, title_terms, tuple(passages), forms)


def forms_of(name: str, passages: Sequence[Chunk]) -> Counter[Form]:
    """What `Prepared.forms` was for a document with this name and these passages."""
    language = _language(passages)
    forms = Counter(_analysed(name, language)[1])
    for passage in passages:
        forms.update(_analysed(passage.text, language)[1] | _analysed(passage.heading or "", language)[1])
    return forms


def _language(passages: Sequence[Chunk]) -> Language:
    return language_of("\n".join(passage.text for passage in passages[:_TELLING_PASSAGES]))


def _analysed(text: str, language: Language) -> tuple[str, frozenset[Form]]:
    forms = [(word.form, language.stem(word.form)) for word in language.words(text)]
    return " ".join(term for _, term in forms), frozenset(forms)


def to_embed(name: str, body: str | None, heading: str | None, text: str) -> str:
    """A passage with what it is a part of: by itself it seldom says that."""
    return "\n".join(filter(None, (name, body, heading, text)))
