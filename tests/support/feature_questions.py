"""Questions for features that every source of the same features has the same answers to."""

from dataclasses import replace
from typing import Any

from contracts.items import FeatureSet
from contracts.messages import Outcome
from servicekit.testing import MemoryBus

from tools_geo.gateways import FeatureGateway, Gateways
from tools_geo.handlers import register

SITES = "ch.so.afu.altlasten.standorte"
ZONES = "ch.so.afu.gewaesserschutz.schutzzonen"
RESERVES = "ch.so.arp.naturreservate"
PATHS = "ch.so.arp.wanderwege_mit_sperrungen_umleitungen"
HUNTING = "ch.so.awjf.jagdreviere"
MONUMENTS = "ch.so.ada.denkmalschutz"

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"layer": "Altlasten", "municipality": "Olten"},
    {"layer": SITES, "municipality": "Solothurn", "function": "sum", "attribute": "Fläche"},
    {"layer": SITES, "everywhere": True, "order": "-Fläche", "limit": 3},
    {"layer": SITES, "everywhere": True, "function": "max", "attribute": "Fläche"},
    {"layer": SITES, "x": 2635345, "y": 1244330, "radius": 1500, "order": "distance"},
    {"layer": SITES, "extent": [2634000, 1243000, 2636500, 1245500]},
    {
        "layer": SITES,
        "everywhere": True,
        "where": [{"attribute": "Status", "operator": "contains", "value": "überwachungsbedürftig"}],
    },
    {"layer": MONUMENTS, "municipality": "Messen"},
    {
        "layer": MONUMENTS,
        "everywhere": True,
        "where": [{"attribute": "Baujahr", "operator": "<", "value": 1900}],
    },
    {"layer": MONUMENTS, "everywhere": True, "function": "mean", "attribute": "Baujahr"},
    {"layer": "Naturreservate", "municipality": "Grenchen", "order": "-area"},
    {"layer": RESERVES, "everywhere": True, "function": "sum", "attribute": "area"},
    {"layer": RESERVES, "extent": [2600000, 1220000, 2612000, 1232000]},
    {"layer": "Wanderwege", "everywhere": True, "function": "sum", "attribute": "length"},
    {"layer": PATHS, "x": 2607094, "y": 1228788, "radius": 3000, "order": "-length"},
    {"layer": "Jagdreviere", "municipality": "Biberist"},
    {"layer": HUNTING, "x": 2605899, "y": 1229278, "radius": 1},
    {"layer": ZONES, "x": 2605899, "y": 1229278, "radius": 1},
    {"layer": ZONES, "egrid": "CH955832730623"},
    {
        "layer": ZONES,
        "everywhere": True,
        "where": [{"attribute": "Zone", "operator": "=", "value": "S1"}],
        "function": "count",
    },
    {"layer": SITES, "extent": [2500000, 1100000, 2500100, 1100100]},
)


def shown(question: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in question.items())


async def asked(embedded: Gateways, features: FeatureGateway, question: dict[str, Any]) -> Outcome:
    """What the tool answers with the features of a source, and everything else from the packaged data."""
    bus: Any = MemoryBus()
    toolbox: Any = register(bus, replace(embedded, features=features))
    outcome: Outcome = await toolbox["features.query"].call(question, "de")
    return outcome


def told(outcome: Outcome) -> Any:
    """What a user reads of an answer, but for the number that was asked for."""
    found = set_of(outcome)
    features = [
        {each.name: (each.value, each.unit) for each in feature.attributes} for feature in found.features
    ]
    return found.layer, found.layer_label, found.area, found.count, features


def number(outcome: Outcome) -> float:
    """The number that was asked for; without one, how many there are."""
    found = set_of(outcome)
    return found.aggregate.value if found.aggregate else found.count


def set_of(outcome: Outcome) -> FeatureSet:
    assert len(outcome.items) == 1, outcome.message
    (found,) = outcome.items
    assert isinstance(found, FeatureSet)
    return found
