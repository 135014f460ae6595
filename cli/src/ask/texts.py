"""Every sentence that the command says, in the language of its user."""

import os

from contracts.languages import DEFAULT_LANGUAGE, Language, language_of
from servicekit.wording import Texts

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_catalogue = Texts("ask")


def language() -> Language | None:
    """That of the terminal (`fr_CH.UTF-8`), as POSIX looks it up; None when it names none of ours."""
    named = next(filter(None, map(os.environ.get, _VARIABLES)), None) or ""
    return language_of(named.partition(".")[0].replace("_", "-"))


def speak(wanted: str) -> None:
    """From now on in this language, as if the terminal had said so."""
    os.environ[_VARIABLES[0]] = wanted


def text(key: str, **values: object) -> str:
    """The sentence for a key; German when the terminal speaks no language of ours."""
    return _catalogue(key, language() or DEFAULT_LANGUAGE, **values)
