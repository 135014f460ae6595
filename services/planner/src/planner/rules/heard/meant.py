"""Which of the loaded layers are meant."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from contracts.intents import OF_LOADED_LAYERS, OF_NEW_LAYERS, Intent
from contracts.session import LoadedLayer, Session
from german.words import words

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.loaded import BOTH, ONE, gives_up, loaded_as
from planner.rules.grammar.parts import Part, Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.layers import loaded_meant
from planner.rules.heard.positions import Layers, ordered
from planner.rules.learned.on_map import is_told, may_name
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.references.layers import layer_named, title_called

_IN_NAMES = (Role.GEOTHERMAL, Role.PARCELS, Role.PARCEL, Role.HEIGHT)
_STUFF = ("zeugs", "zeug", "sachen", "kram", "dinger", "bestand")
_KEEPS = (
    *("lass", "bleib", "behalt", "behielt", "stehen", "uebrig", "reich", "genueg", "isolier", "nur", "bloss"),
    *("einzig", "ausschliesslich", "lediglich", "allein", "ausser", "ausgenommen"),
)
_NAMES = frozenset({"name", "above", "below"})
"""What says in a wish which layer is meant."""
_OF = frozenset({"der", "von"})
_OTHERS = frozenset({"rest", "andere", "anderen", "anderer", "anderes", "uebrige", "uebrigen"})
_PAIR = 2
_REST = _OTHERS | {"sonst", "alles"}


def meant_layers(clauses: Iterable[Clause], among: Layers) -> Layers:
    """Those that are named in some clauses, or told by where they stand: `die erste`."""
    clauses = tuple(clauses)
    named = _each(layer for clause in clauses for layer in _called(clause, among))
    return named or ordered_layers(clauses, among)


def ordered_layers(clauses: Iterable[Clause], among: Layers) -> Layers:
    """`die erste`, `das oberste`"""
    return _each(layer for clause in clauses for layer in ordered(clause, among))


def called_in(clauses: Iterable[Clause], among: Layers, *, kept: bool) -> Layers:
    """Those that are named where something is kept (`nur Sturz`), or where nothing is."""
    clauses = tuple(clauses)
    staying = _staying(clauses)
    said = tuple(clause for clause in clauses if (clause in staying) is kept)
    named = meant_layers(said, among)
    spared = (name for clause in clauses for name in clause.spared) if kept else ()
    return _each((*named, *(layer for name in spared for layer in _loaded_as(name, among))))


def _staying(clauses: Sequence[Clause]) -> Sequence[Clause]:
    """Those that keep something, and names before them: `Altlasten und Wanderwege bleiben`."""
    found: list[Clause] = []
    joined = False
    for clause in reversed(clauses):
        stays = _keeps(clause) or (joined and not clause.own_roles & ACTIONS)
        found += [clause] if stays else []
        joined = stays and clause.link is Link.AND
    return found


def by_label(wishes: Wishes, said: Utterance, layers: Layers) -> Wishes:
    """Wishes that name one loaded layer by its label; none for what is left as it is: `lass den Rest`."""
    wishes = tuple(
        _by_query(wish, wishes, layers) if wish.intent in OF_NEW_LAYERS else wish for wish in wishes
    )
    if not layers:
        return wishes
    found = tuple(_by_label(wish, said, layers) if _is_of_loaded(wish) else wish for wish in wishes)
    stays = any(_keeps(clause) and clause.said & _OTHERS for clause in said.clauses)
    kept = tuple(wish for wish in found if not (stays and _is_of_others(wish)))
    return kept if any(map(_is_of_loaded, kept)) else found


def _by_query(wish: Wish, wishes: Wishes, layers: Layers) -> Wish:
    """`Schutzwald inkl. Legende`: what is loaded at the same time is called as it is searched for."""
    name = str(wish.args.get("name", ""))
    loads = [each.query for each in wishes if each.intent == Intent.LOAD_LAYER and words(each.query)]
    if not name and wish.intent == Intent.SHOW_LEGEND:
        return replace(wish, args={**wish.args, "name": loads[-1]}) if loads else wish
    said = () if _loaded_as(name, layers) else words(name)
    query = next((query for query in loads if set(words(query)) <= set(said)), None)
    return replace(wish, args={**wish.args, "name": query}) if query else wish


def _is_of_loaded(wish: Wish) -> bool:
    return wish.intent in OF_LOADED_LAYERS


def _is_of_others(wish: Wish) -> bool:
    named = words(str(wish.args.get("name", "")))
    return _is_of_loaded(wish) and bool(named) and _OTHERS.issuperset(named)


def _by_label(wish: Wish, said: Utterance, layers: Layers) -> Wish:
    args = dict(wish.args)
    for key in _NAMES & args.keys():
        args[key] = _label(str(args[key]), said, layers)
    if "except" in args:
        args["except"] = tuple(_label(name, said, layers) for name in args["except"])
    return replace(wish, args=args) if args != wish.args else wish


def _label(name: str, said: Utterance, layers: Layers) -> str:
    """That of the only layer that is called so; of a word that names none, of the one that it means."""
    if called := () if name in ("", "*") else _loaded_as(name, layers):
        return called[0].label if len(called) == 1 else name
    if len(words(name)) != 1 or layer_named(words(name)):
        return name
    meant = loaded_meant([part for part in said.parts if part.text == name], layers)
    return meant[0].label if meant else name


def without_names(clauses: Iterable[Clause], layers: Layers) -> tuple[Clause, ...]:
    """Some clauses without the words that a layer is called by."""
    return tuple(
        replace(clause, parts=tuple(part for part in clause.parts if not _names_one(part, layers)))
        for clause in clauses
    )


def _names_one(part: Part, layers: Layers) -> bool:
    return isinstance(part, Word) and bool(_called_by(part, layers))


def other_layers(but: Layers, among: Layers) -> Layers:
    return tuple(layer for layer in among if layer not in but)


def pointed_layers(said: Utterance, past: Past, among: Layers) -> Layers:
    """What a message is about that names none: the only one, that of the turn before, or the last one.

    Of two also the other one: `Was bedeuten die Farben vom anderen?`; all, if the turn before was about all.
    """
    latest = past.latest(is_of_layers)
    if len(among) <= 1 or any(wish.args.get("name") == "*" for wish in latest):
        return among
    words_said = {word.folded for word in said.words}
    names = [*_named_in(latest)][-1 if words_said & ONE else 0 :]
    named = _each(layer for name in names for layer in _loaded_as(name, among))
    told = _told_last(past.session, among)
    last = (named if latest == past.last else told) or told or named or among[-1:]
    return other_layers(last, among) if words_said & _OTHERS and len(among) == _PAIR else last


def _told_last(session: Session, among: Layers) -> Layers:
    """Those of which the last answer tells that tells of any."""
    answers = (entry.text for entry in reversed(session.history) if entry.role == "assistant")
    told = (tuple(layer for layer in among if is_told(layer, text)) for text in answers)
    return next(filter(None, told), ())


def both_before(past: Past, among: Layers) -> Layers:
    """`blende beide aus`: the two of more layers that were talked about last."""
    names = _named_in(past.everything)
    found = _each(layer for name in names for layer in _loaded_as(name, among))[:_PAIR]
    return tuple(layer for layer in among if layer in found) if len(found) == _PAIR else ()


def group_before(past: Past) -> str:
    """What was loaded the turn before, where no loaded layer is called so: it has several."""
    loads = [wish for wish in past.last if wish.intent == Intent.LOAD_LAYER]
    names = (name for name in _named_in(loads) if title_called(name))
    return next((name for name in names if not _loaded_as(name, past.session.layers)), "")


def named_last(past: Past) -> str:
    """What the last layer is called that was talked about: `Lade sie nochmals`"""
    return next(_named_in(past.latest(is_of_layers)[::-1]), "")


def is_of_layers(wish: Wish) -> bool:
    """Whether it names a layer, or all of them."""
    of_layers = wish.intent in OF_LOADED_LAYERS or wish.intent == Intent.LOAD_LAYER
    return of_layers and bool(wish.args.get("name") or wish.query)


def _named_in(wishes: Iterable[Wish]) -> Iterator[str]:
    names = (str(wish.args.get("name", "")) or wish.query for wish in wishes if is_of_layers(wish))
    return (name for name in names if name not in ("", "*"))


def says_both(clauses: Iterable[Clause]) -> bool:
    """But for `die jüngere der beiden`."""
    for clause in clauses:
        said = [word.folded for word in clause.words]
        if any(word in BOTH and before not in _OF for before, word in pairwise(("", *said))):
            return True
    return False


def says_rest(clauses: Iterable[Clause]) -> bool:
    """`sonst nichts`, `den Rest weg`"""
    return any(clause.said & _REST for clause in clauses)


def _keeps(clause: Clause) -> bool:
    """`nur Sturz`, `die Hornissen behalten`, `was nicht Hornisse heisst`; but not `verschwinden lassen`."""
    if clause.own_roles & {Role.REMOVE, Role.HIDE} or gives_up(clause):
        return False
    named = Role.NOT in clause.roles and "heisst" in clause.said
    return named or Role.KEEP in clause.roles or any(word.startswith(_KEEPS) for word in clause.said)


def _called(clause: Clause, among: Layers) -> Layers:
    """A phrase names what it calls as a whole, or else what its words do."""
    found: list[LoadedLayer] = []
    for phrase in clause.phrases(*_IN_NAMES):
        written = set(phrase.split())
        words = [word for word in clause.words if written.intersection((*word.text.split(), word.stem))]
        whole = _loaded_as(phrase, among) if may_name(phrase) else ()
        found += whole or [layer for word in words for layer in _called_by(word, among)]
    return _each(found)


def _called_by(word: Word, among: Layers) -> Layers:
    """`Zählstellen`, `d strosse`, `die Waldsachen`"""
    if says_how(word) or not (word.is_content or word.role in _IN_NAMES):
        return ()
    stuff = next((word.folded.removesuffix(end) for end in _STUFF if word.folded.endswith(end)), "")
    names = (word.text, word.folded, word.stem or "", stuff)
    return next((found for name in names if may_name(name) and (found := _loaded_as(name, among))), ())


def _loaded_as(name: str, among: Layers) -> Layers:
    return loaded_as(name, Session(layers=among)) if name else ()


def _each(layers: Iterable[LoadedLayer]) -> Layers:
    return tuple({layer.id: layer for layer in layers}.values())
