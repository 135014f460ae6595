"""Everything that this service says to users, by key and language."""

_TEXTS: dict[str, dict[str, str]] = {
    "de": {
        "server": "Der MCP-Server «{name}»",
        "failed": "Das Werkzeug meldet einen Fehler, aber nicht welchen.",
        "cut": "{said} … (gekürzt)",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, {})
    return sentences.get(key, _TEXTS["de"][key]).format(**values)
