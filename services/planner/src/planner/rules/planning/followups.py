"""Messages that only make sense after others: corrections, repetitions, answers to our questions."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.session import Session

from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.clauses import said
from planner.rules.grammar.loaded import BOTH, ONE, gives_up, is_loaded, name_in
from planner.rules.grammar.measures import DISTANCE, asks_how_far, between_both
from planner.rules.grammar.messages import wishes_in
from planner.rules.grammar.parts import Word
from planner.rules.grammar.rewriting import Wishes, asked_again, last_said, merged, moved, renumbered
from planner.rules.grammar.scope import old_and_new
from planner.rules.grammar.targets import located, target_of
from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import NAVIGATION, Wish, visit
from planner.rules.planning.again import named_in_label, of_option
from planner.rules.planning.choices import chosen_instead, means_other, points_at_option
from planner.rules.planning.here import here_in
from planner.rules.planning.past import Past, is_asked
from planner.rules.planning.returning import returned
from planner.rules.planning.routes import accepts, target_kind
from planner.rules.planning.steps import Focus, focus_after, focus_of
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, GLUE, Role
from planner.rules.reading.topics import topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Reference
from planner.rules.references.layers import may_name_layer
from planner.rules.references.parcels import Parcel, is_parcel_number
from planner.rules.references.places import Place, similar_place

_NEW_WISH = ACTIONS | CONCEPTS | {Role.LAYER, Role.LIST, Role.QUESTION, Role.HELP, Role.CHOOSE}
_SHOWS = frozenset({Role.SHOW, Role.GO})
_CORRECTIONS = frozenset({Role.CORRECTION, Role.NO})
_NUMBER_NOUNS = frozenset({"nr", "nummer", "hausnummer", "zahl", "zahlen", "ziffer", "ziffern", "nummern"})
_NOW = frozenset({"jetzt", "nun"})
_FAR = Intent.MEASURE_DISTANCE
_ALSO = frozenset({"auch", "ebenfalls"})


def focus_now(wishes: Wishes, past: Past) -> Focus:
    """What wishes without a place are about: the session's selection.

    But the place of the last message, where its result had none: a height, an assessment.
    """
    if any(wish.needs_place and wish.target is None for wish in wishes):
        latest = past.latest(lambda wish: wish.target is not None)
        after = focus_after(latest, Focus(), past.tools)
        if after.again:
            return replace(after, here=here_in(past.session))
    return focus_of(past.session)


def elsewhere_after(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Und Aarburg?` after a place: what nobody knows is another one, not a question for documents."""
    clause = clauses[0] if len(clauses) == 1 else None
    words = clause.content if clause and not clause.mentions and clause.roles <= GLUE else ()
    if clause is None or len(words) != 1 or not _begins_with_and(clause) or not words[0].is_noun:
        return None
    name = words[0]
    placed = bool(past.last) and all(wish.target is not None for wish in past.last)
    if not placed or not name.folded.isalpha() or may_name_layer([name.folded]) or topic_of(name.folded):
        return None
    return moved(past.last, similar_place(name.text) or Place(name.text, "unknown"))


def asked_after(past: Past) -> Wishes | None:
    """`Wie viele sind das?`, `und bis Luterbach?`, `und hier?`: what was asked last, once more."""
    clause = last_said(past.message)
    if clause is None:
        return None
    before = past.latest(is_asked)
    if again := asked_again(clause, before, past.session, past.tools):
        return again
    if not any(tool.capability == DISTANCE for tool in past.tools):
        return None
    ends = dict.fromkeys(wish.target for wish in past.everything if isinstance(wish.target, Place | Address))
    far = between_both(clause, list(ends))
    return (far,) if far else None


