"""From the words of a question to the terms of an index that stand for them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from german.compounds import part_candidates, split
from german.fold import bare
from german.spelling import closest

from tools_docs.gateways import DocumentIndex, Overview, Sought, Vocabulary
from tools_docs.languages import Language
from tools_docs.question import Asked, Question
from tools_docs.synonyms import synonyms

_SYNONYM = 0.75
_TYPO, _PREFIX = 0.8, 0.65
_IN_COMPOUND, _BY_SHARE = 0.4, 0.5
"""A compound with the word in it: the more of it the word is, the nearer it is in meaning."""
_PART, _MIN_PART = 0.75, 0.3
"""A part of the word, by the share that it has in it; smaller parts say something else."""
_MIN_PREFIX_CHARS, _MIN_TYPO_CHARS, _LONG_CHARS = 4, 5, 9
_MAX_TERMS = 40


@dataclass(frozen=True, slots=True)
class Group:
    """A word of the question with the terms that stand for it, each with how well it does (0 to 1)."""

    asked: Asked
    terms: Mapping[str, float]
    rarity: float
    """Inverse document frequency, at least 0; the highest for a word that nobody uses."""
    passages: int
    importance: float
    """How much of the question it is: what it says by itself, times how rare it is."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A question in the terms of an index."""

    question: Question
    groups: tuple[Group, ...]
    by_term: Mapping[str, tuple[tuple[int, float], ...]]
    """Term -> the groups it stands for, by number, with how well."""
    importance: float
    """Of all groups together."""

    @property
    def language(self) -> Language:
        return self.question.language

    def sought(self) -> tuple[Sought, ...]:
        """What to look for, the rarest first."""
        found = sorted((g for g in self.groups if g.terms), key=lambda g: g.passages)
        return tuple(Sought(tuple(g.terms), g.passages) for g in found)


async def expand(question: Question, index: DocumentIndex, overview: Overview) -> Expanded:
    """Looks up what the index knows of the words: inflections, compounds, parts, synonyms, near misses."""
    wanted: set[str] = set()
    for word in question.words:
        wanted.update((word.term,), synonyms().get(word.term, ()), part_candidates(word.text))
    vocabulary = await index.vocabulary(wanted)
    groups = []
    for word in question.words:
        found = _terms(word, vocabulary)
        if word.is_prefix or not found:
            found |= {t: w for t, w in (await _near(word, index)).items() if w > found.get(t, 0)}
        groups.append(_group(word, found, vocabulary, overview))
    by_term: dict[str, list[tuple[int, float]]] = {}
    for number, group in enumerate(groups):
        for term, weight in group.terms.items():
            by_term.setdefault(term, []).append((number, weight))
    places = {term: tuple(found) for term, found in by_term.items()}
    return Expanded(question, tuple(groups), places, sum(group.importance for group in groups))


def _group(word: Asked, found: dict[str, float], vocabulary: Vocabulary, overview: Overview) -> Group:
    best = dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_MAX_TERMS])
    passages = _passages(best, vocabulary)
    total = max(overview.passages, 1)
    weighted = sum(passages.get(term, 1) * weight for term, weight in best.items())
    rarity = math.log(1 + (total + 0.5) / (min(weighted, total) + 0.5))
    number = sum(passages.get(term, 1) for term in best)
    return Group(word, best, rarity, number, word.weight * rarity)


def _passages(terms: Iterable[str], vocabulary: Vocabulary) -> dict[str, int]:
    counts = dict(vocabulary.passages)
    for compounds in vocabulary.compounds.values():
        counts.update(compounds)
    return {term: counts[term] for term in terms if term in counts}


def _terms(word: Asked, vocabulary: Vocabulary) -> dict[str, float]:
    found: dict[str, float] = {}

    def add(term: str, weight: float) -> None:
        if weight > found.get(term, 0):
            found[term] = round(weight, 3)

    def add_with_compounds(term: str, weight: float) -> None:
        if term in vocabulary.passages:
            add(term, weight)
        for compound in vocabulary.compounds.get(term, ()):
            share = min(1.0, len(term) / len(compound))
            add(compound, weight * (_IN_COMPOUND + _BY_SHARE * share))

    add_with_compounds(word.term, 1.0)
    for term in synonyms().get(word.term, ()):
        add_with_compounds(term, _SYNONYM)
    letters, known = len(bare(word.text)), bool(found)
    for part in split(word.text, lambda term: vocabulary.passages.get(term, 0) >= (2 if known else 1)):
        weight = _PART * min(1.0, (len(part) + 1) / letters)
        if weight >= _MIN_PART:
            # Others with the same part are related at best: they only help when there is nothing else.
            if not known:
                add_with_compounds(part, weight)
            elif part in vocabulary.passages:
                add(part, weight)
    return found


async def _near(word: Asked, index: DocumentIndex) -> dict[str, float]:
    """Words of the index that begin so, or that are one or two typing errors away."""
    if word.term.isdigit() or len(word.term) < _MIN_PREFIX_CHARS:
        return {}
    if beginning := await index.beginning(word.term):
        return dict.fromkeys(beginning, _PREFIX)
    if len(word.term) < _MIN_TYPO_CHARS:
        return {}
    folded = bare(word.text)
    similar = {bare(form): term for form, term in reversed(await index.similar(word.term))}
    forgiven = 1 if len(folded) < _LONG_CHARS else 2
    near = closest(folded, list(similar), forgiven=[forgiven] * len(similar))
    return {similar[form]: _TYPO for form, _ in near}
