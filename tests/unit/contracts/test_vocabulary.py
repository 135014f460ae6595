"""What is announced of a canton: bounded, joined, and free of patterns that could run away."""

import string

import pytest
from contracts.vocabulary import (
    MAX_VOCABULARY_BYTES,
    Example,
    PlaceName,
    Vocabulary,
    form_of,
    is_form,
    merged,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("number", "form"), [("168", "9"), ("90042a", "9A"), ("D7001", "A9"), ("1234.01", "9.9"), ("A-12", "A-9")]
)
def test_numbers_of_one_kind_have_one_form(number: str, form: str) -> None:
    assert form_of(number) == form
    assert is_form(form)
    assert Vocabulary(parcel_numbers=(form,)).parcel_numbers == (form,)


@pytest.mark.parametrize("form", ["", "A", "AAAA9", "9.*", "(9+)+", "9 9", "9.9.9.9.9"])
def test_what_is_no_form_is_refused(form: str) -> None:
    assert not is_form(form)
    with pytest.raises(ValidationError):
        Vocabulary(parcel_numbers=(form,))


@given(st.text(string.ascii_letters + string.digits + ".-/", max_size=20))
def test_digits_say_nothing_about_the_form(number: str) -> None:
    assert form_of(number) == form_of("".join("7" if c.isdigit() else c for c in number))


@given(st.integers(0, 3_000), st.integers(1, 120))
def test_what_is_announced_has_room_and_keeps_what_comes_first(count: int, length: int) -> None:
    places = tuple(PlaceName(name=f"{n} {'x' * length}", kind="municipality") for n in range(count))
    codes = tuple(str(1000 + n) for n in range(count))
    bounded = Vocabulary(places=places, postal_codes=codes).bounded()
    assert len(bounded.to_json()) <= MAX_VOCABULARY_BYTES
    assert bounded.places == places[: len(bounded.places)]
    assert bounded.bounded() == bounded


def test_a_sentence_is_offered_only_with_the_tools_that_it_needs() -> None:
    by_number = Example(intent="oereb_extract", text="nach Nummer", needs=("parcels.by_number",))
    at_point = Example(intent="oereb_extract", text="am Punkt")
    known = Vocabulary(examples=(by_number, at_point))
    assert known.example("oereb_extract", {"oereb.extract_by_id", "parcels.by_number"}) == by_number
    assert known.example("oereb_extract", {"oereb.extract_by_id"}) == at_point
    assert known.example("goto_address", {"parcels.by_number"}) is None


def test_a_subject_is_enough_for_a_sentence_in_every_language() -> None:
    parcel = Example(
        intent="show_parcel", subject="Parzelle 7", subjects={"fr": "la parcelle 7"}, needs=("a.b",)
    )
    assert parcel.worded("fr") == Example(
        intent="show_parcel", text="Montre-moi la parcelle 7", subject="la parcelle 7", needs=("a.b",)
    )
    assert [parcel.sentence(language) for language in ("de", "en", "rm")] == [
        "Zeige mir Parzelle 7",
        "Show me Parzelle 7",
        "Zeige mir Parzelle 7",
    ]


def test_the_sentence_of_an_intent_that_nobody_knows_stays_as_it_is() -> None:
    assert (
        Example(intent="sheet_of", text="Auf welchem Blatt liegt Messen?")
        .worded("fr")
        .text.endswith("Messen?")
    )


def test_what_several_services_know_is_joined() -> None:
    geo = Vocabulary(places=(PlaceName(name="Aubonnes", kind="municipality"),), postal_codes=("9901",))
    other = Vocabulary(postal_codes=("9901", "9902"), extent=(1, 2, 3, 4))
    assert merged((geo, other)) == Vocabulary(
        places=geo.places, postal_codes=("9901", "9902"), extent=(1, 2, 3, 4)
    )
    assert merged(()) == Vocabulary()
