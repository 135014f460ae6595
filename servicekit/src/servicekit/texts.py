"""The few sentences that every tool service may have to say."""

_TEXTS = {
    "de": {
        "bad_arguments": "Diese Angabe passt nicht: {where}. Bitte prüfe sie und versuche es noch einmal.",
        "tool_failed": "Das Werkzeug ist auf einen unerwarteten Fehler gestossen.",
        "result_too_large": "Das Resultat ist zu gross. Bitte grenze die Frage ein.",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none."""
    sentences = _TEXTS.get(language, _TEXTS["de"])
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
