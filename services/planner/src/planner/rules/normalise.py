"""A message as words that know where they stand."""

import re
import unicodedata
from dataclasses import dataclass

MAX_CHARS = 4_000
"""What is read of a message; the edge accepts no more."""

_SAME_WIDTH = str.maketrans(
    dict.fromkeys("’‘ʼ´`′", "'")
    | dict.fromkeys("“”„«»″‹›", '"')
    | dict.fromkeys("‐‑‒–—−", "-")
    | {"º": "°", "\0": " "}
    | dict.fromkeys("\xa0\u2007\u2009\u202f\t\r", " ")
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "œ": "oe", "ø": "o"})
_LAYER_ID = r"\b[cC][hH](?:\.[a-zA-Z][\w-]*){2,}"
_TOKEN = re.compile(rf"{_LAYER_ID}|[^\W_]+(?:['-][^\W_]+)*-?|\n|\S")


def clean(message: str) -> str:
    """The message in one spelling of quotes, dashes and spaces, at most `MAX_CHARS` long."""
    encodable = message[: 2 * MAX_CHARS].encode("utf-8", "ignore").decode()
    composed = unicodedata.normalize("NFKC", encodable.translate(_SAME_WIDTH))
    return composed.translate(_SAME_WIDTH).strip()[:MAX_CHARS]


def fold(text: str) -> str:
    """Lower case, umlauts as ae/oe/ue, ß as ss, no other accents."""
    spelled_out = unicodedata.normalize("NFC", text).casefold().translate(_UMLAUTS)
    decomposed = unicodedata.normalize("NFKD", spelled_out)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or one other visible character, at `start:end` of the cleaned message."""

    text: str
    start: int
    end: int
    folded: str
    """Folded, without the hyphens and apostrophes inside a compound: `OEREB-Auszug` is `oerebauszug`.

    The dots of a layer id stay.
    """

    @property
    def is_word(self) -> bool:
        return self.folded != "" and self.text[0].isalnum()

    @property
    def is_number(self) -> bool:
        return self.folded.isascii() and self.folded.isdigit()


def tokens_of(cleaned: str) -> tuple[Token, ...]:
    """The words and signs of a cleaned message, in order."""
    return tuple(
        Token(m.group(), m.start(), m.end(), re.sub(r"['-]", "", fold(m.group())))
        for m in _TOKEN.finditer(cleaned)
    )
