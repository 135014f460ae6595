"""What a model looks at in a message and before it. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from contracts.session import Session
from german.fold import fold, umlauted

from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.utterance import Utterance
from planner.rules.learned.model import PART
from planner.rules.reading.lexicon import Role
from planner.rules.references.layers import calls_layer, is_layer, is_short, title_called, titles_at

_MAX_PARTS = 160
"""Longer messages are told by how they begin and how they end."""
_GRAMS = (3, 4, 5)
_POLITE = frozenset({"bitte", "gerne", "gern"})
_MAX_RESULTS = 3


class View(NamedTuple):
    """What the model of intents looks at."""

    features: frozenset[str]
    text: str
    """All that was said, in one spelling: what has a sense."""


def view_of(said: Utterance, session: Session, read: Iterable[str]) -> View:
    """Words, what is mentioned, what came before, what the rules have `read`; and all that was said.

    Among the features names of places, numbers and layers are one word each: what is learned in one canton
    holds in another.
    """
    parts = _shortened(_that_matter(said.parts))
    found = {token for part in parts for token in _tokens(part, session)}
    found |= set(_of_conversation(session))
    found |= {f"read {each}" for each in read} | {f"read all {' '.join(sorted(read))}"}
    return View(frozenset(found), _spoken(said.parts))


def _spoken(parts: Sequence[Part]) -> str:
    """However it is written: of all signs only that of a question tells something."""
    matter = set(map(id, _that_matter(parts)))
    said = (part for part in parts if id(part) in matter or "?" in part.text)
    return " ".join("?" if isinstance(part, Sign) else umlauted(part.text) for part in said)


def topic_features_of(parts: Iterable[Part], above: str = "") -> frozenset[str]:
    """What is talked of: titles, words that say something, pairs of these, their parts; no references.

    And the layer that lies `above` all others: `und nachts?`
    """
    every = tuple(parts)
    said = [part for part in every if isinstance(part, Word) and part.is_content]
    tokens = [tuple({word.folded, fold(word.text)}) for word in _shortened(said)]
    pieces = {piece for token in tokens for each in token for piece in each.split()}
    pairs = {f"{one}_{other}" for a, b in pairwise(tokens) for one in a for other in b}
    titles = {f"title {title}" for title in titles_in(every)} | ({f"above {above}"} if above else set())
    return frozenset(titles | pieces | pairs | {gram for piece in pieces for gram in _grams(piece)})


def titles_in(parts: Iterable[Part]) -> tuple[str, ...]:
    """Of the layers that are called by their names, as they are written or in German, in their order."""
    return tuple(title for _, _, title in titled(_shortened(tuple(parts))))


def titled(parts: Sequence[Part]) -> list[tuple[int, int, str]]:
    """Where layers are called by their names, and their titles; in their order."""
    at = [n for n, part in enumerate(parts) if isinstance(part, Word)]
    said = [part for part in parts if isinstance(part, Word)]
    written = list(titles_at([word.text for word in said]))
    covered = {n for start, end, _ in written for n in range(start, end)}
    long = (n for n, word in enumerate(said) if n not in covered and not is_short(word.text))
    written += [(n, n + 1, title) for n in long if (title := title_called(said[n].folded))]
    return [(at[start], at[end - 1] + 1, title) for start, end, title in sorted(written)]


def text_of(parts: Iterable[Part]) -> str:
    """The words, for what looks at their sense; however they are written."""
    return " ".join(umlauted(part.text) for part in parts)


def _that_matter(parts: Sequence[Part]) -> Sequence[Part]:
    """Without signs, and without what is only polite where more is said: it changes nothing."""
    said = [part for part in parts if not isinstance(part, Sign)]
    return [part for part in said if part.role is not Role.THANKS and part.folded not in _POLITE] or said


def _shortened(parts: Sequence[Part]) -> Sequence[Part]:
    return parts if len(parts) <= _MAX_PARTS else (*parts[: _MAX_PARTS // 2], *parts[-_MAX_PARTS // 2 :])


def _tokens(part: Part, session: Session) -> Iterator[str]:
    """What it is: as written, as it is read in German, as its role."""
    match part:
        case Mention(what=what):
            kind = getattr(what, "kind", "")
            yield f"<{type(what).__name__.lower()} {kind}>".replace(" >", ">")
        case Word():
            if part.text.isdigit():
                yield f"<{min(len(part.text), 6)} digits>"
                return
            written = fold(part.text)
            yield written
            if part.folded != written:
                yield part.folded
            if part.role:
                yield f"<{part.role}>"
            elif any(calls_layer(part.text, layer.id, layer.label) for layer in session.layers):
                yield "<loaded>"
            elif is_layer(part.folded):
                yield "<layer>"


def _grams(word: str) -> Iterator[str]:
    framed = f" {word} "
    for size in _GRAMS:
        for at in range(len(framed) - size + 1):
            yield PART + framed[at : at + size]


def _of_conversation(session: Session) -> Iterator[str]:
    yield f"layers {min(len(session.layers), 3)}"
    if any(not layer.visible for layer in session.layers):
        yield "hidden"
    if session.choices:
        yield f"choice {min(len(session.choices[0].options), 3)}"
    for item in session.selections:
        yield f"selected {item.type}"
    for n, result in enumerate(reversed(session.results[-_MAX_RESULTS:])):
        yield f"result {n} {result.intent} {result.ok}"
    if not session.history:
        yield "first"
    answers = [entry.text for entry in session.history if entry.role == "assistant"][-1:]
    yield from (f"said {each}" for each in _intents(answers))


def _intents(answers: Iterable[str]) -> Iterator[str]:
    """`[load_layer: ok] …`: what the last answer did."""
    for answer in answers:
        for line in answer.splitlines():
            if line.startswith("[") and "]" in line:
                yield line[1 : line.index("]")]
