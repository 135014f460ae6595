"""What things are called."""

from tools_geo.texts import text

KINDS_OF_PLACES = {
    "locality": "Ortschaft",
    "former_municipality": "ehemalige Gemeinde",
    "municipality": "Gemeinde",
    "district": "Bezirk",
    "field_name": "Flurname",
    "named": "Ort",
    "coordinate": "Koordinate",
    "canton": "Kanton",
}
"""Facts, in the words of the official registers whatever the language of the answer."""


def address(street: str, number: str | None, postal_code: str, locality: str) -> str:
    return f"{street} {number}, {postal_code} {locality}" if number else f"{street}, {postal_code} {locality}"


def real_estate(kind: str) -> str:
    """A kind of real estate in the language of the answer; an unknown one as it is."""
    key = f"real_estate_{kind}"
    return text(key) if text.knows(key) else kind
