"""Layers in the answers of a canton's search (QWC, search v2).

The newer back end (PostgreSQL) has the types `singleactor` and `layergroup`, the older one (Solr)
`datasetview`, `layergroup` and `facadelayer`; what has sublayers is a group in either, but for a facade.
`(Quelle Bund)` at the end of a title says that the canton only passes the layer on.
"""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tools_geo.layers.catalogue import LayerEntry, Service

log = logging.getLogger("ask.layers")

_OWNER = re.compile(r"\(Quelle ([^()]++)\)\s*+$")
_CONFEDERATION = "Bund"
_FACADE = "facadelayer"
_AFTER_KNOWN = 100_000
_MAX_DEPTH = 8


class Dataproduct(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    dataproduct_id: str = Field(validation_alias=AliasChoices("dataproduct_id", "ident"))
    """Sublayers come as the index has them: with an `ident`, and a `subclass` that is their type."""
    display: str
    type: str | None = Field(None, validation_alias=AliasChoices("type", "subclass"))
    stacktype: str | None = None
    sublayers: Annotated[tuple[Any, ...], BeforeValidator(lambda value: value or ())] = ()
    """Each is read for itself: an odd one must not spoil the others."""

    @property
    def is_group(self) -> bool:
        """The members of a facade are no layers of the map service: it draws them as one."""
        return bool(self.sublayers) and self.type != _FACADE


def entries_of(results: Sequence[Mapping[str, Any]], known: Mapping[str, LayerEntry]) -> Iterator[LayerEntry]:
    """The layers among the results, each group before its members.

    What is known about a layer beforehand stays true, but for its title and its place.
    """
    for place, result in enumerate(results):
        if "dataproduct" in result:
            yield from _entries(result["dataproduct"], None, _AFTER_KNOWN + place, known)


def _entries(
    described: Any, group: str | None, position: int, known: Mapping[str, LayerEntry], depth: int = 0
) -> Iterator[LayerEntry]:
    """A group within a group is no layer of its own: its members are drawn already."""
    try:
        product = Dataproduct.model_validate(described)
    except ValidationError as error:
        log.warning("layer not readable", extra={"group": group, "reason": str(error)})
        return
    if group is None or not product.is_group:
        entry = known.get(product.dataproduct_id) or _unknown(product, position)
        yield replace(
            entry,
            title=product.display or entry.title,
            is_group=product.is_group,
            parent=group or entry.parent,
        )
    for sublayer in product.sublayers if product.is_group and depth < _MAX_DEPTH else ():
        yield from _entries(sublayer, group or product.dataproduct_id, position, known, depth + 1)


def _unknown(product: Dataproduct, position: int) -> LayerEntry:
    owner = _OWNER.search(product.display)
    if product.stacktype == "background":
        service = Service.WMTS
    elif owner:
        service = Service.FEDERAL_WMS if owner[1] == _CONFEDERATION else Service.NONE
    else:
        service = Service.WMS
    return LayerEntry(
        id=product.dataproduct_id,
        title=product.display,
        position=position,
        external=owner is not None,
        service=service,
        attribution=owner[1] if owner else None,
    )
