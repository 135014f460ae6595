"""The typed things that tools find. Coordinates are LV95 (EPSG:2056), metres, east before north."""

import re
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from contracts.base import Contract, Day
from contracts.markdown import Prose, Sentence, Words, plain
from contracts.oereb import ExtractContent, LawStatus
from contracts.urls import Anchor, OptionalUrl, Page, WebUrl, link, names_url
from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

Coord = tuple[float, float]
"""(east, north) in metres, EPSG:2056."""
Extent = tuple[float, float, float, float]
"""(min east, min north, max east, max north) in metres, EPSG:2056."""


def _as_egrid(value: Any) -> Any:
    """`ch 9745 9088 8353`, as printed on paper, becomes `CH974590888353`."""
    return re.sub(r"\s+", "", value).upper() if isinstance(value, str) else value


Egrid = Annotated[str, Field(pattern=r"^CH[0-9]{12}$"), BeforeValidator(_as_egrid)]
"""The federal identifier of a parcel, as an argument."""


class Provenance(Contract):
    """Where an item comes from, under which terms, and how well it matches the question."""

    source: Words
    license: Words
    retrieved_at: datetime
    match: Literal["exact", "fuzzy"] = "exact"
    stale: bool = False
    """The source is down; this is what it said last, at `retrieved_at`."""
    sample: bool = False
    """Invented, or a part of reality only, to try things out: nothing of it may be relied on."""

    def facts(self) -> dict[str, Any]:
        """What has to be said along with an item."""
        doubts = {"sample": self.sample, "stale": self.stale, "fuzzy": self.match == "fuzzy"}
        retrieved_at = self.retrieved_at.isoformat(timespec="minutes")
        return {k: v for k, v in doubts.items() if v} | {"source": self.source, "retrievedAt": retrieved_at}


_NOT_TOLD = {
    *("id", "crs", "extent", "geometry", "confidence", "provenance"),
    *("source", "visible", "passages", "content", "document_ids", "size_bytes", "attributes"),
}
"""What says nothing to a reader, or too much; who made an item is told in the place of its `provenance`."""


def _told(value: Any) -> Any:
    """A plain value, or a list of them; of the parts of a group their labels."""
    if isinstance(value, list):
        named = [each.get("label") if isinstance(each, dict) else each for each in value]
        return [each for each in named if isinstance(each, str | int | float)]
    return None if isinstance(value, dict) else value


class ItemBase(Contract):
    """What all items share. `id` identifies the item within its type and is never an argument of a tool."""

    binds: ClassVar[frozenset[str]] = frozenset()
    """Names of tool parameters that an item of this type can fill; see `bindings`."""
    family: ClassVar[str] = "thing"
    """A session remembers one selection a family; the newest wins."""

    id: str
    label: Words
    coord: Coord | None = None
    extent: Extent | None = None
    geometry: dict[str, Any] | None = None
    """GeoJSON geometry in EPSG:2056."""
    crs: Literal["EPSG:2056"] = "EPSG:2056"
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    provenance: Provenance | None = None

    def as_selection(self) -> Self:
        """What of it is remembered, to go along with every later message of the session."""
        return self

    def addresses(self) -> tuple[str, ...]:
        """Those that it has under names of addresses."""
        named = ((name, getattr(self, name)) for name in type(self).model_fields if names_url(name))
        return tuple(value for _, value in named if isinstance(value, str) and value)

    def facts(self) -> dict[str, Any]:
        """What can be told of it: names, where it comes from, numbers, dates; no shapes and no addresses."""
        own = self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=_NOT_TOLD)
        found = {"type": own.pop("type", None), "label": self.label}
        found |= self.provenance.facts() if self.provenance is not None else {}
        found |= {name: _told(value) for name, value in own.items() if not names_url(name)}
        return {name: value for name, value in found.items() if value not in (None, "", [])}

    def bindings(self) -> dict[str, Any]:
        """Parameter name -> value for every parameter in `binds` that this item really has."""
        candidates: dict[str, Any] = {name: getattr(self, name, None) for name in self.binds}
        if self.coord is not None:
            candidates.update({k: v for k, v in zip("xy", self.coord, strict=True) if k in self.binds})
        return {name: value for name, value in candidates.items() if value is not None}


