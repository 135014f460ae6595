"""Days, months, years and ranges that a text names."""

from datetime import date
from itertools import pairwise

import pytest
from german.dates import Period, dates_in, years_in
from hypothesis import given
from hypothesis import strategies as st


def year(number: int) -> Period:
    return Period(date(number, 1, 1), date(number, 12, 31))


MAY = Period(date(2024, 5, 1), date(2024, 5, 31))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was wurde 2023 beschlossen?", [year(2023)]),
        ("Was gilt seit 2024?", [Period(date(2024, 1, 1), None)]),
        ("Was galt vor 2019?", [Period(None, date(2018, 12, 31))]),
        ("nach 2019", [Period(date(2020, 1, 1), None)]),
        ("bis Ende 2019", [Period(None, date(2019, 12, 31))]),
        ("ab dem 1. März 2019", [Period(date(2019, 3, 1), None)]),
        ("Was geschah zwischen 2014 und 2018?", [Period(date(2014, 1, 1), date(2018, 12, 31))]),
        ("Was geschah 2014 bis 2018?", [Period(date(2014, 1, 1), date(2018, 12, 31))]),
        ("Was geschah 2014 – 2018?", [Period(date(2014, 1, 1), date(2018, 12, 31))]),
        ("Was stand im März 2023 im Protokoll?", [Period(date(2023, 3, 1), date(2023, 3, 31))]),
        ("Beschluss vom 12.3.2024", [Period(date(2024, 3, 12), date(2024, 3, 12))]),
        ("Beschluss vom 12. Maerz 2024", [Period(date(2024, 3, 12), date(2024, 3, 12))]),
        ("seit Februar 2024", [Period(date(2024, 2, 1), None)]),
        ("Sommer 2025", [year(2025)]),
        ("am 31.2.2024", [Period(date(2024, 2, 1), date(2024, 2, 29))]),
        ("2022 und 2024", [Period(date(2022, 1, 1), date(2024, 12, 31))]),
        ("Kosten von 3000 Franken auf 1850 Metern", []),
        ("Beschluss vom 2024-03-12", [Period(date(2024, 3, 12), date(2024, 3, 12))]),
        (
            "Beschluss vom 1 März 2024 und Antwort vom Mai 2024",
            [Period(date(2024, 3, 1), date(2024, 3, 1)), MAY],
        ),
        ("vom 40. Mai 2024", [MAY]),
        ("am 1.13.2024", [Period(date(2024, 1, 1), date(2024, 12, 31))]),
        ("vor 2020 und 2022", [Period(None, date(2019, 12, 31)), year(2022)]),
        ("2'023 Stück, RRB-2023-15, 2023er, Parzelle 20231", []),
        ("", []),
    ],
)
def test_times_are_read(question: str, expected: list[Period]) -> None:
    assert [said.period for said in dates_in(question)] == expected


def test_a_period_holds_its_first_and_last_day_and_no_unknown_one() -> None:
    assert year(2023).holds(date(2023, 1, 1)) and year(2023).holds(date(2023, 12, 31))
    assert not year(2023).holds(date(2024, 1, 1)) and not year(2023).holds(None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Dokumente seit dem 15. März 2022 zum Wald", "seit dem 15. März 2022"),
        ("Dokumente aus dem Jahr 2023", "aus dem Jahr 2023"),
        ("zwischen 2019 und Ende 2021 und danach", "zwischen 2019 und Ende 2021"),
        ("Sommer 2025", "2025"),
    ],
)
def test_the_words_that_limit_belong_to_a_date(text: str, said: str) -> None:
    (found,) = dates_in(text)
    assert text[found.start : found.end] == said


def test_years_are_listed_in_their_order() -> None:
    assert years_in("2024 statt 1999, nicht 2'100 oder 20245") == (2024, 1999)


@given(st.text(alphabet="sveibmai und 0123456789.-", max_size=80))
def test_dates_stand_one_after_the_other(text: str) -> None:
    found = list(dates_in(text))
    assert all(0 <= d.start < d.end <= len(text) for d in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
