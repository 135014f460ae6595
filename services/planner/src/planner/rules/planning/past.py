"""What was done before a message, as the session remembers it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from contracts.intents import Intent, spec_of
from contracts.session import Session, Wanted
from contracts.status import Status
from contracts.tools import ToolDescriptor

from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import NAVIGATION, Wish
from planner.rules.planning.again import wish_of
from planner.rules.references.finding import Reference

_MAX_ANSWERS: Final = 6
MAX_CHARS: Final = 600
"""How far back one refers without naming it, and how much of a message."""


@dataclass(frozen=True)
class Answer:
    """What one message was taken for."""

    wishes: Wishes
    settles: Wishes = ()
    """The wishes that led to the choice that it follows."""


@dataclass(frozen=True)
class Past:
    """Read only when somebody asks."""

    session: Session
    message: Utterance
    tools: tuple[ToolDescriptor, ...]

    def can(self, intent: str) -> bool:
        """Whether there are tools for it; where there are none the rules know what to say."""
        spec = spec_of(intent)
        return spec is None or spec.is_possible({tool.capability for tool in self.tools})

    @cached_property
    def _answers(self) -> tuple[Answer, ...]:
        return remembered(self.session, self.tools)

    @property
    def last_text(self) -> str:
        """What was said before, as it was written."""
        said_before = [entry.text for entry in self.session.history if entry.role == "user"]
        return said_before[-1][:MAX_CHARS] if said_before else ""

    @property
    def is_answered(self) -> bool:
        """Not where the planning of the last message failed, or still goes on."""
        last = self.session.history[-1] if self.session.history else None
        failed = last is not None and last.text.startswith(f"[{Intent.CLARIFY}: {Status.ERROR}]")
        return last is not None and bool(last.wanted) and not failed

    @property
    def last(self) -> Wishes:
        return self._answers[0].wishes if self._answers else ()

    @property
    def before_choice(self) -> Wishes | None:
        """The wishes that led to the last choice made: carried out again they offer it again."""
        return next((answer.settles for answer in self._answers if answer.settles), None)

    @property
    def everything(self) -> Wishes:
        """All wishes, the newest first, each with its place."""
        return tuple(wish for wishes in _with_places(self._answers) for wish in reversed(wishes))

    def latest_at(self, *kinds: type) -> Wishes:
        """The wishes of the newest answer that has one at such a place, or else in one before."""
        for answer, placed in zip(self._answers, _with_places(self._answers), strict=True):
            for wishes in (answer.wishes, placed):
                if any(isinstance(wish.target, kinds) for wish in wishes):
                    return wishes
        return ()

    def latest(self, wanted: Callable[[Wish], bool], many: int = 1) -> Wishes:
        """The wishes of the newest answer that has one of that kind, or so many."""
        return next((a.wishes for a in self._answers if sum(map(wanted, a.wishes)) >= many), ())


def remembered(session: Session, tools: Sequence[ToolDescriptor] = ()) -> tuple[Answer, ...]:
    """What the last messages were taken for, the newest first."""
    wanted = [entry.wanted for entry in session.history if entry.wanted]
    return tuple(_answer(each, session, tools) for each in reversed(wanted[-_MAX_ANSWERS:]))


def _answer(wanted: Sequence[Wanted], session: Session, tools: Sequence[ToolDescriptor]) -> Answer:
    wishes = tuple(wish_of(each, session, tools) for each in wanted)
    deeds = tuple(wish for wish in wishes if not wish.is_talk)
    if not any(each.chosen for each in wanted):
        return Answer(deeds or wishes)
    offered = (each.model_copy(update={"chosen": None}) for each in wanted)
    return Answer(
        deeds, tuple(wish for each in offered if not (wish := wish_of(each, session, tools)).is_talk)
    )


def _with_places(newest_first: Sequence[Answer]) -> tuple[Wishes, ...]:
    """The wishes of each answer; one without a place of its own has that of the one before it."""
    placed: list[Wishes] = []
    here: Reference | None = None
    for answer in reversed(newest_first):
        wishes: list[Wish] = []
        for wish in answer.wishes:
            wishes.append(replace(wish, target=here) if wish.needs_place and wish.target is None else wish)
            here = wish.target or here
        placed.append(tuple(wishes))
    return tuple(reversed(placed))


def is_asked(wish: Wish) -> bool:
    """Whether it is more than talk or a place to go to: what can be asked again."""
    return not wish.is_talk and wish.intent not in NAVIGATION
