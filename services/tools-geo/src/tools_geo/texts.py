"""Everything that this service says to users, by key and language."""

_TEXTS: dict[str, dict[str, str]] = {
    "de": {
        "addresses_found": "{n} Treffer gefunden.",
        "addresses_none": "Keine Treffer gefunden.",
        "addresses_hint": "Nenne Strasse, Hausnummer und Ort, zum Beispiel «{example}».",
        "addresses_example": "Rötistrasse 4, Solothurn",
        "municipality_found": "1 Gemeinde gefunden.",
        "municipalities_found": "{n} Gemeinden gefunden.",
        "municipalities_none": "Keine Gemeinden gefunden.",
        "municipalities_hint": "Nenne eine Gemeinde im Kanton Solothurn, zum Beispiel «{example}».",
        "municipalities_example": "Grenchen",
        "places_found": "{n} Treffer gefunden.",
        "places_none": "Keine Treffer gefunden.",
        "places_hint": "Nenne einen Ort im Kanton Solothurn, zum Beispiel «{example}».",
        "places_example": "Balm bei Messen",
        "layer_found": "Layer gefunden.",
        "layers_found": "Mehrere Layer gefunden. Bitte Auswahl treffen.",
        "layers_none": 'Keine Layer zu "{query}" gefunden.',
        "layers_hint": "Nenne ein Thema, zum Beispiel «{example}», «Wald» oder «Nutzungsplanung».",
        "layers_example": "Gewässerschutz",
        "parcel_found": "Grundstück ermittelt.",
        "parcels_found": "Mehrere Grundstücke gefunden. Bitte Auswahl treffen.",
        "parcel_number_none": "Kein Grundstück {number} in {municipality} gefunden.",
        "parcel_number_hint": "Nenne Nummer und Gemeinde, zum Beispiel «{example}».",
        "parcel_number_example": "Grundstück 198 in Messen",
        "parcel_egrid_none": "Kein Grundstück mit EGRID {egrid} gefunden.",
        "parcel_egrid_hint": "Nenne Nummer und Gemeinde, zum Beispiel «{example}».",
        "parcel_egrid_example": "Grundstück 198 in Messen",
        "parcel_xy_none": "Kein Grundstück an der Koordinate {x}, {y} gefunden.",
        "parcel_xy_hint": "Prüfe die Koordinate (LV95, zum Beispiel «{example}»).",
        "parcel_xy_example": "2600513, 1215519",
        "remark_number_unknown": "Die Hausnummer {number} ist an dieser Strasse ({street}) nicht erfasst.",
        "remark_street_missing": "«{place}» ist ein Ort, es fehlt die Strasse.",
        "remark_position_approximate": "Die Lage ist nur ungefähr bekannt.",
        "remark_position_unknown": "Zu {name} ist keine Lage erfasst.",
        "remark_municipality_unknown": "Eine Gemeinde «{municipality}» kenne ich im Kanton Solothurn nicht.",
        "remark_sample_data": (
            "Der mitgelieferte Datensatz ist ein Ausschnitt, er enthält zum Beispiel «{example}»."
        ),
        "label_address": "{street} {number}, {postal_code} {locality}",
        "label_municipality": "{name} (Gemeinde)",
        "label_place": "{name}",
        "label_place_in": "{name} (Gemeinde {municipality})",
        "label_coordinate": "{east} / {north}",
        "label_canton": "Kanton Solothurn",
        "label_layer_group": "{title} (Gruppe)",
        "label_parcel": ("Grundstück {number} {municipality} ({kind}) – Grundbuch {land_register} – {egrid}"),
        "kind_locality": "Ortschaft",
        "kind_former_municipality": "ehemalige Gemeinde",
        "kind_municipality": "Gemeinde",
        "kind_coordinate": "Koordinate",
        "kind_canton": "Kanton",
        "source_addresses": "Amtliche Vermessung Kanton Solothurn (mitgelieferter Ausschnitt)",
        "source_addresses_approximate": "Mitgelieferter Ausschnitt, Lage nur ungefähr",
        "source_places": "Amtliches Ortschaftenverzeichnis, swisstopo (mitgelieferter Ausschnitt)",
        "source_layers": "Geoportal Kanton Solothurn, geo.so.ch",
        "source_parcels": "Amtliche Vermessung Kanton Solothurn (mitgelieferter Ausschnitt)",
        "source_parcels_approximate": (
            "Amtliche Vermessung Kanton Solothurn (mitgelieferter Ausschnitt, Umriss nur ungefähr)"
        ),
        "source_coordinate": "Koordinate aus der Anfrage",
        "license_open": "Freie Nutzung mit Quellenangabe",
        "license_none": "Keine Lizenz nötig",
        "attribution_canton": "Kanton Solothurn",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, {})
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
