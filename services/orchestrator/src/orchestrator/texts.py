"""What the orchestrator itself has to tell a user."""

_TEXTS = {
    "de": {
        "not_understood": "Das habe ich nicht verstanden. Bitte formuliere deine Frage anders.",
        "too_many_steps": "Das sind zu viele Schritte (höchstens {limit}). Bitte teile die Anfrage auf.",
        "tool_missing": "Dafür ist im Moment kein Dienst verfügbar ({capability}).",
        "tool_error": "Der Dienst konnte die Anfrage nicht bearbeiten.",
        "nothing_found": "Es wurde nichts gefunden. Bitte präzisiere deine Angabe.",
        "missing_arguments": "Dafür brauche ich noch eine Angabe: {what}.",
        "parameter_place": "eine Adresse, ein Grundstück oder eine Koordinate",
        "parameter_egrid": "ein Grundstück (Nummer und Gemeinde, oder EGRID)",
        "parameter_municipality": "eine Gemeinde",
        "parameter_query": "wonach ich suchen soll",
        "parameter_other": "«{name}»",
        "skipped": "Übersprungen, weil der Schritt davor nicht gelungen ist.",
        "planning_timeout": "Die Anfrage hat zu lange gedauert. Bitte versuche es noch einmal.",
        "step_timeout": "Der zuständige Dienst hat nicht rechtzeitig geantwortet. Bitte versuche es später.",
        "choice_none_pending": "Es liegt keine offene Auswahl für diese Sitzung vor.",
        "choice_unknown": "Die gewählte Option konnte nicht gefunden werden.",
        "choice_expired": "Die Auswahl ist abgelaufen. Bitte stelle die Frage noch einmal.",
        "chosen": "Ich wähle: {label}",
        "choice_taken": "Diese Auswahl wurde bereits getroffen.",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none."""
    sentences = _TEXTS.get(language, _TEXTS["de"])
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
