"""Questions to try instead of one that has led nowhere. Pure."""

from collections.abc import Iterable

from contracts.languages import DEFAULT_LANGUAGE, LANGUAGES

from orchestrator.texts import text

MAX_SUGGESTIONS = 3
_MIN_TOPIC_CHARS = 4
_MAX_TOPIC_CHARS = 60
_MAX_SUGGESTION_CHARS = 300


def suggestions(query: str, offered: Iterable[str] = (), language: str = DEFAULT_LANGUAGE) -> tuple[str, ...]:
    """Two or three questions, never the query itself: what was offered first, then what its words yield."""
    topics = _topics(query)
    first, second = (topics[:1] or [""])[0], (topics[1:2] or topics[:1] or [""])[0]
    made = (
        [
            text("suggest_topic", language, topic=first),
            text("suggest_decisions", language, topic=second),
            text("suggest_proposals", language, topic=first),
        ]
        if topics
        else []
    )
    made += [text("suggest_recent", language), text("suggest_newest_proposals", language)]
    seen = {_plain(query)}
    found: list[str] = []
    for candidate in (*offered, *made):
        question = " ".join(candidate.split())
        if _plain(question) and _plain(question) not in seen and len(question) <= _MAX_SUGGESTION_CHARS:
            seen.add(_plain(question))
            found.append(question)
    return tuple(found[:MAX_SUGGESTIONS])


def _topics(query: str) -> list[str]:
    """The significant words, the most telling first: names and nouns, then by length."""
    common = {word for language in LANGUAGES for word in text("no_topic", language).split()}
    words = [word.strip("-") for word in _words(query)]
    telling = {
        word: None
        for word in words
        if _MIN_TOPIC_CHARS <= len(word) <= _MAX_TOPIC_CHARS and word.casefold() not in common
    }
    return sorted(telling, key=lambda word: (not word[0].isupper(), -len(word)))


def _words(sentence: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "-" else " " for c in sentence).split()


def _plain(sentence: str) -> str:
    return " ".join(_words(sentence)).casefold()
