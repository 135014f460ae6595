"""Which layer with features is meant by what somebody has said."""

from collections.abc import Collection, Sequence

from tools_geo.gateways import Found, LayerFeatures, Remark
from tools_geo.layers.catalogue import LayerEntry, members_of
from tools_geo.layers.search import Hit, LayerSearch

_AS_LIKELY = 0.9
"""Of the best hit: layers that are this likely are meant as well as it."""
_MAX_TITLES = 4


def meant(
    said: str, entries: Sequence[LayerEntry], search: LayerSearch, askable: Collection[str]
) -> str | Found[LayerFeatures]:
    """The id of the one layer that is meant; else why there is none.

    `askable` are the ids of the layers with features. What is only pictures is not replaced by something else
    that resembles it.
    """
    hits = search.search(said)
    if not hits:
        first, second, *_ = (*search.nearest(said), "", "")
        return Found(nearest=first, second_nearest=second)
    likely = [hit for hit in hits if hit.confidence >= hits[0].confidence * _AS_LIKELY]
    named = [entry for hit in likely for entry in _layers(hit, entries) if entry.id in askable]
    ids = tuple(dict.fromkeys(entry.id for entry in named))
    if len(ids) == 1:
        return ids[0]
    if ids:
        titles = dict.fromkeys(entry.title for entry in named)
        return Found((), Remark.SEVERAL_LAYERS, {"titles": "; ".join(list(titles)[:_MAX_TITLES])})
    return Found((), Remark.NO_FEATURES, {"title": hits[0].entry.title})


def _layers(hit: Hit, entries: Sequence[LayerEntry]) -> Sequence[LayerEntry]:
    """The layer, or those of the group."""
    return (members_of(hit.entry, entries) if hit.entry.is_group else ()) or (hit.entry,)
