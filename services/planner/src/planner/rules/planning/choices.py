"""Messages that answer an open choice: `die zweite`, `2`, `das Baurecht`, `Parzelle 531`."""

import re
from collections.abc import Sequence
from typing import Final

from contracts.session import Found, OpenChoice, Option
from german.fold import fold
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.utterance import Utterance
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, GLUE, Role
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import tokens_of
from planner.rules.references.finding import Egrid
from planner.rules.references.parcels import Parcel

_ORDINALS = ("erst", "zweit", "dritt", "viert", "fuenft", "sechst", "siebt", "acht", "neunt", "zehnt")
_ORDINAL = re.compile(f"({'|'.join(_ORDINALS)})(?:e|en|er|es|ens)")
_OF_NUMBER = re.compile(r"(?<!\d)(\d++)er")
"""`die 531er`"""
_OPTION_NOUNS: Final = frozenset(table("words.toml")["choices"]["nouns"].split())
_NOT_A_CHOICE = frozenset(
    {Role.REMOVE, Role.HIDE, Role.CLEAR, Role.CREATE, Role.CHANGE, Role.QUESTION, Role.LIST, Role.NOT}
)
_NOUNS = frozenset({Role.PARCEL, Role.LAYER})
_NO_WORDS = GLUE | {Role.CHOOSE, Role.YES, Role.THANKS, Role.HERE, Role.CORRECTION, Role.NO}
_RECALLS = frozenset({Role.CORRECTION, Role.NO, Role.AGAIN})
_OTHERS = frozenset({"andere", "anderes", "anderen", "anderer"})
_RETRIED = frozenset({Role.YES, Role.AGAIN})
_RETRY_WORDS = _RETRIED | {Role.FUNCTION, Role.FILLER}
_FIRST: Final = frozenset(table("words.toml")["choices"]["first"].split())
_LAST: Final = frozenset(table("words.toml")["choices"]["last"].split())
_TRIES: Final = frozenset(table("words.toml")["choices"]["tries"].split())
_MAX_ANSWER_CHARS = 200
"""Who picks an option does it in a few words."""
_MAX_SHOWN = 10
_MAX_POSITION_DIGITS = 3
_MIN_STEM_CHARS = 4
_MIN_SIMILARITY = 88.0
_MIN_LEAD = 8.0
"""Percent: how alike a label has to be, and how much more than every other."""


def answered(message: Utterance, choices: Sequence[OpenChoice]) -> str | None:
    """The id of the option that the message picks; positions count in the newest choice only."""
    if not choices or len(message.text) > _MAX_ANSWER_CHARS:
        return None
    parts = _affirmed(message.parts)
    newest = choices[0].options
    position = _position(parts, newest)
    if position is not None:
        return newest[position].id
    if len(newest) == 1 and _accepts(parts):
        return newest[0].id
    for choice in choices:
        option = _by_label(parts, choice.options)
        if option:
            return option.id
    return None


def chosen_instead(message: Utterance, result: Found, now: Found) -> str | None:
    """The label of another of the options that were offered: `nein, das andere`, `doch die erste`.

    `now` is what was found last: what was offered may have been chosen before it, and something else since.
    """
    parts = message.parts
    if means_other(message):
        names = {str(item.get(name)) for item in now.items[:1] for name in ("label", "egrid")}
        others = [label for label in result.offered if names.isdisjoint({label, *label.split()})]
        return others[0] if len(others) == 1 else None
    options = [Option(id=label, label=label) for label in result.offered]
    at = _position([p for p in parts if not (isinstance(p, Word) and p.role in _RECALLS)], options)
    return None if at is None else options[at].label


def means_other(message: Utterance) -> bool:
    """`das andere`, and nothing else."""
    words = [p for p in message.parts if not isinstance(p, Sign)]
    glue = all(isinstance(w, Word) and (w.role in _NO_WORDS | _NOUNS or _is_option_noun(w)) for w in words)
    return glue and any(isinstance(w, Word) and w.folded in _OTHERS for w in words)


def options_of(choice: OpenChoice) -> str:
    """The labels with their numbers, one line each, for a question which one is meant."""
    shown = choice.options[:_MAX_SHOWN]
    return "\n".join(f"{number}. {option.label}" for number, option in enumerate(shown, 1))


def meant_for(message: Utterance, choices: Sequence[OpenChoice]) -> OpenChoice | None:
    """The open choice that a message, which picks no option, yet looks like an answer to.

    It says nothing of its own (`ja`, `die siebte`, `99`), or something that is in several labels.
    """
    if not choices or len(message.text) > _MAX_ANSWER_CHARS:
        return None
    wanted = _wanted(message.parts)
    for choice in choices:
        labels = [_words_of(option.label) for option in choice.options]
        if wanted and any(any(_is_in(word, label) for label in labels) for word in wanted):
            return choice
    points = points_at_option(message) or not wanted or all(_is_position(word) for word in wanted)
    return choices[0] if points else None


def points_at_option(message: Utterance) -> bool:
    """Whether a message says nothing but the place of an option: `nein, die zweite`."""
    words = [p for p in message.parts if not isinstance(p, Sign)]
    spoken = [w for w in words if not isinstance(w, Word) or w.role not in _NO_WORDS | {Role.NOT}]
    spoken = [w for w in spoken if not isinstance(w, Word) or not _is_option_noun(w)]
    return len(spoken) == 1 and isinstance(spoken[0], Word) and _names_place(spoken[0])


def _affirmed(parts: Sequence[Part]) -> Sequence[Part]:
    """`Die Liegenschaft, nicht das Baurecht`: without what is denied behind it."""
    at = next((n for n, p in enumerate(parts) if isinstance(p, Word) and p.role is Role.NOT), len(parts))
    return parts[:at] if any(_wanted(parts[:at])) else parts


