"""Every sentence of the edge that a user can see."""

DEFAULT_LANGUAGE = "de"

_TEXTS = {
    "de": {
        # Details of problems, by code.
        "internal_error": "Da ist etwas schiefgelaufen. Bitte versuche es später noch einmal.",
        "malformed_json": "Der Inhalt der Anfrage ist kein gültiges JSON.",
        "idempotency_key_invalid": "Der Idempotency-Key braucht 1 bis {max_chars} druckbare ASCII-Zeichen.",
        "event_id_invalid": "Diese Ereignis-Id gehört zu keinem Strom.",
        "host_invalid": "Die Anfrage nennt keinen gültigen Servernamen.",
        "origin_refused": "Diese Webseite darf den Dienst nicht aufrufen.",
        "misdirected_request": "Unter diesem Namen gibt es den Dienst nicht. "
        "Wer ihn betreibt, kann den Namen in ALLOWED_HOSTS eintragen.",
        "sign_in_failed": "Die Anmeldung hat nicht geklappt. Bitte versuche es noch einmal.",
        "unauthenticated": "Bitte melde dich an.",
        "invalid_token": "Deine Anmeldung ist abgelaufen oder ungültig. Bitte melde dich neu an.",
        "forbidden": "Das darfst du mit dieser Anmeldung nicht.",
        "not_found": "Unter dieser Adresse gibt es nichts.",
        "turn_not_found": "Diese Anfrage ist nicht bekannt, oder sie ist zu lange her.",
        "print_not_found": "Diese Datei gibt es nicht oder nicht mehr. Bitte erstelle den Plan noch einmal.",
        "method_not_allowed": "Diese Methode ist hier nicht möglich.",
        "session_deleted": "Die Sitzung wurde gelöscht, während die Anfrage lief.",
        "body_too_large": "Die Anfrage ist grösser als {max_body_bytes} Bytes.",
        "unsupported_media_type": "Bitte sende JSON mit «Content-Type: application/json».",
        "invalid_request": "Die Anfrage ist nicht vollständig oder enthält ungültige Angaben.",
        "idempotency_key_reused": "Dieser Idempotency-Key gehört schon zu einer anderen Anfrage.",
        "too_many_turns": "Im Moment sind zu viele Anfragen in Arbeit. Bitte versuche es gleich noch einmal.",
        "rate_limited": "Das sind viele Anfragen in kurzer Zeit. "
        "Bitte warte einen Moment und versuche es dann noch einmal.",
        "too_many_streams": "Es sind zu viele Verbindungen offen. "
        "Bitte schliesse andere Fenster oder versuche es gleich noch einmal.",
        "quota_spent": "Dein Kontingent für heute ist aufgebraucht. Ab Mitternacht kannst du wieder fragen.",
        "budget_spent": "Für heute ist das Kontingent dieses Dienstes aufgebraucht. "
        "Ab Mitternacht kannst du wieder fragen.",
        "queue_full": "Die Warteschlange ist voll. Bitte versuche es in ein paar Sekunden noch einmal.",
        "bus_unavailable": "Der Dienst ist gerade nicht erreichbar. Bitte versuche es gleich noch einmal.",
        "state_unavailable": "Der Speicher antwortet gerade nicht. Bitte versuche es gleich noch einmal.",
        "no_room": "Im Moment sind zu viele grosse Anfragen in Arbeit. Bitte versuche es gleich noch einmal.",
        "store_full": "Der Speicher ist gerade voll. Bitte versuche es in ein paar Minuten noch einmal.",
        "prints_unavailable": "Die Dateien sind gerade nicht erreichbar. "
        "Bitte versuche es gleich noch einmal.",
        "provider_unavailable": "Die Anmeldung ist gerade nicht erreichbar. "
        "Bitte versuche es gleich noch einmal.",
        "shutting_down": "Der Dienst wird gerade neu gestartet. Deine Anfrage läuft weiter.",
        "turn_timeout": "Das dauert länger als üblich. Deine Anfrage läuft weiter; frag gleich nach.",
        # In the results of MCP tools.
        "mcp_choose": "Bitte wähle eine der Möglichkeiten.",
        "mcp_choose_by_words": "Antworte mit der Nummer oder in Worten, mit der sessionId «{session_id}».",
        "mcp_nothing_found": "Es wurde nichts gefunden.",
        "mcp_unknown_tool": "Dieses Werkzeug gibt es nicht, oder im Moment nicht.",
        # The page that stands in for the client.
        "page.title": "ask.sogis",
        "page.running": "Der Dienst läuft. Die Seite mit der Karte ist hier noch nicht gebaut.",
        "page.build": "Mit Node.js ab Version 20.19 baut sie dieser Befehl im Ordner des Projekts:",
        "page.restart": "Starte den Dienst danach neu.",
        "page.api": "Beschreibung der Schnittstelle",
        # The page after a sign-in that has failed.
        "sign_in.again": "Noch einmal anmelden",
        "sign_in.back": "Zurück zur Karte",
        "sign_in.provider": "Die Anmeldung",
        # What is wrong with a field, by the kind of the finding.
        "field.missing": "Diese Angabe fehlt.",
        "field.extra_forbidden": "Diese Angabe gibt es nicht.",
        "field.string_type": "Hier wird ein Text erwartet.",
        "field.string_too_long": "Höchstens {max_length} Zeichen sind möglich.",
        "field.string_too_short": "Mindestens {min_length} Zeichen sind nötig.",
        "field.string_pattern_mismatch": "Mindestens ein sichtbares Zeichen ist nötig, "
        "und Steuerzeichen sind nicht möglich.",
        "field.model_type": "Hier wird ein JSON-Objekt erwartet.",
        "field.too_long": "Höchstens {max_length} Einträge sind möglich.",
        "field.too_many_values": "Höchstens {max_values} Werte sind möglich.",
        "field.too_deep": "Höchstens {max_depth} Ebenen sind möglich.",
        "field.user_message_missing": "Es braucht eine Nachricht mit der Rolle «user» oder ein «resume».",
        "field.choice_missing": "Hier wird die «choiceId» einer der angebotenen Optionen erwartet.",
        "field.choice_not_offered": "Diese Option gehört nicht zu dieser Unterbrechung.",
        "field.nothing_asked": "Es braucht eine «userMessage» oder eine «choiceId».",
        "field.other": "Diese Angabe ist ungültig.",
    }
}


def text(key: str, language: str = DEFAULT_LANGUAGE, **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    german = _TEXTS[DEFAULT_LANGUAGE]
    return _TEXTS.get(language, german).get(key, german[key]).format(**values)


def known(key: str) -> bool:
    """Whether there is a sentence for a key."""
    return key in _TEXTS[DEFAULT_LANGUAGE]
