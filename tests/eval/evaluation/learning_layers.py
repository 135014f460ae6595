"""Learns from conversations which layers a message means, by their titles."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from solothurn import VOCABULARY

from evaluation.conversations import Turn, conversations
from evaluation.fitting import Example
from evaluation.outcomes import Outcome, has_name, is_question
from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.features import text_of, topic_features_of
from planner.rules.learned.sense import sense_of
from planner.rules.reading.known import expecting, knowing
from tools_geo.embedded import datafiles
from tools_geo.layers.search import LayerSearch

_TITLES = tuple(sorted((layer.name for layer in VOCABULARY.layers), key=lambda title: (len(title), title)))


def digest() -> str:
    """Of all that is learned from beside the conversations: titles, other names, everyday words."""
    named = "".join(layer.model_dump_json() for layer in VOCABULARY.layers)
    return hashlib.sha256(repr((named, datafiles.read().thesaurus)).encode()).hexdigest()[:16]


def examples(folders: Iterable[Path]) -> list[Example]:
    """Of all messages that load layers, or after which one has to ask; and of all that layers are called."""
    with knowing(VOCABULARY):
        return [*_called(), *_everyday(), *(each for folder in folders for each in _said(folder))]


def _called() -> Iterator[Example]:
    for layer in VOCABULARY.layers:
        for name in dict.fromkeys((layer.name, layer.name.partition("(")[0], *layer.also)):
            yield _example(name, frozenset({layer.name}))


def _everyday() -> Iterator[Example]:
    """Words and phrases of the thesaurus, and the layer that the search loads for them, if it is one."""
    data = datafiles.read()
    search = LayerSearch(datafiles.layer_entries(data), datafiles.thesaurus(data))
    for meaning in data.thesaurus.meaning:
        for said in (*meaning.words, *meaning.phrases):
            hits = search.search(said)
            one = bool(hits) and (hits[0].sure or len(hits) == 1)
            titles = frozenset({hits[0].entry.title} if one else ())
            yield _example(said, titles)


def _said(folder: Path) -> Iterator[Example]:
    for conversation in conversations(folder):
        on_map: list[str] = []
        for turn in conversation.turns if conversation.agent == "map" else ():
            titles = _titles_of(turn)
            if titles or all(map(is_question, turn.accept)):
                with expecting(conversation.language):
                    yield _example(turn.say, titles, *on_map[-1:])
            on_map = _after(turn.accept[0], on_map)


def _after(outcome: Outcome, on_map: list[str]) -> list[str]:
    """What can be seen then, the lowest first."""
    for fact in outcome:
        gone = fact.kind in ("remove", "hide")
        if fact.kind == "clear" or (gone and fact.words == "*"):
            on_map = []
        elif gone:
            on_map = [title for title in on_map if not has_name(title, fact.words)]
        elif fact.kind == "load" and (title := _title(fact.words)):
            on_map = [*(other for other in on_map if other != title), title]
    return on_map


def _example(said: str, titles: frozenset[str], above: str = "") -> Example:
    parts = utterance_of(said).parts
    return Example(topic_features_of(parts, above), titles, sense_of(text_of(parts)))


def _titles_of(turn: Turn) -> frozenset[str]:
    """The layers that the first outcome loads; none where one of them may be many."""
    titles = [_title(fact.words) for fact in turn.accept[0] if fact.kind == "load"]
    return frozenset(filter(None, titles)) if all(titles) else frozenset()


def _title(name: str) -> str | None:
    return next((title for title in _TITLES if has_name(title, name)), None)
