"""What somebody wants to know about a parcel, found out from the words of the question and of the extract."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from contracts.items import OerebExtract
from contracts.oereb import LawStatus, Restriction
from german.fold import fold

from tools_oereb.standing import Standing, ThemeFacts, title_of
from tools_oereb.words import (
    Ask,
    asks_in,
    codes_of,
    introduces,
    is_about,
    is_asking,
    is_generic,
    is_question,
    is_same,
    known_elsewhere,
    links,
    narrows,
    resembles,
    says_nothing,
    spoken_words,
    wants_yes_or_no,
    words_of,
)

_MAX_QUESTION_CHARS = 500
Topic = Mapping[int, tuple[Restriction, ...]]
"""Places of themes, with those of their restrictions whose text names it too."""


@dataclass(frozen=True)
class Question:
    asks: frozenset[Ask]
    words: tuple[str, ...]
    """All of them, folded."""
    topic: tuple[ThemeFacts, ...] = ()
    """The themes it names, with the restrictions it names or with all of them; none where it names none."""
    is_about_all: bool = True
    """Whether it names no theme, or only by the way: `belastet` is a parcel by any restriction."""
    unlisted: tuple[str, ...] = ()
    """Words for themes that the extract does not mention at all."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Words for what the cadastre says nothing about, with who knows it."""
    unknown: tuple[str, ...] = ()
    """Words that mean nothing to us."""
    is_asked: bool = False
    """Whether it reads like a question, and not like a command."""
    answer: bool | None = None
    """Yes or no, where it wants to hear that and every word of it is understood."""


def read(asked: str, extract: OerebExtract, facts: Sequence[ThemeFacts]) -> Question:
    """Total: whatever the words, and always the same for the same ones."""
    asked = asked[:_MAX_QUESTION_CHARS].strip()
    spoken = {fold(word): word for word in spoken_words(asked)}
    names = words_of(extract.municipality or "")
    telling = [word for word in spoken if not says_nothing(word) and word not in names]
    topics = {word: _topic(word, facts) for word in telling}
    generic = _generic(topics, [word for word in spoken if not links(word)])
    for word in generic:
        topics.pop(word, None)
    rest = [word for word, topic in topics.items() if not topic]
    elsewhere = [(word, who) for word in rest if (who := known_elsewhere(word))]
    unlisted = [word for word in rest if codes_of(word) and not is_asking(word)]
    strange = {*unlisted, *(word for word, _ in elsewhere)}
    question = Question(
        asks=asks_in(fold(asked)),
        words=tuple(spoken),
        topic=_together(facts, topics.values()),
        is_about_all=not any(topic for word, topic in topics.items() if not is_asking(word)),
        unlisted=tuple(spoken[word] for word in unlisted),
        elsewhere=tuple((spoken[word], who) for word, who in elsewhere),
        unknown=tuple(spoken[word] for word in rest if word not in strange and not is_asking(word)),
        is_asked=is_question(fold(asked)),
    )
    own = {fold(extract.number or ""), fold(extract.egrid), *names}
    is_narrowed = any(narrows(word) for word in spoken if word not in own)
    is_plain = wants_yes_or_no(fold(asked)) and question.asks <= {Ask.SIZE} and not is_narrowed
    if not is_plain or question.unknown or strange:
        return question
    named = [word for word, topic in topics.items() if topic]
    return replace(question, answer=_yes_or_no(question.topic, named, generic))


def introduced(question: Question) -> tuple[str, ...]:
    """The unknown words about which something is asked, as in `von Fluglärm betroffen`."""
    unknown = {fold(word): word for word in question.unknown}
    before = dict(zip(question.words[1:], question.words, strict=False))
    return tuple(word for folded, word in unknown.items() if introduces(before.get(folded, "")))


def _generic(topics: Mapping[str, Topic], words: Sequence[str]) -> list[str]:
    """Those that the next one says better: `zone` and `protection` of `zone de protection des eaux`."""
    found: list[str] = []
    for word, following in reversed(list(pairwise(words))):
        if is_generic(word) and (topics.get(following) or found[-1:] == [following]):
            found.append(word)
    return found


def _topic(word: str, facts: Sequence[ThemeFacts]) -> Topic:
    """Of the themes a word is about, those that have nothing of its name do not count beside one that has."""
    codes, asking = codes_of(word), is_asking(word)
    topic: dict[int, tuple[Restriction, ...]] = {}
    for n, fact in enumerate(facts):
        named = tuple(each for each in fact.restrictions if _names(word, each.text, each.type_code or ""))
        if is_about(fact.theme, codes) or (not asking and (named or _names(word, title_of(fact.theme)))):
            topic[n] = named
    if any(topic.values()):
        return {
            n: named for n, named in topic.items() if named or facts[n].standing is not Standing.CONCERNED
        }
    return topic


def _names(word: str, *texts: str) -> bool:
    who = known_elsewhere(word)
    return any(
        resembles(word, other) or (who and known_elsewhere(other) == who)
        for text in texts
        for other in words_of(text)
        if not says_nothing(other)
    )


def _together(facts: Sequence[ThemeFacts], topics: Iterable[Topic]) -> tuple[ThemeFacts, ...]:
    """The themes of all words; of each only the restrictions that the words name, if they name any."""
    chosen: dict[int, tuple[Restriction, ...]] = {}
    for topic in topics:
        for n, named in topic.items():
            before = chosen.get(n, ())
            chosen[n] = tuple(each for each in before if each in named) or before or named
    return tuple(replace(facts[n], restrictions=chosen[n] or facts[n].restrictions) for n in sorted(chosen))


def _yes_or_no(topic: Sequence[ThemeFacts], words: Sequence[str], generic: Sequence[str]) -> bool | None:
    """Yes only for what is in force under the very name that was asked for, no only for what is said so."""
    titles = [_is_called(title_of(fact.theme), words, generic) for fact in topic]
    if topic and all(titles) and all(fact.standing is Standing.NOT_CONCERNED for fact in topic):
        return False
    for fact, is_title in zip(topic, titles, strict=True):
        in_force = [each for each in fact.restrictions if each.law_status is LawStatus.IN_FORCE]
        is_named = is_title or any(_is_called(each.text, words, generic) for each in in_force)
        if fact.standing is Standing.CONCERNED and in_force and is_named:
            return True
    return None


def _is_called(name: str, words: Sequence[str], generic: Sequence[str]) -> bool:
    """Whether these words are the whole name; a code like W2 may be missing, generic words may be more."""
    parts = [part for part in words_of(name) if not says_nothing(part)]
    missing = [part for part in parts if not any(is_same(word, part) for word in (*words, *generic))]
    return len(missing) < len(parts) and all(
        (
            all(any(map(str.isdigit, part)) for part in missing),
            all(any(is_same(word, part) for part in parts) for word in words),
        )
    )
