"""A planner without a model: a small grammar of German for everything the map can do.

    message -> parts (words with roles, references) -> clauses -> wishes -> steps

It calls only tools that are alive. What it does not understand, it says.
"""

from collections.abc import Sequence

from contracts.messages import PlanRequested
from contracts.plan import Plan
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.choices import answered, options_of
from planner.rules.clause import Clause
from planner.rules.clauses import clauses_of, said
from planner.rules.followups import Past, focus_now, wishes_after
from planner.rules.intents import wishes_of
from planner.rules.lexicon import ACTIONS, Role
from planner.rules.steps import steps_of
from planner.rules.wishes import Wish, clarify

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
    if wishes == (clarify("unclear"),) and session.choices:
        wishes = (clarify("which_option", options=options_of(session.choices[0])),)
    return Plan(steps=steps_of(wishes, focus_now(wishes, past), tools, language))


def _wishes_in(
    clauses: Sequence[Clause], session: Session, tools: Sequence[ToolDescriptor]
) -> tuple[Wish, ...]:
    """All wishes of a message; small talk around them is passed over, a question or an order is not."""
    understood: list[Wish] = []
    asides: list[Wish] = []
    for clause in said(clauses):
        wishes = wishes_of(clause, session, tools)
        if any(wish.text == "only_maps" for wish in wishes):
            return wishes
        meant = clause.roles & _ORDERS and (clause.content or clause.mentions)
        aside = wishes == (clarify("unclear"),) and not meant
        (asides if aside else understood).extend(wishes)
    return tuple(understood or asides[:1] or [clarify("unclear")])


__all__ = ["RulesPlanner", "plan"]
