"""The few sentences that every tool service may have to say."""

from servicekit.errors import SourceError

_LATER = "Versuche es in ein paar Minuten noch einmal."

_TEXTS = {
    "de": {
        "bad_arguments": "Diese Angabe passt nicht: {where}. Bitte prüfe sie und versuche es noch einmal.",
        "tool_failed": "Das Werkzeug ist auf einen unerwarteten Fehler gestossen.",
        "tool_gone": "Dieses Werkzeug gibt es im Moment nicht mehr.",
        "tool_too_slow": "Das hat zu lange gedauert. Bitte versuche es noch einmal.",
        "result_too_large": "Das Resultat ist zu gross. Bitte grenze die Frage ein.",
        "source_unreachable": "{source} ist zurzeit nicht erreichbar. " + _LATER,
        "source_timeout": "{source} hat nicht rechtzeitig geantwortet. " + _LATER,
        "source_overloaded": "{source} ist zurzeit überlastet{status}. " + _LATER,
        "source_failed": "{source} antwortete nicht erfolgreich{status}.",
        "source_unreadable": "{source} hat eine Antwort geschickt, die nicht verarbeitet werden konnte.",
        "source_too_large": "{source} hat eine zu grosse Antwort geschickt. Bitte grenze die Frage ein.",
        "source_forbidden": "{source} verweist auf eine Adresse, die nicht abgefragt werden darf.",
        "source_paused": "{source} ist zurzeit gestört und wird einen Moment lang nicht abgefragt. " + _LATER,
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none."""
    sentences = _TEXTS.get(language, _TEXTS["de"])
    return sentences.get(key, _TEXTS["de"][key]).format(**values)


def source_text(error: SourceError, language: str = "de") -> str:
    """What has happened to a source, with the HTTP status where it says something."""
    status = f" (HTTP {error.status})" if error.status else ""
    return text(f"source_{error.kind}", language, source=error.source, status=status)
