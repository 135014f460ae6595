"""What is meant by who says such things, where the rules have read something else, or nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.session import Session
from german.fold import fold

from planner.rules.grammar.arranging import with_opacity
from planner.rules.grammar.intents import wishes_of
from planner.rules.grammar.loaded import is_loaded
from planner.rules.grammar.measures import measures
from planner.rules.grammar.parts import Mention, Part, Sign
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.summaries import tells_of_found
from planner.rules.grammar.targets import called_place, spot_in_place
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import NAVIGATION, Wish, clarify, label_of
from planner.rules.heard.arranging import ARRANGING
from planner.rules.heard.asking import ASKING, in_loaded, places_in
from planner.rules.heard.concerned import Concerned, concerned
from planner.rules.heard.given import DOUBTLESS, Given, Maker
from planner.rules.heard.loading import LOADING, named_in, settled
from planner.rules.heard.meant import by_label, called_in, is_of_layers
from planner.rules.heard.named import is_corrected_to, is_listed, spots_in
from planner.rules.heard.opacity import opacity_from_start
from planner.rules.heard.places import PLACES
from planner.rules.heard.queried import asked_of_each
from planner.rules.heard.saying import answered, refused
from planner.rules.heard.things import wanted_of
from planner.rules.heard.wanted import as_wanted, meant_of
from planner.rules.learned.features import View, view_of
from planner.rules.learned.model import TALK, intent_model, is_intent
from planner.rules.learned.sense import sense_of
from planner.rules.planning.choices import points_at_option
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import Role
from planner.rules.references.finding import Reference
from planner.rules.references.layers import is_layer, layer_named, title_called
from planner.rules.references.places import Place

_MAKERS: Mapping[str, Maker] = {**PLACES, **LOADING, **ARRANGING, **ASKING}
_LIKELY, _UNLIKELY = 0.5, 0.3
_KEPT = 0.1
"""What the rules have read in full is given up only where it is less probable."""
_MANY = 3
"""Of so many intents that were read in full in one message all are meant."""
_SURELY = 0.7
"""So probable has to be what is wanted beside what was read in full."""
_ALMOST_SURELY = 0.9
"""So probable has to be what is wanted of a place whose name nobody knows, or instead of a choice."""
_MEANT = frozenset(
    {"left_alone", "only_maps", "how_opaque", "which_order", "which_extract", "where", "which_theme"}
)
"""What is said where the words leave no doubt that nothing is to be done, or what has to be said first."""
_TALK = frozenset({Intent.ANSWER, Intent.CLARIFY})
"""What only says something. The rules say it better, where they have something to say."""
_SHOW_THEIR_PLACE = frozenset({Intent.IDENTIFY, Intent.HEIGHT_QUERY})
_OF_EACH = frozenset({Intent.HEIGHT_QUERY, Intent.MEASURE_DISTANCE})
"""What is asked of each place that is named."""
_TO_PLACES = frozenset(
    {"nach", "in", "bei", "zu", "von", "aus", "z", "uf", "à", "a", "to", "from", "da", "de"}
)
_OPEN = 0.25
"""What has a probability between this and its opposite is in doubt."""
_LACKING: Mapping[str, str] = {
    Intent.LOAD_LAYER: "which_layer",
    Intent.ZOOM_TO_LAYER: "which_layer",
    Intent.QUERY_FEATURES: "which_layer",
    Intent.SET_BACKGROUND: "which_background",
    **dict.fromkeys(OF_LOADED_LAYERS, "which_layer"),
}
"""What is asked where a message does not say all that is needed."""


def heard(said: Utterance, past: Past, read: Wishes) -> Wishes:
    """What the network hears, with what was read where it says all that it needs."""
    probable = _probable(said, past, read)
    of_map = concerned(said, past, read)
    wanted = wanted_of(said)
    meant, kept = meant_of(said, read, past.session, wanted)
    read = kept or tuple(_readings(meant, past)) or (clarify("unclear"),)
    wishes = _instead(meant, past, read, probable, of_map) or read
    wishes = settled(wishes, meant, past, doubtless=probable[Intent.LOAD_LAYER] > DOUBTLESS)
    wishes = asked_of_each(_at_once(wishes, meant), wanted)
    given = Given(said, past, frozenset(map(label_of, wishes)), probable, wishes, of_map)
    wishes = as_wanted(wishes, given, wanted)
    return in_loaded(by_label(wishes, meant, past.session.layers), meant, past)


def _at_once(wishes: Wishes, said: Utterance) -> Wishes:
    """`Lade die Hydranten mit 60 % Deckkraft`: the only thing that is to be done."""
    if len(wishes) != 1 or wishes[0].intent != Intent.LOAD_LAYER or wishes[0].args:
        return wishes
    opacity = opacity_from_start(said.clauses)
    return wishes if opacity is None else (replace(wishes[0], args={"opacity": opacity}),)


def _instead(
    said: Utterance, past: Past, read: Wishes, probable: Mapping[str, float], of_map: Concerned
) -> Wishes | None:
    """What is meant instead of what was read; None where that stands."""
    known = frozenset(map(label_of, read))
    intents = {label: p for label, p in probable.items() if is_intent(label)}
    if not known <= set(intents) or any(_stands(wish, said, past, intents) for wish in read):
        return None
    unclear = read == (clarify("unclear"),)
    if unclear and _may_choose(said, past, intents):
        return None  # rather an answer that nobody understands
    if unclear and intents[Intent.CLARIFY] > _SURELY:
        return (refused(Given(said, past, known, probable, read, of_map)),)
    told = frozenset(label_of(wish) for wish in read if _is_told(wish, past))
    likely = _likely(said, past, read, intents, told)
    answers = unclear and intents[Intent.ANSWER] > _LIKELY
    if known | likely <= _TALK and not answers:
        return None
    sums_up = Intent.ANSWER in likely and probable[f"{TALK}summary"] > _LIKELY
    if sums_up and known == {Intent.SEARCH_DOCUMENTS} and not tells_of_found(said):
        return None  # of what is named, and not of what was found
    if not all(past.can(label) for label in likely - known):
        return None
    lacks = bool((known - told) & OF_LOADED_LAYERS) or _misses_place(read, said)
    if likely == known and not lacks and not _keeps(read, said, past):
        return None
    dropped = frozenset(wish.target for wish in read if wish.target and label_of(wish) not in likely)
    given = Given(said, past, likely, probable, (*read, *_readings(said, past)), of_map, dropped)
    found: list[Wish] = []
    for label in sorted(likely, key=_rank):
        wishes = _wishes(label, given)
        asks = label in _LACKING and intents[label] > DOUBTLESS
        if not wishes and (known in (told, likely) or (unclear and not asks)):
            return None
        if not wishes and label == Intent.SEARCH_PLACE and Intent.LOAD_LAYER in likely:
            continue  # nobody has to say where a layer is to be seen
        wishes = wishes or (clarify(_LACKING.get(label, "where")),)
        found += [wish for wish in wishes if wish not in found]
    if not unclear and all(wish.intent == Intent.CLARIFY for wish in (*read, *found)):
        return None  # what was read says more
    told_of = {wish.target for wish in found if wish.intent in _SHOW_THEIR_PLACE}
    told_of |= {spot for wish in found for spot in spots_in(said) if measures(wish, spot)}
    kept = [w for w in found if w.intent not in NAVIGATION or w.target is None or w.target not in told_of]
    return with_opacity(kept)


def _may_choose(said: Utterance, past: Past, intents: Mapping[str, float]) -> bool:
    """Whether a message may be an answer to a choice that is open, or was: `die dritte`, `168`."""
    points = points_at_option(said)
    parts = [part for part in said.parts if not isinstance(part, Sign)]
    is_number = len(parts) == 1 and (isinstance(parts[0], Mention) or parts[0].text.isdigit())
    if past.session.choices and (is_number or points):
        return True
    return bool(past.session.choices or points) and max(intents.values()) < _ALMOST_SURELY


def _likely(
    said: Utterance, past: Past, read: Wishes, intents: Mapping[str, float], told: frozenset[str]
) -> frozenset[str]:
    """All that is meant as likely as not, or else the likeliest; what was read if that is hardly likely.

    What is `told`, read in full, needs less; what is to be done beside it needs more.
    """
    known = frozenset(map(label_of, read))
    beside = _SURELY if known and known <= told - {Intent.SEARCH_PLACE} else _LIKELY
    needed: dict[str, float] = {
        **dict.fromkeys(intents, beside),
        **dict.fromkeys(known, _LIKELY),
        **dict.fromkeys(told, _KEPT if len(told) < _MANY else 0.0),
    }
    if told == {Intent.SEARCH_DOCUMENTS}:
        needed[Intent.SEARCH_DOCUMENTS] = _UNLIKELY  # what looks like a question is soon read as one
    likely = {label for label, p in intents.items() if p > needed[label]}
    if known.isdisjoint(likely):
        likely = {label for label, p in intents.items() if p > _LIKELY}
    if known == {Intent.CLARIFY} and {Intent.CLARIFY, Intent.SEARCH_DOCUMENTS} <= likely:
        likely -= {min(Intent.CLARIFY, Intent.SEARCH_DOCUMENTS, key=lambda label: intents[label])}
    if Intent.SEARCH_DOCUMENTS in likely:
        likely -= {Intent.CLARIFY, Intent.LOAD_LAYER} - known  # what finds nothing says so; what is talked of
    if not likely:
        best = max(intents, key=lambda label: intents[label])
        says_more = known <= _TALK and read != (clarify("unclear"),)
        likely = {best} if intents[best] > (_LIKELY if says_more else _UNLIKELY) else set(known)
    likely |= {label_of(wish) for wish in read if is_listed(wish, said)}
    does = likely - _TALK - {Intent.SEARCH_PLACE}
    if len(said.clauses) == 1 and does and intents[Intent.CLARIFY] < DOUBTLESS:
        likely -= {Intent.CLARIFY}  # one clause is hardly understood in half
    if Role.GO in said.roles and told == {Intent.SEARCH_PLACE}:
        likely -= set(map(label_of, past.last)) - known  # who goes on does not ask the same again
    return frozenset(likely)


def _stands(wish: Wish, said: Utterance, past: Past, intents: Mapping[str, float]) -> bool:
    """What leaves no doubt: nothing is to be done, or a name that nobody knows is put right or alone."""
    if wish.text == "never_mind":
        return bool(past.session.choices) or not any(map(is_of_layers, past.last))
    if not _is_unknown(wish):
        return wish.text in _MEANT
    beside = max(p for label, p in intents.items() if label != Intent.SEARCH_PLACE)
    corrected = isinstance(wish.target, Place) and is_corrected_to(wish.target.name, said.parts)
    return corrected or (beside < _ALMOST_SURELY and _is_spot(wish, said))


def _is_spot(wish: Wish, said: Utterance) -> bool:
    """Whether a message names nothing else: `Schloss Waldegg in Feldbrunnen`, `die Gemeinde Grenchenwil`."""
    clauses = said.clauses
    return len(clauses) == 1 and wish.target in (spot_in_place(clauses[0]), called_place(clauses[0]))


def _probable(said: Utterance, past: Past, read: Wishes) -> Mapping[str, float]:
    """How probable each intent is; the sense of what was said is looked at where words leave doubts."""
    model, view = intent_model(), seen_by_model(said, past, read)
    probable = model.probabilities(view.features)
    intents = {label: p for label, p in probable.items() if is_intent(label)}
    agree = {label for label, p in intents.items() if p > _LIKELY} == set(map(label_of, read))
    sure = agree and not any(_OPEN < p < 1 - _OPEN for p in intents.values())
    sense = None if sure else sense_of(view.text)
    return probable if sense is None else model.probabilities(view.features, sense)


def seen_by_model(said: Utterance, past: Past, read: Wishes) -> View:
    """What the model of intents looks at, with what was read."""
    return view_of(said, past.session, frozenset(map(_reading, read)))


def _misses_place(read: Wishes, said: Utterance) -> bool:
    """Whether a place was read that nobody knows, beside one that is mentioned; not `… und nach Bern`."""
    known = any(isinstance(part, Mention) and not _is_name_only(part.what) for part in said.parts)
    missed = [wish.target for wish in read if label_of(wish) == Intent.SEARCH_PLACE and _is_unknown(wish)]
    return known and any(
        isinstance(place, Place) and not _is_led_to(place.name, said.parts) for place in missed
    )


def _is_led_to(name: str, parts: Sequence[Part]) -> bool:
    """Whether a name has a capital, and a word before it that says that it is a place."""
    return name[:1].isupper() and any(
        before.folded in _TO_PLACES and part.text == name for before, part in pairwise(parts)
    )


def _reading(wish: Wish) -> str:
    """What the rules have read, and how sure they are."""
    of_target = "unknown" if _is_unknown(wish) else "at" if wish.target else ""
    how = wish.text or ("guess" if wish.is_guess else of_target)
    return f"{label_of(wish)} {how}".strip()


def _rank(label: str) -> tuple[int, str]:
    """An empty map first, then places and what is loaded, talk last."""
    first = (Intent.CLEAR_MAP, Intent.SEARCH_PLACE, Intent.LOAD_LAYER)
    talks = label in _TALK
    return (first.index(label) if label in first else len(first) + talks), label


def _readings(said: Utterance, past: Past) -> Iterator[Wish]:
    """What each clause wants if it is taken by itself."""
    for clause in said.clauses:
        yield from wishes_of(clause, past.session, past.tools)


def _wishes(label: str, given: Given) -> Wishes:
    """The wishes for one intent: as they were read, or else filled in."""
    if label == Intent.ANSWER:
        return answered(given)
    if label == Intent.CLARIFY:
        return (refused(given),)
    told = {_key(wish): wish for wish in given.read if label_of(wish) == label and _is_told(wish, given.past)}
    make = _MAKERS.get(label)
    better = not told or _is_better_made(told.values(), given)
    made = make(label, given) if make and (better or given.dropped or label in _OF_EACH) else ()
    if not (better or _takes_up(made, told.values(), given.dropped)):
        made = ()
    return made or tuple(told.values())


def _takes_up(made: Wishes, told: Iterable[Wish], dropped: frozenset[Reference]) -> bool:
    """Whether some wishes are about all that was told, and about what was read otherwise or not at all."""
    about, before = ({_about(wish) for wish in some if wish.target or wish.args} for some in (made, told))
    if not before <= about or about == before:
        return False
    return made[0].intent in _OF_EACH or not {wish.target for wish in made}.isdisjoint(dropped)


def _about(wish: Wish) -> object:
    """A place, or the two ends of a distance in any order."""
    return wish.target or frozenset(map(str, wish.args.values()))


def _is_better_made(told: Iterable[Wish], given: Given) -> bool:
    """`Was ist an diesem Punkt: 2635100, 1244300?`, `Thal oder Dorneck, wo hat es mehr Reservate?`"""
    compares = len(places_in(given.said)) > 1
    return _keeps(told, given.said, given.past) or any(
        (wish.intent == Intent.IDENTIFY and wish.target is None)
        or (wish.intent == Intent.QUERY_FEATURES and (compares or _is_region(wish.target)))
        for wish in told
    )


def _keeps(wishes: Iterable[Wish], said: Utterance, past: Past) -> bool:
    """`Leitungen weg, Hydranten bleiben`: whether one of some wishes is about what is to be kept."""
    kept = Session(layers=called_in(said.clauses, past.session.layers, kept=True))
    names = [str(wish.args.get("name", "")) for wish in wishes if wish.intent in OF_LOADED_LAYERS]
    clears = bool(kept.layers) and any(wish.intent == Intent.CLEAR_MAP for wish in wishes)
    return clears or any(is_loaded(name, kept) for name in names if name not in ("", "*"))


def _is_unknown(wish: Wish) -> bool:
    return wish.target is not None and _is_name_only(wish.target)


def _is_name_only(what: Reference) -> bool:
    return isinstance(what, Place) and what.kind == "unknown"


def _is_region(target: Reference | None) -> bool:
    return isinstance(target, Place) and target.kind == "region"


def _key(wish: Wish) -> object:
    return (wish.intent, str(wish.target), wish.query, str(wish.args))


def _is_told(wish: Wish, past: Past) -> bool:
    """Whether a reading says what it needs."""
    if wish.is_talk or wish.is_guess:
        return False
    if wish.intent in OF_LOADED_LAYERS:
        name = str(wish.args.get("name", ""))
        goes_on = not name and len(past.session.layers) > 1 and bool(past.latest(is_of_layers))
        return not goes_on and (is_loaded(name, past.session) or bool(title_called(name)))
    if wish.intent == Intent.LOAD_LAYER:
        words = fold(wish.query).split()
        can_be_no_other = not past.session.layers and len(words) == 1 and is_layer(words[0])
        return can_be_no_other or bool(layer_named(words) or named_in(wish.query))
    return not _is_unknown(wish)