class Address(ItemBase):
    type: Literal["address"] = "address"
    binds = frozenset({"x", "y"})
    family = "place"

    street: Words
    house_number: Words | None = None
    postal_code: Words
    locality: Words
    municipality: Words | None = None
    egid: Words | None = None
    """Number of the building in the federal register of buildings."""


class Municipality(ItemBase):
    type: Literal["municipality"] = "municipality"
    binds = frozenset({"municipality"})
    family = "place"

    name: Words
    bfs_number: int
    district: Words | None = None

    def as_selection(self) -> Self:
        return self.model_copy(update={"geometry": None})

    def bindings(self) -> dict[str, Any]:
        return {"municipality": self.name}


class Place(ItemBase):
    """A locality, field name or other named spot."""

    type: Literal["place"] = "place"
    binds = frozenset({"x", "y"})
    family = "place"

    kind: Words


class Parcel(ItemBase):
    """A parcel or a distinct and permanent right (building right, ...) of the cadastre."""

    type: Literal["parcel"] = "parcel"
    binds = frozenset({"egrid", "number", "municipality", "geometry", "x", "y"})
    family = "place"

    egrid: Words
    number: Words
    municipality: Words
    land_register: Words | None = None
    """Name of the land register (Grundbuch); differs from the municipality after mergers."""
    kind: Words = "Liegenschaft"
    area_m2: float | None = None
    area_source: Literal["register", "outline"] | None = None
    """With the facts of an answer: is the area that of the register, or only as good as the outline?"""


class OerebExtract(ItemBase):
    """An extract of the cadastre of public-law restrictions on landownership (ÖREB)."""

    type: Literal["oereb_extract"] = "oereb_extract"
    binds = frozenset({"egrid", "x", "y"})
    family = "place"

    egrid: Words
    pdf_url: WebUrl
    map_url: OptionalUrl = None
    number: Words | None = None
    municipality: Words | None = None
    area_m2: float | None = None
    concerned_themes: tuple[Words, ...] | None = None
    """The titles of the themes with restrictions on this parcel; None when the extract has not been read."""
    kind: Words | None = None
    """What the EGRID stands for: Liegenschaft, Baurecht, ..."""
    created_at: datetime | None = None
    """When the service made the extract."""
    updated_at: datetime | None = None
    """Of which day the cadastral survey in it is."""
    content: ExtractContent | None = None
    """None when the extract has not been read."""

    def as_selection(self) -> Self:
        return self.model_copy(update={"content": None})

    def facts(self) -> dict[str, Any]:
        """Also the restrictions that are law, each in a line."""
        restrictions = self.content.restrictions if self.content else ()
        law = [each.line() for each in restrictions if each.law_status is LawStatus.IN_FORCE]
        return super().facts() | ({"restrictionsInForce": law} if law else {})

    def addresses(self) -> tuple[str, ...]:
        """Also those of its documents and offices, which an answer from it names."""
        return (*super().addresses(), *(self.content.addresses() if self.content else ()))


class TileGrid(Contract):
    """The tiles of a WMTS layer in EPSG:2056, all of one size in pixels."""

    origin: Coord
    """The top left corner."""
    resolutions: tuple[float, ...]
    """Metres a pixel, coarsest first."""
    matrix_ids: tuple[str, ...]
    """One for each resolution."""
    tile_size: int = 256
    extent: Extent | None = None


class LayerSource(Contract):
    """Where a client gets a layer: the service and, for WMS, its parameters.

    The `url` of a WMTS is a template with `{TileMatrix}`, `{TileRow}` and `{TileCol}`.
    """

    type: Literal["wms", "wmts", "geojson"]
    url: WebUrl
    parameters: dict[str, str] = {}
    tile_grid: TileGrid | None = None


class Layer(ItemBase):
    type: Literal["layer"] = "layer"
    family = "layer"

    source: LayerSource
    visible: bool = True
    """False for a member of a group that its owner leaves switched off when the group is loaded."""
    attribution: Words | None = None
    legend_url: OptionalUrl = None


