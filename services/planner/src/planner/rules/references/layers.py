"""The names of layers that the sources know, and what sounds like one."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, takewhile
from typing import Final

from german.dialect import sound_of
from german.fold import bare
from german.spelling import MAX_WORD_CHARS, Spellings, forgiven_edits
from german.stems import stems
from german.words import words
from rapidfuzz.distance import OSA

from planner.rules.reading.forms import looks_like_noun
from planner.rules.reading.known import Known, known
from planner.rules.reading.lexicon import is_known, known_role
from planner.rules.reading.tokens import Token
from planner.rules.reading.tongues import FOREIGN
from planner.rules.reading.topics import has_theme, is_theme
from planner.rules.references.found import Found

_MIN_PART_CHARS: Final = 4
_MAX_TITLE_WORDS: Final = 12
_MAX_NAME_WORDS: Final = 6
_MIN_FUZZY_CHARS: Final = 6
_TWO_TYPOS_CHARS: Final = 10
_MOST_TYPOS: Final = 2
_MIN_MISTYPED_CHARS: Final = 8
_MIN_SOUNDING_WORDS: Final = 2
"""One word by its sound would make a layer of what a question for documents is about."""
_MIN_SOUND_CHARS: Final = 6
"""Shorter ones are those of too many words."""
_ENDINGS: Final = ("en", "er", "es", "e", "n", "s")
_FOREIGN_ENDING: Final = re.compile(r"(?<=..)[aeio]?[sx]?$")
_NO_NAMES: Final = frozenset({"karte", "layer", "plan", "quelle", "bund", "kanton", "schweiz", "national"})
_REGISTER: Final = "kataster"
_WORD: Final = re.compile(r"[^\W_]+")
_YEAR: Final = re.compile(r" ?\b(?:19|20)\d\d\b")
_MOST_BETWEEN: Final = 4
"""So many words may stand between a name and what goes on with another: `, danach gleich die von 2010`."""
_MOST_ADDED: Final = 2
"""So many go on from it: `Nacht 2060`."""
_SMALL: Final = frozenset({"der", "die", "das", "den", "dem", "und", "von", "in", "im", "mit", "zu"})


class LayerNames:
    """What layers are called, folded, and the words that their names are made of."""

    def __init__(self, source: Known) -> None:
        layers = source.vocabulary.layers
        named = [(_key(n), n, layer.name) for layer in layers for n in (layer.name, *layer.also)]
        short = {_key(layer.name.partition("(")[0]): layer.name for layer in layers}
        also = _ends(layer.name for layer in layers) | _dated(named)
        self.titles = also | short | {key: title for key, _, title in named}
        self.forms = {_stem(key): title for key, title in reversed(self.titles.items())}
        capital = {key for key, name, _ in named if name[:1].isupper()} | short.keys()
        heard = [(_sound(key.split()), key) for key in self.titles if key in capital]
        self.sounds = dict(reversed(heard))
        keys = (*self.titles, *self.forms)
        self.first_words = {key.split()[0] for key in keys if key} | {
            sound[0] for sound in self.sounds if sound
        }
        self._several = {title for title in self.titles if not all(map(is_known, title.split()))}
        self._beginnings = frozenset(title.split()[0] for title in self._several)
        small = [(key, title) for key, name, title in reversed(named) if " " in name or name.islower()]
        self.foreign = {_foreign_key(key.split()): title for key, title in small}
        self._foreign_beginnings = frozenset([key[:1] for key in self.foreign])
        self.words = frozenset(word for title in self.titles for word in title.split())
        written = {w for layer in layers for name in (layer.name, *layer.also) for w in name.split()}
        self.small = {_key(w) for w in written if w.islower()} - {_key(w) for w in written if not w.islower()}
        self.stems = {_stem(word) for word in self.words - _NO_NAMES if len(word) >= _MIN_PART_CHARS}
        self.of_id = {layer.id: [stems(name) for name in (layer.name, *layer.also)] for layer in layers}
        self.spellings = Spellings(sorted(word for word in self.words if len(word) >= _MIN_FUZZY_CHARS))
        self.names = Spellings(sorted(name for name in self.titles if " " not in name))

    def longest_at(self, tokens: Sequence[Token]) -> int:
        """How many of some words are the longest title of several that they begin with; 0 for none."""
        if tokens[0].folded not in self._beginnings:
            return 0
        words = [token.folded for token in tokens]
        return next((n for n in range(len(words), 1, -1) if " ".join(words[:n]) in self._several), 0)

    def longest_foreign_at(self, tokens: Sequence[Token]) -> int:
        """The same for words of other languages, in whatever number: `sito inquinato`, `siti inquinati`."""
        said = [_foreign_key(words(token.said)) for token in takewhile(_is_foreign, tokens)]
        if not said or said[0][:1] not in self._foreign_beginnings:
            return 0
        for n in range(len(said), 0, -1):
            if tuple(chain(*said[:n])) in self.foreign and None in (known_role(t.folded) for t in tokens[:n]):
                return n
        return 0


def _ends(titles: Iterable[str]) -> dict[str, str]:
    """Titles by how they end, in two words or more that no other title has: `ik wasser`, `prognose 2020`."""
    found: dict[str, set[str]] = defaultdict(set)
    for title in titles:
        said = _WORD.findall(title.partition("(")[0])
        for start in range(1, len(said) - 1):
            if not any(word[0].islower() for word in said[start:]):
                found[_key(" ".join(said[start:]))].add(title)
    return {end: title for end, (title, *others) in found.items() if not others}


def _dated(named: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Titles by names with another year behind them (`ekat 2010`), and without their year if there is one."""
    undated = {title: _YEAR.sub("", title) for _, _, title in named}
    dated = {title: _YEAR.findall(title) for title in undated}
    several = Counter(undated.values())
    alone = {_key(name): title for title, name in undated.items() if dated[title] and several[name] == 1}
    also: dict[str, list[str]] = defaultdict(list)
    for key, _, title in named:
        if not _YEAR.search(key):
            also[undated[title]].append(key)
    years = ((title, year) for title in dated for year in dated[title])
    return alone | {f"{key}{year}": title for title, year in years for key in also[undated[title]]}


