"""How opaque a layer is to be, as a message says it."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from planner.rules.grammar.clause import Clause
from planner.rules.reading.lexicon import Role
from planner.rules.reading.numerals import number_in_words
from planner.rules.reading.tables import table

_WORDS: Final[dict[str, str]] = table("words.toml")["opacity"]
_TRANSPARENT: Final = tuple(_WORDS["transparent"].split())
_FAINT: Final = tuple(_WORDS["faint"].split())
_OPAQUE: Final = tuple(_WORDS["opaque"].split())
_NOUNS: Final = tuple(_WORDS["nouns"].split())
_LESS: Final = frozenset(_WORDS["less"].split())
_MORE: Final = frozenset(_WORDS["more"].split())
_DEGREES: Final = _MORE | frozenset(_WORDS["degrees"].split())
_FULLY: Final = frozenset(_WORDS["fully"].split())
_WHOLLY: Final = _FULLY | {"ganz", "wieder"}
_BY: Final = frozenset(_WORDS["by"].split())
_TO: Final = frozenset(_WORDS["to"].split())
_POINTS: Final = frozenset(_WORDS["points"].split())
_PARTS: Final = {"drittel": 3, "viertel": 4, "fuenftel": 5, "sechstel": 6, "achtel": 8, "zehntel": 10}
_FRACTION = re.compile(
    r"(?:\b(?P<many>\d{1,3}|ein\w*) ?)?\b(?P<three>drei)?(?P<part>" + "|".join(_PARTS) + r")\w?\b"
)
_RATIO = re.compile(r"\b(?P<many>\d{1,3}) ?(?:/ ?(?P<of>[1-9]\d?)|vo[nm]? ?(?:100|hundert))\b")
_DECIMALS = re.compile(r"\b([1-9]\d?) ?[.,] ?\d{1,3} ?(?=%|prozent)")
_HALF = re.compile(r"\bhalb\w*|\bhaelfte\b")
_TIMES: Final = (
    (re.compile(r"\bdoppelt|\bverdopp|\bzweimal so"), 2.0),
    (re.compile(r"\bdreifach|\bdreimal so"), 3.0),
    (re.compile(r"\bhalb so\b|\bhalbier"), 0.5),
)
_NUMBER = re.compile(r"(?<![\d.])(?P<parts>0? ?\. ?\d{1,2})\b|\b(?P<whole>\d{1,3})\b(?! ?er)")
_PERCENT = re.compile("%|prozent|procent")
_AROUND = re.compile(r"(?:\b([a-z]+) )?\d+ ?(?:%|prozent\b|procent\b)? ?([a-z]*)")
_STEP, _LEAST = 0.25, 0.1
_TEN = 10
_DENIES = frozenset({Role.NOT, Role.NONE})
_Kind = Literal["to", "by", "times"]


class _Amount(NamedTuple):
    value: float
    kind: _Kind = "to"
    after: str = ""
    """The word that follows the number: `30 % sichtbar`."""


def says_opacity(clause: Clause) -> bool:
    """Whether it says how opaque something is to be."""
    return any(map(is_how, clause.said)) or _amount(_text((clause,))) is not None


def says_only_opacity(clauses: Sequence[Clause]) -> bool:
    """`Transparenz ändern`: whether no other noun is said."""
    nouns = [word.folded for clause in clauses for word in clause.words if word.is_noun]
    return bool(nouns) and all(noun.startswith(_NOUNS) for noun in nouns)


def says_value(clauses: Sequence[Clause]) -> bool:
    """Whether it says nothing but to what: `lieber 30`, but not `10 mehr`."""
    amount = _amount(_text(clauses))
    return amount is not None and amount.kind == "to"


def is_how(word: str) -> bool:
    """Whether a folded word says how opaque something is, or how much shines through."""
    return word.startswith(_TRANSPARENT + _FAINT + _OPAQUE)


def opacity_from_start(clauses: Sequence[Clause]) -> float | None:
    """`Lade den Wald mit 40 % Deckkraft`: of what is to be loaded only a share is meant so."""
    says = any(is_how(word) for clause in clauses for word in clause.said)
    return opacity_in(clauses, 1.0) if says and _amount(_text(clauses)) is not None else None


def opacity_in(clauses: Sequence[Clause], now: float) -> float | None:
    """From 0 to 1: `transparenz 90` is 0.1, `zu kräftig` less than now; None for `Transparenz ändern`."""
    said = [piece for clause in clauses for word in clause.words for piece in word.folded.split()]
    too = next((other for one, other in pairwise(said) if one == "zu" and is_how(other)), "")
    denied = any(_DENIES & clause.roles for clause in clauses)
    inverts = bool(too) or not _LESS.isdisjoint(said) or (denied and "so" in said)
    transparent = any(word.startswith(_TRANSPARENT) for word in said if word != too)
    through = any(word.startswith(_TRANSPARENT + _FAINT) for word in said)
    covers = not through and any(word.startswith(_OPAQUE) for word in said)
    amount = _amount(_text(clauses))
    if amount is not None and amount.kind == "times":
        then = min(1.0, max(0.0, 1 - (1 - now) * amount.value if through else now * amount.value))
        return None if then == now else round(then, 2)
    if too:
        more = not too.startswith(_OPAQUE)
    else:
        more = inverts if through else (covers or not _MORE.isdisjoint(said)) and not inverts
    if amount is not None and amount.kind == "to":
        return _at(amount, now, too, transparent, through)
    if amount is None and not denied and not (_FULLY if inverts else _WHOLLY).isdisjoint(said):
        return 0.0 if through and not inverts else 1.0
    by_degrees = inverts or not _DEGREES.isdisjoint(said) or any(is_how(w) and w.endswith("er") for w in said)
    if denied and not inverts:
        return 1.0 if through else 0.5
    if amount is None and not by_degrees:
        if any(word.startswith(_NOUNS) for word in said):
            return None
        if not covers and now == 1:
            return 0.5
    step = amount.value if amount else _STEP
    return round(min(1.0, max(_LEAST, now + step * (1 if more else -1))), 2)


def _at(amount: _Amount, now: float, too: str, transparent: bool, through: bool) -> float:
    """How opaque a share means: of one that can be how transparent, too, what helps (`zu blass, 80`)."""
    share, rest = round(amount.value, 2), round(1 - amount.value, 2)
    if amount.after.startswith(_OPAQUE):
        return share
    if transparent:
        return rest
    more = too.startswith(_FAINT + _TRANSPARENT)
    helps, rest_helps = (each > now if more else each < now for each in (share, rest))
    return rest if (too or through) and rest_helps and not helps else share


def _text(clauses: Sequence[Clause]) -> str:
    """With digits for numbers in words, but for the small ones, which count layers: `die zwei`."""
    parts = " ".join(part.folded or part.text for clause in clauses for part in clause.parts)
    telling = _PERCENT.search(parts) or any(part in parts for part in _PARTS)
    numbers = ((word, number_in_words(word) or "") for word in parts.split())
    return " ".join(number if len(number) > 1 or (number and telling) else word for word, number in numbers)


def _amount(text: str) -> _Amount | None:
    """The last that is told: `60 % Deckkraft, wart, 80`; of shares of a percent nothing."""
    text = _DECIMALS.sub(r"\1 ", text)
    if times := next((many for pattern, many in _TIMES if pattern.search(text)), None):
        return _Amount(times, "times")
    by: _Kind = "by" if not _BY.isdisjoint(text.split()) else "to"
    *_, found = (None, *_RATIO.finditer(text))
    if found:
        return _Amount(min(1.0, int(found["many"]) / int(found["of"] or 100)), by)
    *_, found = (None, *_FRACTION.finditer(text))
    if found:
        many = 3 if found["three"] else int(found["many"]) if (found["many"] or "").isdigit() else 1
        return _Amount(min(1.0, many / _PARTS[found["part"]]), by)
    if _HALF.search(text):
        return _Amount(0.5, by)
    *_, number = (None, *_NUMBER.finditer(text))
    if number is None:
        return None
    *_, (before, after) = (("", ""), *_AROUND.findall(text))
    changes = after in _LESS | _MORE | _POINTS or (is_how(after) and after.endswith("er"))
    kind: _Kind = "by" if by == "by" or (changes and before not in _TO) else "to"
    if number["parts"]:
        return _Amount(float(f"0.{number['parts'].rpartition('.')[2].strip()}"), kind, after)
    whole = int(number["whole"])
    if 0 < whole < _TEN and not _PERCENT.search(text) and kind == "to":
        return _Amount(whole / _TEN, kind, after)  # opacity .6
    return _Amount(min(whole, 100) / 100, kind, after)