class LayerGroup(ItemBase):
    type: Literal["layer_group"] = "layer_group"
    family = "layer"

    layers: tuple[Layer, ...]


class Height(ItemBase):
    type: Literal["height"] = "height"

    height_m: float
    """Metres above sea level (LN02)."""


class Coordinates(ItemBase):
    """What the point of `coord` is called in other systems than LV95."""

    type: Literal["coordinates"] = "coordinates"

    lv03: Coord
    """East, north; metres."""
    wgs84: Coord
    """Longitude, latitude; degrees."""


class Attribute(Contract):
    """What a data set says of a feature, as users read it."""

    model_config = ConfigDict(allow_inf_nan=False)

    name: Words
    value: Words | int | float
    unit: Words | None = None


MAX_TOLD_FEATURES = 5
"""Of a set, to who writes about it."""


class Feature(ItemBase):
    """A thing of a layer: a contaminated site, a hunting district."""

    type: Literal["feature"] = "feature"
    binds = frozenset({"x", "y", "geometry"})
    family = "feature"

    layer: Words
    """Its id."""
    layer_label: Words
    attributes: tuple[Attribute, ...] = ()

    def facts(self) -> dict[str, Any]:
        """With each attribute under its name."""
        own, told = super().facts(), self._told_attributes()
        return own | {name: value for name, value in told.items() if name not in own}

    def line(self) -> str:
        """All of it in one line, for a list."""
        told = ", ".join(f"{name}: {value}" for name, value in self._told_attributes().items())
        return f"{self.label} ({told})" if told else self.label

    def _told_attributes(self) -> dict[str, str | int | float]:
        return {
            each.name: f"{each.value} {each.unit}" if each.unit else each.value for each in self.attributes
        }


class Aggregate(Contract):
    """One number about all features that were asked for."""

    model_config = ConfigDict(allow_inf_nan=False)

    function: Literal["count", "sum", "mean", "min", "max"]
    attribute: Words = ""
    """Empty with `count`."""
    value: float
    unit: Words | None = None


class FeatureSet(ItemBase):
    """What a question over the features of a layer has found; `label` says what, and where."""

    type: Literal["feature_set"] = "feature_set"
    family = "feature"

    layer: Words
    layer_label: Words
    area: Words = ""
    """Where was looked, as users read it: `in Olten`; empty for everywhere."""
    count: int
    """How many there are."""
    features: tuple[Feature, ...] = ()
    """The first of them."""
    aggregate: Aggregate | None = None

    def facts(self) -> dict[str, Any]:
        """With the number that was asked for, and the first features, a line each."""
        told = super().facts()
        told.pop("features", None)
        if self.aggregate is not None:
            told["aggregate"] = self.aggregate.model_dump(mode="json", exclude_none=True)
        lines = [feature.line() for feature in self.features[:MAX_TOLD_FEATURES]]
        return told | ({"features": lines} if lines else {})


class Distance(ItemBase):
    """As the crow flies; `geometry` is the line."""

    type: Literal["distance"] = "distance"

    metres: float
    start: Words
    end: Words


class GeothermalAssessment(ItemBase):
    type: Literal["geothermal_assessment"] = "geothermal_assessment"

    allowed: bool
    text: Words
    max_depth_m: float | None = None
    report_url: OptionalUrl = None


class CadastralPlan(ItemBase):
    type: Literal["cadastral_plan"] = "cadastral_plan"

    url: WebUrl
    """The PDF; a path that begins with `/` is one of the edge's own, see `contracts.prints`."""
    scale: int | None = None
    expires_at: datetime | None = None


class Passage(Contract):
    """A part of a document that matches a question."""

    text: Prose
    heading: Words | None = None
    page: Page | None = None
    """Where it begins, where the format has pages."""
    anchor: Anchor = None
    """What leads to it in the document's URL, after the `#`; as it is named, not as a URL writes it."""