@lru_cache(maxsize=2)
def _names_of(source: Known) -> LayerNames:
    return LayerNames(source)


def find_titles(tokens: Sequence[Token]) -> Iterator[Found[None]]:
    """Where titles of several words stand: they are read as one name, whatever is in them."""
    return _found(tokens, _names_of(known()).longest_at)


def find_foreign_titles(tokens: Sequence[Token]) -> Iterator[Found[None]]:
    """Where titles stand in another language than German."""
    if {token.language for token in tokens}.isdisjoint(FOREIGN):
        return iter(())
    return _found(tokens, _names_of(known()).longest_foreign_at)


def _found(tokens: Sequence[Token], length_of: Callable[[Sequence[Token]], int]) -> Iterator[Found[None]]:
    said = [token for token in tokens if token.is_word]
    i = 0
    while i < len(said):
        end = length_of(said[i : i + _MAX_TITLE_WORDS])
        if end:
            yield Found(None, said[i].start, said[i + end - 1].end)
        i += max(end, 1)


def theme_called(name: str) -> str | None:
    """The theme of the layer that is called so in another language: `siti inquinati`, `belasteten`."""
    title = _names_of(known()).foreign.get(_foreign_key(words(name)))
    themes = (word for word in words(title or "") if is_theme(word) and word != _REGISTER)
    return next(themes, _key(title)) if title else None


def layer_named(said: Sequence[str]) -> str | None:
    """The title of the layer that some folded words name exactly."""
    return _names_of(known()).titles.get(_key(" ".join(said)))


def title_called(name: str) -> str:
    """The title of the layer that a name or id calls, be it in the singular; empty for none."""
    folded = words(name)
    if is_layer_id(name):
        return name
    return layer_named(folded) or (layer_called(folded[0]) if len(folded) == 1 else None) or _sounding(folded)


def in_standard(name: str) -> str:
    """The title of the layer that a name calls in dialect, which no search knows; else the name."""
    folded = words(name)
    return name if layer_named(folded) else _sounding(folded) or name


