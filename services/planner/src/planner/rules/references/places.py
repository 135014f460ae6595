"""The names of places that the sources know, and where a message says one of them."""

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

from contracts.vocabulary import PlaceName
from german.dialect import standard_spellings
from german.fold import fold
from german.spelling import MAX_WORD_CHARS, Spellings

from planner.rules.reading.known import Known, known
from planner.rules.reading.lexicon import Role, is_known, role_of
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import DIALECT, NOTHING, Token, clean, is_alone, token_at
from planner.rules.reading.topics import is_theme, topic_of
from planner.rules.references.layers import may_name_layer

PlaceKind = Literal["municipality", "locality", "region", "unknown"]

_WORDS: Final = table("words.toml")["places"]
_LEADS_TO_PLACE: Final = frozenset(_WORDS["before"].split())
_EVERYDAY: Final = frozenset(_WORDS["everyday"].split())
_ELSEWHERE: Final = frozenset(_WORDS["elsewhere"].split())
_ELSEWHERE_TOO: Final = frozenset(_WORDS["elsewhere_too"].split())
_CODE_NOUNS: Final = frozenset(_WORDS["code_nouns"].split())
_NO_NAMES: Final = frozenset(_WORDS["no_names"].split())
COUNTED: Final = frozenset(_WORDS["counted"].split())
"""What stands after a number that says how far, or how much."""
_FOREIGN_CODE = re.compile(r"(?:[A-Z]{1,2}-)?[1-9][0-9]{3,4}", re.ASCII | re.IGNORECASE)
_NOT_BESIDE_NAME = frozenset({Role.LOAD, Role.LAYER, Role.DOCUMENT, Role.REMOVE, Role.HIDE, Role.CREATE})
_OF_CANTON = re.compile(r" ?\([A-Z]{2}\)$")
_CANTON, _DISTRICT, _OF = "Kanton", "Bezirk", "von"
_WRITTEN_OUT = {"b": "bei", "sankt": "st"}
_SEPARATORS = str.maketrans("-./'", "    ")
_LEADS_TO_NAME = frozenset({Role.GO, Role.FIND, Role.SHOW, Role.HEIGHT})
_HALVES = ("Ober", "Nieder", "Unter")
_MAX_NAME_TOKENS = 6
_MAX_TOKENS_BESIDE = 10
_MIN_FUZZY_CHARS = 5
_TWO_TYPOS_CHARS = 8
_MIN_DIALECT_CHARS = 7
"""Shorter words are too many others, once they are spelled anew."""
_MIN_LONE_CHARS = 7
"""Shorter names are too near to other words, where neither a preposition nor a verb leads to them."""
_MIN_PART_CHARS = 6
"""Of a double name (`Starrkirch-Wil`), to be understood alone."""


@dataclass(frozen=True, slots=True)
class Place:
    """A named place. `name` is the official one (`Büren (SO)`), `spoken` what people say (`Büren`)."""

    name: str
    kind: PlaceKind

    @property
    def spoken(self) -> str:
        return _OF_CANTON.sub("", self.name)


