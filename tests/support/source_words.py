"""One word for each way in which a source fails, for tables."""

from servicekit.errors import SourceError, SourceErrorKind

WORDS = {
    SourceErrorKind.UNREACHABLE: "nicht erreichbar",
    SourceErrorKind.TIMEOUT: "zu langsam",
    SourceErrorKind.OVERLOADED: "überlastet",
    SourceErrorKind.FAILED: "Fehler",
    SourceErrorKind.UNREADABLE: "unlesbar",
    SourceErrorKind.TOO_LARGE: "zu gross",
    SourceErrorKind.FORBIDDEN: "verbotene Adresse",
    SourceErrorKind.PAUSED: "gestört",
}


def word_for(error: SourceError) -> str:
    """With the HTTP status where that is what failed."""
    tells = error.kind in (SourceErrorKind.FAILED, SourceErrorKind.OVERLOADED) and error.status
    return f"{WORDS[error.kind]} {error.status}" if tells else WORDS[error.kind]
