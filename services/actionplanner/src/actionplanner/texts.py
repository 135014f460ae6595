"""All sentences that a user can read, by language and key."""

from functools import partial
from typing import Protocol

_TEXTS = {
    "de": {
        # Endings without a result.
        "too_large": "Das Ergebnis ist zu gross. Bitte frage nach weniger auf einmal.",
        "error": "Das hat leider nicht geklappt. Bitte versuche es noch einmal.",
        "clarify": "Ich brauche noch eine Angabe. Bitte formuliere deinen Wunsch etwas genauer.",
        "nothing_found": "Dazu habe ich nichts gefunden. Bitte formuliere deinen Wunsch anders.",
        "no_address": "Keine Adresse gefunden. Nenne bitte Strasse, Hausnummer und Ort.",
        "no_place": "Keinen Ort gefunden. Nenne bitte eine Gemeinde oder einen Ort.",
        "no_layer": "Keinen Layer gefunden. Nenne bitte ein anderes Thema.",
        "no_parcel": "Kein Grundstück gefunden. Nenne bitte Nummer und Gemeinde oder den EGRID.",
        "no_extract": "Keinen ÖREB-Auszug gefunden. Nenne bitte ein Grundstück oder eine Koordinate.",
        "no_geothermal": "Keine Auskunft zu Erdwärmesonden gefunden. Nenne bitte eine Koordinate.",
        "no_plan": "Kein Grundbuchplan gefunden. Nenne bitte ein Grundstück.",
        "no_height": "Keine Höhe gefunden. Nenne bitte eine Koordinate oder eine Adresse.",
        "no_documents": "Keine Dokumente gefunden. Bitte formuliere deine Frage anders.",
        "no_position": "Zu «{label}» ist keine Lage bekannt. Nenne bitte einen anderen Ort.",
        "layer_unusable": "Der Layer «{label}» kann im Moment nicht geladen werden.",
        "extract_unusable": "Der ÖREB-Auszug für {egrid} hat keinen gültigen Link.",
        "plan_unusable": "Der Grundbuchplan hat keinen gültigen Link.",
        # One result.
        "address": "Adresse {label} zentriert.",
        "address_similar": "Genau diese Adresse habe ich nicht gefunden. Am nächsten kommt {label}.",
        "municipality": "Gemeinde {name} zentriert.",
        "place": "{label} zentriert.",
        "coordinate_centred": "Koordinate {label} zentriert.",
        "shown": "{label} wird auf der Karte gezeigt.",
        "layer": "{name}-Layer geladen.",
        "layer_quoted": "Layer «{name}» geladen.",
        "parcel": "Grundstück {number} in {municipality} ({facts}).",
        "parcel_somewhere": "Grundstück {number} ({facts}).",
        "parcel_register": "Grundbuch {name}",
        "parcel_egrid": "EGRID {egrid}",
        "area": "{area} m²",
        "extract": "ÖREB-Auszug für {egrid} bereit.",
        "extract_unread": "Link zum ÖREB-Auszug für {egrid}. Gelesen ist er nicht.",
        "geothermal_allowed": "Eine Erdwärmesonde ist an diesem Standort möglich.",
        "geothermal_allowed_depth": "Eine Erdwärmesonde ist an diesem Standort bis {depth} m Tiefe möglich.",
        "geothermal_denied": "Eine Erdwärmesonde ist an diesem Standort nicht möglich.",
        "geothermal_marker": "Erdwärmesonde",
        "report": "Bericht: {url}",
        "plan": "Grundbuchplan erstellt.",
        "plan_scale": "Grundbuchplan im Massstab 1:{scale} erstellt.",
        "plan_link": "PDF: {url}",
        "plan_link_until": "PDF: {url} (verfügbar bis {moment})",
        "height": "{height} m ü. M.",
        "height_about": "rund {height} m ü. M.",
        "height_at": "Höhe bei {east} / {north}: {height}",
        "height_only": "Höhe: {height}",
        # Where a fact comes from.
        "source": "Quelle: {source}",
        "stale": "Hinweis: Diese Angabe ist vom {moment}, die Quelle antwortet gerade nicht ({source}).",
        "moment": "{day}.{month}.{year}, {clock}",
        "clock": "{time} Uhr",
        # Choices.
        "again": "Nochmals versuchen",
        "choose_only": "Meinst du «{label}»?",
        "choose": "Mehrere Treffer gefunden. Bitte wähle einen.",
        "choose_address": "Mehrere Adressen gefunden. Bitte wähle eine.",
        "choose_similar_address": "Genau diese Adresse habe ich nicht gefunden. Meinst du eine von diesen?",
        "choose_municipality": "Mehrere Gemeinden gefunden. Bitte wähle eine.",
        "choose_place": "Mehrere Orte gefunden. Bitte wähle einen.",
        "choose_parcel": "Bitte wähle das betroffene Grundstück.",
        "choose_layer": "Mehrere Layer gefunden. Bitte triff eine Auswahl.",
        "choose_loaded_layer": "Mehrere geladene Layer passen. Welchen soll ich entfernen?",
        "choose_extract": "Mehrere ÖREB-Auszüge gefunden. Bitte wähle einen.",
        "choose_document": "Mehrere Dokumente gefunden. Bitte wähle eines.",
        "choose_first": "Von {found} Treffern siehst du die ersten {shown}.",
        "parcel_choice": "EGRID {egrid} – {short} {municipality} ({facts})",
        "parcel_short": "Grundstück {number}",
        "parcel_kind": "{kind}: {meaning}",
        "means_Liegenschaft": "der Boden selbst",
        "means_Baurecht": "das Recht, auf fremdem Boden zu bauen",
        "means_Quellenrecht": "das Recht, eine fremde Quelle zu nutzen",
        "means_Konzessionsrecht": "ein vom Staat verliehenes Recht",
        "means_weiteres selbständiges und dauerndes Recht": "ein Recht an fremdem Boden",
        "means_Bergwerk": "das Recht, Bodenschätze abzubauen",
        "group": "{label} (Gruppe)",
        "with_difference": "{label} ({difference})",
        "coordinate": "{east} / {north}",
        "type_address": "Adresse",
        "type_municipality": "Gemeinde",
        "type_place": "Ort",
        "type_parcel": "Grundstück",
        "type_layer": "Layer",
        "type_layer_group": "Gruppe",
        "type_document": "Dokument",
        # Commands.
        "cleared": "Karte geleert.",
        "background": "Hintergrundkarte gewechselt: {name}.",
        "background_none": "Hintergrundkarte ausgeblendet.",
        "background_unknown": "Welche Hintergrundkarte möchtest du? Zur Wahl stehen: {names}.",
        "background_name_none": "keine",
        "background_name_sw": "Graustufen",
        "background_name_color": "Farbig",
        "background_name_ortho": "Luftbild",
        "removed": "Layer «{label}» entfernt.",
        "removed_several": "Layer entfernt: {labels}.",
        "removed_all": "Alle Layer entfernt.",
        "nothing_loaded": "Es ist kein Layer geladen, den ich entfernen könnte.",
        "not_loaded_named": "Den Layer «{name}» finde ich nicht. Geladen sind: {labels}.",
        "which_layer": "Welchen Layer soll ich entfernen? Geladen sind: {labels}.",
        "quoted": "«{label}»",
        "and": "{first} und {last}",
        "and_more": "{listed} und {count} weitere",
    }
}


class Say(Protocol):
    """The catalogue in one language."""

    def __call__(self, key: str, /, **values: object) -> str: ...


def text(key: str, /, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, _TEXTS["de"])
    return sentences.get(key, _TEXTS["de"][key]).format(**values)


def knows(key: str) -> bool:
    """Whether the catalogue has a sentence for the key."""
    return key in _TEXTS["de"]


def speaking(language: str) -> Say:
    """The catalogue in one language."""
    return partial(text, language=language)
