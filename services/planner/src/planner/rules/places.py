"""The names of municipalities and localities, and where a message says one of them."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal

from planner.rules.lexicon import is_known
from planner.rules.normalise import Token, fold
from planner.rules.spellings import MAX_WORD_CHARS, Spellings
from planner.rules.tables import table

PlaceKind = Literal["municipality", "locality", "region", "unknown"]

_HOMONYMS = frozenset({"messen", "halten", "rohr", "wangen"})
"""Names that are everyday words too: only after a preposition or with a capital letter."""
_WORDS: Final = table("words.toml")["places"]
_LEADS_TO_PLACE: Final = frozenset(_WORDS["before"].split())
_POSTAL_CODES: Final = frozenset(_WORDS["postal_codes"].split())
_ELSEWHERE: Final = frozenset(_WORDS["elsewhere"].split())
_CANTON = "Kanton Solothurn"
_DISTRICTS: Final = {fold(name): f"Bezirk {name}" for name in _WORDS["districts"].split()}
_MAX_NAME_TOKENS = 6
_MIN_FUZZY_CHARS = 5
_TWO_TYPOS_CHARS = 8
_MIN_PART_CHARS = 8
"""Of a double name (`Starrkirch-Wil`), to be understood alone."""


@dataclass(frozen=True, slots=True)
class Place:
    """A named place. `name` is the official one (`Büren (SO)`), `spoken` what people say (`Büren`)."""

    name: str
    kind: PlaceKind

    @property
    def spoken(self) -> str:
        return self.name.removesuffix(" (SO)")


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, Place]:
    """Folded name -> place, with the short forms that are unique (`Weissenstein`, `Starrkirch`)."""
    source = files("planner.rules").joinpath("data/places.tsv").read_text("utf-8")
    rows = list(csv.DictReader(source.splitlines(), delimiter="\t"))
    known: dict[str, Place] = {}
    for row in rows:
        kind: PlaceKind = "municipality" if row["kind"] == "municipality" else "locality"
        known.setdefault(_key(row["name"].removesuffix(" (SO)")), Place(row["name"], kind))
    short = Counter(name.split(" bei ")[0] for name in known if " bei " in name)
    for name, place in list(known.items()):
        head = name.split(" bei ")[0]
        spoken = place.name.split(" bei ")[0]
        if short[head] == 1:
            known.setdefault(head, place if place.kind == "municipality" else Place(spoken, place.kind))
        elif short[head] > 1:  # Balm: who knows all of them lets the user choose
            known.setdefault(head, Place(spoken, "locality"))
    for place in tuple(known.values()):
        for part in place.spoken.split("-") if place.kind == "municipality" else ():
            if len(part) >= _MIN_PART_CHARS:
                known.setdefault(_key(part), place)
    return known


def place_at(tokens: Sequence[Token], i: int, *, fuzzy: bool = False) -> tuple[Place, int] | None:
    """The longest known name that starts at token `i`, and the index after it.

    With `fuzzy`, one wrong letter in five, two in eight are forgiven.
    """
    known = vocabulary()
    if not tokens[i].is_word or _key(tokens[i].text).split(" ")[0] not in _first_words():
        return _similar(tokens, i) if fuzzy else None
    for end in range(min(len(tokens), i + _MAX_NAME_TOKENS), i, -1):
        span = tokens[i:end]
        if not span[-1].is_word or not all(t.is_word or t.text == "." for t in span):
            continue
        place = known.get(_key(" ".join(t.text for t in span if t.is_word)))
        if place:
            return place, _after_canton(tokens, end)
    return _similar(tokens, i) if fuzzy else None


def region_at(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    """The canton (`Kanton Solothurn`, `Kanton`) or a district (`Bezirk Thal`) at token `i`, and the index
    after it."""
    following = tokens[i + 1].folded if i + 1 < len(tokens) else ""
    if tokens[i].folded == "bezirk" and following in _DISTRICTS:
        return Place(_DISTRICTS[following], "region"), i + 2
    if tokens[i].folded == "kanton":
        return Place(_CANTON, "region"), i + 2 if following in {"solothurn", "so"} else i + 1
    return None


def similar_place(word: str) -> Place | None:
    """The place whose name is nearly the word, for a word that can be nothing else."""
    key = _key(word)
    known = vocabulary().get(key)
    return known or (_most_similar(key) if len(key) >= _MIN_FUZZY_CHARS else None)


def leads_to_place(tokens: Sequence[Token], i: int) -> bool:
    """Whether the token before `i` lets one expect a place: a preposition, a comma or a postal code."""
    if i == 0:
        return False
    before = tokens[i - 1]
    return before.folded in _LEADS_TO_PLACE or before.text == "," or is_postal_code(before)


def is_postal_code(token: Token) -> bool:
    return token.is_number and len(token.folded) == 4 and token.folded[0] != "0"


def is_known_postal_code(number: str) -> bool:
    """Whether there is a postal code like that in the canton."""
    return number in _POSTAL_CODES


def is_elsewhere(word: str) -> bool:
    """Whether a folded word is a well-known place that no tool of ours knows."""
    return word in _ELSEWHERE


def is_homonym(token: Token) -> bool:
    return token.folded in _HOMONYMS


def _key(name: str) -> str:
    words = fold(name).replace("-", " ").replace(".", " ").split()
    return " ".join("bei" if word == "b" else word for word in words)


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    return frozenset(name.split(" ")[0] for name in vocabulary())


def _similar(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    key = _key(tokens[i].text)
    if len(key) < _MIN_FUZZY_CHARS or not tokens[i].is_word or is_known(tokens[i].folded):
        return None
    place = _most_similar(key)
    return (place, _after_canton(tokens, i + 1)) if place else None


def _most_similar(key: str) -> Place | None:
    """Forgives two wrong letters in a long name that begins right, else one."""
    return _misspelled(key) if len(key) <= MAX_WORD_CHARS else None


@lru_cache(maxsize=4_096)
def _misspelled(key: str) -> Place | None:
    allowed = 2 if len(key) >= _TWO_TYPOS_CHARS else 1
    best = _names("" if len(key) > _MIN_FUZZY_CHARS else key[0]).nearest(key, allowed)
    if best is None or (best[1] > 1 and best[0][0] != key[0]):
        return None
    return vocabulary()[best[0]]


@lru_cache(maxsize=64)
def _names(beginning: str) -> Spellings:
    """The names that begin so, without those that are everyday words."""
    return Spellings(name for name in vocabulary() if name not in _HOMONYMS and name.startswith(beginning))


def _after_canton(tokens: Sequence[Token], i: int) -> int:
    """Past `SO` or `(SO)`."""
    following = [t.text for t in tokens[i : i + 3]]
    if following[:1] == ["SO"]:
        return i + 1
    return i + 3 if following == ["(", "SO", ")"] else i
