"""How values are put into sentences and labels: titles, Swiss numbers, lists."""

from collections.abc import Sequence

from contracts.items import Item, Parcel
from contracts.markdown import plain
from servicekit.wording import Say

from actionplanner.texts import text

_MAX_LISTED = 10
_MAX_DOUBTFUL = 0.5
_MAX_GROUPED = 1e12


def number(value: float, decimals: int = 0) -> str:
    """Swiss notation: 2'600'513 or 618.5; a fraction of zero is left out."""
    written = f"{value:,.{decimals}f}".replace(",", "'")
    return written.rstrip("0").rstrip(".") if "." in written else written


def amount(value: str | int | float, unit: str | None = None) -> str:
    """With its unit. A number without one may be a year, or a name: it is left as it is."""
    if isinstance(value, str):
        written = value
    elif unit and abs(value) < _MAX_GROUPED:
        written = number(value, decimals=2)
    else:
        written = f"{value:.10g}" if isinstance(value, float) else str(value)
    return f"{written} {unit}" if unit else written


def length(metres: float) -> str:
    """In metres below a kilometre: 850 m, 1.4 km, 120 km."""
    if round(metres) < 1000:
        return f"{number(metres)} m"
    kilometres = metres / 1000
    return f"{number(kilometres, decimals=1 if kilometres < 100 else 0)} km"


def coordinate(east: float, north: float) -> str:
    return f"{number(east)} / {number(north)}"


def title(item: Item) -> str:
    """Its label, or the next best thing to call it by; never empty."""
    return item.label or plain(item.id) or plain(item.type) or "?"


def short(label: str) -> str:
    """The label up to the first comma: the street without the town."""
    return label.partition(",")[0].strip() or label


def is_doubtful(item: Item) -> bool:
    """Whether the tool itself thinks that it may be something else than what was asked for.

    A name with a typo is found for certain; another house number is not.
    """
    fuzzy = item.provenance is not None and item.provenance.match == "fuzzy"
    return fuzzy and item.confidence is not None and item.confidence <= _MAX_DOUBTFUL


def is_in_other_register(parcel: Parcel) -> bool:
    """Whether its land register has another name than its municipality, as after a merger."""
    return bool(parcel.land_register) and parcel.land_register != parcel.municipality


def kind_of(kind: str, say: Say) -> str:
    """A kind as the registers name it, in the language of the answer; an unknown one as it is."""
    key = f"kind_{kind.casefold()}"
    return say(key) if text.knows(key) else kind


def listed(labels: Sequence[str], say: Say) -> str:
    """«A», «B» und «C»; at most ten."""
    quoted = [f"«{label}»" for label in labels]
    if len(quoted) > _MAX_LISTED:
        return say("and_more", listed=", ".join(quoted[:_MAX_LISTED]), count=len(quoted) - _MAX_LISTED)
    if len(quoted) < 2:
        return next(iter(quoted), "")
    return say("and", first=", ".join(quoted[:-1]), last=quoted[-1])
