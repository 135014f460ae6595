"""Everything that this service says to users, by key and language."""

_TEXTS: dict[str, dict[str, str]] = {
    "de": {
        "example_parcel": "Grundstück {number} in {municipality}",
        "example_extract": "Erstelle einen ÖREB-Auszug für {subject}",
        "example_extract_at_point": "Lade den ÖREB-Auszug an der Koordinate {subject}",
        "parcel_found": "Grundstück gefunden.",
        "parcels_found": "Mehrere Grundstücke gefunden: {parcels}.",
        "nothing_found": "Kein Grundstück gefunden.",
        "parcels_hint": "Prüfe die Koordinate {x}, {y} (LV95).",
        "parcels_sample": "An der Koordinate {x}, {y} ist im mitgelieferten Ausschnitt nichts erfasst.",
        "extract_hint": "Der EGRID {egrid} ist nicht erfasst; nenne Nummer und Gemeinde.",
        "extract_sample": "Der EGRID {egrid} ist im mitgelieferten Ausschnitt nicht erfasst.",
        "extract_not_released": (
            "Für das Grundstück {egrid} gibt es noch keinen ÖREB-Auszug: Seine Gemeinde ist im "
            "ÖREB-Kataster nicht freigeschaltet."
        ),
        "extract_none": (
            "Für {egrid} gibt es keinen ÖREB-Auszug. Entweder ist der EGRID nicht erfasst, oder die Gemeinde "
            "ist im ÖREB-Kataster noch nicht freigeschaltet; der Dienst sagt nicht, welches von beiden."
        ),
        "extract_unread": (
            "Den ÖREB-Auszug für {egrid} konnte ich nicht lesen: {reason}\n"
            "Welche Eigentumsbeschränkungen gelten, weiss ich deshalb nicht."
        ),
        "extract_unread_parcel": "Bekannt ist das Grundstück: Nummer {number} ({kind}).",
        "extract_unread_links": (
            "Die Links führen zum gleichen Dienst; vielleicht antwortet er auch dort nicht."
        ),
        "extract_absent": (
            "Zu {egrid} liegt hier kein ÖREB-Auszug vor. "
            "Welche Eigentumsbeschränkungen gelten, weiss ich deshalb nicht."
        ),
        # What an extract says.
        "ready": "ÖREB-Auszug für {egrid} bereit.",
        "parcel": "{facts}",
        "parcel_name": "{kind} {number} in {municipality}",
        "parcel_of_egrid": "{kind} {egrid}",
        "area": "{area} m²",
        "area_less": "unter 0.1 m²",
        "length": "{length} m",
        "one_point": "1 Punkt",
        "points": "{count} Punkte",
        "percent": "{percent} %",
        "percent_less": "unter 0.1 %",
        "percent_almost": "fast 100 %",
        "sample": "Muster, erfunden: Nichts davon gilt für ein wirkliches Grundstück.",
        "of_theme": "{theme} – {said}",
        "restriction": "{name} ({size})",
        "unnamed": "ohne Bezeichnung",
        "and_more": "{listed} und {count} weitere",
        "restrictions_inForce": "in Kraft: {restrictions}",
        "restrictions_changeWithPreEffect": "geplant (Änderung mit Vorwirkung): {restrictions}",
        "restrictions_changeWithoutPreEffect": (
            "geplant, ohne Vorwirkung – heute noch nicht wirksam: {restrictions}"
        ),
        "restrictions_unknown": "Rechtsstatus nicht bekannt: {restrictions}",
        "status_inForce": "in Kraft",
        "status_changeWithPreEffect": "geplant (Änderung mit Vorwirkung)",
        "status_changeWithoutPreEffect": "geplant, ohne Vorwirkung",
        "status_unknown": "Rechtsstatus nicht bekannt",
        "unexplained": "betroffen; wodurch, sagt der Auszug nicht",
        "contradictory": "der Auszug widerspricht sich; bitte beim Kataster nachfragen",
        "contradictory_by": (
            "der Auszug widerspricht sich (er führt auf: {restrictions}); bitte beim Kataster nachfragen"
        ),
        "without_data": "Keine Daten zu: {themes}. Ob das Grundstück betroffen ist, ist damit offen.",
        "not_concerned": "Nicht betroffen: {themes}.",
        "one_theme": "1 Thema",
        "several_themes": "{count} Themen",
        "more_themes": "Weitere Themen, die der Auszug aufführt: {count}.",
        "all_clear": "Kein Thema betroffen. Themen im Auszug, alle mit Daten: {count}.",
        "not_released": (
            "Keine Daten zu diesem Grundstück: Zu allen Themen fehlen sie; vielleicht ist die Gemeinde im "
            "ÖREB-Kataster noch nicht freigeschaltet. Ob Beschränkungen bestehen, ist damit offen."
        ),
        "nothing_listed": (
            "Keine Daten zu diesem Grundstück: Der Auszug führt nichts auf; vielleicht ist die Gemeinde im "
            "ÖREB-Kataster noch nicht freigeschaltet. Ob Beschränkungen bestehen, ist damit offen."
        ),
        # Answers to questions about it.
        "answer_for": "{parcel}:",
        "yes": "Ja.",
        "no": "Nein.",
        "no_size": "Einen Anteil nennt der Auszug nicht überall.",
        "nothing_planned": "Geplantes führt der Auszug nicht auf.",
        "nothing_planned_there": "Geplantes führt der Auszug dazu nicht auf.",
        "quoted": "«{word}»",
        "document": "{document} – zu: {themes}",
        "document_with_marks": "{kind}: {title} ({marks}), {status}",
        "document_without_marks": "{kind}: {title}, {status}",
        "document_Law": "Gesetz",
        "document_LegalProvision": "Vorschrift",
        "document_Hint": "Hinweis",
        "document_unknown": "Dokument",
        "more_documents": "Weitere Dokumente im Auszug: {count}.",
        "more_offices": "Weitere zuständige Stellen im Auszug: {count}.",
        "no_documents": "Gesetze oder Vorschriften führt der Auszug dazu nicht auf.",
        "responsible": "Zuständig: {office} – für: {themes}",
        "nobody_named": "Ohne Angabe einer zuständigen Stelle: {themes}.",
        "nobody_responsible": "Wer zuständig ist, sagt der Auszug nicht.",
        "authority": "Zuständig für den ÖREB-Kataster: {office}",
        "none_without_data": "Themen ohne Daten führt der Auszug nicht auf.",
        "none_not_concerned": "Als nicht betroffen führt der Auszug nichts auf.",
        "not_said_permitted": "Was bewilligt wird, sagt der ÖREB-Kataster nicht. Er sagt:",
        "area_is": "Fläche des Grundstücks laut Auszug: {area}.",
        "area_unknown": "Die Fläche nennt der Auszug nicht.",
        "date_unknown": "Von wann der Auszug ist, nennt er nicht.",
        "explained": "{term}: {text} (Glossar des Auszugs)",
        "not_explained": "Das erklärt das Glossar des Auszugs nicht.",
        "not_listed": "Das sagt der ÖREB-Kataster hier nicht: Unter {words} führt der Auszug nichts auf.",
        "not_said": "Das sagt der ÖREB-Kataster nicht, jedenfalls nicht mit diesen Worten. Er sagt:",
        "not_said_about": (
            "Das sagt der ÖREB-Kataster nicht, jedenfalls nicht unter dem Namen {words}. Er sagt:"
        ),
        "elsewhere_nobody": "Das sagt der ÖREB-Kataster nicht: {words}.",
        "elsewhere_building": (
            "Das sagt der ÖREB-Kataster nicht: {words}. Höhen, Abstände und Ziffern für Bauten stehen in den "
            "Bauvorschriften von Kanton und Gemeinde."
        ),
        "elsewhere_hazards": (
            "Das sagt der ÖREB-Kataster nicht: Über Naturgefahren gibt die Gefahrenkarte von Kanton und "
            "Gemeinde Auskunft."
        ),
        "elsewhere_register": (
            "Das sagt der ÖREB-Kataster nicht: Über Eigentum, Dienstbarkeiten und Pfandrechte gibt das "
            "Grundbuchamt Auskunft."
        ),
        "created": "Auszug vom {day}.",
        "surveyed": "Stand der amtlichen Vermessung: {day}.",
        "extract_source": "Quelle: {source}.",
        "pdf": "PDF: {url}",
        "map": "Fachanwendung: {url}",
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
        "source": "{name} (mitgelieferter Ausschnitt)",
        "source_approximate": "{name} (mitgelieferter Ausschnitt, Umriss nur ungefähr)",
        "source_extract": "Muster-Auszug, mitgeliefert: keine Rechtsauskunft",
        "source_copy": "{name} (Kopie, keine Rechtsauskunft)",
        "source_invented": "Muster: erfundenes Grundstück, keine amtliche Auskunft",
        "license_open": "Freie Nutzung mit Quellenangabe",
    }
}


def knows(key: str) -> bool:
    """Whether the catalogue has a sentence for the key."""
    return key in _TEXTS["de"]


def text(key: str, /, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, {})
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
