"""Two cantons with their own names: the one of the packaged data, and an invented one, French and German.

The second is chosen by settings alone. Sentences of the flows are filled with the names of either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from contracts.items import Coord

_AUBONNES = Path(__file__).parent / "aubonnes"


@dataclass(frozen=True)
class Spot:
    """An address of the data."""

    id: str
    street: str
    number: str
    locality: str
    postal_code: str
    coord: Coord

    @property
    def label(self) -> str:
        return f"{self.street} {self.number}, {self.postal_code} {self.locality}"


@dataclass(frozen=True)
class Lot:
    """A parcel number, and who has it."""

    number: str
    municipality: str
    egrids: tuple[str, ...]

    @property
    def spoken(self) -> str:
        return f"Grundstück {self.number} in {self.municipality}"


@dataclass(frozen=True)
class Canton:
    """What the flows talk about in one canton. Coordinates are LV95 in metres."""

    name: str
    spot: Spot
    street: Spot
    """One of several in its street, and not the first."""
    first_in_street: str
    second_in_street: str
    lot: Lot
    zone: str
    """In which that parcel lies."""
    twice: Lot
    """A number that two parcels of one municipality have."""
    point: str
    at_point: tuple[tuple[str, str], ...]
    """(EGRID, number) of the parcel and of the right at the point."""
    municipality: str
    """Whose name is no everyday word."""
    called: tuple[tuple[str, str], ...]
    """What people say, and the place that they mean."""
    layers: tuple[str, ...]
    """Of water protection."""
    measured: tuple[str, Coord, str, str]
    """A place with its point, how the point is told, and its height."""
    drilled: tuple[Coord, int]
    """A point where one may drill, and how deep."""
    pdf_url: str = "https://geo.so.ch/api/oereb"
    environment: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


SOLOTHURN = Canton(
    name="solothurn",
    spot=Spot("623490242", "Langendorfstrasse", "19b", "Solothurn", "4500", (2605899.0, 1229278.0)),
    street=Spot("", "Rötistrasse", "4", "Solothurn", "4500", (2607888.0, 1228249.0)),
    first_in_street="Rötistrasse 1",
    second_in_street="Rötistrasse 3",
    lot=Lot("198", "Messen", ("CH955832730623",)),
    zone="Wohnzone zweigeschossig (W2)",
    twice=Lot("168", "Messen", ("CH807306583219", "CH181832067404")),
    point="2600513, 1215519",
    at_point=(("CH955832730623", "198"), ("CH710620327442", "531")),
    municipality="Grenchen",
    called=(("Grenchen", "Grenchen"), ("Balm bei Messen", "Balm"), ("den Kanton", "Kanton Solothurn")),
    layers=tuple(
        f"ch.so.afu.gewaesserschutz.{part}"
        for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
    ),
    measured=("Solothurn", (2607094.0, 1228788.0), "2'607'094 / 1'228'788", "440"),
    drilled=((2605919.0, 1229245.0), 250),
)
AUBONNES = Canton(
    name="aubonnes",
    spot=Spot("au-20012", "Rue du Lac", "12", "Saint-Aubin", "9902", (2564251.0, 1203142.0)),
    street=Spot("au-20005", "Rue du Lac", "5", "Saint-Aubin", "9902", (2564212.0, 1203104.0)),
    first_in_street="Rue du Lac 1",
    second_in_street="Rue du Lac 5",
    lot=Lot("D7001", "Saint-Aubin", ("CH991000000101",)),
    zone="Zone du village / Dorfzone",
    twice=Lot("D7002", "La Chaux-des-Fleurs", ("CH991000000202", "CH991000000203")),
    point="2564250, 1203140",
    at_point=(("CH991000000101", "D7001"), ("CH991000000115", "D7015")),
    municipality="Château-l'Évêque",
    called=(
        ("Seewil", "Seewil/Villac"),
        ("Villac", "Seewil/Villac"),
        ("chateau-l'eveque", "Château-l'Évêque"),
        ("Prés-d'en-Haut", "Prés-d'en-Haut"),
        ("den Kanton", "Kanton Aubonnes"),
        ("den Bezirk Hügelland", "Bezirk Hügelland"),
    ),
    layers=("ch.au.eaux.protection.zones", "ch.au.eaux.protection.captages"),
    measured=("Aubonnes", (2560000.0, 1200000.0), "2'560'000 / 1'200'000", "430"),
    drilled=((2564251.0, 1203142.0), 180),
    pdf_url="https://geo.aubonnes.example/api/oereb",
    environment={
        "GEO_DATA_DIR": str(_AUBONNES),
        "OEREB_PARCELS_FILE": str(_AUBONNES / "oereb_parcels.geojson"),
        "OEREB_EXTRACTS_DIR": str(_AUBONNES / "extracts"),
        "OEREB_URL": "https://geo.aubonnes.example/api/oereb",
        "OEREB_MAP_URL": "https://geo.aubonnes.example/map/?egrid={egrid}",
        "OEREB_SOURCE_NAME": "ÖREB-Kataster Kanton Aubonnes",
        "WMS_URL": "https://geo.aubonnes.example/wms",
        "LAYER_ATTRIBUTION": "Kanton Aubonnes",
    },
)
CANTONS = (SOLOTHURN, AUBONNES)
