"""Swiss German, French, Italian and English, read as German: every rule of the grammar is written once.

A word of another language stands for the German one that means the same (`data/tongues/*.toml`), and is from
then on that word. A message is cut at its signs; each piece is in the language of most of its words, so that
`die`, `in` and `come` mean what they mean there.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from contracts.intents import SPECS
from contracts.languages import DEFAULT_LANGUAGE, Language, language_of
from german.dialect import as_street, standard_spellings
from german.fold import fold
from german.spelling import Spellings

from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, Role, is_german, known_role
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import DIALECT, GERMAN, Token, clean, tokens_of
from planner.rules.reading.topics import has_theme, is_theme

FOREIGN: Final = ("fr", "it", "en")
_SIGNS = frozenset(",.!?;:\n()")
_LETTERS = frozenset("dsz")
"""Letters that are words in dialect: `d Charte`, `z Olten`. Others are units, variants, directions."""
_MIN_TELLING_CHARS = 3
"""Shorter words alone do not show that something in German is meant to be something else."""
_MIN_FIXED_WORDS = 3
"""An expression of so many words is one even if it begins like German: `s'il vous plaît`."""
_MIN_MISSPELLED_CHARS = 5
_FUZZY = ACTIONS | CONCEPTS | {Role.PARCEL, Role.GREETING, Role.THANKS, Role.HELP}
_NOUNS = CONCEPTS | {Role.PARCEL, Role.PARCELS, Role.REGISTER, Role.LAYER, Role.PLAN_SHORT, Role.HELP}
_VERBS = ACTIONS | {Role.CHOOSE, Role.FILLER, Role.HELP, Role.OTHER}


class Tongue:
    """The words of one language, alone and together, and the German ones that they stand for."""

    def __init__(self, language: str) -> None:
        rows = table(f"tongues/{language}.toml")
        self._suffixes: tuple[str, ...] = tuple(rows.pop("suffixes", "").split())
        said = [(german, word) for german, words in rows.items() for word in words.split()]
        said += _nouns_of_intents(language)
        self._beginnings = {word[:-1]: german for german, word in said if word.endswith("*")}
        whole = [(word, german) for german, word in said if not word.endswith("*")]
        self._meanings = {tuple(word.split("_")): german for word, german in whole}
        for word, german in whole:
            self._meanings.setdefault(tuple(fold(word).split("_")), german)
        self._longest = max(map(len, self._meanings))
        self._misspelled = Spellings(
            word
            for (word, *more), german in self._meanings.items()
            if not more and len(word) >= _MIN_MISSPELLED_CHARS and known_role(german) in _FUZZY
        )

    def at(self, tokens: Sequence[Token], i: int) -> tuple[str, int] | None:
        """What the longest of its expressions that starts at token `i` stands for, and the index after it."""
        if any(token.text == "_" for token in tokens[max(0, i - 1) : i + 2]):
            return None  # clear_map is a name of something
        for length in range(min(self._longest, len(tokens) - i), 1, -1):
            meaning = self._meanings.get(tuple(token.folded for token in tokens[i : i + length]))
            if meaning:
                return meaning, i + length
        meaning = self._alone(tokens[i])
        return (meaning, i + 1) if meaning else None

    def misspelled(self, token: Token) -> str | None:
        """What a word with one wrong letter stands for."""
        if len(token.folded) < _MIN_MISSPELLED_CHARS or not token.folded.isalpha():
            return None
        best = self._misspelled.nearest(token.folded, 1)
        return self._meanings[(best[0],)] if best and best[0][0] == token.folded[0] else None

    def _alone(self, token: Token) -> str | None:
        """Accents that tell words apart (`où`, `ou`) count if the table has them."""
        word = token.folded
        meaning = self._meanings.get((token.text.lower(),)) or self._meanings.get((word,))
        if meaning:
            return meaning
        begun = (german for start, german in self._beginnings.items() if word.startswith(start))
        stems = (word.removesuffix(suffix) for suffix in self._suffixes if word.endswith(suffix))
        with_pronoun = (verb for stem in stems if (verb := self._verb(stem)))
        return next(begun, None) or next(with_pronoun, None)

    def _verb(self, stem: str) -> str | None:
        """`mostra` of `mostrami`, `caricare` of `caricarla`, `fa` of `fammi`."""
        forms = (stem, f"{stem}e", stem[:-1] if stem[-1:] == "m" else stem)
        meanings = (self._meanings.get((form,)) for form in forms)
        return next((german for german in meanings if german and known_role(german) in _VERBS), None)


def _nouns_of_intents(language: str) -> Iterator[tuple[str, str]]:
    """What people call the results of an intent, as it declares them."""
    for spec in SPECS:
        german = spec.words.get(GERMAN, "").partition(" ")[0].rstrip("*")
        for noun in spec.words.get(language, "").split():
            words = [token.folded for token in tokens_of(noun.replace("_", " ")) if token.is_word]
            yield german, "_".join(words) + ("*" if noun.endswith("*") else "")


_TONGUES: Final = {language: Tongue(language) for language in (DIALECT, *FOREIGN)}


def as_german(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The tokens with what is no German read as German."""
    pieces = tuple(_pieces(tokens))
    scores = [_score(piece) for piece in pieces]
    whole = _most(_sum(scores), GERMAN)
    return tuple(
        token
        for piece, score in zip(pieces, scores, strict=True)
        for token in _read(piece, _most(score, whole), score)
    )