def _sounding(said: Sequence[str]) -> str:
    """The title that some folded words call in dialect: `gfahrecharte wasser`; empty for none."""
    tells = any(len(word) >= _MIN_FUZZY_CHARS and not is_known(word) for word in said)
    if len(said) < _MIN_SOUNDING_WORDS or not tells:
        return ""
    names, sound = _names_of(known()), _sound(said)
    key = names.sounds.get(sound, "") if sum(map(len, sound)) >= _MIN_SOUND_CHARS else ""
    is_inflected = {*map(_stem, said)} == {*map(_stem, key.split())}  # des öffentlichen Verkehrs
    return names.titles[key] if key and not is_inflected else ""


def titles_at(said: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Where the longest names of layers stand among some words, and their titles: `GWR`, but not `see`."""
    start, since = 0, 0
    named: Sequence[str] = ()
    while start < len(said):
        end, title = _longest_at(start, said)
        if title:
            named = words(" ".join(said[start:end]))
        elif start - since <= _MOST_BETWEEN:
            end, title = _continued_at(start, said, named)
        if title:
            yield start, end, title
            since = end
        start = max(end, start + 1)


def _longest_at(start: int, said: Sequence[str]) -> tuple[int, str]:
    most = _MAX_NAME_WORDS if _begins(said[start], known()) else 0
    ends = range(min(len(said), start + most), start, -1)
    named = ((end, title) for end in ends if (title := _title_of(said[start:end])))
    return next(named, (start, ""))


def _continued_at(start: int, said: Sequence[str], named: Sequence[str]) -> tuple[int, str]:
    """`2060` after `Klimaanalysekarte Tag 2020`: a layer whose name begins as one before."""
    for end in range(min(len(said), start + _MOST_ADDED), start, -1):
        added = words(" ".join(said[start:end]))
        ways = ([*named[:kept], *added] for kept in range(len(named) - 1, 0, -1))
        if title := next(filter(None, map(layer_named, ways)), ""):
            return end, title
    return start, ""


def _title_of(said: Sequence[str]) -> str:
    written = " ".join(said)
    return "" if is_short(written) else title_called(written)


def is_short(written: str) -> bool:
    """Whether a word is too short to be a name: `see`, but not `GWR`."""
    return len(written) < _MIN_PART_CHARS and not written.isupper()


def is_layer_id(text: str) -> bool:
    """`ch.so.afu.karst`"""
    return text in _names_of(known()).of_id


def calls_layer(name: str, id: str, label: str) -> int:
    """How surely a layer is called so: 1 by its label or id, 2 by another name, 3 but for typos, else 0.

    A layer has the names of its group, too: `ch.so.awjf.waldplan` of `ch.so.awjf.waldplan.typ`.
    """
    return _calls(name, id, label, known())


def may_name_layer(said: Iterable[str]) -> bool:
    """Whether one of some folded words stands in the name of a layer; without any names, each may."""
    names = _names_of(known())
    return not names.titles or any(_sounds(word, known()) for word in said)


def is_written_in_names(word: str) -> bool:
    """Whether a folded word is one of layers as it is spelled; without any names, each is."""
    names = _names_of(known())
    return not names.titles or has_theme(word) or word in names.words or _stem(word) in names.stems


def layer_words_of(topic: str) -> str:
    """A topic without small words around it that stand in no name of a layer: `noch Richtplan sehen`."""
    names, said = _names_of(known()), topic.split()
    own = names.words - _SMALL
    kept = [
        n
        for n, word in enumerate(said)
        if any(w in own or is_theme(w) or looks_like_noun(w) for w in _key(word).split())
    ]
    if not names.titles or not any(_sounds(_key(word), known()) for word in said):
        return topic
    return " ".join(said[kept[0] : kept[-1] + 1]) if kept else topic


def is_layer(word: str) -> bool:
    """Whether a folded word, or words that were read as one, sounds like a layer or is the name of one."""
    return is_theme(word) or names_layer(word)


def names_layer(word: str) -> bool:
    """Whether a folded word, or words read as one, is what a layer is called, be it in the singular."""
    return layer_called(word) is not None


def layer_called(word: str) -> str | None:
    """The title of the layer that a folded word, or words read as one, calls, be it in the singular."""
    return _called(word, known())


def is_nearly_layer(word: str) -> bool:
    """`bodentip`, `altlasen`: whether a folded word that nobody knows is the name of a layer with a typo."""
    if not _MIN_MISTYPED_CHARS <= len(word) <= MAX_WORD_CHARS:
        return False
    near = _names_of(known()).names.nearest(word, 1 if len(word) < _TWO_TYPOS_CHARS else 2)
    return near is not None and near[0][0] == word[0] and len(near[0]) >= _MIN_MISTYPED_CHARS


def is_of_layers(word: str) -> bool:
    """Whether a folded word sounds like the name of a layer, or stands in one."""
    return is_theme(word) or word in _names_of(known()).words


def is_small_in_layers(word: str) -> bool:
    """Whether a folded word has no capital in the names of layers: `belastet`."""
    return word in _names_of(known()).small


@lru_cache(maxsize=1_024)
def _calls(name: str, id: str, label: str, source: Known) -> int:
    wanted, text, names = stems(name), bare(f"{label} {id}"), _names_of(source)
    if not wanted or all(each in text for each in wanted):
        return int(bool(wanted))
    heads = [id[:end] for end in (*(n for n, sign in enumerate(id) if sign == "."), len(id))]
    also = [stems(label), *(called for head in heads for called in names.of_id.get(head, ()))]
    if any(set(wanted) <= set(called) for called in also):
        return 2
    if layer_named(words(name)):
        return 0  # that of another one
    return 3 if any(_nearly(wanted, called) for called in also) else 0


def _nearly(wanted: Sequence[str], called: Sequence[str]) -> bool:
    """Whether each of the stems is one of the others, but for a typo."""
    return all(any(_is_typo(each, other) for other in called) for each in wanted)


def _is_typo(written: str, meant: str) -> bool:
    if written == meant or not (written.isalpha() and meant.isalpha()):
        return written == meant
    allowed = min(forgiven_edits(len(written)), forgiven_edits(len(meant)), _MOST_TYPOS)
    return OSA.distance(written, meant, score_cutoff=allowed) <= allowed


@lru_cache(maxsize=8_192)
def _begins(written: str, source: Known) -> bool:
    """Whether a name of a layer, or its id, begins with a word, be it in the singular or in dialect."""
    names, said = _names_of(source), words(written)
    ways = (*said[:1], *map(_stem, said[:1]), *_sound(said[:1]))
    return is_layer_id(written) or not names.first_words.isdisjoint(ways)


@lru_cache(maxsize=1_024)
def _called(word: str, source: Known) -> str | None:
    return _names_of(source).forms.get(_stem(_key(word)))


@lru_cache(maxsize=8_192)
def _sounds(word: str, source: Known) -> bool:
    names = _names_of(source)
    if word in names.words - _NO_NAMES and len(word) >= _MIN_PART_CHARS:
        return True
    if len(word) > MAX_WORD_CHARS:
        return False
    if is_theme(word) or _stem(word) in names.stems:
        return True
    allowed = 1 if len(word) < _TWO_TYPOS_CHARS else 2
    return len(word) >= _MIN_FUZZY_CHARS and names.spellings.nearest(word, allowed) is not None


def _is_foreign(token: Token) -> bool:
    return token.language in FOREIGN


def _foreign_key(said: Iterable[str]) -> tuple[str, ...]:
    """Folded words without what tells one from many, in French, Italian and English."""
    return tuple([_FOREIGN_ENDING.sub("", word) for word in said])


def _sound(said: Iterable[str]) -> tuple[str, ...]:
    return tuple([sound_of(word) for word in said if len(word) <= MAX_WORD_CHARS])


def _key(name: str) -> str:
    return " ".join(words(name))


def _stem(word: str) -> str:
    """Shorter steps than those of `german.stems`, which takes `Grenchn` for the stem of `Grenchner`."""
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= _MIN_PART_CHARS), "")
    return word.removesuffix(ending)
