"""How words of Swiss German are spelled in standard German: by what happens to sounds, not by lists."""

import re
from functools import lru_cache
from itertools import combinations
from typing import Final

from german.spelling import MAX_WORD_CHARS

MIN_CHARS: Final = 4
_MAX_CHANGES: Final = 3
_SOUNDS: Final = tuple(
    (re.compile(dialect), german)
    for dialect, german in (
        (r"^us", "aus"),  # Uszug
        (r"^uf", "auf"),
        (r"^ii", "ein"),  # iiblaende
        (r"^g(?=[^aeiou])", "ge"),  # gmeint
        (r"sch(?=[bdgkptw])", "s"),  # Günschbärg
        (r"(?<!s)ch", "k"),  # Charte
        (r"ueu(?=[^aeiou])", "il"),  # Luftbüud
        (r"(?<=.)ii", "ei"),  # wiit
        (r"ueue", "aeu"),  # Hüüser
        (r"oei", "eu"),  # nöi
        (r"([aeo])\1", r"\1"),  # Schutzzoone
        (r"y", "ei"),  # wyt
        (r"gg", "ck"),  # Brugg
        (r"lech", "lich"),  # gfährlech
        (r"ae(?!u)", "e"),  # Parzälle
        (r"ae(?=u)", "e"),  # Wäuschenrohr
        (r"oe", "o"),  # höch
        (r"ue", "u"),  # Grundbuech
        (r"uu", "au"),  # Huus
        (r"ou", "au"),  # Houptstross
        (r"(?<=[aeio])u(?=[^aeiou]|$)", "l"),  # Oute
        (r"(?<=[^aeiou])[ul]$", "al"),  # Balschtu, Balschtl
        (r"(?<=[^aeiou])u$", "el"),  # Chappu
        (r"(?<=[^aeiou])[ai]$", "e"),  # Wanderwäga, Flächi
        (r"(?<=w)i(?=ss|$)", "ei"),  # schwarzwiss
        (r"(?<=[^n])ig(?=e)", "ing"),  # Nunnige
        (r"ei$", "ein"),  # Weissestei
        (r"o", "a"),  # Stross
        (r"d", "t"),  # Soledurn
        (r"t(?!h)", "th"),  # Balschtu
    )
)
_ENDINGS: Final = tuple(
    (re.compile(dialect), german)
    for dialect, german in (
        (r"e$", "en"),  # bohre
        (r"u$", "en"),  # ladu
        (r"$", "e"),  # Uszüg
    )
)
_KEY: Final = tuple(
    (re.compile(sound), key)
    for sound, key in (
        (r"schart", "skart"),  # Hinweischarte
        (r"sch(?=[bdgkptw])", "s"),
        (r"(?<!s)ch", "k"),
        (r"c?k+|gg", "k"),
        (r"ge(?=[^aeiou])", "g"),
        (r"^us", "aus"),
        (r"^uf", "auf"),
        (r"ii|y", "ei"),
        (r"uu|ou", "au"),
        (r"oei", "eu"),
        (r"ung", "ig"),
        (r"[ei]n", "e"),  # Bode(n)typ, Amphibie(n)laich
        (r"ae", "e"),
        (r"([io])e(?=.)", r"\1"),
        (r"([^s])\1", r"\1"),
        (r"(?<=[aeio])u(?=[^aeiou]|$)", "l"),
        (r"(?:e[mrs]?|[aiu]|[ns])$", ""),
        (r"o", "a"),
        (r"d", "t"),
    )
)
_STREET: Final = re.compile(r"str(?:oo?|aa?)ss$", re.IGNORECASE)


@lru_cache(maxsize=8_192)
def sound_of(word: str) -> str:
    """What a folded word and its spellings in dialect have in common: that of `gfahrecharte` is that of
    `gefahrenkarte`. Others may have it, too: it tells words apart only among a few that are known.
    """
    for sound, key in _KEY:
        word = sound.sub(key, word)
    return word


def as_street(word: str) -> str:
    """`Rötistross` is a `Rötistrasse`."""
    return _STREET.sub("strasse", word)


@lru_cache(maxsize=4_096)
def standard_spellings(word: str, *, inflected: bool = True) -> tuple[str, ...]:
    """What a folded word may be in standard German, the fewest changes first; `inflected`: endings, too."""
    if not MIN_CHARS <= len(word) <= MAX_WORD_CHARS or not word.isalpha():
        return ()
    heard = [sound for sound in (*_SOUNDS, *(_ENDINGS if inflected else ())) if sound[0].search(word)]
    spelled: dict[str, None] = {}
    for changes in range(1, _MAX_CHANGES + 1):
        for some in combinations(heard, changes):
            standard = word
            for dialect, german in some:
                standard = dialect.sub(german, standard)
            spelled[standard] = None
    return tuple(spelled)
