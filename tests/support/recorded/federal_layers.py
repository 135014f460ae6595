"""The layers that SearchServer of api3.geo.admin.ch finds: those that the canton lists too, and one more."""

from collections.abc import Sequence
from typing import Any

from german.fold import fold
from recorded import data

from tools_geo.layers.catalogue import Service

_MORE = {"ch.bfe.solarenergie-eignung-daecher": "Solarenergie: Eignung Hausdächer"}
_MAX_LIMIT = 30


def results(words: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """Those with all the folded words."""
    listed = {
        row.id: row.title.removesuffix(" (Quelle Bund)")
        for row in data.canton().layers
        if row.service in (Service.FEDERAL_WMS, Service.FEDERAL_WMTS)
    }
    found = [
        (identity, title)
        for identity, title in (_MORE | listed).items()
        if all(word in f"{fold(title)} {identity}" for word in words)
    ]
    return [_result(number, *each) for number, each in enumerate(found[: min(limit, _MAX_LIMIT)], start=1)]


def _result(number: int, identity: str, title: str) -> dict[str, Any]:
    attrs = {
        "detail": f"{fold(title)} {identity}",
        "label": f"<b>{title}</b>",
        "lang": "de",
        "layer": identity,
        "origin": "layer",
        "staging": "prod",
        "title": title,
        "topics": "api,ech,inspire",
    }
    return {"id": number, "weight": 100, "attrs": attrs}
