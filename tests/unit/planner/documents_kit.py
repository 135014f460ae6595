"""The tool that looks for documents, conversations about them, and what a plan searches for."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from contracts.agents import Agent
from contracts.plan import Plan
from contracts.session import Session

from planner.rules import plan

from .rules_kit import TEXT, tool, turn, without

ROOT = Path(__file__).parents[3]
QUESTIONS = tomllib.loads((ROOT / "tests/support/document_questions.toml").read_text("utf-8"))
FILTERS = {"type": "object", "properties": dict.fromkeys(("from", "to", "type", "body"), TEXT)}
RETRIEVE = tool(
    "documents.retrieve", "document", "proposal", optional=("filters",), query=TEXT, filters=FILTERS
)
TOOLS = (*without("documents.retrieve"), RETRIEVE)


def made_for(message: str, session: Session | None = None, agent: Agent = "map") -> Plan:
    return plan(message, session or Session(), TOOLS, agent=agent)


def searches(message: str, session: Session | None = None, agent: Agent = "map") -> list[dict[str, Any]]:
    """The arguments of the searches that a message leads to; of a step of another sort its intent."""
    return [
        step.calls[0].args if step.intent == "search_documents" and step.calls else {"intent": step.intent}
        for step in made_for(message, session, agent).steps
    ]


def query_of(message: str, session: Session | None = None, agent: Agent = "map") -> str:
    """What is searched for, if that is all that a message leads to."""
    (args,) = searches(message, session, agent)
    return str(args.get("query", args))


def filters_of(message: str, session: Session | None = None, agent: Agent = "map") -> dict[str, str]:
    (args,) = searches(message, session, agent)
    filters = args.get("filters", {})
    assert isinstance(filters, dict)
    return filters


def after_turns(messages: Iterable[str], agent: Agent = "map") -> Session:
    """A session after messages that were planned one after the other."""
    session = Session()
    for message in messages:
        said = turn(message, session, TOOLS, agent)
        session = session.model_copy(update={"history": (*session.history, *said)})
    return session
