"""Numbers, dates and words of attributes, as people write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.features.values import contains, days_of, number_of, same, spans_of, written_number


@pytest.mark.parametrize(
    ("written", "unit", "number"),
    [
        (1000, None, 1000),
        (1000.5, "m²", 1000.5),
        ("1000", "m²", 1000),
        ("1'000", "m²", 1000),
        ("1’234’567.5", None, 1_234_567.5),
        ("1 000", None, 1000),
        ("1'000,5", None, 1000.5),
        ("-3.5", None, -3.5),
        ("1000 m²", "m²", 1000),
        ("1000m2", "m²", 1000),
        ("2 ha", "m²", 20_000),
        ("2,5 Hektaren", "m²", 25_000),
        ("5000 m²", "ha", 0.5),
        ("1.5 km", "m", 1500),
        ("3 Stück", "Stück", 3),
        ("3 km", None, 3),
    ],
)
def test_numbers_are_read_as_they_are_written_here(
    written: str | float, unit: str | None, number: float
) -> None:
    assert number_of(written, unit) == pytest.approx(number)


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("gross", "m²"),
        ("", None),
        ("19b 4", None),
        ("3 km", "m²"),
        ("3 ha", "Stück"),
        ("1'00", None),
        ("19b", None),
    ],
)
def test_what_is_no_number_of_that_kind_is_none(written: str, unit: str | None) -> None:
    assert number_of(written, unit) is None


@given(st.floats(min_value=-1e9, max_value=1e9, allow_nan=False))
def test_a_number_is_read_back_however_it_is_grouped(number: float) -> None:
    grouped = f"{number:,.2f}"
    for separator in ("'", "’", "\u00a0", " "):
        assert number_of(grouped.replace(",", separator)) == pytest.approx(round(number, 2), abs=0.01)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["m²", "ha", "m", "", None]))
def test_any_two_texts_can_be_compared(one: str, other: str, unit: str | None) -> None:
    number_of(one, unit)
    spans_of(one, other, unit)
    assert same(one, one)
    assert isinstance(contains(one, other), bool)


def test_a_number_of_a_house_is_a_word() -> None:
    assert written_number("19b") is None and written_number("19") == 19


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("2012-08-28", date(2012, 8, 28), date(2012, 8, 28)),
        ("28.08.2012", date(2012, 8, 28), date(2012, 8, 28)),
        ("August 2012", date(2012, 8, 1), date(2012, 8, 31)),
        ("2012", date(2012, 1, 1), date(2012, 12, 31)),
        (2012, date(2012, 1, 1), date(2012, 12, 31)),
    ],
)
def test_a_date_is_the_days_that_it_names(written: str | int, first: date, last: date) -> None:
    days = days_of(written)
    assert days is not None and (days.low, days.high) == (first.toordinal(), last.toordinal())


def test_a_text_with_a_date_in_it_is_none() -> None:
    assert days_of("Beschluss vom 28.08.2012 (RRB)") is None


def test_words_are_the_same_in_any_form() -> None:
    assert same("rechtskräftig", "Rechtskräftige") and not same("S1", "S2")
    assert contains("belastet, sanierungsbedürftig", "sanierungsbedürftiger")
    assert not contains("untersuchungsbedürftig", "sanierungsbedürftig") and not contains("x", "")
