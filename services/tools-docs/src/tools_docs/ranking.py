"""How well passages and documents answer a question. Pure, and the same for every index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools_docs.corpus import DocumentFacts
from tools_docs.expansion import Expanded
from tools_docs.gateways import Candidate, StoredPassage
from tools_docs.nearness import Scale

MAX_PASSAGES = 3

_SATURATION = 1.2
"""How fast repetitions stop to count (k1 of BM25)."""
_USUAL_TERMS, _LENGTH = 90, 0.4
"""Of a passage, and how much a longer one has to have more of (b of BM25)."""
_TITLE, _HEADING = 2.2, 1.4
_NEAR, _WINDOW = 0.25, 3
"""Words of the question side by side, in its order."""
_SECOND, _THIRD = 0.2, 0.1
"""What further passages add to the best one."""
_COVERAGE = 1.6
"""How much it matters that a document has all the words, and not one of them often."""
_SORT, _PERIOD = 0.25, 0.2
_WITHOUT_PHRASE = 0.25
_WORTH_SHOWING = 0.04
"""Share of the best document's score below which a document is noise."""
_FUSION, _WORDS = 20, 0.3
"""Of reciprocal rank fusion: its constant, and how much the words count beside the meaning. Measured by
`make eval-documents`: people seldom ask in the words of a text."""


@dataclass(frozen=True, slots=True)
class Match:
    """What of a question a text has: for each word of the question how well (0 to 1), and a score."""

    covered: tuple[float, ...]
    score: float
    has_phrase: bool = True


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document with its best passages."""

    facts: DocumentFacts
    passages: tuple[StoredPassage, ...]
    score: float
    coverage: float
    """Share of the question's words that it has, by importance (0 to 1)."""
    is_exact: bool = False
    """It has every word as asked, not only related ones."""
    confidence: float | None = None
    """By its meaning, from 0 to 1, where the model's similarities are known."""


def rank(
    question: Expanded, candidates: Sequence[Candidate], limit: int, scale: Scale | None = None
) -> tuple[Ranked, ...]:
    """The best documents, best first. Words decide; where vectors were compared, both do.

    `scale`: of the similarities, where the model is known.
    """
    floor = scale.floor if scale else -1.0
    scored = [_scored(question, candidate) for candidate in candidates]
    by_words = sorted((each for each in scored if each.score > 0), key=lambda s: (-s.score, s.id))
    enough = by_words[0].score * _WORTH_SHOWING if by_words else 0
    by_words = [each for each in by_words if each.score >= enough]
    near = sorted(
        (each for each in scored if each.nearness is not None and each.nearness >= floor),
        key=lambda s: (-(s.nearness or 0), s.id),
    )
    best = _fused((_WORDS, by_words), (1.0, near)) if near else by_words
    return tuple(_ranked(question, each, scale) for each in best[:limit])


def score_of(question: Expanded, candidate: Candidate) -> float:
    """How well a document answers; comparable between the documents of one question."""
    return _scored(question, candidate).score


@dataclass(frozen=True, slots=True)
class _Scored:
    candidate: Candidate
    matches: Sequence[tuple[Match, StoredPassage]]
    """Its passages, best first."""
    covered: tuple[float, ...]
    score: float

    @property
    def id(self) -> str:
        return self.candidate.facts.id

    @property
    def nearness(self) -> float | None:
        return self.candidate.nearness


def _scored(question: Expanded, candidate: Candidate) -> _Scored:
    matches = [(match(question, candidate.title_terms, p), p) for p in candidate.passages]
    matches.sort(key=lambda found: (-found[0].score, found[1].position))
    covered = best_of(found.covered for found, _ in matches)
    scores = [found.score for found, _ in matches[:MAX_PASSAGES]]
    score = sum(s * w for s, w in zip(scores, (1.0, _SECOND, _THIRD), strict=False))
    score *= coverage_of(question, covered) ** _COVERAGE
    if not any(found.has_phrase for found, _ in matches):
        score *= _WITHOUT_PHRASE
    asked, facts = question.question, candidate.facts
    score *= 1 + _SORT * ((facts.kind in asked.kinds) + (facts.body in asked.bodies))
    score *= 1 + _PERIOD * any(period.holds(facts.date) for period in asked.periods)
    return _Scored(candidate, matches, covered, score)


