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
MAX_UNDO_STEPS = 20


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
    """`*`: all of them."""


class RemoveMarker(Contract):
    """With `*` also the outlines that were drawn beside markers, and the place that its user has marked."""

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
    group: Words | None = None
    """What it was found with, and belongs to."""
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


class LayerOpacity(Contract):
    id: str
    opacity: Annotated[float, Field(ge=0, le=1)]
    """0 is invisible."""


class SetLayerOpacity(Contract):
    type: Literal["setLayerOpacity"] = "setLayerOpacity"
    payload: LayerOpacity


class LayerOrder(Contract):
    id: str
    order: Annotated[int, Field(ge=0)]
    """Its new place among the layers that users see listed: 0 is the lowest, too much the highest."""


class MoveLayer(Contract):
    type: Literal["moveLayer"] = "moveLayer"
    payload: LayerOrder


class ShowLegend(Contract):
    """Opens what explains the colours of a layer."""

    type: Literal["showLegend"] = "showLegend"
    payload: LayerId


class Column(Contract):
    """One attribute of features: the name under which their `properties` have it."""

    name: Words
    unit: Words | None = None


class FeatureTable(Contract):
    """Found features, to be drawn, listed and exported."""

    id: str
    label: Words
    features: dict[str, Any]
    """A GeoJSON feature collection in EPSG:2056; each has an `id`, and in `properties` its `label` and what
    `columns` names."""
    columns: tuple[Column, ...] = ()
    count: Annotated[int, Field(ge=0)]
    """How many there are; `features` may be the first of them only."""
    provenance: Provenance | None = None


class AddFeatures(Contract):
    """A table with the same id is replaced."""

    type: Literal["addFeatures"] = "addFeatures"
    payload: FeatureTable


class FeaturesId(Contract):
    id: str
    """`*`: all of them."""


class RemoveFeatures(Contract):
    type: Literal["removeFeatures"] = "removeFeatures"
    payload: FeaturesId


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


class Steps(Contract):
    steps: Annotated[int, Field(ge=1, le=MAX_UNDO_STEPS)] = 1


class Undo(Contract):
    """Takes back the last changes of the map, whoever has made them; those of one answer are one step."""

    type: Literal["undo"] = "undo"
    payload: Steps = Steps()


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
    | SetLayerOpacity
    | MoveLayer
    | ShowLegend
    | AddFeatures
    | RemoveFeatures
    | SetBackground
    | ClearMap
    | Undo
    | ShowOerebExtract,
    Field(discriminator="type"),
]


class MapResult(Contract):
    """What became of a map action at a client: `reason` is a code of the client's."""

    type: Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)]
    id: Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)] | None = None
    status: Literal["applied", "failed"]
    reason: Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)] | None = None
