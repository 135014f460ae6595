"""Words that others say differently."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from german.stems import stem


@lru_cache(maxsize=1)
def synonyms() -> Mapping[str, frozenset[str]]:
    """Term -> terms that mean much the same."""
    found: dict[str, set[str]] = {}
    listed = files("tools_docs").joinpath("data/synonyms.txt").read_text(encoding="utf-8")
    for line in listed.splitlines():
        left, one_way, right = line.partition("#")[0].partition(">")
        asked = _terms(left)
        meant = _terms(right) if one_way else asked
        for term in asked:
            found.setdefault(term, set()).update(other for other in meant if other != term)
    return {term: frozenset(others) for term, others in found.items()}


def _terms(words: str) -> list[str]:
    return [stem(word.strip()) for word in words.split(",") if word.strip()]
