"""What the card of the page asks about a place is understood by the rules, in every language."""

import re
from pathlib import Path

import pytest
from contracts.languages import LANGUAGES
from contracts.session import MapView, Session
from tests.unit.planner.rules_kit import planned

TEXTS = Path(__file__).parents[2] / "packages" / "ask-copilot" / "src" / "texts"
POINT = (2600513, 1215519)
VIEW = MapView(
    center=(2600000, 1220000), extent=(2599000, 1219000, 2601000, 1221000), scale=5000, point=POINT
)
INTENTS = {"extract": "oereb_extract", "plan": "cadastral_plan", "probe": "geothermal_probe_assessment"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("way", INTENTS)
def test_the_actions_of_a_card_are_about_the_marked_place(language: str, way: str) -> None:
    texts = (TEXTS / f"{language}.ts").read_text(encoding="utf-8")
    message = re.search(rf'"point\.{way}\.message": "(.+)"', texts)
    assert message is not None
    [step] = planned(message[1], Session(view=VIEW))
    assert step.startswith(f"{INTENTS[way]}: ")
    assert f"x={POINT[0]}, y={POINT[1]}" in step
