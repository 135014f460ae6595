"""A client for ask.sogis: sentences become map actions, choices, and answers from documents.

Everything that goes over HTTP has the types of `contracts`; the usual ones are here too.
"""

from ask_sogis.access import Issued, TokenStore
from ask_sogis.aio import AsyncClient
from ask_sogis.client import Client
from ask_sogis.documents import DocumentAnswer
from ask_sogis.errors import AskError, Invalid, NoAnswer, NotUnderstood, Refused, Unreachable
from ask_sogis.events import Delta, Event, Finished, Progress, StepActions
from contracts.actions import MapAction, MapResult
from contracts.chat import ChatResponse, Choice, MapContext, MapLayerState, Step
from contracts.identify import Identified
from contracts.items import Item
from contracts.problems import Problem
from contracts.research import Research, Source
from contracts.status import Status
from contracts.suggest import Suggestions
from contracts.tools import ToolList
from contracts.turns import TurnEventKind, TurnProgress

__all__ = [
    "AskError",
    "AsyncClient",
    "ChatResponse",
    "Choice",
    "Client",
    "Delta",
    "DocumentAnswer",
    "Event",
    "Finished",
    "Identified",
    "Invalid",
    "Issued",
    "Item",
    "MapAction",
    "MapContext",
    "MapLayerState",
    "MapResult",
    "NoAnswer",
    "NotUnderstood",
    "Problem",
    "Progress",
    "Refused",
    "Research",
    "Source",
    "Status",
    "Step",
    "StepActions",
    "Suggestions",
    "TokenStore",
    "ToolList",
    "TurnEventKind",
    "TurnProgress",
    "Unreachable",
]
