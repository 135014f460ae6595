"""Everything that this service says to users, by key and language."""

_TEXTS: dict[str, dict[str, str]] = {
    "de": {
        "documents_found": "{n} Dokumente gefunden.",
        "document_found": "1 Dokument gefunden.",
        "documents_none": "Keine Dokumente gefunden.",
        "suggest_about": "Worum geht es in «{name}»?",
        "suggest_content": "Was steht in «{name}»?",
        "suggest_says": "Was hält «{name}» fest?",
        "label_proposal": "{identifier}: {name}",
        "source_sample": "Mitgelieferte Beispieldokumente (frei erfunden)",
        "source_index": "Dokumentenindex",
        "license_sample": "MIT",
        "license_index": "Nach den Angaben der Quelle",
        "label_relevance": "{name}",
        # lexical judgement
        "relevant_all": "Das Dokument behandelt alles, wonach gefragt ist: {words}.",
        "relevant_some": "Das Dokument behandelt {words}. Nicht erwähnt: {missing}.",
        "relevant_related": "Das Dokument behandelt {words}, wenn auch in anderen Worten.",
        "irrelevant_key": "Im Dokument fehlt {missing}; ohne das beantwortet es die Frage nicht.",
        "irrelevant_some": "Das Dokument erwähnt zwar {words}, aber nicht {missing}.",
        "irrelevant_weak": "Das Dokument streift {words} nur; andere Dokumente passen deutlich besser.",
        "irrelevant_none": "Kein Wort der Frage kommt im Dokument vor.",
        "irrelevant_no_words": "Die Frage nennt nichts, wonach sich das Dokument beurteilen lässt.",
        "word": "«{word}»",
        "and": "{first} und {last}",
        # judgement of a model
        "kept_timeout": "Zeitüberschreitung bei der Relevanzprüfung, Dokument wird beibehalten.",
        "kept_failed": "Prüfung fehlgeschlagen, Dokument wird beibehalten.",
        "kept_unavailable": "Das Sprachmodell ist nicht erreichbar, Dokument wird beibehalten.",
        "kept_refused": "Das Sprachmodell hat die Prüfung abgelehnt, Dokument wird beibehalten.",
        "kept_unclear": "Prüfung nicht eindeutig, Dokument wird beibehalten.",
        "kept_unreadable": "Der Text des Dokuments liegt nicht vor, es wird ungeprüft beibehalten.",
        "judged_relevant": "Das Sprachmodell hält das Dokument für relevant.",
        "judged_irrelevant": "Das Sprachmodell hält das Dokument nicht für relevant.",
    }
}


def text(key: str, language: str = "de", **values: object) -> str:
    """The sentence for a key; German when the language has none. Raises `KeyError` for an unknown key."""
    sentences = _TEXTS.get(language, {})
    return sentences.get(key, _TEXTS["de"][key]).format(**values)


def listed(words: list[str], language: str = "de") -> str:
    """`«a», «b» und «c»`."""
    quoted = [text("word", language, word=word) for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return text("and", language, first=", ".join(quoted[:-1]), last=quoted[-1])
