"""A map that is kept for a while, so that a short link leads to it."""

import re
from datetime import datetime
from typing import Annotated

from contracts.actions import FeatureTable, MapLayer, Marker
from contracts.base import Contract
from contracts.intents import Background
from contracts.keys import MAX_LAYERS
from pydantic import ConfigDict, Field

MAX_MARKERS = 100
MAX_TABLES = 20
MAX_RESOLUTION = 10_000
"""Metres a pixel: a world would be a stamp."""
_ID = re.compile(r"[A-Za-z0-9_-]{16}")

Metres = Annotated[float, Field(allow_inf_nan=False)]


class SharedView(Contract):
    """The place that is looked at."""

    center: tuple[Metres, Metres]
    """East and north, LV95."""
    resolution: Annotated[float, Field(gt=0, lt=MAX_RESOLUTION, allow_inf_nan=False)]
    """Metres a pixel."""


class SharedLayer(MapLayer):
    """A layer as `addLayer` has it, with what its user has set about it."""

    opacity: Annotated[float, Field(ge=0, le=1)] = 1.0


class SharedMap(Contract):
    """The body of `POST /api/shares`: what is on a map, and nothing of what was said about it."""

    model_config = ConfigDict(extra="forbid")

    view: SharedView | None = None
    background: Background = Background.GREY
    layers: Annotated[tuple[SharedLayer, ...], Field(max_length=MAX_LAYERS, fail_fast=True)] = ()
    """The topmost first."""
    markers: Annotated[tuple[Marker, ...], Field(max_length=MAX_MARKERS, fail_fast=True)] = ()
    features: Annotated[tuple[FeatureTable, ...], Field(max_length=MAX_TABLES, fail_fast=True)] = ()
    """The newest last."""


class Share(Contract):
    """Where a map was put."""

    id: str
    url: str
    """Where the page opens it, relative to the server."""
    expires_at: datetime


def url_of(share_id: str) -> str:
    """A fragment: what follows `#` is sent to no server, and so stands in no log."""
    return f"/#share={share_id}"


def is_id(text: str) -> bool:
    """Whether a text can be the id of a share: 96 bits, not to be guessed."""
    return _ID.fullmatch(text) is not None
