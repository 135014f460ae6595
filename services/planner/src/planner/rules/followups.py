"""Messages that only make sense after others: corrections, repetitions, answers to our questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.addresses import Address, is_house_number
from planner.rules.clause import Clause, Link
from planner.rules.clauses import clauses_of, said
from planner.rules.intents import wishes_of
from planner.rules.lexicon import ACTIONS, CONCEPTS, Role
from planner.rules.parcels import Parcel, is_parcel_number
from planner.rules.places import Place
from planner.rules.references import Reference
from planner.rules.routes import accepts, kind_of
from planner.rules.steps import Focus, focus_after, focus_of
from planner.rules.targets import located, target_of
from planner.rules.wishes import NAVIGATION, Wish, visit

Wishes = tuple[Wish, ...]
_MAX_MESSAGES = 6
_MAX_CHARS = 600
"""How far back and how much of a message one refers to without naming it."""
_NEW_WISH = ACTIONS | CONCEPTS | {Role.LAYER, Role.LIST, Role.QUESTION, Role.HELP, Role.CHOOSE}
_CORRECTIONS = frozenset({Role.CORRECTION, Role.NO})
_NUMBER_NOUNS = frozenset({"nr", "nummer", "hausnummer"})


@dataclass(frozen=True)
class Past:
    """What the user has wanted before a message; read only when somebody asks."""

    session: Session
    message: str
    tools: tuple[ToolDescriptor, ...]

    @cached_property
    def messages(self) -> tuple[Wishes, ...]:
        """The wishes message by message, the newest first."""
        texts = [entry.text for entry in self.session.history if entry.role == "user"]
        if texts[-1:] == [self.message]:
            texts.pop()  # the snapshot already has the message itself
        newest_first: tuple[Wishes, ...] = ()
        for text in texts[-_MAX_MESSAGES:]:
            clauses = said(clauses_of(text[:_MAX_CHARS]))
            chosen = _chosen_place(clauses)
            before = newest_first[0] if newest_first else ()
            wishes = _moved(before, chosen) if chosen else None
            newest_first = (wishes or _wishes_in(clauses, self.session, self.tools), *newest_first)
        return newest_first

    @property
    def last(self) -> Wishes:
        return self.messages[0] if self.messages else ()

    def latest(self, wanted: Callable[[Wish], bool]) -> Wishes:
        """The wishes of the newest message that has one of that kind."""
        return next((wishes for wishes in self.messages if any(map(wanted, wishes))), ())


def focus_now(wishes: Wishes, past: Past) -> Focus:
    """What wishes without a place are about: the session's selection.

    But the place of the last message, where its result had none: a height, an assessment.
    """
    if any(wish.needs_place and wish.target is None for wish in wishes):
        latest = past.latest(lambda wish: wish.target is not None)
        after = focus_after(latest, Focus(), past.tools)
        if after.again:
            return after
    return focus_of(past.session)


def wishes_after(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """The wishes of a message that follows up on earlier ones; None if it stands for itself."""
    roles = frozenset(role for clause in clauses for role in clause.own_roles)
    spoken = said(clauses)
    if roles & _NEW_WISH or not spoken:
        return None
    corrects = bool(roles & _CORRECTIONS)
    if any(clause.mentions for clause in spoken):
        lone = len(spoken) == 1 and not spoken[0].content
        target = target_of(spoken[0]) if lone else None
        return _somewhere_else(spoken[0], target, roles, past) if target else None
    if Role.AGAIN in roles and not any(clause.content for clause in spoken):
        return past.latest(lambda wish: not wish.is_talk) or None
    return (
        _other_number(spoken, past, certain=corrects)
        or (_other_words(spoken, past) if corrects else None)
        or _named_layer(spoken, past)
    )


def _somewhere_else(clause: Clause, target: Reference, roles: frozenset[Role], past: Past) -> Wishes | None:
    """A message that only names a place: a correction, a repetition, or what we have asked for."""
    if roles & _CORRECTIONS:
        return _moved(past.latest(lambda wish: wish.target is not None), target)
    if Role.AGAIN not in roles and not _begins_with_and(clause):
        return _completed(past.last, target, past.session)
    latest = past.latest(lambda wish: not wish.is_talk)
    layers = tuple(wish for wish in latest if wish.intent == Intent.LOAD_LAYER)
    moved = _moved(latest, target)
    return (*moved, *layers) if moved else None


def _wishes_in(clauses: Sequence[Clause], session: Session, tools: Sequence[ToolDescriptor]) -> Wishes:
    return tuple(wish for clause in clauses for wish in wishes_of(clause, session, tools))


def _chosen_place(clauses: Sequence[Clause]) -> Reference | None:
    """The place in `Ich wähle: …`, which settles the message before."""
    first = clauses[0] if clauses else None
    return target_of(first) if first and first.mentions and Role.CHOOSE in first.roles else None


def _begins_with_and(clause: Clause) -> bool:
    first = clause.words[:1]
    return clause.link in (Link.AND, Link.THEN) or any(w.folded in {"auch", "jetzt", "nun"} for w in first)


def _other_number(clauses: Sequence[Clause], past: Past, *, certain: bool) -> Wishes | None:
    """`Sorry, ich meinte 9`: the last address or parcel with that number."""
    numbers = [w.text for clause in clauses for w in clause.content]
    named = any(w.folded in _NUMBER_NOUNS for clause in clauses for w in clause.words)
    if not numbers or not all(map(is_parcel_number, numbers)) or not (certain or named or len(numbers) == 1):
        return None

    def renumber(target: Reference) -> Reference | None:
        if isinstance(target, Address):
            return next(
                (
                    replace(target, house_number=n)
                    for n in numbers
                    if is_house_number(n) and n != target.house_number
                ),
                None,
            )
        if isinstance(target, Parcel):
            return next((replace(target, number=n) for n in numbers if n != target.number), None)
        return None

    latest = past.latest(lambda wish: isinstance(wish.target, Address | Parcel))
    return _edited(latest, renumber)


def _other_words(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Nein, Nutzungsplanung`: the last layer or topic under another name."""
    words = next((phrase for clause in clauses if (phrase := clause.phrase())), "")
    latest = past.latest(lambda wish: bool(wish.query))
    changed = tuple(replace(wish, query=words) for wish in latest if wish.query)[:1]
    return changed if words and changed else None


