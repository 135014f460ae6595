"""Words with a known part in a question: those that say nothing, and those that others say differently."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files

from tools_docs.german.spelling import fold
from tools_docs.german.stems import term_of


def _lines(name: str) -> Iterator[str]:
    listed = files("tools_docs").joinpath(f"data/german/{name}").read_text(encoding="utf-8")
    for line in listed.splitlines():
        if content := line.partition("#")[0].strip():
            yield content


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """Folded words that say nothing about what is asked for."""
    return frozenset(fold(word) for line in _lines("stopwords.txt") for word in line.split())


@lru_cache(maxsize=1)
def stop_terms() -> frozenset[str]:
    """The same as terms."""
    return frozenset(term_of(word) for word in stop_words())


@lru_cache(maxsize=1)
def synonyms() -> Mapping[str, frozenset[str]]:
    """Term -> terms that mean much the same."""
    found: dict[str, set[str]] = {}
    for line in _lines("synonyms.txt"):
        left, one_way, right = line.partition(">")
        asked = [term_of(word.strip()) for word in left.split(",")]
        meant = [term_of(word.strip()) for word in right.split(",")] if one_way else asked
        for term in asked:
            found.setdefault(term, set()).update(other for other in meant if other != term)
    return {term: frozenset(others) for term, others in found.items()}
