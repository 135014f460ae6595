"""Swiss German, French, Italian and English, read as German: every rule of the grammar is written once.

A word of another language stands for the German one that means the same (`data/tongues/*.toml`), and is from
then on that word. A message is cut at its signs; each piece is in the language of most of its words, so that
`die`, `in` and `come` mean what they mean there. What could be in several, is in the one of the conversation.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from contracts.intents import SPECS
from contracts.languages import Language, language_of
from german.dialect import as_street, standard_spellings
from german.fold import fold
from german.spelling import Spellings

from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, Role, is_german, known_role, layer_stem
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import DIALECT, GERMAN, NOTHING, Token, token_at, tokens_of
from planner.rules.reading.topics import has_theme, is_theme, themes_in

FOREIGN: Final = ("fr", "it", "en")
_SIGNS = frozenset(",.!?;:\n()")
_LETTERS = frozenset("dsuz")
"""Letters that are words in dialect: `d Charte`, `z Olten`, `u d Aare`. Others are units and directions."""
_MIN_TELLING_CHARS = 3
"""Shorter words alone do not show that something in German is meant to be something else."""
_MIN_FIXED_WORDS = 3
"""An expression of so many words is one even if it begins like German: `s'il vous plaît`."""
_MIN_STEM_CHARS = 3
_MIN_MISSPELLED_CHARS = 5
_MIN_MISSPELLED_NOUN_CHARS = 7
"""Shorter words that do not begin a sentence are rather names."""
_FUZZY = ACTIONS | CONCEPTS | {Role.PARCEL, Role.GREETING, Role.THANKS, Role.HELP}
_VERBS = ACTIONS | {Role.CHOOSE, Role.FILLER, Role.HELP, Role.OTHER}


class Tongue:
    """The words of one language, alone and together, and the German ones that they stand for."""

    def __init__(self, language: str) -> None:
        rows = table(f"tongues/{language}.toml")
        self._suffixes: tuple[str, ...] = tuple(rows.pop("suffixes", "").split())
        self._endings: tuple[str, ...] = tuple(rows.pop("endings", "").split())
        said = [(german, word) for german, words in rows.items() for word in words.split()]
        said += _nouns_of_intents(language)
        self._beginnings = {word[:-1]: german for german, word in said if word.endswith("*")}
        self._words: dict[str, str] = {}
        self._expressions: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for german, word in said:
            first, *others = fold(word).split("_")
            if others:
                self._expressions.setdefault(first, []).append(((first, *others), german))
            elif not word.endswith("*"):
                self._words[word] = german
        for word, german in list(self._words.items()):
            self._words.setdefault(fold(word), german)
        for expressions in self._expressions.values():
            expressions.sort(key=lambda expression: -len(expression[0]))
        fuzzy = (word for word, german in self._words.items() if known_role(german) in _FUZZY)
        self._misspelled = Spellings(word for word in fuzzy if len(word) >= _MIN_MISSPELLED_CHARS)
        self._meaning = lru_cache(maxsize=4_096)(self._alone)

    def at(self, tokens: Sequence[Token], i: int) -> tuple[str, int] | None:
        """What the longest of its expressions that starts at token `i` stands for, and the index after it."""
        token = tokens[i]
        for words, german in self._expressions.get(token.folded, ()):
            end = i + len(words)
            if words == tuple([each.folded for each in tokens[i:end]]):
                return german, end
        meaning = self._meaning(token.text, token.folded)
        return (meaning, i + 1) if meaning and not _is_in_name(tokens, i) else None

    def misspelled(self, token: Token) -> str | None:
        """What a word with one wrong letter stands for."""
        if len(token.folded) < _MIN_MISSPELLED_CHARS or not token.folded.isalpha():
            return None
        best = self._misspelled.nearest(token.folded, 1)
        return self._words[best[0]] if best and best[0][0] == token.folded[0] else None

    def _alone(self, text: str, word: str) -> str | None:
        """Accents that tell words apart (`où`, `ou`) count if the table has them."""
        meaning = self._words.get(text.lower()) or self._words.get(word)
        if meaning:
            return meaning
        begun = (german for start, german in self._beginnings.items() if word.startswith(start))
        stems = (word.removesuffix(suffix) for suffix in self._suffixes if word.endswith(suffix))
        with_pronoun = (verb for stem in stems if (verb := self._verb(stem)))
        return next(begun, None) or next(with_pronoun, None) or self._conjugated(word)

    def _conjugated(self, word: str) -> str | None:
        """`chargeons` where the table has `charger`, `removing` where it has `remove`."""
        stems = (word.removesuffix(ending) for ending in self._endings if word.endswith(ending))
        forms = (
            f"{stem}{ending}"
            for stem in stems
            if len(stem) >= _MIN_STEM_CHARS
            for ending in ("", *self._endings, "e")
        )
        return next(
            (german for form in forms if (german := self._words.get(form)) and known_role(german) in ACTIONS),
            None,
        )

    def _verb(self, stem: str) -> str | None:
        """`mostra` of `mostrami`, `caricare` of `caricarla`, `fa` of `fammi`."""
        forms = (stem, f"{stem}e", stem[:-1] if stem[-1:] == "m" else stem)
        meanings = (self._words.get(form) for form in forms)
        return next((german for german in meanings if german and known_role(german) in _VERBS), None)


def _is_in_name(tokens: Sequence[Token], i: int) -> bool:
    """`clear_map` is what something is called."""
    return any(token.text == "_" for token in tokens[max(0, i - 1) : i + 2])


def _nouns_of_intents(language: str) -> Iterator[tuple[str, str]]:
    """What people call the results of an intent, as it declares them."""
    spoken = language_of(language)
    for spec in SPECS if spoken else ():
        german = spec.words.get("de", "").partition(" ")[0].rstrip("*")
        for noun in spec.words.get(spoken or "de", "").split():
            words = [token.folded for token in tokens_of(noun.replace("_", " ")) if token.is_word]
            yield german, "_".join(words) + ("*" if noun.endswith("*") else "")


_TONGUES: Final = {language: Tongue(language) for language in (DIALECT, *FOREIGN)}
_LANGUAGES: Final = (GERMAN, *_TONGUES)
_Score = tuple[int, ...]
"""How many words each of the languages knows."""


class Reading(NamedTuple):
    tokens: tuple[Token, ...]
    """What is no German is read as German."""
    language: Language | None
    """That of most of the words; None where it is not clear."""


def read(tokens: Sequence[Token], expected: str = GERMAN) -> Reading:
    """What a message says in a conversation in the language that is expected: `e Olten?`"""
    pieces = tuple(_pieces(tokens))
    scores = [_score(piece) for piece in pieces]
    whole = _sum(scores)
    most = _most(whole, expected)
    said: list[Token] = []
    for piece, score in zip(pieces, scores, strict=True):
        said += _read(piece, _most(score, most), score)
    return Reading(
        tuple(said), _clearly(whole) or (language_of(most) if most == expected != GERMAN else None)
    )


def _clearly(score: _Score) -> Language | None:
    german, dialect, *foreign = score
    words = dict(zip((GERMAN, *FOREIGN), (max(german, dialect), *foreign), strict=True))
    most, less = sorted(words.values(), reverse=True)[:2]
    return language_of(max(words, key=words.__getitem__)) if most > less else None


def _pieces(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    start = 0
    for n, token in enumerate(tokens, start=1):
        following = token_at(tokens, n)
        if following is NOTHING or (token.text in _SIGNS and following.start > token.end):
            yield tokens[start:n]
            start = n


def _score(piece: Sequence[Token]) -> _Score:
    """Letters apart, and what German says as well (`Legende`); who speaks dialect speaks German, too."""
    counted = [len(token.text) > 1 or token.folded in _LETTERS for token in piece]
    in_german = [counts and is_german(token.folded) for counts, token in zip(counted, piece, strict=True)]
    score = [sum(in_german)]
    for language, tongue in _TONGUES.items():
        i = words = 0
        while i < len(piece):
            hit = tongue.at(piece, i) if counted[i] or piece[i].text.isalpha() else None
            end = hit[1] if hit else i + 1
            same = hit is not None and hit[0] == piece[i].text.lower() and language != DIALECT
            words += sum(counted[i:end]) if hit and not same else language == DIALECT and in_german[i]
            i = end
        score.append(words)
    return tuple(score)


def _sum(scores: Sequence[_Score]) -> _Score:
    return tuple(map(sum, zip((0,) * len(_LANGUAGES), *scores, strict=True)))


def _most(score: _Score, preferred: str) -> str:
    most = max(score)
    if not most or score[_LANGUAGES.index(preferred)] == most:
        return preferred
    return _LANGUAGES[score.index(most)]


def _read(piece: Sequence[Token], language: str, score: _Score) -> Iterator[Token]:
    others = _mixed_in(piece, language, score)
    begun = None if any(score) else _misspelled_verb(piece)
    i = 0
    while i < len(piece):
        hit = begun if begun and i == 0 else _meaning(piece, i, language, others)
        if hit:
            meaning, end = hit
            text = " ".join(each.text for each in piece[i:end])
            yield Token(text, piece[i].start, piece[end - 1].end, meaning, language)
        else:
            token, end = piece[i]._replace(language=language), i + 1
            yield _standard(token) if language == DIALECT else token
        i = end


def _misspelled_verb(piece: Sequence[Token]) -> tuple[str, int] | None:
    """`mostrmi Olten`: nothing else tells what language this is."""
    found = (_TONGUES[language].misspelled(piece[0]) for language in FOREIGN)
    verb = next((word for word in found if word and known_role(word) in ACTIONS), None)
    return (verb, 1) if verb and len(piece) > 1 and not _is_in_name(piece, 0) else None


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
    if found or language not in FOREIGN or (i > 0 and len(token.folded) < _MIN_MISSPELLED_NOUN_CHARS):
        return found[0] if found else None
    misspelled = _TONGUES[language].misspelled(token)
    return (misspelled, i + 1) if misspelled else None


def _mixed_in(piece: Sequence[Token], language: str, score: _Score) -> Collection[str]:
    """The other languages of which a piece has a word that says so: `Zeig me the Luftbild`."""
    least = {DIALECT: score[0]}  # who speaks it knows the German words, too
    heard = (each for each, words in zip(_LANGUAGES, score, strict=True) if words > least.get(each, 0))
    others = [each for each in heard if each not in (GERMAN, language)]
    telling = [
        n
        for n, token in enumerate(piece)
        if others and len(token.folded) >= _MIN_TELLING_CHARS and _may_be_foreign(piece, n, language)
    ]
    return [each for each in others if each == DIALECT or any(_TONGUES[each].at(piece, n) for n in telling)]


def _may_be_foreign(piece: Sequence[Token], n: int, language: str) -> bool:
    """Whether a word can be one of another language: in German neither a noun nor a theme."""
    token = piece[n]
    return not is_german(token.folded) and not is_theme(token.folded)


def _is_themed(word: str) -> bool:
    """Whether the word before `karte` is a theme; others are not made `lanteskarte`."""
    stem = layer_stem(word)
    return stem is None or has_theme(stem)


def _standard(token: Token) -> Token:
    """A word of the dialect as it is spelled in German if that makes it a known one, a theme or a street."""
    stem = layer_stem(token.folded)
    if not token.is_word or (is_german(token.folded) and not stem) or (stem and has_theme(stem)):
        return token
    known = (word for word in standard_spellings(token.folded) if known_role(word) and _is_themed(word))
    by_sound = max(standard_spellings(token.folded, inflected=False), key=themes_in, default="")
    themed = by_sound if themes_in(by_sound) > themes_in(token.folded) else None
    word = next(known, themed)
    if word is None:
        return token._replace(text=as_street(token.text), folded=as_street(token.folded))
    return token._replace(text=word.capitalize() if token.text[0].isupper() else word, folded=word)
