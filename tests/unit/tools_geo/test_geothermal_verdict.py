"""What a sentence of the canton permits: nothing that it does not say for certain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.geothermal import Verdict, read_verdict, strictest

POSSIBLE = (
    "Das Erstellen von Erdwärmesonden ist an diesem Standort bis in eine Tiefe von 400 Metern möglich. "
    "Für weitere Angaben klicken Sie bitte auf den PDF-Link."
)


@pytest.mark.parametrize(
    ("said", "depth_m"),
    [
        (POSSIBLE, 400.0),
        (POSSIBLE.upper(), 400.0),
        (POSSIBLE.replace(" ", "\n  "), 400.0),
        (POSSIBLE.replace("400 Metern", "1'200 m"), 1_200.0),
        ("Das Erstellen von Erdwärmesonden ist an diesem Standort möglich.", None),
        ("Eine Erdwärmesonde ist hier zulässig", None),
    ],
)
def test_a_plain_permission_is_one(said: str, depth_m: float | None) -> None:
    verdict = read_verdict(said)
    assert (verdict.allowed, verdict.max_depth_m) == (True, depth_m)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Ja",
        "möglich",
        "Das Erstellen von Erdwärmesonden ist an diesem Standort nicht möglich.",
        "Das Erstellen von Erdwärmesonden ist an diesem Standort kaum möglich.",
        "Das Erstellen von Erdwärmesonden ist an diesem Standort möglich, sofern das Amt zustimmt.",
        "Das Erstellen von Erdwärmesonden ist an diesem Standort möglich. Dies gilt nur für Neubauten.",
        "Das Erstellen von Erdwärmesonden ist an diesem Standort unmöglich.",
        "Das Erstellen von Erdwärmesonden ist an diesem Standort verboten.",
        "Es ist nicht so, dass das Erstellen von Erdwärmesonden ist an diesem Standort möglich.",
        "Ob das Erstellen von Erdwärmesonden hier möglich ist, muss abgeklärt werden.",
        "Grundwasserwärmepumpen sind bis in eine Tiefe von 400 Metern möglich.",
        "Das Erstellen von Erdwärmesonden ist bis in eine Tiefe von vielen Metern möglich.",
        "L'installation de sondes géothermiques est possible jusqu'à 400 m.",
    ],
)
def test_everything_else_permits_nothing_and_is_still_told(said: str) -> None:
    verdict = read_verdict(said)
    assert (verdict.allowed, verdict.max_depth_m) == (False, None)
    assert verdict.text == said


@given(st.text(max_size=200))
def test_no_text_is_a_permission_by_chance(said: str) -> None:
    verdict = read_verdict(said)
    assert not verdict.allowed or "ist" in said.casefold()
    assert "\n" not in verdict.text


def test_a_very_long_text_is_cut() -> None:
    assert len(read_verdict("x" * 10_000).text) == 1_000


def test_at_a_border_the_strictest_counts() -> None:
    deep, shallow = Verdict("a", allowed=True, max_depth_m=400), Verdict("b", allowed=True, max_depth_m=150)
    denied = Verdict("c", allowed=False)
    assert strictest((deep, shallow)) == shallow
    assert strictest((deep, denied, shallow)) == denied
    assert strictest((Verdict("d", allowed=True), deep)) == deep


def test_what_is_cut_off_counts_too() -> None:
    said = " ".join([POSSIBLE, *["Für weitere Angaben klicken Sie bitte auf den PDF-Link."] * 20])
    assert read_verdict(said).allowed
    assert not read_verdict(f"{said} Dies gilt erst ab 2030.").allowed
