"""Regular expressions of all packages read any text in time that grows with its length alone."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest
from growth import ALLOWED, growth, repeated
from pattern_words import alphabet, example

PACKAGES = (
    *("actionplanner", "contracts", "e5", "edge", "german", "orchestrator", "planner", "responder"),
    *("servicekit", "swissgeo", "tools_docs", "tools_geo", "tools_mcp", "tools_oereb"),
)
CHARS = 3_200
_PAIRED = 4
"""So many of the characters of a pattern are put together in twos."""
AT_ITS_BEGINNING_ONLY = {
    *("responder.markup._JSON", "responder.markup._PERHAPS_JSON"),
    "tools_docs.formats.pdf._NUMBERED",
}
"""What is only ever matched where a text begins need not be fast at looking for it."""


def patterns_of(package: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Those that modules keep, by name."""
    found = importlib.import_module(package)
    for module in pkgutil.walk_packages(found.__path__, f"{package}."):
        if module.name.rpartition(".")[2] == "__main__":
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield f"{module.name}.{name}", value


def slow_texts(pattern: re.Pattern[str]) -> Iterator[str]:
    """What a pattern takes too long for: characters of its own, at each place of what it nearly matches."""
    written, letters = example(pattern), alphabet(pattern)
    few = letters[:_PAIRED]
    for unit in (*letters, *(one + other for one in few for other in few if one != other)):
        for at in range(len(written) + 1):
            text_of = repeated(unit, written[:at], written[at:] + "\x01")
            if growth(lambda text: sum(1 for _ in pattern.finditer(text)), text_of, CHARS) > ALLOWED:
                yield f"{written[:at]!r} {unit!r} {written[at:]!r}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_pattern_tries_one_place_after_the_other(package: str) -> None:
    slow = {
        f"{name}: {pattern.pattern}": text
        for name, pattern in patterns_of(package)
        if name not in AT_ITS_BEGINNING_ONLY and (text := next(slow_texts(pattern), None))
    }
    assert slow == {}


@pytest.mark.parametrize(
    "written", [r"\s*\([^()]*\)\s*$", r"^(\w+)\s*:\s*(.*?)\s*$", r"«([^»]{3,})»", r"\d+er"]
)
def test_a_pattern_that_does_is_found(written: str) -> None:
    assert next(slow_texts(re.compile(written)), None)
