"""Judges by words and by meaning whether a document answers a question, and says in words why."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools_docs.corpus import DocumentFacts
from tools_docs.expansion import Group
from tools_docs.gateways import Candidate, DocumentIndex, Judged, StoredPassage, Verdict
from tools_docs.ranking import best_of, coverage_of, match, score_of
from tools_docs.standards import Standard, Standards
from tools_docs.texts import listed, text

_ENOUGH = 0.42
"""Share of the question, by importance, that a document has to cover."""
_PLENTY = 0.8
"""Whoever covers this much need not be among the best."""
_OF_BEST = 0.45
"""Share of the best document's score: a matter of its own hardly ever has less."""
_HAS = 0.53
"""From here on a word counts as said, perhaps in a related form."""
_KEY_RARITY = 0.78
"""Of the rarity of a word that nobody uses: a noun as rare as this is what the question is about."""
_MAX_NAMED, _WORTH_NAMING = 3, 0.5


@dataclass(frozen=True, slots=True)
class _WordVerdict(Verdict):
    lacks_key: bool = False
    """A noun of the question that the index hardly knows."""


class ComparingJudge:
    """See `gateways.Judge`. Compares words and meaning, and the document with the best one of the index."""

    def __init__(self, index: DocumentIndex, standards: Standards) -> None:
        self._index = index
        self._standards = standards

    async def judge(self, query: str, document: Judged) -> Verdict:
        standard = await self._standards.of(query)
        stored = await self._index.document(document.id)
        facts = stored.facts if stored else DocumentFacts(document.id, document.name, url="")
        return judged(standard, _candidate(document, facts, standard.question.language.stems))


def judged(standard: Standard, candidate: Candidate) -> Verdict:
    """Pure: the verdict, with what decided it."""
    by_words = _by_words(standard, candidate)
    scale, nearness = standard.scale, standard.nearness.get(candidate.facts.id)
    if scale is None or nearness is None:
        return by_words
    behind = standard.best_nearness - nearness
    if by_words.is_relevant and nearness >= scale.floor and behind <= scale.margin_with_words:
        return by_words
    close = scale.very_close if by_words.lacks_key else scale.close
    if nearness >= close and behind <= scale.margin:
        return Verdict(True, text("relevant_close"))
    return Verdict(False, text("irrelevant_far" if nearness >= scale.floor else "irrelevant_other"))


def _by_words(standard: Standard, candidate: Candidate) -> _WordVerdict:
    question = standard.question
    if not question.groups:
        return _WordVerdict(False, text("irrelevant_no_words"))
    covered = best_of(match(question, candidate.title_terms, p).covered for p in candidate.passages)
    if not any(covered):
        return _WordVerdict(False, text("irrelevant_none"))
    shares = sorted(zip(question.groups, covered, strict=True), key=lambda found: -found[0].importance)
    said = [group for group, share in shares if share >= _HAS]
    unsaid = [group for group, share in shares if share < _HAS]
    key = next((group for group in unsaid if _is_key(group, standard.passages)), None)
    if key is not None:
        return _WordVerdict(False, text("irrelevant_key", missing=_named([key])), lacks_key=True)
    if not said:
        return _WordVerdict(False, text("irrelevant_weak", words=_named(unsaid)))
    coverage = coverage_of(question, covered)
    if coverage < _PLENTY:
        if coverage < _ENOUGH:
            return _WordVerdict(False, text("irrelevant_some", words=_named(said), missing=_named(unsaid)))
        if score_of(question, candidate) < _OF_BEST * standard.best_score:
            return _WordVerdict(False, text("irrelevant_weak", words=_named(said)))
    missing = [group for group in unsaid if group.asked.weight >= _WORTH_NAMING]
    if missing:
        return _WordVerdict(True, text("relevant_some", words=_named(said), missing=_named(missing)))
    literally = any(share == 1.0 for _, share in shares)
    return _WordVerdict(True, text("relevant_all" if literally else "relevant_related", words=_named(said)))


def _is_key(group: Group, passages: int) -> bool:
    """Without this word the question is another one: a noun that the index hardly knows."""
    unheard_of = math.log(1 + (passages + 0.5) / 0.5)
    return group.asked.weight >= 1.0 and group.rarity >= _KEY_RARITY * unheard_of


def _named(groups: Sequence[Group]) -> str:
    return listed([group.asked.text for group in groups[:_MAX_NAMED]])


def _candidate(document: Judged, facts: DocumentFacts, stems: Callable[[str], list[str]]) -> Candidate:
    passages = tuple(
        StoredPassage(position, content, heading, tuple(stems(content)), tuple(stems(heading or "")))
        for position, (heading, content) in enumerate(document.passages)
    )
    return Candidate(facts, tuple(stems(document.name or facts.name)), passages)
