"""Searches for documents in a world of their own, and what is found of them in a turn."""

from typing import Any

from contracts.chat import Step
from contracts.messages import Outcome
from contracts.research import Research
from contracts.turns import TurnEvent, TurnEventKind
from world import SEARCH, World, document, plan

QUERY = "Schutz des Grundwassers"


def searching(*judged: Outcome, found: Outcome | None = None, **values: Any) -> World:
    """A search that finds as many documents as are judged."""
    world = World(plan(SEARCH), **values)
    if judged:
        by_id = {f"d{n}": outcome for n, outcome in enumerate(judged, start=1)}
        items = tuple(document(n) for n in range(1, len(judged) + 1))
        world.tools["documents.retrieve"] = lambda args: Outcome(items=items)
        world.tools["documents.check"] = lambda args: by_id[args["document"]["id"]]
    if found is not None:
        world.tools["documents.retrieve"] = lambda args: found
    return world


def research_of(made: Step) -> Research:
    assert made.research is not None
    return made.research


def told(world: World, kind: TurnEventKind) -> list[TurnEvent]:
    return [event for event in world.log.values() if event.kind is kind]
