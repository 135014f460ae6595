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
        "cancelled": "Abgebrochen.",
        "planning_timeout": "Die Anfrage hat zu lange gedauert. Bitte versuche es noch einmal.",
        "step_timeout": "Der zuständige Dienst hat nicht rechtzeitig geantwortet. Bitte versuche es später.",
        "choice_none_pending": "Es liegt keine offene Auswahl für diese Sitzung vor.",
        "choice_unknown": "Die gewählte Option konnte nicht gefunden werden.",
        "choice_expired": "Die Auswahl ist abgelaufen. Bitte stelle die Frage noch einmal.",
        "chosen": "Ich wähle: {label}",
        "choice_taken": "Diese Auswahl wurde bereits getroffen.",
        "cut": "\n\n… (Die Antwort ist zu lang und wurde hier gekürzt.)",
        "result_too_large": "Das Ergebnis ist zu gross. Bitte frage nach weniger auf einmal.",
        "request_too_large": "Das ist zu viel auf einmal. Bitte frage nach weniger, oder beginne ein neues "
        "Gespräch.",
        "no_answer": "Es konnte keine Antwort geschrieben werden. Bitte versuche es noch einmal.",
        "error_no_tool_call": "Das Modell hat kein Werkzeug aufgerufen. "
        "Bitte versuchen Sie es mit einer konkreteren Frage.",
        "error_no_question": "In dieser Nachricht habe ich keine Frage an die Dokumente gefunden. "
        "Versuche es mit einer konkreteren Frage.",
        "error_no_documents_found": "Es wurden leider keine Dokumente zu Ihrer Anfrage gefunden. "
        "Versuchen Sie es mit anderen Suchbegriffen.",
        "error_no_relevant_documents": "Es wurden Dokumente gefunden, aber keines davon war für Ihre Anfrage "
        "relevant. Versuchen Sie es mit einer präziseren Frage.",
        "error_timeout": "Die Anfrage hat zu lange gedauert. Bitte versuchen Sie es in Kürze erneut.",
        "error_content_policy_violation": "Ihre Anfrage konnte aufgrund der Inhaltsrichtlinien nicht "
        "verarbeitet werden. Bitte stellen Sie eine andere Frage.",
        "error_server_error": "Ein interner Fehler ist aufgetreten.",
        "check_timeout": "Zeitüberschreitung bei der Relevanzprüfung, Dokument wird beibehalten.",
        "check_failed": "Prüfung fehlgeschlagen, Dokument wird beibehalten.",
        "check_unclear": "Prüfung nicht eindeutig.",
        "check_unavailable": "Prüfung nicht verfügbar, Dokument wird beibehalten.",
        "suggest_topic": "Welche Dokumente gibt es zum Thema {topic}?",
        "suggest_decisions": "Was wurde zum Thema {topic} beschlossen?",
        "suggest_proposals": "Welche Anträge gibt es zum Thema {topic}?",
        "suggest_recent": "Welche Dokumente sind in letzter Zeit erschienen?",
        "suggest_newest_proposals": "Welche Anträge wurden zuletzt eingereicht?",
        "no_topic": "alle alles also andere anderen antrag anträge auch beim beschlossen beschluss bitte "
        "dabei damit dann darf dass dazu dein deine denn diese diesem diesen dieser dieses doch "
        "dokument dokumente dort durch dürfen eine einem einen einer eines etwas finde frage "
        "fragen geben gesagt gibt haben hast hatte hier ihre ihren ihrer immer jede jeden jeder "
        "jetzt kann kannst kein keine keinen können könnte letzte letzter machen mehr mein meine "
        "muss müssen nach nicht noch oder ohne schon sehr sein seine seit sich sind soll sollen "
        "sollte steht suche thema unser unsere unter viel viele wann warum weil welche welchem "
        "welchen welcher welches wenn werden weshalb wieso wieviel will wird wohl wollen worden "
        "worum wurde wurden zeige zeigen zeit zuletzt zwischen über",
        "found_note": "(gesucht: «{query}»; Dokumente: {names}) ",
        "searched_note": "(gesucht: «{query}») ",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none."""
    sentences = _TEXTS.get(language, _TEXTS["de"])
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