def _is_option_noun(word: Word) -> bool:
    """`Treffer`, `von oben`"""
    return word.folded.rpartition(" ")[2] in _OPTION_NOUNS


def _names_place(word: Word) -> bool:
    return (
        word.role is Role.LAST or word.folded in _FIRST | _LAST or _ORDINAL.fullmatch(word.folded) is not None
    )


def _is_position(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _MAX_POSITION_DIGITS


def _position(parts: Sequence[Part], options: Sequence[Option]) -> int | None:
    """The index that an ordinal or a number says, if the message says nothing else."""
    if any(isinstance(p, Mention) for p in parts):
        return None
    words = [p for p in parts if isinstance(p, Word)]
    spoken = [w for w in words if w.role not in _NO_WORDS | _NOUNS | ACTIONS and not _is_option_noun(w)]
    if len(spoken) != 1 or any(w.role in _NOT_A_CHOICE for w in words):
        return None
    word = spoken[0]
    if word.role is Role.LAST or word.folded in _LAST:
        return len(options) - 1
    if word.folded in _FIRST:
        return _within(0, options)
    ordinal = _ORDINAL.fullmatch(word.folded)
    if ordinal:
        return _within(_ORDINALS.index(ordinal[1]), options)
    if not _is_position(word.folded):
        return None
    pointed = any(_is_option_noun(w) for w in words)
    corrected = any(w.role in {Role.CORRECTION, Role.NO} for w in words)
    labelled = [n for n, option in enumerate(options) if word.folded in _words_of(option.label)]
    if len(labelled) == 1 and not pointed:
        return labelled[0]
    return None if corrected else _within(int(word.folded) - 1, options)


def _accepts(parts: Sequence[Part]) -> bool:
    """Whether a message says yes to the one option, to try again, and nothing else."""
    if any(isinstance(p, Mention) for p in parts):
        return False
    roles = {p.role for p in parts if isinstance(p, Word) and p.folded not in _TRIES}
    return roles <= _RETRY_WORDS and not roles.isdisjoint(_RETRIED)


def _within(index: int, options: Sequence[Option]) -> int | None:
    return index if 0 <= index < len(options) else None


def _by_label(parts: Sequence[Part], options: Sequence[Option]) -> Option | None:
    """The one option whose label has all that the message says, or is by far the most similar."""
    words = [p for p in parts if isinstance(p, Word)]
    if any(w.role in ACTIONS | CONCEPTS | {Role.QUESTION, Role.EXPLAIN, Role.LIST, Role.NOT} for w in words):
        return None
    wanted = _wanted(parts)
    if not wanted:
        return None
    fitting = _fitting(wanted, options) or _fitting(_named(parts), options)
    if len(fitting) == 1:
        return fitting[0]
    spoken = " ".join(wanted)
    same = [o for o in fitting if " ".join(_words_of(o.label)) == spoken]
    if fitting or len(spoken) < 2 * _MIN_STEM_CHARS:
        return same[0] if len(same) == 1 else None
    return _most_similar(spoken, options)


def _fitting(wanted: Sequence[str], options: Sequence[Option]) -> list[Option]:
    return [o for o in options if wanted and all(_is_in(w, _words_of(o.label)) for w in wanted)]


def _named(parts: Sequence[Part]) -> list[str]:
    """What is wanted, without what else is said of it: `das bei Günsberg oben`."""
    return _wanted([p for p in parts if isinstance(p, Mention) or (isinstance(p, Word) and p.is_noun)])


def _wanted(parts: Sequence[Part]) -> list[str]:
    """The folded words that a label must have: content and references, else a noun (`die Liegenschaft`)."""
    wanted: list[str] = []
    for part in parts:
        if isinstance(part, Mention):
            wanted += _words_of(_shown(part))
        elif isinstance(part, Word) and part.is_content:
            wanted += _words_of(_OF_NUMBER.sub(r"\1", part.stem or part.text))
    nouns = [p.folded for p in parts if isinstance(p, Word) and p.role in _NOUNS]
    return [w for w in wanted if w not in nouns] or nouns


def _shown(mention: Mention) -> str:
    """A reference as labels write it."""
    match mention.what:
        case Egrid(egrid):
            return egrid
        case Parcel(number, municipality):
            return f"{number or ''} {municipality or ''}"
        case _:
            return mention.text


def _words_of(label: str) -> list[str]:
    return [t.folded for t in tokens_of(label) if t.is_word]


def _is_in(word: str, label: Sequence[str]) -> bool:
    if word in label or not word.isalpha() or len(word) < _MIN_STEM_CHARS:
        return word in label
    long_ones = [w for w in label if len(w) >= _MIN_STEM_CHARS]
    typos = 0 if len(word) < 6 else 1 if len(word) < 10 else 2
    return any(
        w.startswith(word) or word.startswith(w) or OSA.distance(w, word, score_cutoff=typos) <= typos
        for w in long_ones
    )


def _most_similar(spoken: str, options: Sequence[Option]) -> Option | None:
    numbers = re.findall(r"\d+", spoken)
    scored = sorted(
        (
            (fuzz.token_sort_ratio(spoken, fold(option.label)), n)
            for n, option in enumerate(options)
            if all(number in _words_of(option.label) for number in numbers)
        ),
        reverse=True,
    )
    if not scored or scored[0][0] < _MIN_SIMILARITY:
        return None
    ahead = len(scored) == 1 or scored[0][0] - scored[1][0] >= _MIN_LEAD
    return options[scored[0][1]] if ahead else None
