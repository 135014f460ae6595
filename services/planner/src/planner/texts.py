"""Every sentence of this service that a user can see, by key and language."""

_DEFAULT_LANGUAGE = "de"

_TEXTS: dict[str, dict[str, str]] = {
    # What is understood, but cannot be planned.
    "unclear": {"de": "Das habe ich nicht verstanden. {examples}"},
    "unclear_beside_choice": {
        "de": "Das habe ich nicht verstanden. Die Auswahl von vorhin ist noch offen: Nenne eine Nummer von 1 "
        "bis {count}, oder schreib, was du stattdessen möchtest."
    },
    "unclear_beside_offer": {
        "de": "Das habe ich nicht verstanden. Das Angebot von vorhin ist noch offen: Schreib «{option}», "
        "oder was du stattdessen möchtest."
    },
    "only_maps": {"de": "Dabei kann ich nicht helfen: Ich kenne nur Karten und Geodaten. {examples}"},
    "no_data": {"de": "Zum Thema {topic} habe ich leider keine Daten. {examples}"},
    "unavailable": {"de": "{what} ist im Moment nicht verfügbar. Bitte versuche es später noch einmal."},
    "broken_egrid": {"de": "«{egrid}» ist keine gültige EGRID. Sie besteht aus CH und 12 Ziffern."},
    "unknown_coordinate": {
        "de": "«{coordinate}» ist keine Koordinate in der Schweiz. Ich verstehe LV95, LV03 und WGS84, zum "
        "Beispiel «2600000, 1200000» oder «46.9511, 7.4386»."
    },
    "where": {
        "de": "Für welchen Ort? Nenne mir eine Adresse, ein Grundstück (Nummer und Gemeinde) oder eine "
        "Koordinate."
    },
    "where_in": {
        "de": "Wo genau in {place}? Nenne mir eine Adresse, ein Grundstück (Nummer und Gemeinde) oder eine "
        "Koordinate."
    },
    "where_unknown": {
        "de": "«{place}» kann ich keinem genauen Ort zuordnen. Nenne mir eine Adresse, ein Grundstück "
        "(Nummer und Gemeinde) oder eine Koordinate."
    },
    "which_layer": {"de": "Welchen Layer möchtest du? Nenne mir ein Thema, zum Beispiel «Gewässerschutz»."},
    "which_theme": {
        "de": "Es gibt sehr viele Karten. Nenne mir ein Thema, zum Beispiel «Welche Karten zum Thema Wasser "
        "hast du?»"
    },
    "which_background": {
        "de": "Welchen Hintergrund möchtest du? Es gibt schwarz-weiss, farbig, das Luftbild und keinen."
    },
    "which_option": {"de": "Welche Option meinst du?\n{options}"},
    "no_choice": {"de": "Im Moment ist keine Auswahl offen. Schreib, was du auf der Karte sehen möchtest."},
    "what_instead": {"de": "Was soll ich stattdessen zeigen? Schreib zum Beispiel «Ich meinte Nummer 4»."},
    "no_undo": {
        "de": "Rückgängig machen kann ich nichts. Schreib zum Beispiel «Entferne alle Layer» oder «Leere die "
        "Karte»."
    },
    "zoom": {
        "de": "Näher heran und weiter weg geht es direkt auf der Karte. Nenne mir einen Ort, oder schreib "
        "«Zeige den ganzen Kanton»."
    },
    "which_extract": {
        "de": "Meinst du den ÖREB-Auszug oder den Grundbuchplan? Einen Auszug aus dem Grundbuch mit den "
        "Eigentümern habe ich nicht."
    },
    "hide_layer": {
        "de": "Nur ausblenden kann ich «{layer}» nicht, das geht in der Layerliste. Ganz weg geht es mit "
        "«Entferne {layer}»."
    },
    "no_markers": {
        "de": "Einzelne Markierungen kann ich nicht entfernen. «Leere die Karte» nimmt alle weg, und die "
        "Layer auch."
    },
    "hide_layers": {
        "de": "Nur ausblenden kann ich Layer nicht, das geht in der Layerliste. Ganz weg geht es zum "
        "Beispiel mit «Entferne alle Layer»."
    },
    # Talk.
    "greeting": {"de": "Hallo! Was möchtest du auf der Karte sehen? {examples}"},
    "welcome": {"de": "Gern geschehen."},
    "never_mind": {"de": "In Ordnung. Sag mir einfach, was du auf der Karte sehen möchtest."},
    "you_are_at": {"de": "Zuletzt habe ich dir das gezeigt: {place}."},
    "you_are_nowhere": {"de": "Noch habe ich dir keinen Ort gezeigt. {examples}"},
    "goodbye": {"de": "Auf Wiedersehen!"},
    "abilities": {"de": "Das kann ich im Moment:\n{abilities}"},
    "ability": {"de": "- {what}: {example}"},
    "ability_of_others": {"de": "- «{phrase}»"},
    "example": {"de": "«{sentence}»"},
    "examples": {"de": "Versuche es zum Beispiel mit {list}."},
    "or": {"de": "{first} oder {last}"},
    "research_greeting": {
        "de": "Hallo! Was möchtest du aus den Dokumenten wissen? Frage zum Beispiel: «Was wurde zum Thema "
        "Radwege beschlossen?»"
    },
    "research_abilities": {
        "de": "Ich suche in den Dokumenten und Anträgen, prüfe jedes gefundene Dokument und antworte mit "
        "Quellenangaben. Frage zum Beispiel:\n- «Was wurde zum Thema Radwege beschlossen?»\n"
        "- «Welche Anträge gibt es zur Mehrwertabgabe?»\n"
        "- «Was steht im letzten Jahresbericht über die Wasserversorgung?»"
    },
    "research_unclear": {
        "de": "Was möchtest du aus den Dokumenten wissen? Nenne mir ein Thema, zum Beispiel «Radwege».",
        "fr": "Que veux-tu savoir des documents ? Nomme-moi un thème, par exemple «Pistes cyclables».",
        "it": "Che cosa vuoi sapere dai documenti? Dimmi un tema, per esempio «Piste ciclabili».",
        "en": "What would you like to know from the documents? Name a topic, for example «cycle paths».",
    },
    # What was found in the messages before.
    "nothing_yet": {
        "de": "In diesem Gespräch habe ich noch nichts gesucht, es gibt nichts zusammenzufassen. {examples}",
        "fr": "Je n'ai encore rien cherché dans cette conversation, il n'y a rien à résumer. {examples}",
        "it": "In questa conversazione non ho ancora cercato nulla, non c'è nulla da riassumere. {examples}",
        "en": "I have not looked anything up in this conversation yet, so there is nothing to sum up. "
        "{examples}",
    },
    "loaded_layers": {"de": "Geladen sind:\n{layers}"},
    "no_layers_loaded": {"de": "Es ist kein Layer geladen."},
    "explain_oereb_extract": {
        "de": "Der ÖREB-Auszug zeigt die öffentlich-rechtlichen Eigentumsbeschränkungen, die für ein "
        "Grundstück gelten, zum Beispiel aus Zonenplänen oder Gewässerschutzzonen. Sag mir, für welches "
        "Grundstück du ihn brauchst."
    },
    "explain_cadastral_plan": {
        "de": "Der Grundbuchplan zeigt die Grenzen, Gebäude und Nummern der Grundstücke aus der amtlichen "
        "Vermessung. Sag mir, für welches Grundstück du ihn brauchst."
    },
    "explain_geothermal_probe_assessment": {
        "de": "Eine Erdwärmesonde holt Wärme aus dem Boden. Nicht überall darf gebohrt werden; nenne mir "
        "einen Ort, dann frage ich ab, ob und wie tief."
    },
    "explain_egrid": {
        "de": "Die EGRID ist die schweizweit eindeutige Nummer eines Grundstücks: CH und 12 Ziffern."
    },
    # What the tools are called.
    "name_geolocation.geocode": {"de": "Die Adresssuche"},
    "name_geolocation.municipality": {"de": "Die Gemeindesuche"},
    "name_geolocation.place": {"de": "Die Ortssuche"},
    "name_layers.search": {"de": "Die Layersuche"},
    "name_parcels.by_number": {"de": "Die Grundstückssuche nach Nummer"},
    "name_parcels.by_egrid": {"de": "Die Grundstückssuche nach EGRID"},
    "name_parcels.by_xy": {"de": "Die Grundstückssuche nach Koordinate"},
    "name_terrain.height_by_xy": {"de": "Die Höhenabfrage"},
    "name_geothermal.assess_by_xy": {"de": "Die Abfrage für Erdwärmesonden"},
    "name_cadastral.plan_by_geometry": {"de": "Der Grundbuchplan"},
    "name_oereb.egrid_by_xy": {"de": "Die Grundstückssuche für den ÖREB-Auszug"},
    "name_oereb.extract_by_id": {"de": "Der ÖREB-Auszug"},
    "name_documents.retrieve": {"de": "Die Dokumentensuche"},
    # What is possible, and a sentence to try.
    "can_goto_address": {"de": "Adressen anzeigen"},
    "can_search_place": {"de": "Gemeinden und Orte anzeigen"},
    "can_load_layer": {"de": "Karten suchen und laden"},
    "can_show_parcel": {"de": "Grundstücke anzeigen"},
    "can_oereb_extract": {"de": "ÖREB-Auszüge erstellen"},
    "can_geothermal_probe_assessment": {"de": "Prüfen, ob eine Erdwärmesonde möglich ist"},
    "can_cadastral_plan": {"de": "Grundbuchpläne erstellen"},
    "can_height_query": {"de": "Höhen abfragen"},
    "can_search_documents": {"de": "Dokumente suchen"},
    "can_set_background": {"de": "Hintergrund wechseln"},
    "can_remove_layer": {"de": "Layer entfernen"},
    "can_clear_map": {"de": "Karte leeren"},
    # Where the sources have named no example.
    "example_goto_address": {"de": "«Gehe zur Bahnhofstrasse 1 in …»"},
    "example_search_place": {"de": "«Gehe nach …»"},
    "example_load_layer": {"de": "«Welche Karten gibt es zum Thema Wasser?»"},
    "example_show_parcel": {"de": "«Zeige mir Grundstück 1 in …»"},
    "example_oereb_extract": {"de": "«Erstelle einen ÖREB-Auszug für Grundstück 1 in …»"},
    "example_extract_at_point": {"de": "«Erstelle einen ÖREB-Auszug an der Koordinate …»"},
    "example_geothermal_probe_assessment": {"de": "«Kann ich hier eine Erdwärmesonde bohren?»"},
    "example_cadastral_plan": {"de": "«Mache mir einen Grundbuchplan von Grundstück 1 in …»"},
    "example_height_query": {"de": "«Wie hoch liegt das hier?»"},
    "example_search_documents": {"de": "«Suche Dokumente zum Thema Radwege»"},
    "example_set_background": {"de": "«Wechsle zum Luftbild»"},
    "example_remove_layer": {"de": "«Entferne den Gewässerschutzlayer»"},
    "example_clear_map": {"de": "«Leere die Karte»"},
    # A planner with a language model, when it could not plan.
    "llm_unusable": {
        "de": "Daraus konnte ich keinen Plan machen. Bitte formuliere deinen Wunsch etwas anders.",
    },
    "llm_refused": {
        "de": "Dabei kann ich dir nicht helfen. Frage mich zum Beispiel nach einer Adresse, einem Grundstück "
        "oder einem Kartenlayer.",
    },
    "llm_blocked": {
        "de": "Diese Nachricht kann ich so nicht bearbeiten. Bitte formuliere sie anders.",
    },
    "llm_truncated": {
        "de": "Das war zu viel auf einmal. Bitte teile deine Nachricht in mehrere auf.",
    },
    "llm_unreachable": {
        "de": "Die Sprachverarbeitung ist im Moment nicht erreichbar. Bitte versuche es in ein paar Minuten "
        "noch einmal.",
    },
    # A bug in any planner.
    "planner_failed": {
        "de": "Beim Planen ist ein unerwarteter Fehler aufgetreten. Bitte versuche es noch einmal.",
    },
}


def text(key: str, language: str = _DEFAULT_LANGUAGE, **values: object) -> str:
    """The sentence in the language, or in German where there is no translation.

    Raises `KeyError` for an unknown key or a missing value.
    """
    by_language = _TEXTS[key]
    return by_language.get(language, by_language[_DEFAULT_LANGUAGE]).format(**values)