def _named_layer(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """The answer to our question which layer."""
    asked = any(wish.text in {"which_layer", "which_theme"} for wish in past.last)
    words = clauses[0].phrase()
    return (Wish(Intent.LOAD_LAYER, query=words),) if asked and words else None


def _moved(wishes: Wishes, target: Reference) -> Wishes | None:
    """The same wishes somewhere else."""
    moved = _edited(wishes, lambda old: _merged(old, target))
    if moved:
        return moved
    open_wish = next((wish for wish in wishes if wish.needs_place), None)
    return (replace(open_wish, target=target),) if open_wish else None


def _completed(wishes: Wishes, target: Reference, session: Session) -> Wishes | None:
    """The wish that lacked its place gets it."""
    bound = {name for item in session.selections for name in item.bindings()}
    for wish in reversed(wishes):
        new = target if wish.target is None else _merged(wish.target, target)
        if isinstance(wish.target, Place) and isinstance(target, Address | Parcel):
            new = located(target, wish.target)
        if _is_open(wish, bound) and accepts(wish, kind_of(new)):
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
    return not accepts(wish, kind_of(wish.target))


def _edited(wishes: Wishes, change: Callable[[Reference], Reference | None]) -> Wishes | None:
    """The wishes with their targets changed, and those that go with them; None without anything to change."""
    result: list[Wish] = []
    changed = False
    for wish in wishes:
        new = change(wish.target) if wish.target is not None else None
        if new is not None:
            changed = True
            result.append(visit(new) if wish.intent in NAVIGATION else replace(wish, target=new))
        elif wish.needs_place and wish.target is None:
            result.append(wish)
    return tuple(result) if changed else None


def _merged(old: Reference, new: Reference) -> Reference:
    """The new reference, with what it leaves out taken from the old one."""
    if isinstance(new, Place):
        if isinstance(old, Address):
            return replace(old, place=new.spoken, postal_code=None)
        return replace(old, municipality=new.name) if isinstance(old, Parcel) else new
    if isinstance(new, Address) and isinstance(old, Address) and not new.place:
        return replace(new, place=old.place, postal_code=old.postal_code)
    if isinstance(new, Parcel) and isinstance(old, Parcel) and not new.municipality:
        return replace(new, municipality=old.municipality)
    return new
