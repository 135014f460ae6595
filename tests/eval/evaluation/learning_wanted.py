"""What is wanted of each thing that a message names: examples from conversations.

What is wanted is in the first outcome that is accepted. Nothing is told of a thing where that outcome does
not say which one it is about (`height`), or where another one that is accepted wants something else of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import NamedTuple

from contracts.intents import Intent
from solothurn import VOCABULARY

from evaluation.conversations import Conversation, Turn, conversations
from evaluation.outcomes import INTENTS, WHAT_IT_IS, Fact, Outcome, has_name, is_question, plain
from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.things import Thing, things_in
from planner.rules.learned.wanted import segments_of
from planner.rules.reading.known import expecting, knowing
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Egrid
from planner.rules.references.layers import titles_at
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_OF_SPOTS = frozenset(
    {
        "view",
        "height",
        "distance",
        "geothermal",
        "query",
        "parcel",
        "extract",
        "plan",
        "identify",
        "documents",
    }
)
_OF_LAYERS = frozenset({"load", "remove", "hide", "show", "opacity", "move", "legend", "zoom", "query"})
LABELS = sorted({INTENTS[kind] for kind in _OF_SPOTS | _OF_LAYERS})
_NO_WORDS = frozenset({"", "*"})
_MAY_BE_OF_ALL = frozenset({"documents", "query", "identify"})
"""Their words do not tell what they are about."""
_IN_A_ROW, _AT_ONCE = 2_500, (2, 3)
"""So many times two or three openings are said in a row."""
_ENDS = frozenset(".!?…")
_TELLING_CHARS = 5
"""Such words of a title tell which layer it is."""

_WHOLE = 1_000
"""How near a title is that is said as a whole: more than any of which only some words are."""
_OF_ONE = frozenset({"view", "height"})
"""What is about one place: `Wangen bei Olten` is not Olten."""

Wanted = dict[Intent, bool]
"""True: it is wanted. False: nobody knows. What is not in it is not wanted."""


class Example(NamedTuple):
    segments: tuple[str, ...]
    """Of a message: every second one is a thing."""
    wanted: tuple[Mapping[Intent, bool], ...]
    """Of each thing."""


def examples(folders: Iterable[Path]) -> list[Example]:
    """One for each message that names several things, and some of messages in a row."""
    found = [each for folder in folders for each in conversations(folder) if each.agent == "map"]
    with knowing(VOCABULARY):
        alone = [example for each in found for turn in each.turns for example in _of(each.language, [turn])]
        return alone + list(in_a_row(found, _IN_A_ROW))


def in_a_row(found: Sequence[Conversation], times: int) -> Iterator[Example]:
    """What each sentence wants is wanted whatever was said before it, or is said next.

    Of all that may be wanted each is as frequent as the others.
    """
    chance = Random(0)
    openings: dict[str, dict[str, list[Turn]]] = defaultdict(lambda: defaultdict(list))
    for each in found:
        openings[each.language][each.turns[0].accept[0][0].kind].append(each.turns[0])
    for _ in range(times):
        language = chance.choice(found).language
        by_kind = chance.choices([*openings[language].values()], k=chance.choice(_AT_ONCE))
        yield from _of(language, [chance.choice(turns) for turns in by_kind])


def _of(language: str, turns: Sequence[Turn]) -> Iterator[Example]:
    """Of what is said in some turns, one after the other, as one message."""
    with expecting(language):
        said = utterance_of(" ".join(map(_ended, turns)) if len(turns) > 1 else turns[0].say)
        things = things_in(said.parts)
        own = [things_in(utterance_of(turn.say).parts) for turn in turns]
        if len(things) < 2 or [each.what for part in own for each in part] != [each.what for each in things]:
            return
        wanted = [wanted_of(part, turn.accept) for part, turn in zip(own, turns, strict=True)]
        if None not in wanted:
            yield Example(tuple(segments_of(said, things)), tuple(chain.from_iterable(filter(None, wanted))))


def _ended(turn: Turn) -> str:
    return turn.say if turn.say.rstrip()[-1:] in _ENDS else f"{turn.say}."


def wanted_of(things: Sequence[Thing], accepted: Sequence[Outcome]) -> list[Wanted] | None:
    """Of each thing; None where one has to ask, or to choose."""
    told = [outcome for outcome in accepted if not any(fact.kind == "choose" for fact in outcome)]
    if not told or is_question(told[0]):
        return None
    wanted, *others = (_wanted_in(outcome, things) for outcome in told)
    for other in others:
        for mine, else_wanted in zip(wanted, other, strict=True):
            mine |= {intent: False for intent in else_wanted if intent not in mine}
    return wanted


def _wanted_in(outcome: Outcome, things: Sequence[Thing]) -> list[Wanted]:
    wanted: list[Wanted] = [{} for _ in things]
    for fact in outcome:
        for of_layers, kinds in ((True, _OF_LAYERS), (False, _OF_SPOTS)):
            if fact.kind in kinds:
                sort = [n for n, thing in enumerate(things) if thing.is_layer is of_layers]
                for n, told in _told(fact, sort, things):
                    wanted[n][INTENTS[fact.kind]] = told or wanted[n].get(INTENTS[fact.kind], False)
    return wanted


def _told(fact: Fact, sort: Sequence[int], things: Sequence[Thing]) -> Iterator[tuple[int, bool]]:
    """Which of the things of a sort a fact is about, and about which it may be."""
    near = {n: _nearness(fact, things[n]) for n in sort if fact.kind != "documents"}
    about = [n for n, nearness in near.items() if nearness and nearness == max(near.values())]
    unclear = fact.words in _NO_WORDS or fact.kind in _MAY_BE_OF_ALL or _is_number(fact.words)
    yield from ((n, True) for n in about)
    if not about and unclear:
        yield from ((n, len(sort) == 1 and fact.kind != "query") for n in sort)
    elif about and not things[about[0]].is_layer:
        yield from ((n, False) for n in sort if n not in about and _is_beside(things[n], things))


def _is_number(words: str) -> bool:
    """A coordinate or an EGRID, however it is called in the message."""
    return not any(c.isalpha() for c in words) or words[:2] == "CH"


def _is_beside(thing: Thing, things: Sequence[Thing]) -> bool:
    """A place may only tell where something else is."""
    return isinstance(thing.what, Place) and (
        thing.what.kind == "region" or any(isinstance(each.what, Address | Parcel | Egrid) for each in things)
    )


def _nearness(fact: Fact, thing: Thing) -> int:
    """How much tells that a fact is about a thing; 0 if nothing does."""
    said = plain(fact.words)
    if isinstance(thing.what, str):
        return _nearness_to_title(fact.words, thing.what)
    name = [word for word in plain(_name(thing)).split() if word not in WHAT_IT_IS]
    if not name or name[0] not in said.split():
        return 0
    return len({*name} & {*said.split()}) if fact.kind in _OF_ONE else 1


def _nearness_to_title(said: str, title: str) -> int:
    words, own = plain(said), plain(title)
    if words == own:
        return _WHOLE + 1
    if own in words or has_name(title, said) or title in [each for *_, each in titles_at(said.split())]:
        return _WHOLE
    shared = [word for word in words.split() if word in own]
    return len(shared) if any(len(word) >= _TELLING_CHARS for word in shared) else 0


def _name(thing: Thing) -> str:
    match thing.what:
        case Place(name=name) | Address(street=name) | Egrid(egrid=name):
            return name
        case Parcel(number=number):
            return number or ""
    return ""
