"""From features to what a user is told: what was counted, where, and what nobody could say."""

from collections.abc import Iterable, Mapping, Sequence

from contracts.items import Aggregate, Distance, Feature, FeatureSet
from contracts.markdown import line
from contracts.messages import Outcome
from contracts.research import ErrorType
from contracts.status import Status
from servicekit.texts import source_text
from servicekit.wording import language

from tools_geo.features import shapes
from tools_geo.features.areas import metres
from tools_geo.features.attributes import UnknownAttribute
from tools_geo.features.geojson import extent_of
from tools_geo.features.query import NotComparable, Selected
from tools_geo.gateways import Area, Found, LayerFeatures, Remark
from tools_geo.identify import Identified
from tools_geo.texts import text

_MOST_POINTS = 500
"""Of one outline; what is finer is not seen."""
_ALL_POINTS = 15_000
"""Of all together: some 400 kB, less than half of what a message can carry."""
_NAMED = 6
"""Names that are read in one sentence."""


def asked_back(message: str) -> Outcome:
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=message)


def about_distance(found: Distance) -> Outcome:
    told = text("distance_found", start=found.start, end=found.end, distance=metres(found.metres))
    return Outcome(items=(found,), message=told)


def about_point(found: Identified, titles: Mapping[str, str], layers: Sequence[str]) -> Outcome:
    """Everything that is there, and in the note which layers have nothing, which say nothing, who failed."""
    features = slimmed(found.at.features)
    items = (*found.addresses, *found.parcels, *found.heights, *features)
    answered = {feature.layer for feature in features} | {*found.at.silent, *found.at.failed}
    empty = tuple(layer for layer in dict.fromkeys(layers) if layer not in answered)
    remarks = [
        *_of_layers("identify_empty", empty, titles),
        *_of_layers("identify_silent", found.at.silent, titles),
        *_of_layers("identify_failed", found.at.failed, titles),
        *(source_text(error, language()) for error in found.failures),
        # Features say by themselves that they are samples.
        *([text("identify_sample")] if found.at.sample and not features else []),
    ]
    note = " ".join(remarks)
    again = bool(found.failures or found.at.failed)
    if again and not items:
        return Outcome(status=Status.ERROR, message=note, error_type=ErrorType.SERVER_ERROR)
    told = text("identify_found" if items else "identify_nothing")
    return Outcome(items=items, message=f"{told} {note}".strip(), note=note, again=again)


def about_layer(found: Found[LayerFeatures], asked: str, names: Sequence[str]) -> Outcome:
    """Why no one layer is meant, and what can be asked."""
    if found.remark is Remark.NO_DISTRICTS:
        return asked_back(text(found.remark))
    if found.remark is Remark.SEVERAL_LAYERS:
        return asked_back(text(found.remark, layer=line(asked, 80), **found.values))
    known = text("features_of", names=_listed(names)) if names else text("features_none_known")
    if found.remark is Remark.NO_FEATURES:
        return asked_back(f"{text(found.remark, **found.values)} {known}")
    near = text("nearest", name=found.nearest) if found.nearest else ""
    unknown = text("features_layer_unknown", layer=line(asked, 80))
    return asked_back(" ".join(filter(None, [unknown, near, known])))


def about_attribute(problem: UnknownAttribute | NotComparable, layer: LayerFeatures) -> Outcome:
    if isinstance(problem, NotComparable):
        values = "; ".join(f"«{value}»" for value in problem.values)
        return asked_back(text("attribute_not_comparable", attribute=problem.attribute, values=values))
    known = _listed(problem.known)
    return asked_back(text("attribute_unknown", name=line(problem.name, 80), layer=layer.label, names=known))


