"""The word tables beside this package, as they are written."""

import tomllib
from importlib.resources import files
from typing import Any


def table(name: str) -> dict[str, Any]:
    """A TOML file of `data/`. It is a part of the program: a mistake in it fails at import."""
    return tomllib.loads(files("planner.rules").joinpath("data", name).read_text("utf-8"))