def wishes_after(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """The wishes of a message that follows up on earlier ones; None if it stands for itself."""
    roles = frozenset(role for clause in clauses for role in clause.roles)
    spoken = said(clauses)
    if other := _done_to_another(spoken, past):
        return other
    if Role.CREATE in roles and _same_again(spoken):
        roles = roles - {Role.CREATE} | {Role.AGAIN}  # Mach das auch für 531
    corrects = bool(roles & _CORRECTIONS)
    if corrects and roles & _NEW_WISH <= _SHOWS and (other := _other_number(spoken, past, certain=True)):
        return other
    if instead := _chosen_instead(past, corrects=corrects):
        return instead
    if every := _every_option(spoken, past):
        return every
    if back := returned(spoken, past):
        return back
    if roles & _NEW_WISH or not spoken or any(map(old_and_new, spoken)) or any(map(gives_up, spoken)):
        return None
    if any(map(asks_how_far, spoken)):
        return None
    if any(clause.mentions for clause in spoken):
        first, *more = [clause for clause in spoken if clause.mentions or clause.content]
        target = target_of(first) if first.mentions and not more else None
        if target and any(map(_names_more, first.content)):
            target = None
        return _somewhere_else(first, target, roles, past) if target else None
    if Role.AGAIN in roles and not any(clause.content for clause in spoken):
        if past.session.history and not past.is_answered:
            return wishes_in(utterance_of(past.last_text).clauses, past.session, past.tools)
        return past.latest(lambda wish: not wish.is_talk) or None
    return (
        _other_number(spoken, past, certain=corrects or Role.AGAIN in roles)
        or (_other_words(spoken, past) if corrects else None)
        or _named_layer(spoken, past)
    )


def _done_to_another(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Und den Karst auch`, after the forest was hidden."""
    clause = clauses[0] if len(clauses) == 1 else None
    if clause is None or clause.said.isdisjoint(_ALSO) or clause.mentions or not clause.roles <= GLUE:
        return None
    name = name_in(clause, past.session)
    if name in ("", "*") or not is_loaded(name, past.session):
        return None
    before = [wish for wish in past.last if wish.intent in OF_LOADED_LAYERS][-1:]
    return tuple(replace(wish, args={**wish.args, "name": name}) for wish in before) or None


def _names_more(word: Word) -> bool:
    """Whether a word beside a place is more than what one says of it: `Balm bei Messen ist richtig`."""
    return (
        word.is_noun or word.folded.isdigit() or may_name_layer([word.folded]) or bool(topic_of(word.folded))
    )


def _same_again(clauses: Sequence[Clause]) -> bool:
    words = {word.folded for clause in clauses for word in clause.words}
    again = any(Role.AGAIN in clause.roles for clause in clauses)
    return again or (bool(words & ONE) and "auch" in words)


def _chosen_instead(past: Past, *, corrects: bool) -> Wishes | None:
    """What another option of a choice that was made comes to; the choice once more if that is not clear."""
    points = points_at_option(past.message) and (corrects or not past.session.choices)
    if not (points or means_other(past.message)) or past.before_choice is None:
        return None
    results = past.session.results
    offer = next((result for result in reversed(results) if result.offered), None)
    label = chosen_instead(past.message, offer, results[-1]) if offer else None
    if label is None:
        return past.before_choice
    target = named_in_label(label)
    if target is not None:
        return moved(past.before_choice, target)
    return tuple(of_option(wish, label) for wish in past.before_choice)


def _every_option(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Beide`, `alle`: each of the layers or places that are offered."""
    choice = next(iter(past.session.choices), None)
    words = [word for clause in clauses for word in clause.words]
    every = any(word.folded in BOTH or word.role is Role.EVERYTHING for word in words)
    named = any(clause.content or clause.mentions for clause in clauses)
    roles = {word.role for word in words} - {Role.EVERYTHING, Role.LAYER, Role.LOAD, Role.SHOW, Role.YES}
    if choice is None or not every or named or not roles <= GLUE:
        return None
    asked = next((wish for wish in past.last if wish.query or wish.target), None)
    return tuple(of_option(asked, option.label) for option in choice.options) if asked else None


def _somewhere_else(clause: Clause, target: Reference, roles: frozenset[Role], past: Past) -> Wishes | None:
    """A message that only names a place: a correction, a repetition, or what we have asked for."""
    if any(w.folded.endswith("lieber") for w in clause.words):
        return None  # "doch lieber Grenchen" is a new destination
    if roles & _CORRECTIONS:
        return moved(past.latest(lambda wish: wish.target is not None or wish.intent == _FAR), target)
    if Role.AGAIN not in roles and not _begins_with_and(clause):
        return _completed(past.last, target, past.session)
    latest = past.latest(lambda wish: not wish.is_talk)
    visited = isinstance(target, Place) and all(wish.intent in NAVIGATION for wish in latest)
    if visited and any(word.folded in _NOW for word in clause.words[:1]):
        return (visit(target),)
    layers = tuple(wish for wish in latest if wish.intent == Intent.LOAD_LAYER)
    elsewhere = moved(latest, target)
    return (*elsewhere, *layers) if elsewhere else None


def _begins_with_and(clause: Clause) -> bool:
    first = clause.words[:1]
    return clause.link in (Link.AND, Link.THEN) or any(w.folded in _NOW | {"auch"} for w in first)


def _other_number(clauses: Sequence[Clause], past: Past, *, certain: bool) -> Wishes | None:
    """`Sorry, ich meinte 9`: the last address or parcel with that number."""
    named = any(w.folded in _NUMBER_NOUNS for clause in clauses for w in clause.words)
    words = [w for clause in clauses for w in clause.content if w.folded not in _NUMBER_NOUNS]
    numbers = [w.text for w in words if is_parcel_number(w.text)]
    others = [w for w in words if w.text not in numbers and not (certain and not w.is_noun)]
    if not numbers or others or not (certain or named or len(numbers) == 1):
        return None
    return renumbered(past.latest_at(Address, Parcel), numbers)


def _other_words(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Nein, Nutzungsplanung`: the last layer or topic under another name."""
    meant = [clause for clause in clauses if Role.NOT not in clause.roles]
    words = next((phrase for clause in meant if (phrase := clause.phrase())), "")
    latest = past.latest(lambda wish: bool(wish.query))
    changed = tuple(replace(wish, query=words) for wish in latest if wish.query)[:1]
    return changed if words and changed else None


def _named_layer(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """The answer to our question which layer."""
    asked = any(wish == Wish(Intent.LOAD_LAYER) for wish in past.last)
    words = clauses[0].phrase()
    return (Wish(Intent.LOAD_LAYER, query=words),) if asked and words else None


def _completed(wishes: Wishes, target: Reference, session: Session) -> Wishes | None:
    """The wish that lacked its place gets it."""
    bound = {name for item in session.selections for name in item.bindings()}
    for wish in reversed(wishes):
        new = target if wish.target is None else merged(wish.target, target)
        if isinstance(wish.target, Place) and isinstance(target, Address | Parcel):
            new = located(target, wish.target)
        if _is_open(wish, bound) and accepts(wish, target_kind(new)):
            return (replace(wish, target=new),)
    return None


def _is_open(wish: Wish, bound: set[str]) -> bool:
    """Whether a wish was left unfulfilled because nobody could tell where."""
    if not wish.needs_place:
        return False
    if wish.target is None:
        return "x" not in bound and "egrid" not in bound
    if isinstance(wish.target, Parcel):
        return not wish.target.number or (not wish.target.municipality and "municipality" not in bound)
    return not accepts(wish, target_kind(wish.target))
