"""What a person would not notice does not change the plan: spelling of umlauts, case, politeness, a typo."""

import re
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from contracts.intents import Intent
from contracts.session import Session
from evaluation.conversations import SEEN, conversations
from evaluation.outcomes import plain
from hypothesis import assume, given
from hypothesis import strategies as st
from solothurn import VOCABULARY
from volume import examples

from planner.rules import plan

from .rules_kit import TOOLS

_OPENINGS = tuple((each.language, each.turns[0].say) for each in conversations(SEEN) if each.agent == "map")
SENTENCES = tuple(dict.fromkeys(say for _, say in _OPENINGS))
"""What makes sense without a conversation before it."""
GERMAN = tuple(dict.fromkeys(say for language, say in _OPENINGS if language == "de"))
POLITE = frozenset({"bitte", "danke", "gerne"})
POLITELY = ("Bitte {}", "Bitte, {}", "{} bitte", "{}, bitte", "{}, danke")
MIN_LETTERS = 9
TYPOS, MIN_SAME_SHARE = 400, 0.84
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONG = re.compile(rf"\b[^\W\d_]{{{MIN_LETTERS},}}\b")
_NAMED = [(each.name, *each.also) for each in VOCABULARY.places]
_NAMED += [(each.name, *each.also) for each in VOCABULARY.layers]
_KNOWN = frozenset(word for names in _NAMED for name in names for word in plain(name).split())

every_sentence = examples(200)


@cache
def planned(message: str) -> list[str]:
    """The plan in words, without what nobody would notice in the text that it passes on."""
    words: list[str] = []
    for step in plan(message, Session(), TOOLS).steps:
        words += [step.intent, step.status or "", str(step.respond), *_words(step.message or "")]
        for call in step.calls:
            words += [call.capability, *_words(repr(call.args))]
        words += _words(repr(step.args))
    return words


def _words(text: str) -> list[str]:
    return [word for word in plain(text).split() if word not in POLITE]


@every_sentence
@given(st.sampled_from([say for say in SENTENCES if re.search("[äöüÄÖÜ]", say)]))
def test_the_spelling_of_umlauts(said: str) -> None:
    spelled = said
    for umlaut, letters in zip("äöüÄÖÜ", ("ae", "oe", "ue", "Ae", "Oe", "Ue"), strict=True):
        spelled = spelled.replace(umlaut, letters)
    assert planned(spelled) == planned(said)


@every_sentence
@given(st.sampled_from(SENTENCES), st.sampled_from([str.lower, str.upper]))
def test_case(said: str, written: Callable[[str], str]) -> None:
    assert planned(written(said)) == planned(said)


@every_sentence
@given(st.sampled_from(SENTENCES), st.sampled_from(["", ".", "!", " !", " ."]))
def test_the_sign_at_the_end(said: str, sign: str) -> None:
    bare = said.rstrip(".!? ")
    assume(bare and not said.endswith("?"))
    assert planned(bare + sign) == planned(said)


@every_sentence
@given(st.sampled_from(SENTENCES), st.data())
def test_doubled_spaces(said: str, data: st.DataObject) -> None:
    spaces = [n for n, sign in enumerate(said) if sign == " "]
    assume(spaces)
    at = data.draw(st.sampled_from(spaces))
    assert planned(f"  {said[:at]}  {said[at:]} ") == planned(said)


@every_sentence
@given(
    st.sampled_from(GERMAN), st.sampled_from(["Bitte {}", "{} bitte", "{}, bitte", "{}, danke", "Bitte, {}"])
)
def test_politeness(said: str, form: str) -> None:
    bare = said.rstrip(".!? ")
    assume(bare and not POLITE.intersection(plain(said).split()))
    # To what is not understood, thanks are all that is.
    assume("danke" not in form or planned(bare)[:1] != [Intent.CLARIFY])
    assert planned(form.format(bare)) == planned(bare)


def test_a_typo_in_a_long_word_mostly_changes_nothing() -> None:
    """Not always: of a word that no table and no name has, nobody knows how it is meant."""
    chance, mistakes = Random(0), [(say, word) for say in SENTENCES for word in _LONG.finditer(say)]
    same: list[bool] = []
    while len(same) < TYPOS:
        said, word = chance.choice(mistakes)
        mistaken = chance.choice(sorted(_typos(word[0])))
        if _is_near_another(mistaken, word[0]):
            continue
        written = said[: word.start()] + mistaken + said[word.end() :]
        passed_on = [plain(word[0]) if each == plain(mistaken) else each for each in planned(written)]
        same.append(passed_on == planned(said))
    assert sum(same) >= MIN_SAME_SHARE * TYPOS


def _typos(word: str) -> set[str]:
    """With two letters exchanged, one left out, doubled or mistaken; never the first, never an umlaut."""
    found = set()
    for n in range(1, len(word) - 1):
        before, letter, after = word[:n], word[n], word[n + 1 :]
        found |= {before + after, before + letter * 2 + after, before + after[:1] + letter + after[1:]}
        found.add(before + _LETTERS[(_LETTERS.find(letter) + 1) % 26] + after)
    return found - {word}


def _is_near_another(mistaken: str, meant: str) -> bool:
    said, others = plain(mistaken), _KNOWN - {plain(meant)}
    return said == plain(meant) or any(_is_one_off(said, other) for other in others)


def _is_one_off(one: str, other: str) -> bool:
    """Whether a single mistake makes one of the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    same = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    start = next(same, min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


@pytest.mark.parametrize("one", ["oltne", "oltn", "oltenn", "olden", "olten"])
def test_one_mistake_is_found(one: str) -> None:
    assert _is_one_off(one, "olten") and _is_one_off("olten", one)
    assert not _is_one_off(one, "trimbach")
