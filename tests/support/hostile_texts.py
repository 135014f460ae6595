"""Hostile texts: a few characters again and again, which look like the beginning of something."""

from collections.abc import Iterator

from growth import ALLOWED, TextOf, Work, growth, repeated
from hypothesis import strategies as st
from volume import some

_LETTERS = (
    *("a", "ä", "ß", "aB", "e", "ue", "str", "waswas"),
    *("\u0308\u0323", "a\u0308", "İ", "ﬀ", "漢", "🤷"),
)
_SPACES = (" ", "\n", " \n", "\t", "\xa0", "\u200b", "\r\n")
_SIGNS = tuple(".,:?'\"«„“([{<>/|-–*_#&°\0\ud800")
_MARKUP = ("''", "```", "](", "](a", "[a](", "<a", "<b>", "- ", "# ", "| a ", "« ", '"a b')
_NUMBERS = (
    "1",
    "1.",
    "1.1",
    "1,",
    "1'",
    "1'000",
    "1/",
    "1-",
    "1a",
    "47°",
    "47.2",
    "2024",
    "1.1.2024",
    "CH 1",
)
_WORDS = (
    *("und", "der", "in", "nach", "bitte", "wie", "Nr.", "Art.", "z. B.", "A.", "mit", "bis", "statt", "b"),
    *("Strasse", "strasse 1", "Parzelle", "Parzellen 1,", "Grenchen", "Kanton", "SO", "lade", "Waldkarte"),
    *("St. Urbangasse 1", "Rötistr 4,", "ch.so.", "den Layer Wald", "nr nr", "2600513, 1215519", "www.a"),
    *("Grundwasserschutzzonen", "Botschaft", "seit 2022", "vom 1. März 2023", "was kostet das", "Hallo"),
    *("fasse zusammen", "die zweite", "Dokumente zu", "seit dem", "https://"),
)
UNITS = (*_LETTERS, *_SPACES, *_SIGNS, *_MARKUP, *_NUMBERS, *_WORDS)
_JOINTS = ("", " ", ". ")

ALPHABET = "aäAZß1290 .,;:!?'\"«»()[]{}<>/|-*_#&°\n\u0308\u0323"
ANY_UNIT = st.text(ALPHABET, min_size=1, max_size=5) | st.lists(
    st.sampled_from(UNITS), min_size=1, max_size=3
).map("".join)


def hostile_texts() -> Iterator[tuple[str, TextOf]]:
    """Each with what it is made of."""
    for unit in some([unit + joint for unit in UNITS for joint in _JOINTS]):
        yield unit, repeated(unit, after="x")


def fast_growing(work: Work, chars: int) -> dict[str, float]:
    """Of which hostile texts the work grows faster than they do, and how fast."""
    grown = {unit: growth(work, text_of, chars) for unit, text_of in hostile_texts()}
    return {unit: times for unit, times in grown.items() if times > ALLOWED}
