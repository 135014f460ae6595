"""What the user has wanted before a message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from contracts.intents import Intent
from contracts.session import HistoryEntry, Session
from contracts.status import Status
from contracts.tools import ToolDescriptor

from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.clauses import said
from planner.rules.grammar.messages import pieces_of, wishes_in, wishes_in_pieces
from planner.rules.grammar.rewriting import Wishes, asked_again, last_said, moved
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.utterance import Utterance, utterance_of
from planner.rules.grammar.wishes import NAVIGATION, Wish
from planner.rules.planning.returning import returned
from planner.rules.reading.lexicon import GLUE, Role
from planner.rules.references.finding import Reference

_TAKES_BACK = frozenset({Role.CORRECTION, Role.NO})
_OFFERS = f": {Status.NEEDS_USER_CHOICE}]"
"""In the answer of a step that lets the user choose."""
_MAX_MESSAGES = 6
_MAX_CHARS = 600
"""How far back and how much of a message one refers to without naming it."""


@dataclass(frozen=True)
class _Message:
    wishes: Wishes
    settles: Wishes = ()
    """The wishes of the earlier message whose choice it makes."""


@dataclass(frozen=True)
class Past:
    """Read only when somebody asks."""

    session: Session
    message: Utterance
    tools: tuple[ToolDescriptor, ...]

    @cached_property
    def _messages(self) -> tuple[_Message, ...]:
        """The newest first."""
        entries = _said(self.session.history)
        newest_first: tuple[_Message, ...] = ()
        for text, goes_on in entries[-_MAX_MESSAGES:]:
            said_then = utterance_of(text[:_MAX_CHARS])
            clauses = said_then.spoken
            if goes_on and _chooses(clauses):
                newest_first = newest_first[1:]  # the words that picked an option are no wish
            asked = pieces_of(said_then, self.session, self.tools)
            wanted = (m.settles or m.wishes for m in newest_first)
            before = next((w for w in wanted if not all(wish.is_talk for wish in w)), ())
            chosen = _chosen(clauses, before)
            if chosen:
                message = _Message(chosen, before)
            elif again := _asked_again(said_then, newest_first, self.session, self.tools):
                message = _Message(again)
            elif any(piece.wish for piece in asked):
                message = _Message(wishes_in_pieces(asked, self.session, self.tools))
            else:
                back = returned(clauses, partial(_all_of, newest_first))
                wishes = back or _moved_on(said_then.clauses, before)
                message = _Message(wishes or wishes_in(said_then.clauses, self.session, self.tools))
            newest_first = (message, *newest_first)
        return newest_first

    @property
    def last_text(self) -> str:
        """What was said before, as it was written."""
        said_before = [entry.text for entry in self.session.history if entry.role == "user"]
        return said_before[-1][:_MAX_CHARS] if said_before else ""

    @property
    def last(self) -> Wishes:
        return self._messages[0].wishes if self._messages else ()

    @property
    def before_choice(self) -> Wishes | None:
        """The wishes that led to the last choice made: carried out again they offer it again."""
        return next((message.settles for message in self._messages if message.settles), None)

    @property
    def everything(self) -> Wishes:
        """All wishes, the newest first, each with its place."""
        return _all_of(self._messages)

    def latest_at(self, *kinds: type) -> Wishes:
        """The wishes of the newest message that has one at such a place, or else in one before."""
        for message, placed in zip(self._messages, _with_places(self._messages), strict=True):
            for wishes in (message.wishes, placed):
                if any(isinstance(wish.target, kinds) for wish in wishes):
                    return wishes
        return ()

    def latest(self, wanted: Callable[[Wish], bool], many: int = 1) -> Wishes:
        """The wishes of the newest message that has one of that kind, or so many."""
        return next((m.wishes for m in self._messages if sum(map(wanted, m.wishes)) >= many), ())


def _said(history: Sequence[HistoryEntry]) -> list[tuple[str, bool]]:
    """What the user has said, and whether it follows words of theirs that answered an offer."""
    before = [HistoryEntry(role="assistant", text="")] * 2
    entries = [*before, *history]
    return [
        (entry.text, last.role == "user" and _OFFERS in offer.text)
        for offer, last, entry in zip(entries, entries[1:], history, strict=False)
        if entry.role == "user"
    ]


def _asked_again(
    message: Utterance, newest_first: Sequence[_Message], session: Session, tools: Sequence[ToolDescriptor]
) -> Wishes | None:
    """See `planner.rules.planning.followups.asked_after`."""
    clause = last_said(message)
    if clause is None:
        return None
    before = next((m.wishes for m in newest_first if any(map(is_asked, m.wishes))), ())
    return asked_again(clause, before, session, tools)


def is_asked(wish: Wish) -> bool:
    """Whether it is more than talk or a place to go to: what can be asked again."""
    return not wish.is_talk and wish.intent not in NAVIGATION


def _all_of(newest_first: Sequence[_Message]) -> Wishes:
    return tuple(wish for wishes in _with_places(newest_first) for wish in reversed(wishes))


def _with_places(newest_first: Sequence[_Message]) -> tuple[Wishes, ...]:
    """The wishes of each message; one without a place of its own has that of the one before it."""
    placed: list[Wishes] = []
    here: Reference | None = None
    for message in reversed(newest_first):
        wishes: list[Wish] = []
        for wish in message.wishes:
            wishes.append(replace(wish, target=here) if wish.needs_place and wish.target is None else wish)
            here = wish.target or here
        placed.append(tuple(wishes))
    return tuple(reversed(placed))


def _moved_on(clauses: Sequence[Clause], before: Wishes) -> Wishes | None:
    """What `Und Grenchen?`, `Nein, Grenchen` and the place that was lacking make of the wishes before."""
    spoken = said(clauses)
    clause = spoken[0] if len(spoken) == 1 else None
    if clause is None or not clause.mentions or clause.content or not clause.roles <= GLUE | _TAKES_BACK:
        return None
    target = target_of(clause)
    lacking = any(wish.needs_place and wish.target is None for wish in before)
    goes_on = (
        lacking or clause.link in (Link.AND, Link.THEN) or any(each.roles & _TAKES_BACK for each in clauses)
    )
    return moved(before, target) if goes_on and target else None


def _chooses(clauses: Sequence[Clause]) -> bool:
    return bool(clauses) and Role.CHOOSE in clauses[0].roles


def _chosen(clauses: Sequence[Clause], before: Wishes) -> Wishes | None:
    """What `Ich wähle: …` makes of the wishes before: the place or the layer that was chosen."""
    if not _chooses(clauses):
        return None
    first = clauses[0]
    place = target_of(first) if first.mentions else None
    if place:
        return moved(before, place)
    name = first.phrase()
    chosen = tuple(replace(wish, query=name) for wish in before if wish.intent == Intent.LOAD_LAYER)
    return chosen if name and chosen else None