def _ranked(question: Expanded, scored: _Scored, scale: Scale | None) -> Ranked:
    if scored.nearness is None:
        passages = [passage for _, passage in _telling(question, scored.matches)]
    else:
        near = sorted(scored.candidate.passages, key=lambda p: (-(p.nearness or 0.0), p.position))
        passages = near[:MAX_PASSAGES]
    return Ranked(
        scored.candidate.facts,
        tuple(passages),
        scored.score,
        coverage_of(question, scored.covered),
        is_exact=bool(scored.covered) and min(scored.covered) == 1.0,
        confidence=scale.confidence(scored.nearness) if scale and scored.nearness is not None else None,
    )


def match(question: Expanded, title: Iterable[str], passage: StoredPassage) -> Match:
    """What a passage has, with the title and the heading that it stands under."""
    groups = question.groups
    counts = [0.0] * len(groups)
    missed = [1.0] * len(groups)
    fields = ((_TITLE, title), (_HEADING, passage.heading_terms))
    seen: set[str] = set()
    for weight, field in fields:
        for term in field:
            for number, fit in question.by_term.get(term, ()):
                counts[number] = max(counts[number], weight * fit)
                if term not in seen:
                    missed[number] *= 1 - fit
            seen.add(term)
    relative = 1 - _LENGTH + _LENGTH * len(passage.terms) / _USUAL_TERMS
    places: list[tuple[int, int]] = []
    for place, term in enumerate(passage.terms):
        if (found := question.by_term.get(term)) is None:
            continue
        for number, fit in found:
            counts[number] += fit / relative
            if term not in seen:
                missed[number] *= 1 - fit
            if not places or places[-1] != (number, place):
                places.append((number, place))
        seen.add(term)
    score = sum(
        group.importance * (_SATURATION + 1) * count / (_SATURATION + count)
        for group, count in zip(groups, counts, strict=True)
        if count
    )
    score += _NEAR * sum(
        min(groups[a].importance, groups[b].importance)
        for a, b in {
            (first, second)
            for (first, at), (second, then) in pairwise(places)
            if second == first + 1 and then - at <= _WINDOW
        }
    )
    covered = tuple(1 - share for share in missed)
    return Match(covered, score, _has_phrase(question, tuple(title), passage))


def coverage_of(question: Expanded, covered: Sequence[float]) -> float:
    """The share of what was asked for, by importance."""
    if not covered or not question.importance:
        return 0.0
    return sum(g.importance * c for g, c in zip(question.groups, covered, strict=True)) / question.importance


def best_of(covered: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """For each word of the question the best that any of the texts has."""
    return tuple(map(max, zip(*covered, strict=True)))


def _telling(
    question: Expanded, matches: Sequence[tuple[Match, StoredPassage]]
) -> list[tuple[Match, StoredPassage]]:
    """The best passage, then those that say something that is not said yet. None without a word asked for."""
    chosen, left = list(matches[:1]), [found for found in matches[1:] if found[0].score > 0]
    while left and len(chosen) < MAX_PASSAGES:
        so_far = best_of(found.covered for found, _ in chosen)

        def gain(found: tuple[Match, StoredPassage], so_far: Sequence[float] = so_far) -> float:
            new = coverage_of(question, tuple(map(max, found[0].covered, so_far))) - coverage_of(
                question, so_far
            )
            return found[0].score * (1 + 2 * new)

        best = max(left, key=gain)
        left.remove(best)
        chosen.append(best)
    return chosen


def _has_phrase(question: Expanded, title: tuple[str, ...], passage: StoredPassage) -> bool:
    """Whether it has one of the phrases in quotes; without any there is nothing to miss."""
    phrases = question.question.phrases
    fields = (title, passage.heading_terms, passage.terms)
    return not phrases or any(
        field[at : at + len(phrase)] == phrase
        for phrase in phrases
        for field in fields
        for at in range(len(field) - len(phrase) + 1)
    )


def _fused(*rankings: tuple[float, Sequence[_Scored]]) -> list[_Scored]:
    """Reciprocal rank fusion: a document that all lists have near their beginning comes first."""
    fused: dict[str, float] = {}
    known: dict[str, _Scored] = {}
    for weight, ranking in rankings:
        for place, each in enumerate(ranking):
            fused[each.id] = fused.get(each.id, 0.0) + weight / (_FUSION + place)
            known[each.id] = each
    return sorted(known.values(), key=lambda each: (-fused[each.id], each.id))
