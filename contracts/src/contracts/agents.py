"""Whom a message can be for."""

from typing import Literal

from contracts.intents.names import Intent

Agent = Literal["map", "riskiagent"]
"""The copilot for everything, or the one that answers from documents only."""

_ONLY: dict[Agent, str] = {"riskiagent": Intent.SEARCH_DOCUMENTS}


def only_intent(agent: Agent) -> str | None:
    """The one intent that an agent serves; None for the agent that serves all of them."""
    return _ONLY.get(agent)
