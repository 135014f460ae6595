"""Whom a message can be for."""

from typing import Literal, NamedTuple

from contracts.intents.names import Intent

Agent = Literal["map", "riskiagent"]


class AgentSpec(NamedTuple):
    purpose: str
    """For developers."""
    only: str | None = None
    """The one intent that it serves; None for all of them."""


AGENTS: dict[Agent, AgentSpec] = {
    "map": AgentSpec("the copilot for maps"),
    "riskiagent": AgentSpec("the agent that answers from documents", only=Intent.SEARCH_DOCUMENTS),
}


def only_intent(agent: Agent) -> str | None:
    """The one intent that an agent serves; None if it serves all of them."""
    return AGENTS[agent].only
