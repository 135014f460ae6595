"""A planner without a model: a small grammar of German for everything the map can do.

    message -> parts (words with roles, references) -> clauses -> wishes -> steps

It calls only tools that are alive. What it does not understand, it says.
"""

from collections.abc import Sequence

from contracts.intents import Intent
from contracts.messages import PlanRequested
from contracts.plan import Plan
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.choices import answered, meant_for, options_of, points_at_option
from planner.rules.clause import Clause, Link
from planner.rules.clauses import clauses_of, said
from planner.rules.followups import focus_now, wishes_after
from planner.rules.intents import wishes_of
from planner.rules.lexicon import ACTIONS, Role
from planner.rules.past import Past
from planner.rules.steps import steps_of
from planner.rules.wishes import Wish, clarify

_FEW = 3
"""In a message of more clauses than this a bare noun is rather told than wanted."""
_ORDERS = ACTIONS | {Role.QUESTION, Role.OTHER}


class RulesPlanner:
    """Plans by rules: the same message, session and tools always give the same plan."""

    name = "rules"

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Plan:
        return plan(request.user_message, request.session, tools, request.language)


def plan(message: str, session: Session, tools: Sequence[ToolDescriptor], language: str = "de") -> Plan:
    """The plan for any text, however strange. Pure; a few milliseconds for the longest message."""
    choice_id = answered(message, session.choices)
    if choice_id is not None:
        return Plan(choice_id=choice_id)
    clauses = clauses_of(message)
    past = Past(session, message, tuple(tools))
    wishes = wishes_after(clauses, past) or _wishes_in(clauses, session, tools)
    if wishes == (clarify("unclear"),):
        wishes = _asking_back(message, session)
    return Plan(steps=steps_of(wishes, focus_now(wishes, past), tools, language))


def _wishes_in(
    clauses: Sequence[Clause], session: Session, tools: Sequence[ToolDescriptor]
) -> tuple[Wish, ...]:
    """All wishes of a message; small talk around them is passed over, a question or an order is not."""
    understood: list[Wish] = []
    asides: list[Wish] = []
    spoken = said(clauses)
    for n, clause in enumerate(spoken):
        wishes = wishes_of(clause, session, tools)
        if any(wish.text == "only_maps" for wish in wishes):
            return wishes
        isolated = {c.link for c in spoken[n : n + 2]} == {Link.SENTENCE} or len(spoken) > _FEW
        aside = _is_aside(clause, wishes, understood, isolated=isolated)
        (asides if aside else understood).extend(wishes)
    return tuple(understood or _best_aside(asides))


def _is_aside(
    clause: Clause, wishes: tuple[Wish, ...], understood: Sequence[Wish], *, isolated: bool
) -> bool:
    """Whether a clause was said beside the point, if there is one."""
    if wishes == (clarify("unclear"),):
        # "…, aber nicht den Waldplan" wants nothing of its own.
        return Role.NOT in clause.roles or not (
            clause.roles & _ORDERS and (clause.content or clause.mentions)
        )
    if wishes == (clarify("which_layer"),):
        return any(wish.intent == Intent.LOAD_LAYER for wish in understood)
    return isolated and all(wish.is_guess for wish in wishes)


def _best_aside(asides: Sequence[Wish]) -> tuple[Wish, ...]:
    """Of what nobody asked for the first guess, else what was not understood."""
    guesses = [wish for wish in asides if wish.is_guess]
    return tuple((guesses or [clarify("unclear")])[:1])


def _asking_back(message: str, session: Session) -> tuple[Wish, ...]:
    """What to ask when nothing is understood: about an open choice if it sounds like an answer."""
    choice = meant_for(message, session.choices)
    if choice is not None:
        return (clarify("which_option", options=options_of(choice)),)
    if session.choices:
        return (clarify("unclear_beside_choice", count=str(len(session.choices[0].options))),)
    return (clarify("no_choice" if points_at_option(message) else "unclear"),)


__all__ = ["RulesPlanner", "plan"]
