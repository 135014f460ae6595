"""Texts of a few characters again and again: what makes reading slow that tries one place after the other."""


_LETTERS = ("a", "A", "ä", "ß", "a\u0308", "\u0308", "İ", "ﬀ", "漢", "🤷", "aB", "ab", "e", "ue", "s", "str", "es")
_SPACES = (" ", "\n", " \n", "\t", "\xa0", "\u200b", "\r\n", "\n\n")
_SIGNS = tuple(".,;:!?'\"`´’«»„“”‹›()[]{}<>/\\|-–_*#&+%=@^~°$\0\ud800") + ("...", "--", "''", "```", "](", "](a", "<a", "<b>")
_NUMBERS = ("1", "1.", "1.1", "1,", "1'", "1'000", "000'", "1 ", "1/", "1-", "1a", "12345678", "47°", "47.2 ", "2024", "1.1.2024")
_WORDS = (
    *("und", "dass", "der", "in", "nach", "bitte", "wie", "Nr.", "Art.", "z. B.", "A.", "Str.", "mit", "bis"),
    *("Strasse", "strasse", "Strasse 1 ", "Parzelle", "Parzellen 1, ", "Grenchen", "Kanton", "SO", "Wald", "lade", "Karte"),
    *("St. Urbangasse 1 ", "Rötistr 4, ", "CH", "ch.so.", "den Layer Wald", "nr nr", "CH 1", "2600513", "2600513, 1215519"),
    *("Grundwasserschutzzonen", "Botschaft", "seit 2022", "vom 1. März 2023", "zwischen", "was kostet das", "Hallo"),
    *("https://", "www.", "javascript:", "fasse zusammen", "statt", "die zweite", "Dokumente zu", "waswas", "b", "kanton "),
)
UNITS = tuple(dict.fromkeys((*_LETTERS, *_SPACES, *_SIGNS, *_NUMBERS, *_WORDS)))
"""What is repeated; also put together in twos by `pairs`."""
_JOINTS = ("", " ", ", ", ". ", "? ", " und ")
_ENDS = ("", "x", " x", "1", "!")
