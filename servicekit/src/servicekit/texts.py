"""The few sentences that every tool service may have to say."""

from contracts.languages import DEFAULT_LANGUAGE
from servicekit.errors import SourceError
from servicekit.wording import Texts

text = Texts("servicekit")


def source_text(error: SourceError, language: str = DEFAULT_LANGUAGE) -> str:
    """What has happened to a source, with the HTTP status where it says something."""
    status = f" (HTTP {error.status})" if error.status else ""
    return text(f"source_{error.kind}", language, source=error.source, status=status)
