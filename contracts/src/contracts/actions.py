"""Map actions: `{type, payload}`, applied by the client strictly in order."""

from typing import Annotated, Any, Literal

from contracts.base import Contract
from contracts.intents import Background
from contracts.items import Coord, Extent, Provenance
from contracts.markdown import Words
from contracts.oereb import ExtractContent
from contracts.urls import OptionalUrl, WebUrl, web_url
from pydantic import AfterValidator, Field, StringConstraints

MAX_NAME_CHARS = 128
"""Of what a client names in its results."""


class View(Contract):
    """`extent` wins over `center`; `zoom` is then the closest zoom allowed."""

    center: Coord
    zoom: int
    crs: Literal["EPSG:2056"] = "EPSG:2056"
    extent: Extent | None = None


class SetView(Contract):
    type: Literal["setView"] = "setView"
    payload: View


class Marker(Contract):
    id: str
    coord: Coord
    style: str = "pin-default"
    label: Words | None = None


class AddMarker(Contract):
    """A marker with the same id is replaced."""

    type: Literal["addMarker"] = "addMarker"
    payload: Marker


class MarkerId(Contract):
    id: str


class RemoveMarker(Contract):
    type: Literal["removeMarker"] = "removeMarker"
    payload: MarkerId


def _loadable(source: dict[str, Any]) -> dict[str, Any]:
    """With an address of the web, or an empty one."""
    return source | {"url": web_url(source["url"]) or ""} if "url" in source else source


class MapLayer(Contract):
    """`source`: `url` and beside it, for wms, the request parameters; for wmts the parameters and `tileGrid`;
    for geojson `data` and `style` instead."""

    id: str
    type: Literal["wms", "wmts", "geojson"]
    source: Annotated[dict[str, Any], AfterValidator(_loadable)]
    visible: bool = True
    label: Words | None = None
    attribution: Words | None = None
    legend_url: OptionalUrl = None


class AddLayer(Contract):
    """A layer with the same id is replaced."""

    type: Literal["addLayer"] = "addLayer"
    payload: MapLayer


class LayerId(Contract):
    id: str


class RemoveLayer(Contract):
    type: Literal["removeLayer"] = "removeLayer"
    payload: LayerId


class LayerVisibility(Contract):
    id: str
    visible: bool


class SetLayerVisibility(Contract):
    type: Literal["setLayerVisibility"] = "setLayerVisibility"
    payload: LayerVisibility


class BackgroundChoice(Contract):
    background: Background


class SetBackground(Contract):
    type: Literal["setBackground"] = "setBackground"
    payload: BackgroundChoice


class Nothing(Contract):
    pass


class ClearMap(Contract):
    type: Literal["clearMap"] = "clearMap"
    payload: Nothing = Nothing()


class Extract(Contract):
    egrid: str
    url: WebUrl
    """The PDF."""
    map_url: OptionalUrl = None
    """The canton's interactive view of the same extract."""
    number: Words | None = None
    municipality: Words | None = None
    kind: Words | None = None
    """Liegenschaft, Baurecht, ..."""
    area_m2: float | None = None
    content: ExtractContent | None = None
    """None when the extract could not be read: the links are all there is."""
    provenance: Provenance | None = None


class ShowOerebExtract(Contract):
    type: Literal["showOerebExtract"] = "showOerebExtract"
    payload: Extract


MapAction = Annotated[
    SetView
    | AddMarker
    | RemoveMarker
    | AddLayer
    | RemoveLayer
    | SetLayerVisibility
    | SetBackground
    | ClearMap
    | ShowOerebExtract,
    Field(discriminator="type"),
]


class MapResult(Contract):
    """What became of a map action at a client: `reason` is a code of the client's."""

    type: Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)]
    id: Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)] | None = None
    status: Literal["applied", "failed"]
    reason: Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)] | None = None