def about_features(layer: LayerFeatures, area: Area, chosen: Selected, limit: int) -> Outcome:
    """The number first; zero is an answer, but not where the source has not sent all."""
    is_count = layer.is_all or (layer.matched is not None and not chosen.conditions)
    count = len(chosen.features)
    if is_count and not layer.is_all:
        count = max(count, layer.matched or 0)
    if not is_count and not count:
        return asked_back(text("features_cut_none", n=len(layer.features)))
    first = slimmed([_ranked(each, chosen.order) for each in chosen.features[:limit]])
    found = FeatureSet(
        id=layer.layer,
        label=_label(layer, area, chosen.conditions),
        layer=layer.layer,
        layer_label=layer.label,
        area=area.label,
        count=count,
        features=first,
        aggregate=_whole(chosen.aggregate, count),
        extent=extent_of(each.geometry for each in first if each.geometry),
        provenance=layer.provenance,
    )
    exactly = str(count) if count else text("none")
    number = exactly if is_count else text("at_least", found=count)
    doubts = [
        *([text("features_unvalued", n=chosen.unknown)] if chosen.unknown else []),
        *([] if layer.is_all else [text("features_cut", n=len(layer.features))]),
    ]
    told = [
        text("features_count", label=_capitalized(found.label), n=number),
        *([_aggregated(found.aggregate)] if found.aggregate else []),
        *_which(first, count, chosen.order),
        *doubts,
        *([text("features_sample")] if layer.provenance.sample else []),
    ]
    return Outcome(items=(found,), message=" ".join(filter(None, told)), note=" ".join(doubts))


def slimmed(features: Sequence[Feature]) -> tuple[Feature, ...]:
    """With outlines that a message can carry."""
    most = min(_MOST_POINTS, _ALL_POINTS // max(1, len(features)))
    return tuple(
        feature.model_copy(update={"geometry": shapes.slimmed(feature.geometry, most)})
        if feature.geometry
        else feature
        for feature in features
    )


def _whole(aggregate: Aggregate | None, count: int) -> Aggregate | None:
    """Counted are all that there are, be they sent or not."""
    if aggregate is None or aggregate.function != "count":
        return aggregate
    return aggregate.model_copy(update={"value": count})


def _label(layer: LayerFeatures, area: Area, conditions: Sequence[str]) -> str:
    named = " ".join(filter(None, (layer.things or layer.label, area.label)))
    return f"{named} ({', '.join(conditions)})" if conditions else named


def _ranked(feature: Feature, order: str) -> Feature:
    """What it was ordered by comes first."""
    attributes = sorted(feature.attributes, key=lambda each: each.name != order)
    return feature.model_copy(update={"attributes": tuple(attributes)}) if order else feature


def _which(first: Sequence[Feature], count: int, order: str) -> Iterable[str]:
    """That these are not all; of one alone what it is, and why this one."""
    if len(first) == 1 and count > 1:
        ranked = next((each for each in first[0].attributes if each.name == order), None)
        value = f", {ranked.name}: {_number(ranked.value, ranked.unit)}" if ranked else ""
        yield text("features_top", name=f"{first[0].label}{value}")
    elif 0 < len(first) < count:
        yield text("features_first", n=len(first))


def _number(value: str | float, unit: str | None) -> str:
    """With apostrophes between thousands, as in Switzerland."""
    plain = value if isinstance(value, str) else f"{value:,.2f}".rstrip("0").rstrip(".").replace(",", "'")
    return f"{plain} {unit}" if unit else plain


def _aggregated(aggregate: Aggregate) -> str:
    if aggregate.function == "count":
        return ""
    told = _number(aggregate.value, aggregate.unit)
    return text(f"aggregate_{aggregate.function}", attribute=aggregate.attribute, value=told)


def _of_layers(key: str, layers: Sequence[str], titles: Mapping[str, str]) -> Iterable[str]:
    if layers:
        yield text(key, names=_listed([titles.get(layer, layer) for layer in layers]))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"«{name}»" for name in names[:_NAMED])
    more = len(names) - _NAMED
    return text("and_more", names=shown, n=more) if more > 0 else shown


def _capitalized(label: str) -> str:
    return label[:1].upper() + label[1:]
