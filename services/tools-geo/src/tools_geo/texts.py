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
        "layers_found": "Mehrere Layer gefunden. Bitte triff eine Auswahl.",
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
        "height_found": "Höhe ermittelt.",
        "height_none": "Keine Höhe an der Koordinate {x}, {y} gefunden.",
        "height_hint": "Prüfe die Koordinate (LV95, zum Beispiel «{example}»).",
        "height_example": "2607094, 1228788",
        "geothermal_found": "Auskunft zu Erdwärmesonden ermittelt.",
        "geothermal_none": "Keine Auskunft zu Erdwärmesonden an der Koordinate {x}, {y} gefunden.",
        "geothermal_hint": (
            "Die Abfrage deckt den Kanton ab. Prüfe die Koordinate (LV95, zum Beispiel «{example}»)."
        ),
        "geothermal_example": "2605919, 1229245",
        "geothermal_sample_allowed": (
            "Beispieldaten: Eine Erdwärmesonde wäre hier bis in eine Tiefe von {depth} m möglich "
            "(Untergrund: {reason})."
        ),
        "geothermal_sample_denied": ("Beispieldaten: Eine Erdwärmesonde wäre hier nicht möglich ({reason})."),
        "plan_found": "Grundbuchplan erstellt.",
        "plan_none": "Der Grundbuchplan konnte nicht erstellt werden.",
        "plan_hint": "Nenne Nummer und Gemeinde, zum Beispiel «{example}».",
        "plan_example": "Grundstück 198 in Messen",
        # On the sheet of a plan.
        "plan_details": "Grundbuch {land_register}  ·  {kind}  ·  EGRID {egrid}",
        "plan_scale": "Massstab 1:{scale}",
        "plan_metres": "{length} m",
        "plan_north": "N",
        "plan_watermark": "BEISPIEL",
        "plan_disclaimer": "Beispiel, nicht rechtsverbindlich",
        "plan_frame": "Koordinaten in Metern, Bezugsrahmen LV95 (EPSG:2056)",
        "remark_number_unknown": "Die Hausnummer {number} ist an dieser Strasse ({street}) nicht erfasst.",
        "remark_street_missing": "«{place}» ist ein Ort, es fehlt die Strasse.",
        "remark_position_approximate": "Die Lage ist nur ungefähr bekannt.",
        "remark_position_unknown": "Zu {name} ist keine Lage erfasst.",
        "remark_municipality_unknown": "Eine Gemeinde «{municipality}» kenne ich im Kanton Solothurn nicht.",
        "remark_beyond_unavailable": (
            "Ausserhalb des Kantons konnte gerade nicht gesucht werden: swisstopo antwortet nicht."
        ),
        "remark_height_outside": "Das Höhenmodell von swisstopo reicht nur bis zur Landesgrenze.",
        "remark_height_unknown": (
            "Die mitgelieferten Beispieldaten reichen nicht bis dorthin. Prüfe die Koordinate (LV95, zum "
            "Beispiel «{example}»)."
        ),
        "remark_geothermal_unknown": (
            "Die mitgelieferten Beispieldaten reichen nicht bis dorthin. Prüfe die Koordinate (LV95, zum "
            "Beispiel «{example}»)."
        ),
        "remark_parcel_unknown": "Kein Grundstück mit EGRID {egrid} gefunden.",
        "remark_no_outline": "Vom Grundstück ist kein Umriss bekannt.",
        "remark_no_area": "Ein Umriss ohne Breite oder Höhe lässt sich nicht zeichnen.",
        "remark_sample_data": (
            "Der mitgelieferte Datensatz ist ein Ausschnitt, er enthält zum Beispiel «{example}»."
        ),
        "remark_more_layers": (
            "Es gibt {found} passende Karten; hier die besten {shown}. "
            "Nenne ein genaueres Thema, wenn die richtige nicht dabei ist."
        ),
        "remark_layer_not_loadable": (
            "Die Karte «{title}» gibt es, aber {owner} bietet sie nicht so an, dass ich sie laden kann."
        ),
        "remark_known_elsewhere": "Auskunft dazu gibt zum Beispiel «{see}».",
        "label_address": "{street} {number}, {postal_code} {locality}",
        "label_municipality": "{name} (Gemeinde)",
        "label_place": "{name}",
        "label_place_in": "{name} (Gemeinde {municipality})",
        "label_coordinate": "{east} / {north}",
        "label_district_named": "Bezirk {name}",
        "label_canton_named": "Kanton {name}",
        "label_canton": "Kanton Solothurn",
        "label_layer_group": "{title} (Gruppe)",
        "label_parcel": ("Grundstück {number} {municipality} ({kind}) – Grundbuch {land_register} – {egrid}"),
        "label_parcel_elsewhere": "Grundstück {number} {municipality} ({kind}) – {egrid}",
        "label_height": "{height} m ü. M.",
        "label_geothermal": "Auskunft zu Erdwärmesonden",
        "label_plan": "Grundbuchplan",
        "label_plan_of": "Grundbuchplan Grundstück {number} {municipality}",
        "kind_locality": "Ortschaft",
        "kind_former_municipality": "ehemalige Gemeinde",
        "kind_municipality": "Gemeinde",
        "kind_district": "Bezirk",
        "kind_field_name": "Flurname",
        "kind_named": "Ort",
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
        "source_canton_addresses": "{host}, Adressen",
        "source_canton_places": "{host}, Orte",
        "source_canton_layers": "{host}, Karten",
        "source_canton_parcels": "{host}, Grundstücke",
        "source_canton_geothermal": "{host}, Erdwärmesonden",
        "source_canton_plans": "{host}, Grundbuchplan",
        "source_federal_heights": "swisstopo, Höhenmodell",
        "source_federal_layers": "swisstopo, Karten des Bundes",
        "source_federal_search": "swisstopo, SearchServer",
        "source_federal_identify": "swisstopo, Identify",
        "service_heights": "Der Höhendienst von swisstopo",
        "service_geothermal": "Die Erdwärmesonden-Abfrage des Kantons",
        "service_plans": "Der Druckdienst für Grundbuchpläne",
        "service_prints": "Die Ablage für Grundbuchpläne",
        "service_addresses": "Die Adresssuche von {host}",
        "service_places": "Die Ortssuche von {host}",
        "service_layers": "Die Kartensuche von {host}",
        "service_parcels": "Die Grundstücksabfrage von {host}",
        "service_federal": "Die Suche von swisstopo",
        "source_heights": "Beispieldaten, aus bekannten Höhen in der Umgebung geschätzt",
        "source_geothermal": "Beispieldaten, keine amtliche Auskunft",
        "source_plans": "Beispieldaten, aus dem mitgelieferten Ausschnitt gezeichnet",
        "source_coordinate": "Koordinate aus der Anfrage",
        "license_open": "Freie Nutzung mit Quellenangabe",
        "license_none": "Keine Lizenz nötig",
        "attribution_federal": "Bund (geo.admin.ch)",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, {})
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
