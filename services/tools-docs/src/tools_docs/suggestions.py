"""Questions that could be asked instead: about what is there and near to what was asked. Pure."""

from collections.abc import Iterable

from tools_docs.corpus import DocumentFacts
from tools_docs.texts import text

MAX_SUGGESTIONS = 3

_TEMPLATES = ("suggest_about", "suggest_content", "suggest_says")


def suggestions(near: Iterable[DocumentFacts], newest: Iterable[DocumentFacts]) -> tuple[str, ...]:
    """At most three whole questions, each of which leads to a document: the nearest, else the newest."""
    names = dict.fromkeys(_quotable(facts.name) for facts in (*near, *newest))
    return tuple(text(key, name=name) for key, name in zip(_TEMPLATES, names, strict=False))


def _quotable(name: str) -> str:
    """A name with quotes of its own must not end those around it."""
    return name.translate(str.maketrans("«»", "‹›")).strip()