class Names:
    """Folded name -> place, with the short forms that are unique (`Weissenstein`, `Starrkirch`)."""

    def __init__(self, places: Sequence[PlaceName]) -> None:
        self.places: dict[str, Place] = {}
        self.regions = {fold(_CANTON): Place(_CANTON, "region")}
        self.cantons: set[str] = set()
        """Abbreviations that stand behind a name: `SO`."""
        for place in sorted(places, key=lambda place: place.kind != "municipality"):
            if place.kind == "canton":
                self._add_canton(place)
            elif place.kind == "district":
                district = Place(f"{_DISTRICT} {place.name}", "region")
                self.regions[_key(district.name)] = district
                if self.places.keys().isdisjoint(_key(f"{half}{place.name}") for half in ("", *_HALVES)):
                    self.regions[_key(place.name)] = district
            else:
                self._add(place, place.kind)
        self._add_short_forms()
        self.first_words = frozenset(name.split(" ")[0] for name in self.places)

    def _add_canton(self, canton: PlaceName) -> None:
        region = Place(canton.name, "region")
        self.cantons |= {name for name in canton.also if name.isupper()}
        named = (_CANTON, canton.name, *(f"{_CANTON} {name}" for name in canton.also))
        self.regions |= {_key(name): region for name in named}

    def _add(self, named: PlaceName, kind: Literal["municipality", "locality"]) -> None:
        official = Place(named.name, kind)
        official = self.places.setdefault(_key(clean(official.spoken)), official)
        for name in (*official.spoken.split("/"), *named.also):
            self.places.setdefault(_key(clean(name)), official)

    def _add_short_forms(self) -> None:
        places = self.places
        short = Counter(name.split(" bei ")[0] for name in places if " bei " in name)
        for name, place in list(places.items()):
            head = name.split(" bei ")[0]
            spoken = place.name.split(" bei ")[0]
            if short[head] == 1:
                places.setdefault(head, place if place.kind == "municipality" else Place(spoken, place.kind))
            elif short[head] > 1:  # Balm: who knows all of them lets the user choose
                places.setdefault(head, Place(spoken, "locality"))
        for place in list(places.values()):
            half = next((h for h in _HALVES if place.name.startswith(h)), "")
            if half and len(place.spoken) - len(half) >= _MIN_FUZZY_CHARS:
                whole = place.spoken.removeprefix(half).capitalize()  # Gösgen
                places.setdefault(_key(whole), Place(whole, "locality"))
        parts = [
            (part, place)
            for place in dict.fromkeys(places.values())
            for part in place.spoken.split("-")
            if len(part) >= _MIN_PART_CHARS
        ]
        shared = Counter(_key(part) for part, _ in parts)
        for part, place in parts:
            places.setdefault(_key(part), place if shared[_key(part)] == 1 else Place(part, "locality"))

    @cached_property
    def spellings(self) -> dict[str, Spellings]:
        """By first letter, and all of them; without those that are everyday words."""
        names = [name for name in self.places if name not in _EVERYDAY]
        beginnings = {"", *(name[:1] for name in names)}
        return {letter: Spellings(n for n in names if n.startswith(letter)) for letter in beginnings}


@lru_cache(maxsize=2)
def _names_of(source: Known) -> Names:
    return Names(source.vocabulary.places)


def _names() -> Names:
    return _names_of(known())


def place_at(tokens: Sequence[Token], i: int, *, fuzzy: bool = False) -> tuple[Place, int] | None:
    """The longest known name that starts at token `i`, and the index after it.

    With `fuzzy`, one wrong letter in five, two in eight are forgiven.
    """
    names, first = _names(), token_at(tokens, i)
    if not first.is_word or _key(first.text).split(" ")[0] not in names.first_words:
        return _similar(tokens, i) if fuzzy else _in_dialect(tokens, i)
    for end in range(min(len(tokens), i + _MAX_NAME_TOKENS), i, -1):
        span = tokens[i:end]
        if span[-1].is_word and all(t.is_word or t.text in "./" for t in span):
            place = names.places.get(_key(" ".join(t.text for t in span if t.is_word)))
            if place:
                return place, _after_canton(tokens, end)
    return _similar(tokens, i) if fuzzy else None


def place_before(
    tokens: Sequence[Token], end: int, between: Container[str], most: int
) -> tuple[Place, int] | None:
    """The place with at most so many words between it and token `end`, and where it begins."""
    at = end
    while end - at < most and token_at(tokens, at - 1).folded in between:
        at -= 1
    hits = ((place_at(tokens, first), first) for first in range(max(0, at - 4), at))
    return next(((hit[0], first) for hit, first in hits if hit and hit[1] == at), None)


def place_after(tokens: Sequence[Token], i: int, *, certain: bool) -> tuple[Place, int] | None:
    """The place at token `i`, typos forgiven; if it is certain that there is one, unknown names, too."""
    hit = place_at(tokens, i, fuzzy=True)
    if hit or not (certain and is_unknown_name(tokens, i)):
        return hit
    return Place(tokens[i].text, "unknown"), i + 1


def is_unknown_name(tokens: Sequence[Token], i: int) -> bool:
    """Whether a word that nobody knows is at `i`."""
    word = token_at(tokens, i)
    return word.is_word and not word.text[0].isdigit() and not is_known(word.folded)


