"""The sentences and the page say the same about a theme: one table holds for both."""

import json
from pathlib import Path
from typing import Any

import pytest
from contracts.oereb import ExtractContent, Restriction, Theme

from tools_oereb.standing import Standing, facts_of

CASES = json.loads((Path(__file__).parents[2] / "support" / "standings.json").read_text("utf-8"))
SHOWN = {
    Standing.CONCERNED: "concerned",
    Standing.UNEXPLAINED: "concerned",
    Standing.NOT_CONCERNED: "notConcerned",
    Standing.WITHOUT_DATA: "withoutData",
    Standing.CONTRADICTORY: "contradictory",
}
"""By the page, in whose words the table is."""


def theme(name: str) -> Theme:
    code, _, part = name.partition("/")
    return Theme(code=code, sub_code=part or None, title=name)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_lists_and_the_restrictions_together_tell_how_a_theme_stands(case: dict[str, Any]) -> None:
    content = ExtractContent(
        concerned=tuple(map(theme, case["concerned"])),
        not_concerned=tuple(map(theme, case["notConcerned"])),
        without_data=tuple(map(theme, case["withoutData"])),
        restrictions=tuple(Restriction(theme=theme(name), text="x") for name in case["restricted"]),
    )
    told = [(fact.theme.title, SHOWN[fact.standing]) for fact in facts_of(content)]
    assert told == list(case["standings"].items())
