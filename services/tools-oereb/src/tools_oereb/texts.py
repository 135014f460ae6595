"""Everything that this service says to users, by key and language."""

_TEXTS: dict[str, dict[str, str]] = {
    "de": {
        "parcel_found": "Grundstück gefunden.",
        "parcels_found": "Mehrere Grundstücke gefunden.",
        "nothing_found": "Kein Grundstück gefunden.",
        "parcels_hint": "Prüfe die Koordinate {x}, {y} (LV95, zum Beispiel «2600513, 1215519»).",
        "parcels_sample": (
            "An der Koordinate {x}, {y} ist im mitgelieferten Ausschnitt nichts erfasst, "
            "wohl aber zum Beispiel bei «2600513, 1215519»."
        ),
        "extract_ready": "ÖREB-Auszug erstellt.\nPDF: {pdf_url}\nFachanwendung: {map_url}",
        "extract_hint": (
            "Der EGRID {egrid} ist nicht erfasst; nenne Nummer und Gemeinde, zum Beispiel "
            "«Grundstück 198 in Messen»."
        ),
        "extract_sample": (
            "Der EGRID {egrid} ist im mitgelieferten Ausschnitt nicht erfasst, "
            "wohl aber zum Beispiel «Grundstück 198 in Messen»."
        ),
        "extract_not_released": (
            "Für das Grundstück {egrid} gibt es noch keinen ÖREB-Auszug: Seine Gemeinde ist im "
            "ÖREB-Kataster nicht freigeschaltet."
        ),
        "themes": "{count} betroffene Themen: {themes}",
        "theme": "1 betroffenes Thema: {themes}",
        "no_themes": "Kein Thema betroffen.",
        "label_parcel": "{egrid} – {kind} ({number})",
        "label_extract": "ÖREB-Auszug für {egrid}",
        "kind_RealEstate": "Liegenschaft",
        "kind_Distinct_and_permanent_rights.BuildingRight": "Baurecht",
        "kind_Distinct_and_permanent_rights.right_to_spring_water": "Quellenrecht",
        "kind_Distinct_and_permanent_rights.concession": "Konzessionsrecht",
        "kind_Distinct_and_permanent_rights.other": "weiteres selbständiges und dauerndes Recht",
        "kind_Mineral_rights": "Bergwerk",
        "kind_unknown": "Grundstück",
        "service": "Der ÖREB-Dienst",
        "source": "ÖREB-Kataster Kanton Solothurn (mitgelieferter Ausschnitt)",
        "source_approximate": (
            "ÖREB-Kataster Kanton Solothurn (mitgelieferter Ausschnitt, Umriss nur ungefähr)"
        ),
        "license_open": "Freie Nutzung mit Quellenangabe",
    }
}


def knows(key: str) -> bool:
    """Whether the catalogue has a sentence for the key."""
    return key in _TEXTS["de"]


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, {})
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