class Document(ItemBase):
    type: Literal["document"] = "document"
    family = "document"

    name: Words
    url: WebUrl
    size_bytes: int | None = None
    date: Day | None = None
    kind: Words | None = None
    """What sort of document, e.g. Botschaft or Protokoll."""
    body: Words | None = None
    """Whose document, e.g. Regierungsrat."""
    passages: tuple[Passage, ...] = ()
    """The best matching parts, best first."""
    quotes: tuple[Passage, ...] | None = None
    """The sentences that answer, word by word; none where it is not sure that there are any."""


class Proposal(ItemBase):
    """A proposal (Antrag) of a council, linked to documents."""

    type: Literal["proposal"] = "proposal"
    family = "document"

    name: Words
    subject: Words
    url: WebUrl
    identifier: Words = ""
    date: Day | None = None
    document_ids: tuple[str, ...] = ()


class Relevance(ItemBase):
    """The judgement on one document for one question; `id` is the document's."""

    type: Literal["relevance"] = "relevance"
    family = "relevance"

    is_relevant: bool
    reason: Sentence
    quotes: tuple[Passage, ...] | None = None
    """The sentences that answer, word by word, in the order of the document."""


def harmless(value: Any, name: str = "") -> Any:
    """Any JSON with plain texts, and with addresses under the names of addresses only."""
    if isinstance(value, dict):
        return {key: harmless(part, key) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [harmless(part, name) for part in value]
    if not isinstance(value, str):
        return value
    return link(value) if names_url(name) else plain(value)


def _of_no_known_type(schema: dict[str, Any]) -> None:
    """The tag decides: what is of a known type is not just any item. (`oneOf` cannot say so.)"""
    schema["not"] = {"enum": sorted(ITEM_TYPES)}


class OtherItem(ItemBase):
    """An item of a type that this version does not know, from a newer or a foreign tool service."""

    model_config = ConfigDict(extra="allow")
    type: str = Field(json_schema_extra=_of_no_known_type)

    @model_validator(mode="after")
    def _unknown_facts_are_sanitised_too(self) -> "OtherItem":
        for name, value in (self.__pydantic_extra__ or {}).items():
            self.__pydantic_extra__[name] = harmless(value, name)  # type: ignore[index]
        return self


KNOWN_TYPES: tuple[type[ItemBase], ...] = (
    Address,
    Municipality,
    Place,
    Parcel,
    OerebExtract,
    Layer,
    LayerGroup,
    Height,
    Coordinates,
    Feature,
    FeatureSet,
    Distance,
    GeothermalAssessment,
    CadastralPlan,
    Document,
    Proposal,
    Relevance,
)
ITEM_TYPES: dict[str, type[ItemBase]] = {t.model_fields["type"].default: t for t in KNOWN_TYPES}


def _tag(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return kind if kind in ITEM_TYPES and not isinstance(value, OtherItem) else "other"


Item = Annotated[
    Annotated[Address, Tag("address")]
    | Annotated[Municipality, Tag("municipality")]
    | Annotated[Place, Tag("place")]
    | Annotated[Parcel, Tag("parcel")]
    | Annotated[OerebExtract, Tag("oereb_extract")]
    | Annotated[Layer, Tag("layer")]
    | Annotated[LayerGroup, Tag("layer_group")]
    | Annotated[Height, Tag("height")]
    | Annotated[Coordinates, Tag("coordinates")]
    | Annotated[Feature, Tag("feature")]
    | Annotated[FeatureSet, Tag("feature_set")]
    | Annotated[Distance, Tag("distance")]
    | Annotated[GeothermalAssessment, Tag("geothermal_assessment")]
    | Annotated[CadastralPlan, Tag("cadastral_plan")]
    | Annotated[Document, Tag("document")]
    | Annotated[Proposal, Tag("proposal")]
    | Annotated[Relevance, Tag("relevance")]
    | Annotated[OtherItem, Tag("other")],
    Discriminator(_tag),
]


def binds_of(item_type: str) -> frozenset[str]:
    """The tool parameters that items of a type can fill; empty for a type that is not known."""
    known = ITEM_TYPES.get(item_type)
    return known.binds if known else frozenset()
