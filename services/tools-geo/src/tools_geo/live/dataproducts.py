"""Layers in the answers of a canton's search (QWC, search v2).

The newer back end (PostgreSQL) has the types `singleactor` and `layergroup`, the older one (Solr)
`datasetview`, `layergroup` and `facadelayer`; what has sublayers is a group in either. `(Quelle Bund)` at the
end of a title says that the canton only passes the layer on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from tools_geo.layers.catalogue import LayerEntry, Service

_OWNER = re.compile(r"\(Quelle ([^()]++)\)\s*+$")
_CONFEDERATION = "Bund"
_AFTER_KNOWN = 100_000
_MAX_DEPTH = 8

Sublayers = Annotated[tuple["Dataproduct", ...], BeforeValidator(lambda value: value or ())]


class Dataproduct(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    dataproduct_id: str
    display: str
    stacktype: str | None = None
    sublayers: Sublayers = ()


def entries_of(results: Sequence[Mapping[str, Any]], known: Mapping[str, LayerEntry]) -> Iterator[LayerEntry]:
    """The layers among the results, each group before its members.

    What is known about a layer beforehand stays true, but for its title and its place.
    """
    for place, result in enumerate(results):
        try:
            product = Dataproduct.model_validate(result.get("dataproduct"))
        except ValidationError:
            continue
        yield from _entries(product, None, _AFTER_KNOWN + place, known)


def _entries(
    product: Dataproduct, parent: str | None, position: int, known: Mapping[str, LayerEntry], depth: int = 0
) -> Iterator[LayerEntry]:
    entry = known.get(product.dataproduct_id) or _unknown(product, position)
    is_group = bool(product.sublayers) and depth == 0
    yield replace(
        entry, title=product.display or entry.title, is_group=is_group, parent=parent or entry.parent
    )
    for sublayer in product.sublayers if depth < _MAX_DEPTH else ():
        yield from _entries(sublayer, parent or product.dataproduct_id, position, known, depth + 1)


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