def answer_language(message: str, wanted: str) -> str:
    """What to answer in: the language that is wanted, or if that is the default that of the message."""
    if language_of(wanted) not in {None, DEFAULT_LANGUAGE}:
        return wanted
    return spoken_in(message) or wanted


def spoken_in(message: str) -> Language | None:
    """The language of most of the words of a message; None where that is not clear."""
    score = _sum([_score(piece) for piece in _pieces(tokens_of(clean(message)))])
    score[GERMAN] = max(score[GERMAN], score.pop(DIALECT, 0))
    (best, most), (_, less) = (*score.most_common(2), ("", 0), ("", 0))[:2]
    return language_of(best) if most > less else None


def _pieces(tokens: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    piece: list[Token] = []
    for token, following in zip(tokens, (*tokens[1:], None), strict=False):
        piece.append(token)
        if token.text in _SIGNS and (following is None or following.start > token.end):
            yield tuple(piece)
            piece = []
    if piece:
        yield tuple(piece)


def _score(piece: Sequence[Token]) -> Counter[str]:
    """How many words of a piece each language knows, letters apart; who speaks dialect speaks German, too."""
    in_german = [len(token.folded) > 1 and is_german(token.folded) for token in piece]
    score = Counter({GERMAN: sum(in_german)})
    for language, tongue in _TONGUES.items():
        i = 0
        while i < len(piece):
            hit = tongue.at(piece, i)
            end = hit[1] if hit else i + 1
            counted = sum(len(token.text) > 1 or token.folded in _LETTERS for token in piece[i:end])
            score[language] += counted if hit or (language == DIALECT and in_german[i]) else 0
            i = end
    return score


def _sum(scores: Sequence[Counter[str]]) -> Counter[str]:
    return sum(scores, Counter())


def _most(score: Counter[str], preferred: str) -> str:
    most = max(score.values(), default=0)
    best = [language for language, words in score.items() if words == most]
    return preferred if preferred in best or not most else best[0]


def _read(piece: Sequence[Token], language: str, score: Counter[str]) -> Iterator[Token]:
    others = _mixed_in(piece, language, score)
    i = 0
    while i < len(piece):
        hit = _meaning(piece, i, language, others)
        if hit:
            meaning, end = hit
            text = " ".join(each.text for each in piece[i:end])
            yield Token(text, piece[i].start, piece[end - 1].end, meaning, language)
            i = end
        else:
            token = piece[i]._replace(language=language)
            yield _standard(token, starts=i == 0) if language == DIALECT else token
            i += 1


def _meaning(
    piece: Sequence[Token], i: int, language: str, others: Collection[str]
) -> tuple[str, int] | None:
    """What an expression at token `i` stands for, and the index after it."""
    token = piece[i]
    own = _TONGUES[language].at(piece, i) if language != GERMAN else None
    found = [hit for other in others if (hit := _TONGUES[other].at(piece, i))]
    fixed = next((hit for hit in found if hit[1] - i >= _MIN_FIXED_WORDS), None)
    if fixed and (own is None or own[1] < fixed[1]):
        return fixed
    if own or not _may_be_foreign(piece, i, language):
        return own
    if found or language not in FOREIGN or (i > 0 and token.text[0].isupper()):
        return found[0] if found else None
    misspelled = _TONGUES[language].misspelled(token)
    return (misspelled, i + 1) if misspelled else None


def _mixed_in(piece: Sequence[Token], language: str, score: Counter[str]) -> Collection[str]:
    """The other languages of which a piece has a word that says so: `Zeig me the Luftbild`."""
    others = [other for other in _TONGUES if other != language]
    telling = [
        n
        for n, token in enumerate(piece)
        if len(token.folded) >= _MIN_TELLING_CHARS and _may_be_foreign(piece, n, language)
    ]
    return [
        other
        for other in others
        if other == DIALECT or (score[other] and any(_TONGUES[other].at(piece, n) for n in telling))
    ]


def _may_be_foreign(piece: Sequence[Token], n: int, language: str) -> bool:
    """Whether a word can be one of another language: in German neither a noun nor a theme."""
    token = piece[n]
    noun = language not in FOREIGN and n > 0 and token.text[0].isupper() and not token.text.isupper()
    return not noun and not is_german(token.folded) and not is_theme(token.folded)


def _standard(token: Token, *, starts: bool) -> Token:
    """A word of the dialect as it is spelled in German if that makes it a known one, a theme or a street."""
    if not token.is_word or is_german(token.folded):
        return token
    allowed = _NOUNS if token.text[0].isupper() and not starts else frozenset(Role)
    spellings = standard_spellings(token.folded)
    known = next((word for word in spellings if known_role(word) in allowed), None)
    if known is None and not is_theme(token.folded):
        by_sound = standard_spellings(token.folded, inflected=False)
        known = next((word for word in by_sound if has_theme(word)), None)
    if known is None:
        return token._replace(text=as_street(token.text), folded=as_street(token.folded))
    return token._replace(text=known.capitalize() if token.text[0].isupper() else known, folded=known)
