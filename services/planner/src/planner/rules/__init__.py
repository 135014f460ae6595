"""A planner without a model: a small grammar of German for everything the map can do.

    message -> parts (words with roles, references) -> clauses -> wishes -> heard -> steps

What the rules read is weighed against what people meant who said such things (`heard`).
Questions about documents are taken out first, sentence by sentence. It calls only tools that are alive. What
it does not understand, it says.
"""

from collections.abc import Sequence

from contracts.agents import Agent, only_intent
from contracts.intents import Intent
from contracts.languages import DEFAULT_LANGUAGE, language_of
from contracts.messages import PlanRequested
from contracts.plan import Plan, PlanStep
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.planning import Planned
from planner.rules.grammar.messages import pieces_of, wishes_in, wishes_in_pieces
from planner.rules.grammar.summaries import is_summary, without_summary
from planner.rules.grammar.utterance import Utterance, spoken_in, utterance_of
from planner.rules.grammar.wishes import Wish, answer, clarify
from planner.rules.heard.concerned import on_map
from planner.rules.heard.hearing import heard, seen_by_model
from planner.rules.learned.features import View
from planner.rules.learned.on_map import OnMap
from planner.rules.learned.sense import sensing
from planner.rules.planning.choices import answered, meant_for, options_of, points_at_option
from planner.rules.planning.followups import asked_after, elsewhere_after, focus_now, wishes_after
from planner.rules.planning.past import Past
from planner.rules.planning.recalling import recall_of
from planner.rules.planning.researching import research_plan
from planner.rules.planning.steps import focus_of, steps_of
from planner.rules.reading.known import expecting

_MAX_NAME_CHARS = 60
_MAX_EARLIER = 3
"""So many messages tell what language a conversation is in."""
_SUMMARY = PlanStep(intent=Intent.ANSWER, respond=True)


class RulesPlanner:
    """Plans by rules: the same message, session and tools always give the same plan."""

    name = "rules"

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
        made = plan(request.user_message, request.session, tools, request.language, request.agent)
        return Planned(made, self.name)


def plan(
    message: str,
    session: Session,
    tools: Sequence[ToolDescriptor],
    language: str = "de",
    agent: Agent = "map",
) -> Plan:
    """The plan for any text, however strange. Pure; a few milliseconds for the longest message, and half a
    second at most where its sense is looked at.
    """
    before = _before(session, message)
    with expecting(_spoken(before, language)), sensing():
        said = utterance_of(message)
        own = language_of(said.answer_language(language))
        made = _plan(said, before, tools, own or language, agent)
    return made if own == language_of(language) else made.model_copy(update={"language": own})


def in_view(request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> tuple[View, OnMap]:
    """What the models look at: that of intents, and that of layers that are on the map."""
    before = _before(request.session, request.user_message)
    with expecting(_spoken(before, request.language)), sensing():
        said = utterance_of(request.user_message)
        past = Past(before, said, tools)
        read = _read(said, past)
        return seen_by_model(said, past, read), on_map(said, past, read)


def _plan(
    said: Utterance, session: Session, tools: Sequence[ToolDescriptor], language: str, agent: Agent
) -> Plan:
    if only_intent(agent) == Intent.SEARCH_DOCUMENTS:
        return research_plan(said, session, tools, language)
    choice_id = answered(said, session.choices)
    if choice_id is not None:
        return Plan(choice_id=choice_id)
    if is_summary(said):
        return Plan(steps=(_summary(session, tools, language),))
    wanted = without_summary(said)
    steps = _steps(wanted or said, session, tools, language)
    if wanted is not None and any(map(_has_something_to_tell, steps)):
        steps = (*steps, _SUMMARY)
    return Plan(steps=steps)


def _spoken(session: Session, language: str) -> str:
    """The language of the conversation: that of the request, else of what was said last."""
    wanted = language_of(language)
    if wanted and wanted != DEFAULT_LANGUAGE:
        return wanted
    said = [entry.text for entry in session.history if entry.role == "user"][-_MAX_EARLIER:]
    return next(filter(None, map(spoken_in, reversed(said))), DEFAULT_LANGUAGE)


def _before(session: Session, message: str) -> Session:
    """The session before the message, which the snapshot may already have."""
    last = session.history[-1] if session.history else None
    if last is None or (last.role, last.text) != ("user", message):
        return session
    return session.model_copy(update={"history": session.history[:-1]})


def _summary(session: Session, tools: Sequence[ToolDescriptor], language: str) -> PlanStep:
    """What the session has found; or that it has found nothing."""
    if session.results:
        return _SUMMARY
    (nothing,) = steps_of((answer("nothing_yet"),), focus_of(session), tools, language)
    return nothing


def _has_something_to_tell(step: PlanStep) -> bool:
    """What is said in words needs no summary; of documents the answer is one, and so is a summary."""
    return step.message is None and step.intent not in (Intent.SEARCH_DOCUMENTS, Intent.ANSWER)


def asks_documents(request: PlanRequested, tools: Sequence[ToolDescriptor]) -> bool:
    """Whether a message is nothing but questions about documents, as far as rules can tell."""
    steps = plan(request.user_message, request.session, tools, request.language, request.agent).steps
    return bool(steps) and all(step.intent == Intent.SEARCH_DOCUMENTS for step in steps)


def _steps(
    message: Utterance, session: Session, tools: Sequence[ToolDescriptor], language: str
) -> tuple[PlanStep, ...]:
    past = Past(session, message, tuple(tools))
    wishes = heard(message, past, _read(message, past))
    if wishes == (clarify("unclear"),):
        wishes = _asking_back(message, session)
    return steps_of(wishes, focus_now(wishes, past), tools, language)


def _read(message: Utterance, past: Past) -> tuple[Wish, ...]:
    """What the rules read in a message."""
    clauses = message.clauses
    wishes = elsewhere_after(clauses, past) or asked_after(past)
    wishes = wishes or _asked_of_documents(message, past.session, past.tools)
    if wishes is None:
        wishes = wishes_after(clauses, past) or wishes_in(clauses, past.session, past.tools)
    return wishes


def _asked_of_documents(
    message: Utterance, session: Session, tools: Sequence[ToolDescriptor]
) -> tuple[Wish, ...] | None:
    """The wishes of a message with questions about documents; None if it has none."""
    pieces = pieces_of(message, session, tools, recall_of(session))
    return wishes_in_pieces(pieces, session, tools) if any(piece.wish for piece in pieces) else None


def _asking_back(message: Utterance, session: Session) -> tuple[Wish, ...]:
    """What to ask when nothing is understood: about an open choice if it sounds like an answer."""
    choice = meant_for(message, session.choices)
    near = choice or next(iter(session.choices), None)
    if near is not None and len(near.options) == 1:
        return (clarify("unclear_beside_offer", option=near.options[0].label),)
    if choice is not None:
        return (clarify("which_option", options=options_of(choice)),)
    if near is not None:
        return (clarify("unclear_beside_choice", count=str(len(near.options))),)
    if points_at_option(message):
        return (clarify("no_choice"),)
    name = _lone_name(message)
    return (clarify("unknown_name", name=name) if name else clarify("unclear"),)


def _lone_name(message: Utterance) -> str:
    """`Biber`: a message that is nothing but a name."""
    clause = message.clauses[0] if len(message.clauses) == 1 else None
    return (
        clause.phrase()[:_MAX_NAME_CHARS]
        if clause and len(clause.words) == 1 and not clause.text.isdigit()
        else ""
    )


__all__ = ["RulesPlanner", "asks_documents", "in_view", "plan"]