def coded_place(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    """The place that a postal code at token `i` names, alone or with its name after it, and the index after
    it; of a code that no source has only with a name that can be nothing else."""
    code, following = tokens[i].text.upper().removeprefix("CH-"), token_at(tokens, i + 1)
    before = [token.folded for token in tokens[max(0, i - 2) : i] if token.text != "."]
    if not _FOREIGN_CODE.fullmatch(code) or before[-1:] in (["nr"], ["nummer"]):
        return None
    if is_known_postal_code(code):
        counts = following.folded in COUNTED or role_of(following.folded) is Role.PARCELS
        return place_at(tokens, i + 1, fuzzy=True) or (None if counts else (Place(code, "locality"), i + 1))
    if before[-1:] and before[-1] in _CODE_NOUNS:
        return Place(code, "unknown"), i + 1
    if following is NOTHING or place_at(tokens, i + 1) or is_nearly_place(following.folded):
        return None
    saint = token_at(tokens, i + 3)
    if following.folded == "st" and token_at(tokens, i + 2).text == "." and saint is not NOTHING:
        return Place(f"{code} St. {saint.text}", "unknown"), i + 4
    named = following.folded in _ELSEWHERE or is_lone_name(tokens, i + 1)
    return (Place(f"{code} {following.text}", "unknown"), i + 2) if named else None


def before_code(tokens: Sequence[Token], i: int) -> int:
    """Where a place at token `i` begins, with a word like `PLZ` before its postal code."""
    start = i - 1 if token_at(tokens, i - 1).text == ":" else i
    named = tokens[i].is_number and token_at(tokens, start - 1).folded in _CODE_NOUNS
    return start - 1 if named else i


def place_elsewhere(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    """A well-known place at token `i` that no source knows, and the index after it."""
    word = tokens[i]
    named = word.folded in _ELSEWHERE
    if not named or (word.folded in _ELSEWHERE_TOO and not leads_to_place(tokens, i)):
        return None
    return Place(word.text, "unknown"), i + 1


def is_lone_name(tokens: Sequence[Token], i: int) -> bool:
    """Whether a word can be the name of a place because nothing else in the message says anything."""
    word = tokens[i]
    if not word.is_word:
        return False
    if is_alone(tokens):
        return True
    if len(tokens) > _MAX_TOKENS_BESIDE or not word.is_noun or is_known(word.folded):
        return False
    if is_theme(word.folded) or topic_of(word.folded) or may_name_layer([word.folded]):
        return False
    beside = (t for n, t in enumerate(tokens) if n != i and t.is_word and not _is_around(tokens, n, i))
    roles = {role_of(t.folded) for t in beside}
    certain = roles & _LEADS_TO_NAME or len(word.folded) >= _MIN_LONE_CHARS
    return bool(certain) and None not in roles and not roles & _NOT_BESIDE_NAME


def _is_around(tokens: Sequence[Token], n: int, i: int) -> bool:
    """The postal code before a name, and the district it is in."""
    is_code = n == i - 1 and _FOREIGN_CODE.fullmatch(tokens[n].text) is not None
    return is_code or f"{fold(_DISTRICT)} {tokens[n].folded}" in _names().regions


def region_at(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    """The canton (`Kanton Solothurn`, `Kanton`) or a district (`Bezirk Thal`) at token `i`, and the index
    after it."""
    regions = _names().regions
    for end in range(min(len(tokens), i + _MAX_NAME_TOKENS), i, -1):
        words = tokens[i].is_word and tokens[end - 1].is_word
        if words and (region := regions.get(_key(" ".join(t.text for t in tokens[i:end])))):
            return region, end
    canton = regions.get(tokens[i].folded)
    if canton is None:
        return None
    of = i + 2 if token_at(tokens, i + 1).folded == _OF else i + 1
    capital = place_at(tokens, of)  # canton de Soleure
    region = regions.get(_key(f"{_CANTON} {capital[0].name}")) if capital else None
    return (region, capital[1]) if region and capital else (canton, i + 1)


def similar_place(word: str) -> Place | None:
    """The place whose name is nearly the word, for a word that can be nothing else."""
    key = _key(word)
    named = _names().places.get(key)
    return named or (_most_similar(key) if len(key) >= _MIN_FUZZY_CHARS - 1 else None)


def place_near(place: Place, other: Place) -> Place | None:
    """The one of several places of a name that is called after another: `Balm`, near `Günsberg`."""
    short = place.spoken.partition(" bei ")[0]
    return _names().places.get(_key(f"{short} bei {other.spoken}"))


def is_nearly_place(word: str) -> bool:
    """Whether a long folded word is the name of a place with a mistake in it."""
    return len(word) >= _MIN_LONE_CHARS and _most_similar(word) is not None


def leads_to_place(tokens: Sequence[Token], i: int) -> bool:
    """Whether the token before `i` lets one expect a place: a preposition, a comma or a postal code."""
    before = token_at(tokens, i - 1)
    return before.folded in _LEADS_TO_PLACE or before.text == "," or is_postal_code(before)


def is_postal_code(token: Token) -> bool:
    return token.is_number and len(token.folded) == 4 and token.folded[0] != "0"


def is_known_postal_code(number: str) -> bool:
    """Whether a source has a postal code like that: with a place, any other number is a parcel's."""
    return number in known().postal_codes


def is_elsewhere(word: str) -> bool:
    """Whether a folded word is a well-known place that no tool of ours knows."""
    return word in _ELSEWHERE


def is_homonym(token: Token) -> bool:
    """Whether a name is an everyday word too: only after a preposition or with a capital letter."""
    return token.folded in _EVERYDAY


def _nearly_spelled(key: str) -> Place | None:
    spellings = (word for word in standard_spellings(key) if len(word) >= _MIN_DIALECT_CHARS)
    return next(filter(None, map(_most_similar, spellings)), None)


@lru_cache(maxsize=2_048)
def _key(name: str) -> str:
    words = fold(name).translate(_SEPARATORS).split()
    return " ".join(_WRITTEN_OUT.get(word, word) for word in words)


def _similar(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    token = token_at(tokens, i)
    key = _key(token.text)
    if not token.is_word or is_known(token.folded) or len(key) < _MIN_FUZZY_CHARS - 1:
        return _in_dialect(tokens, i)
    place = _most_similar(key)
    if place is None and token.language == DIALECT:
        place = _spelled(key) or _nearly_spelled(key)
    return (place, _after_canton(tokens, i + 1)) if place else None


def _in_dialect(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    """`Oute`, `Egerchinge`, in a sentence that is no standard German."""
    token = token_at(tokens, i)
    key, named, word = _key(token.text), token.is_noun, is_known(token.folded)
    if token.language != DIALECT or (word and not named):
        return None
    place = _spelled(key, everyday=named)
    if place is None and not word and len(key) >= _MIN_DIALECT_CHARS and not is_theme(key):
        place = _nearly_spelled(key)
    return (place, i + 1) if place else None


def _spelled(key: str, *, everyday: bool = True) -> Place | None:
    """The place that is called so in standard German, for a name as the dialect has it."""
    places = _names().places
    spellings = (word for word in standard_spellings(key) if everyday or word not in _EVERYDAY)
    return next((places[word] for word in spellings if word in places), None)


def _most_similar(key: str) -> Place | None:
    """Forgives two wrong letters in a long name that begins right, else one."""
    return _misspelled(key, known()) if len(key) <= MAX_WORD_CHARS and key not in _NO_NAMES else None


@lru_cache(maxsize=4_096)
def _misspelled(key: str, source: Known) -> Place | None:
    names = _names_of(source)
    allowed = 2 if len(key) >= _TWO_TYPOS_CHARS else 1
    spellings = names.spellings.get("" if len(key) > _MIN_FUZZY_CHARS else key[0])
    best = spellings.nearest(key, allowed) if spellings else None
    if best is None or (best[1] > 1 and best[0][0] != key[0]):
        return None
    if len(key) < _MIN_FUZZY_CHARS and len(best[0]) <= len(key):
        return None  # short names only with a letter left out: Oltn
    return names.places[best[0]]


def _after_canton(tokens: Sequence[Token], i: int) -> int:
    """Past `SO` or `(SO)`, or the postal code behind the name."""
    cantons, (first, second, third) = (
        _names().cantons,
        (token_at(tokens, n).text.upper() for n in range(i, i + 3)),
    )
    if first in cantons or is_known_postal_code(first):
        return i + 1
    return i + 3 if second in cantons and (first, third) == ("(", ")") else i
