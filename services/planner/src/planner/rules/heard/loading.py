"""Which layers are brought onto the map."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from contracts.intents import Intent
from german.words import words

from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.loaded import gives_up, is_loaded
from planner.rules.grammar.parts import Mention, Part, Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.scope import old_and_new
from planner.rules.grammar.targets import visits
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish, answer, load, visit
from planner.rules.heard.background import background
from planner.rules.heard.given import DOUBTLESS, Given, Maker
from planner.rules.heard.layers import (
    is_learned,
    layer_guessed,
    layers_likely,
    layers_wanted,
    lies_above,
)
from planner.rules.heard.meant import named_last
from planner.rules.heard.named import is_left_out, mentions_in, spots_in
from planner.rules.learned.features import titled
from planner.rules.learned.titles import certain_title
from planner.rules.planning.past import Past
from planner.rules.reading.forms import looks_like_noun
from planner.rules.reading.lexicon import Role
from planner.rules.reading.topics import is_theme
from planner.rules.references.layers import (
    in_standard,
    is_layer,
    is_layer_id,
    layer_named,
    layer_words_of,
    names_layer,
    title_called,
    titles_at,
)
from planner.rules.references.places import Place

_TAKES_BACK = frozenset({Role.CORRECTION, Role.NO})
_NO = frozenset({"kein", "keine", "keinen", "weder"})
_CLEAR_CHARS = 5
"""Shorter words name a layer only alone, or beside one other word: not `wo der Fluss noch darf`."""
_GENERAL = frozenset({"zone", "zonen", "zones", "gefahr", "gefahren", "kataster", "gemeinden", "kantone"})
_SMALL, _FEW = 2, 2
_NO_ROLES = frozenset({Role.NOT, Role.NONE, Role.REMOVE, Role.HIDE})
_SHOWS = frozenset({Role.SHOW, Role.LOAD})
TAKES_OFF = frozenset({Intent.REMOVE_LAYER, Intent.HIDE_LAYER})
_CHANGES = TAKES_OFF | {Intent.SHOW_LAYER, Intent.MOVE_LAYER, Intent.SET_LAYER_OPACITY}


def topics_in(said: Utterance) -> Iterator[str]:
    """What sounds like a layer, or is called like one."""
    for clause in said.clauses:
        yield from _topics_of(clause)


def _topics_of(clause: Clause) -> Iterator[str]:
    for phrase in clause.phrases():
        folded = [word.folded for word in clause.content if word.text in phrase.split()]
        if layer_named(folded) or any(map(is_layer, folded)) or named_in(phrase):
            yield layer_words_of(phrase)


def named_in(phrase: str) -> str:
    """`der Prüfung der Notfalltreffpunkte`: the only layer in it, if nothing else sounds like one."""
    said = phrase.split()
    spans = list(titles_at(said))
    if len(spans) != 1:
        return ""
    start, end, _ = spans[0]
    beside = [word for each in (*said[:start], *said[end:]) for word in words(each)]
    tells = any(is_theme(word) or names_layer(word) or word.isdigit() for word in beside)
    name = " ".join(said[start:end])
    is_clear = len(name) >= _CLEAR_CHARS or name.isupper() or sum(len(word) > _SMALL for word in beside) <= 1
    is_general = bool(beside) and name.casefold() in _GENERAL
    return "" if tells or is_general or not is_clear else name


def settled(wishes: Wishes, said: Utterance, past: Past, *, doubtless: bool = False) -> Wishes:
    """Wishes with each layer once, by nothing but its name, and without those that are only told of."""
    loads = tuple(wish for wish in wishes if _loads(wish))
    if not loads:
        return wishes
    names = _names({wish.query for wish in loads}, said)
    named = tuple(replace(wish, query=names[wish.query]) for wish in loads)
    kept = [wish for wish in _once(named) if not _is_given_up(wish.query, said)]
    kept = [wish for wish in kept if not _is_denied_in(wish.query, said)] or kept
    kept = [*_once(_by_title(kept, said, lies_above(past.session), doubtless))] if kept else []
    changes = any(wish.intent in _CHANGES for wish in wishes)
    kept = [wish for wish in kept if not (changes and is_loaded(wish.query, past.session))]
    removed = {_called(str(wish.args.get("name", ""))) for wish in wishes if wish.intent in TAKES_OFF}
    kept = [wish for wish in kept if _called(wish.query) not in removed]
    if not kept:
        return tuple(wish for wish in wishes if not _loads(wish)) or (answer("left_alone"),)
    first = wishes.index(loads[0])
    before, after = (
        [w for w in some if not (_loads(w) or _goes_nowhere(w))] for some in (wishes[:first], wishes[first:])
    )
    return (*_there(wishes, said), *(_in_town(wish, said) for wish in before), *kept, *after)


def _names(queries: Iterable[str], said: Utterance) -> Mapping[str, str]:
    """Each by nothing but its name; by its title where it is called so in dialect, or in part of a name."""
    names = {query: in_standard(named_in(query) or query) for query in queries}
    unknown = {query for query, name in names.items() if not title_called(name)}
    called = [(said.parts[start:end], title) for start, end, title in titled(said.parts)] if unknown else []
    parts = {query: title for query in unknown for named, title in called if _is_part(query, named)}
    return names | parts


def _is_part(query: str, named: Sequence[Part]) -> bool:
    """Whether it is a part of a name, or goes on from one; not a word for a theme: `bruit`."""
    whole = " ".join(part.text for part in named)
    is_theme = query == whole and any(title_called(part.folded) for part in named)
    return not is_theme and set(query.split()) <= set(_written(named))


def _written(parts: Iterable[Part]) -> Iterator[str]:
    """Each word, and what a compound of it says: `Gefahren` of `Gefahrenkarte`."""
    for part in parts:
        yield from part.text.split()
        if isinstance(part, Word) and part.stem:
            yield part.stem


def _in_town(wish: Wish, said: Utterance) -> Wish:
    """`Patienten aus Breitenbach`: who wants a layer where nobody knows the spot wants it where it is."""
    target = wish.target
    if not isinstance(target, Place) or target.kind != "unknown":
        return wish
    towns = [m.what for m in mentions_in(said.parts) if target.name.endswith(f" {m.text}")]
    return replace(wish, target=towns[-1]) if towns else wish


def _there(wishes: Wishes, said: Utterance) -> Wishes:
    """Who wants nothing but layers and names a place wants to see them there."""
    if not all(map(_loads, wishes)):
        return ()
    places = [spot for spot in spots_in(said, misread=False) if isinstance(spot, Place)]
    return tuple(
        visit(place) for place in places if _is_destination(place) and not is_left_out(place, said.parts)
    )


def _is_destination(place: Place) -> bool:
    """Known, and not the whole canton."""
    return place.kind != "unknown" and not _is_canton(place)


def _is_canton(place: Place) -> bool:
    return place.name.startswith("Kanton")


def _goes_nowhere(wish: Wish) -> bool:
    """`Wo hat es im Kanton Hochmoore?`: who wants a layer of the whole canton has it in view."""
    return wish.intent == Intent.SEARCH_PLACE and isinstance(wish.target, Place) and _is_canton(wish.target)


def _by_title(loads: Sequence[Wish], said: Utterance, above: str, doubtless: bool) -> Wishes:
    """The layers that a message wants, by their titles; what nobody knows as it was read."""
    called = {title_called(wish.query): wish for wish in loads}
    clauses = _wanting(said)
    read = [wish.query.casefold() for wish in loads if wish.query]
    listed = [
        title
        for title in _listed(clauses)
        if title not in called and not any(query in title.casefold() for query in read)
    ]
    if listed and Role.NOT not in said.roles:
        return _in_order((*loads, *map(load, listed)), said)
    if any(is_layer_id(wish.query.casefold()) or _is_all(wish.query, loads, said) for wish in loads):
        return tuple(loads)
    wanted = layers_wanted(clauses, above, () if "" in called else called.keys())
    if not wanted and called.keys() == {""} and _is_described(loads, said):
        wanted = layer_guessed(clauses, above, doubtless=doubtless)
        if not wanted and len(likely := layers_likely(clauses, above)) > 1:
            return (replace(loads[0], among=likely),)
    if not wanted:
        return tuple(loads)
    (only,) = loads if len(loads) == len(wanted) == 1 else (None,)
    by_title = (replace(called.get(title, only) or load(title), query=title) for title in wanted)
    left = (wish for wish in loads if wish is not only and title_called(wish.query) not in wanted)
    others = (wish for wish in left if _is_beside(wish, wanted, said))
    return (*by_title, *others)


def _in_order(loads: Wishes, said: Utterance) -> Wishes:
    """As they are named in a message."""
    named = {title: start for start, _, title in reversed(titled(said.parts))}
    words = {part.text: n for n, part in reversed([*enumerate(said.parts)])}
    first = [
        named.get(title_called(wish.query), words.get(wish.query.partition(" ")[0], 0)) for wish in loads
    ]
    return tuple(wish for _, wish in sorted(zip(first, loads, strict=True), key=lambda each: each[0]))


def _is_beside(wish: Wish, wanted: Sequence[str], said: Utterance) -> bool:
    """Whether it is for something else than what is known to be wanted: `Wald und Biber`."""
    title, written = title_called(wish.query), set(wish.query.split())
    own = [
        c
        for c in said.clauses
        if c.content and written.issuperset(word.stem or word.text for word in c.content)
    ]
    if title:
        if len(words(wish.query)) > 1 and layer_named(words(wish.query)):
            return True
        return (bool(own) and wish.query.casefold() not in _GENERAL) or not is_learned(title)
    if not own or not _is_listed(own[0], said) or not _sounds(wish, said):
        return False
    return set(layers_likely(own)).isdisjoint(wanted)


def _listed(clauses: Sequence[Clause]) -> Iterator[str]:
    """The layers of clauses that are nothing but a name in a list: `Höhenkurven und Grundstücke`."""
    for clause, after in pairwise((*clauses, Clause(()))):
        joined = Link.AND in (clause.link, after.link) and not _NO_ROLES & clause.own_roles
        titles = titled(clause.parts) if joined else []
        if len(titles) == 1:
            start, end, title = titles[0]
            beside = (*clause.parts[:start], *clause.parts[end:])
            if not any(part.is_content or isinstance(part, Mention) for part in beside):
                yield title


def _is_listed(clause: Clause, said: Utterance) -> bool:
    """Whether it is no more than a name, joined to something else: `Karst und Einhörner`."""
    after = said.clauses[said.clauses.index(clause) + 1 :][:1]
    joined = any(each.link in (Link.AND, Link.THEN) for each in (clause, *after))
    return joined and len(clause.content) <= _FEW and not said.asks


def _is_described(unknown: Sequence[Wish], said: Utterance) -> bool:
    """Not `Natur und Landschaft`, words of several layers and no others; nor `den Layer Handel`, a name."""
    if Role.LAYER in said.roles:
        return False
    return len(said.content) > _FEW or not any(
        is_layer(word) for each in unknown for word in words(each.query)
    )


def _wanting(said: Utterance) -> Sequence[Clause]:
    """The clauses that may say what is to be loaded: not those that take something off, deny it, or are taken
    back."""
    kept = [clause for clause in _standing(said.clauses) if not _takes_off(clause)]
    return [
        clause for clause in kept if not (_denies(clause) or (not said.asks and _wants_none(clause)))
    ] or kept


def _standing(clauses: Sequence[Clause]) -> Sequence[Clause]:
    """`Lade den Karst, nein halt, die Geologie`, `Geologie statt Karst`: without what is taken back."""
    found: list[Clause] = []
    for clause in clauses:
        if clause.own_roles & _TAKES_BACK and found:
            found.pop()
        _, new = old_and_new(clause) or (clause, clause)
        found += [new] if new.content or new.mentions or titled(new.parts) else []
    return found


def _denies(clause: Clause) -> bool:
    return Role.NOT in clause.own_roles and not clause.own_roles & _SHOWS


def _takes_off(clause: Clause) -> bool:
    return bool(clause.own_roles & {Role.REMOVE, Role.HIDE}) or gives_up(clause)


def _sounds(wish: Wish, said: Utterance) -> bool:
    """Like a layer, or like the name of a thing."""
    named = (word for word in said.words if word.text in wish.query.split())
    return any(is_layer(word.folded) or looks_like_noun(word.folded) for word in named)


def _is_all(query: str, loads: Sequence[Wish], said: Utterance) -> bool:
    """`Karten zum Thema Wald?`: a word of many layers, of which one has to choose, and no others.

    But for one that is no name and can only mean a single one: `Schutzareale`.
    """
    theme = words(query)
    named = {word for wish in loads for word in wish.query.split()}
    content = [word for clause in _standing(said.clauses) for word in clause.content]
    plain = len(content) <= _FEW and all({word.text, word.stem or ""} & named for word in content)
    if not (len(theme) == 1 and is_theme(theme[0]) and plain):
        return False
    return bool(title_called(query)) or len(query) < _CLEAR_CHARS or not certain_title(said.content)


def _loads(wish: Wish) -> bool:
    return wish.intent == Intent.LOAD_LAYER and not wish.is_talk


def _once(loads: Wishes) -> Wishes:
    return tuple({_called(wish.query): wish for wish in reversed(loads)}.values())[::-1]


def _called(query: str) -> str:
    return title_called(query) or query.casefold()


def _clauses_with(query: str, said: Utterance) -> tuple[Clause, ...]:
    wanted = set(query.split())
    return tuple(
        clause for clause in said.clauses if wanted <= {w for part in clause.parts for w in part.text.split()}
    )


def _is_given_up(query: str, said: Utterance) -> bool:
    """`Bodentyp brauche ich nicht`, `Bitte keine Altlasten`: whether the last clause with it gives it up."""
    return any(
        gives_up(clause) or (not said.asks and _wants_none(clause, query))
        for clause in _clauses_with(query, said)[-1:]
    )


def _wants_none(clause: Clause, query: str = "") -> bool:
    """`keine Altlasten`; of no query in particular: whether it begins so."""
    said = query.split()[:1] or [word.text for word in clause.content[:1]]
    return any(a.folded in _NO and [b.text] == said for a, b in pairwise(clause.parts))


def _is_denied_in(query: str, said: Utterance) -> bool:
    """`Gülle darf nicht ins Trinkwasser`: whether a clause with it only says what is not so."""
    return any(map(_denies, _clauses_with(query, said)[-1:]))


def _loaded(intent: str, given: Given) -> Wishes:
    changes = given.wanted & _CHANGES
    clauses = [clause for clause in given.said.clauses if not (changes and _takes_off(clause))]
    wishes = tuple(wish for clause in clauses for wish in _with_place(clause))
    asked = any(wish.intent == Intent.SEARCH_DOCUMENTS for wish in given.read)
    sure = any(_is_exact(wish.query) for wish in wishes if _loads(wish))
    if wishes and (sure or not asked):
        return wishes
    wanting, above = _wanting(given.said), lies_above(given.past.session)
    doubtless = given.probable[intent] > DOUBTLESS
    if titles := layers_wanted(wanting, above) or layer_guessed(wanting, above, doubtless=doubtless):
        return tuple(map(load, titles))
    if len(likely := layers_likely(wanting, above)) > 1:
        return (replace(load(given.said.written), among=likely),)
    again = Role.AGAIN in given.said.roles and not given.said.content
    return (load(last),) if again and (last := named_last(given.past)) else ()


def _is_exact(query: str) -> bool:
    """Whether a layer is called so as it is spelled."""
    return bool(title_called(query)) and in_standard(query) == query


def _with_place(clause: Clause) -> Wishes:
    """The layers of a clause, and the place that it names beside them: `Naturreservate im Wasseramt`."""
    topics = tuple(load(topic) for topic in _topics_of(clause))
    if not topics or Role.NOT in clause.own_roles:
        return topics
    places = (
        wish for wish in visits(clause) if not isinstance(wish.target, Place) or _is_destination(wish.target)
    )
    return (*places, *topics)


LOADING: Mapping[str, Maker] = {Intent.LOAD_LAYER: _loaded, Intent.SET_BACKGROUND: background}
