"""What is at a point of the map, asked without a word."""

from typing import Annotated, Any

from contracts.base import Contract
from contracts.chat import MAX_LAYER_ID_CHARS, LanguageTag, SessionId
from contracts.items import Item
from contracts.keys import MAX_LAYERS
from contracts.plan import ToolCall
from contracts.status import Status
from pydantic import ConfigDict, Field, StringConstraints

CAPABILITY = "features.identify"
MAX_TOLERANCE_M = 1_000

Metres = Annotated[float, Field(allow_inf_nan=False)]
_LayerId = Annotated[str, StringConstraints(max_length=MAX_LAYER_ID_CHARS)]


class IdentifyRequest(Contract):
    """The body of `POST /api/identify`. The point is LV95 (EPSG:2056)."""

    model_config = ConfigDict(extra="forbid")

    session_id: SessionId | None = None
    """What is asked is deleted with the session; nothing of it is remembered in a conversation."""
    x: Metres
    """East."""
    y: Metres
    """North."""
    layers: Annotated[tuple[_LayerId, ...], Field(max_length=MAX_LAYERS, fail_fast=True)] | None = None
    """The ids of those to be asked; without them only address, parcel and height are told."""
    tolerance: Annotated[float, Field(ge=0, le=MAX_TOLERANCE_M)] | None = None
    """How far from the point features may lie, in metres."""
    language: LanguageTag | None = None
    """As of a message."""

    @property
    def call(self) -> ToolCall:
        given: dict[str, Any] = {"layers": list(self.layers or ()), "tolerance": self.tolerance}
        args = {name: value for name, value in given.items() if value not in (None, [])}
        return ToolCall(capability=CAPABILITY, args={"x": self.x, "y": self.y} | args)


class Identified(Contract):
    """What was found: address, parcels, height, then the features of layers."""

    request_id: str
    status: Status
    """`error`: `message` says why; `needs_clarification`: nothing is known of the point."""
    message: str
    note: str | None = None
    """What of the message the items do not say: which layers have nothing there, and who did not answer."""
    items: tuple[Item, ...]
