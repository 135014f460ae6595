"""Plans for the agent that answers from documents only: whatever a message says is a question about them."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.intents import Intent, Target
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.failing import search_failed
from planner.rules.grammar import commands
from planner.rules.grammar.documents import MAX_QUERY_CHARS, question_for_documents
from planner.rules.grammar.messages import Piece, Recall
from planner.rules.grammar.utterance import Utterance, joined, utterance_of
from planner.rules.planning import abilities
from planner.rules.planning.recalling import recall_of
from planner.rules.planning.routes import find_route
from planner.rules.planning.threads import Hold, continued, hold_of
from planner.texts import text

_TEXTS = {"abilities": "research_abilities", "greeting": "research_greeting"}
_SPOKEN = {"welcome", "goodbye"}
_ABOUT_ITSELF = {"about": "capabilities"}
"""Arguments of an `answer` step that needs no documents."""
_MAX_TALK_CHARS = 200
"""Who writes more wants something."""


def research_plan(
    message: Utterance, session: Session, tools: Sequence[ToolDescriptor], language: str
) -> Plan:
    """One step: a search, or an answer to who greets, thanks, or asks what can be asked."""
    if talk := _talk(message):
        step = PlanStep(
            intent=Intent.ANSWER,
            args=dict(_ABOUT_ITSELF),
            message=text(talk, language),
            suggestions=abilities.suggestions(talk, tools, language),
        )
        return Plan(steps=(step,))
    recall = recall_of(session)
    (piece,) = _read(message, recall) or (Piece(message),)
    if piece.wish is None:
        return search_failed(ErrorType.NO_TOOL_CALL)
    route = find_route(piece.wish, Target.NOTHING, tools)
    if route.missing:
        return search_failed(ErrorType.SERVER_ERROR)
    return Plan(steps=(PlanStep(intent=Intent.SEARCH_DOCUMENTS, calls=route.calls),))


def is_talk(message: str) -> bool:
    """Whether a message greets, thanks, or asks what can be asked: all that is answered without documents."""
    return _talk(utterance_of(message)) is not None


def _talk(message: Utterance) -> str | None:
    """The key of what to say to a message that asks nothing of the documents."""
    if len(message.text) > _MAX_TALK_CHARS:
        return None
    clauses = message.spoken
    wishes = [commands.help_wanted(clause) or commands.talk(clause) for clause in clauses]
    keys = [wish.text for found in wishes for wish in found or ()]
    if not clauses or None in wishes or not keys:
        return None
    known = [_TEXTS.get(key or "", key if key in _SPOKEN else None) for key in keys]
    return next((key for key in known if key), None)


def _read(message: Utterance, recall: Recall) -> tuple[Piece, ...]:
    """The message as one question; none if it has no words."""
    spoken = [sentence.without_talk() for sentence in message.sentences if not sentence.is_talk]
    if not spoken:
        return ()
    asking = [sentence for sentence in spoken if sentence.asks]
    if asking and sum(len(sentence.written) for sentence in spoken) > MAX_QUERY_CHARS:
        spoken = asking  # a long story, and what it leads to
    question = joined(spoken)
    hold = hold_of(question, asks=True)
    thread = recall() if hold is not Hold.NONE else None
    wish = question_for_documents(question)
    if thread and (thread.is_fresh or hold is Hold.TIGHT):
        wish = replace(wish, query=continued(question, thread))
    return (Piece(question, wish),)
