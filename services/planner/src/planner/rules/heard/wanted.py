"""What is meant of all that a message names, and what for: `Olten kenne ich, bring mich nach Wisen`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.session import Session
from german.fold import fold
from german.stems import stems

from planner.rules.grammar.loaded import BOTH, is_loaded
from planner.rules.grammar.parts import Part
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import NAVIGATION, Wish, answer, label_of, load, visit
from planner.rules.heard.given import DOUBTLESS, Given
from planner.rules.heard.named import is_listed, with_towns
from planner.rules.heard.places import PLACES
from planner.rules.heard.things import TAKES_BACK
from planner.rules.learned.features import titled
from planner.rules.learned.things import Thing, rivals, things_in
from planner.rules.learned.wanted import SURE, Wanted
from planner.rules.reading.lexicon import Role
from planner.rules.references.addresses import Address
from planner.rules.references.layers import title_called
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_SMALL: Final = frozenset({Role.FUNCTION, Role.FILLER})
_HARDLY: Final = 0.2
"""What is less probable, whatever it may be wanted for, is only told of, taken back or left to others."""
_LIKELY: Final = 0.5
_SURE_OF_WORD: Final = 0.98
"""The same of a layer that is called by a word that is no name of it."""
_UNHEARD: Final = 0.05
"""Nothing is done that is less probable of the message as a whole."""
_NOT_UNDERSTOOD: Final = frozenset({"unclear", "left_alone"})
"""What the rules say where they find nothing to do."""
_OF_PARCELS: Final = frozenset({Intent.SHOW_PARCEL, Intent.OEREB_EXTRACT, Intent.CADASTRAL_PLAN})
_OF_PLACES: Final = frozenset({Intent.HEIGHT_QUERY, Intent.MEASURE_DISTANCE})
_SHOWS: Final = frozenset({Intent.SEARCH_PLACE, Intent.LOAD_LAYER})
"""What is heard well enough to be dropped: a question about a parcel may name anything."""
_AT_SPOTS: Final = _OF_PARCELS | _OF_PLACES | {Intent.GEOTHERMAL_PROBE_ASSESSMENT}
_MADE: Final = (
    Intent.SEARCH_PLACE,
    Intent.LOAD_LAYER,
    Intent.SHOW_PARCEL,
    Intent.HEIGHT_QUERY,
    Intent.MEASURE_DISTANCE,
    Intent.OEREB_EXTRACT,
    Intent.CADASTRAL_PLAN,
    Intent.GEOTHERMAL_PROBE_ASSESSMENT,
)


def meant_of(
    said: Utterance, read: Wishes, session: Session, wanted: Sequence[Wanted]
) -> tuple[Utterance, Wishes]:
    """A message without the things that it hardly means, and what was read without what is about these.

    Nothing is left out where it names but one thing, means none, or says `beide`; nor is a layer that is
    loaded, or about which something was read that is done with such, since it may be to go.
    """
    if any(word.folded in BOTH for word in said.words):
        return said, read
    things = [each.thing for each in wanted]
    changed = {subject for wish in read if wish.intent in OF_LOADED_LAYERS for subject in _subjects(wish)}
    left_out = {
        each
        for each in _not_meant(wanted)
        if _bare(each.what) not in changed and not _is_loaded(each, session)
    }
    if not left_out:
        return said, read
    gone = {at for thing in left_out for at in range(_since_denied(said.parts, thing.start), thing.end)}
    kept = {_bare(thing.what) for thing in things if thing not in left_out}
    unmeant = {_bare(thing.what) for thing in left_out} - kept
    meant = tuple(wish for wish in read if unmeant.isdisjoint(_subjects(wish)))
    parts = tuple(part for n, part in enumerate(said.parts) if n not in gone)
    return replace(said, parts=parts), meant


def _since_denied(parts: Sequence[Part], start: int) -> int:
    """Where `non più` begins before a thing: without it, it would deny the next one."""
    at = start
    for n in range(start - 1, -1, -1):
        if parts[n].role is Role.NOT:
            at = n
        elif parts[n].role not in _SMALL:
            break
    return at


def _not_meant(wanted: Sequence[Wanted]) -> Iterator[Thing]:
    for sort in rivals([each.thing for each in wanted]):
        if max(wanted[n].most_without_changes for n in sort) > _LIKELY:
            yield from (wanted[n].thing for n in sort if wanted[n].most < _HARDLY)


def _is_loaded(thing: Thing, session: Session) -> bool:
    return isinstance(thing.what, str) and is_loaded(thing.what, session)


def _subjects(wish: Wish) -> frozenset[object]:
    """What a wish is about: a place, a number, a title."""
    names = (wish.query, *(str(wish.args.get(name, "")) for name in ("name", "layer")))
    about = (_bare(wish.target), *(title_called(name) for name in names))
    return frozenset(each for each in about if each)


def _bare(what: object) -> object:
    """An address and a parcel are the same in whatever town they were found to be."""
    match what:
        case Parcel(number=number):
            return Parcel(number)
        case Address():
            return replace(what, place=None, postal_code=None)
    return what


def as_wanted(wishes: Wishes, given: Given, wanted: Sequence[Wanted]) -> Wishes:
    """Wishes without what is not wanted, or of another thing, and with all that surely is wanted.

    They stay as they are where a foreign tool may be meant; nothing is added to what is asked back, and
    nothing dropped that is listed (`… und nach Bern`). Where nothing is wanted it is left alone.
    """
    if any(wish.tool for wish in wishes):
        return wishes
    found = [
        wish for wish in wishes if _stays(wish, wishes, given.said) or not _is_unwanted(wish, wishes, wanted)
    ]
    found = [wish for wish in found if not _is_known(wish, given, wanted)]
    made = chain.from_iterable(_made(intent, given, wanted) for intent in _MADE)
    if all(_gives_way(wish, wanted) for wish in found):
        found = [*made] or found
    elif not any(map(_is_open, found)):
        found += [
            wish for wish in made if not any(_is_dealt_with(wish, other, given.said) for other in found)
        ]
    if any(each.most > SURE for each in wanted) and given.probable[Intent.LOAD_LAYER] < DOUBTLESS:
        found = [wish for wish in found if wish.text != "which_layer"]
    found = [wish for wish in found if not _lacks_number(wish, found)]
    if not found and _is_nothing(wanted):
        return (answer("left_alone"),)
    return tuple(found) or wishes


def _stays(wish: Wish, wishes: Wishes, said: Utterance) -> bool:
    """Whether it is listed, asks about a parcel, or says where something else is wanted."""
    if is_listed(wish, said):
        return True
    if wish.intent == Intent.OEREB_EXTRACT:
        return any(sentence.asks for sentence in said.sentences)
    return wish.intent in NAVIGATION and any(each.intent in _AT_SPOTS and not each.target for each in wishes)


def _is_unwanted(wish: Wish, wishes: Wishes, wanted: Sequence[Wanted]) -> bool:
    """Whether it is rather wanted of something else; or hardly, where anything else is wanted, or nothing.

    Who wants a layer may want to see it at a place, whatever is heard of that. What else is wanted of a thing
    counts only where another wish is about it, too.
    """
    intent, subjects = label_of(wish), _subjects(wish)
    own = [each for each in wanted if _bare(each.thing.what) in subjects]
    if intent not in _MADE or not own:
        return False
    probable = max(each.of(intent) for each in own)
    others = (each for each in wanted if each not in own and not _is_town(each.thing.what, wish))
    if max((each.of(intent) for each in others), default=0.0) > max(_LIKELY, 2 * probable):
        return True
    is_done = any(other != wish and not subjects.isdisjoint(_subjects(other)) for other in wishes)
    if not is_done and any(each.most_without_changes > _LIKELY for each in own):
        return False
    rest = [each for each in wanted if not (each.thing.is_layer and intent == Intent.SEARCH_PLACE)]
    is_told = any(each.most_without_changes > _LIKELY for each in rest) or _is_nothing(wanted)
    return intent in _SHOWS and probable < _HARDLY and is_told


def _is_nothing(wanted: Sequence[Wanted]) -> bool:
    """Whether nothing is wanted of all that is named. A postcode may be: little is learned of them."""
    postcodes = any(isinstance(what := each.thing.what, Place) and what.name.isdigit() for each in wanted)
    return bool(wanted) and not postcodes and all(each.most < _UNHEARD for each in wanted)


def _gives_way(wish: Wish, wanted: Sequence[Wanted]) -> bool:
    """Whether it was not understood, or asks the documents what is only a list of layers."""
    if wish.intent == Intent.SEARCH_DOCUMENTS:
        layers = [each for each in wanted if each.thing.is_layer]
        are_several = len({each.thing.what for each in layers}) > 1
        return are_several and all(each.of(Intent.LOAD_LAYER) > SURE for each in layers)
    return wish.text in _NOT_UNDERSTOOD


def _is_known(wish: Wish, given: Given, wanted: Sequence[Wanted]) -> bool:
    """Whether it is asked which layer, in words of which it is known which layers they want."""
    if wish.intent != Intent.LOAD_LAYER or (title_called(wish.query) and not wish.among):
        return False
    words = set(wish.query.split())
    asked = [
        each
        for each in wanted
        if each.thing.is_layer and words & set(_written(each.thing, given.said).split())
    ]
    return len(asked) > 1 and all(each.of(wish.intent) > SURE for each in asked)


def _is_open(wish: Wish) -> bool:
    """Whether it is asked back; or words are looked for, not things."""
    unknown = wish.intent == Intent.LOAD_LAYER and not title_called(wish.query)
    return wish.is_talk or bool(wish.among) or unknown or wish.intent == Intent.SEARCH_DOCUMENTS


def _is_town(what: object, wish: Wish) -> bool:
    """Whether it is where the parcel is that is wanted."""
    town = wish.target.municipality if isinstance(wish.target, Parcel) else None
    return isinstance(what, Place) and town in (what.name, what.spoken)


def _lacks_number(wish: Wish, wishes: Sequence[Wish]) -> bool:
    """Whether it would be asked where in a town, or a street, of which a parcel, or a house, is named."""
    match wish.target:
        case Address(street=street, house_number=None):
            others = (each.target for each in wishes if isinstance(each.target, Address))
            return any(other.street == street and other.house_number for other in others)
    return wish.intent in _OF_PARCELS and any(_is_town(wish.target, each) for each in wishes)


def _made(intent: str, given: Given, wanted: Sequence[Wanted]) -> Iterator[Wish]:
    """What is surely wanted of some things that have others of their sort beside them."""
    unheard = intent not in given.wanted and given.probable[intent] < _UNHEARD
    if unheard or not given.past.can(intent):
        return
    least = _LIKELY if intent in given.wanted & _OF_PARCELS else SURE
    compared = {n for sort in rivals([each.thing for each in wanted]) for n in sort}
    enough = [max(least, _SURE_OF_WORD if _is_word(each.thing, given.said) else 0.0) for each in wanted]
    likely = {n: each.thing for n, each in enumerate(wanted) if each.of(intent) > enough[n]}
    sure = [thing for n, thing in likely.items() if n in compared]
    if intent == Intent.LOAD_LAYER:
        yield from map(load, _titles(sure, given))
    elif intent == Intent.SEARCH_PLACE:
        spots = with_towns(each.what for each in likely.values() if isinstance(each.what, Place | Address))
        own = {_bare(thing.what) for thing in sure}
        yield from (visit(spot) for spot in spots if _bare(spot) in own)
    elif sure and (intent in _OF_PLACES or any(not isinstance(thing.what, Place) for thing in sure)):
        others = {n for each in wanted if each.of(intent) < _LIKELY for n in each.thing.at}
        parts = tuple(part for n, part in enumerate(given.said.parts) if n not in others)
        yield from PLACES[intent](intent, replace(given, said=replace(given.said, parts=parts)))


def _titles(things: Iterable[Thing], given: Given) -> Iterator[str]:
    """Without what is on the map or is to go, or helps to name another one: `Gefahr, dass es rutscht`."""
    loads = [wish for wish in given.read if wish.intent == Intent.LOAD_LAYER]
    titles = [title_called(wish.query) for wish in loads]
    changed = {each for wish in given.read if wish.intent in OF_LOADED_LAYERS for each in _subjects(wish)}
    for thing in things:
        if isinstance(thing.what, str) and not _is_loaded(thing, given.past.session):
            written = _written(thing, given.said)
            helps = any(_is_in(written, title) for title in titles) or _is_beside(thing, given.said)
            if thing.what not in changed and not helps:
                yield thing.what


def _is_word(thing: Thing, said: Utterance) -> bool:
    """Whether a layer is called by what is no name of it: `Steinschlag`."""
    return thing.is_layer and thing not in titled(said.parts)


def _written(thing: Thing, said: Utterance) -> str:
    return " ".join(said.parts[n].text for n in thing.at)


def _is_beside(thing: Thing, said: Utterance) -> bool:
    """Whether a word that is no name stands in one clause with another layer: it may only tell which."""
    first = said.parts[thing.start]
    clause = next((clause.parts for clause in said.clauses if first in clause.parts), ())
    others = (each for each in things_in(clause) if each.is_layer and each.what != thing.what)
    return _is_word(thing, said) and any(others)


def _is_in(name: str, title: str) -> bool:
    return fold(name) in fold(title) or set(stems(name)) <= set(stems(title))


def _is_dealt_with(made: Wish, read: Wish, said: Utterance) -> bool:
    """Whether something is done with what a wish is about; a correction, or what is said of all, stays."""
    if made.intent == Intent.LOAD_LAYER:
        return read.intent == made.intent and title_called(made.query) == title_called(read.query)
    if label_of(made) == label_of(read):
        match made.target, read.target:
            case Address(street=street, house_number=number), Address(street=other_street):
                is_same = number == read.target.house_number or not TAKES_BACK.isdisjoint(said.roles)
                return street == other_street and is_same
            case Place(spoken=name), Place(spoken=other_name):
                return f"{other_name} ".startswith(f"{name} ")
            case _, None:
                return True
    return made.target is not None and _bare(made.target) == _bare(read.target)
