"""The word tables beside this package, as they are written."""

import tomllib
from importlib.resources import files
from typing import Any


def table(name: str) -> dict[str, Any]:
    """A TOML file of `data/`. It is a part of the program: a mistake in it fails at import."""
    return tomllib.loads(files("planner.rules").joinpath("data", name).read_text("utf-8"))


def word_sets(section: dict[str, Any]) -> dict[str, frozenset[str]]:
    """The texts of a section, each as the set of its words."""
    return {key: frozenset(text.split()) for key, text in section.items() if isinstance(text, str)}
