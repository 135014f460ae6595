"""What an unfinished message may become."""

import pytest
from contracts.suggest import MAX_QUERY_CHARS, Suggestions
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.embedded import datafiles
from tools_geo.suggesting import Suggesting

SUGGESTING = Suggesting(datafiles.read())


def suggested(q: str, limit: int = 4, language: str = "de") -> Suggestions:
    return SUGGESTING.of(q, limit, language)


def first(q: str) -> tuple[str, str, str]:
    """The kind and the label of the best one, and what it replaces."""
    found = suggested(q)
    return found.items[0].kind, found.items[0].label, q[found.from_ :]


@pytest.mark.parametrize(
    ("q", "kind", "label", "replaced"),
    [
        ("Langendorfstr", "address", "Langendorfstrasse, 4500 Solothurn", "Langendorfstr"),
        ("Gehe zur Langendorfstr", "address", "Langendorfstrasse, 4500 Solothurn", "Langendorfstr"),
        ("Rötistr. 22", "address", "Rötistrasse 22, 4500 Solothurn", "Rötistr. 22"),
        (
            "wo ist die roetistrasse 22 Sol",
            "address",
            "Rötistrasse 22, 4500 Solothurn",
            "roetistrasse 22 Sol",
        ),
        ("Röti Str. 22, 4500", "address", "Rötistrasse 22, 4500 Solothurn", "Röti Str. 22, 4500"),
        ("Solo", "municipality", "Solothurn", "Solo"),
        ("Zeige mir Balm b. M", "place", "Balm bei Messen", "Balm b. M"),
        ("Soleu", "municipality", "Solothurn", "Soleu"),
        ("Parzelle 198", "parcel", "Grundstück 198 in Messen", "Parzelle 198"),
        ("Zeige 198 in Mes", "parcel", "Grundstück 198 in Messen", "198 in Mes"),
        ("CH 9558 3273 0623", "parcel", "Grundstück 198 in Messen", "CH 9558 3273 0623"),
        ("Lade Grundwasserschutzz", "layer", "Grundwasserschutzzonen", "Grundwasserschutzz"),
        ("lade die Altlas", "layer", "Kataster der belasteten Standorte (KbS)", "Altlas"),
        ("feuerw", "layer", "Hydranten Wasser", "feuerw"),
    ],
)
def test_the_last_words_are_the_beginning_of_a_name(q: str, kind: str, label: str, replaced: str) -> None:
    assert first(q) == (kind, label, replaced)


def test_a_house_number_that_is_begun_is_completed_the_exact_one_first() -> None:
    numbers = [item.label.partition(",")[0].rpartition(" ")[2] for item in suggested("Rötistrasse 22").items]
    assert numbers == ["22", "22a"]
    begun = [item.label.partition(",")[0].rpartition(" ")[2] for item in suggested("Rötistrasse 2").items]
    assert set(begun) == {"22", "22a", "24", "25"}


@pytest.mark.parametrize(
    ("q", "label"),
    [
        ("Soloturn", "Solothurn"),
        ("Gehe nach Grencehn", "Grenchen"),
        ("Wo liegt die Langndorfstrase 19", "Langendorfstrasse 19b, 4500 Solothurn"),
        ("Grundwaserschutzzo", "Grundwasserschutzzonen"),
    ],
)
def test_without_such_a_name_one_that_begins_nearly_so(q: str, label: str) -> None:
    assert first(q)[1] == label


def test_another_house_number_is_no_mistake_in_spelling() -> None:
    assert suggested("Rötistrasse 23").items == ()


def test_what_begins_like_it_comes_before_what_only_hints_at_it() -> None:
    found = suggested("Grundwasser", 10).items
    titles = [item.label.startswith("Grundwasser") for item in found]
    assert titles[0] and titles == sorted(titles, reverse=True)


def test_a_detail_tells_why_and_which_and_a_coordinate_where() -> None:
    hydrants = suggested("hydrants").items[0]
    assert (hydrants.label, hydrants.detail, hydrants.coord) == ("Hydranten Wasser", "hydrants", None)
    address = suggested("Rötistrasse 22a").items[0]
    assert address.coord == (2607876, 1228637)
    assert suggested("Olten", language="en").items[0].detail != suggested("Olten").items[0].detail


def test_a_label_is_in_the_language_of_who_writes() -> None:
    assert suggested("parcelle 198", language="fr").items[0].label == "la parcelle 198 à Messen"


@pytest.mark.parametrize(
    "q", ["Gehe zur", "zeige mir", "und 12", "\x00\x00", "   ", "😀😀", "qx", "''", "a" * MAX_QUERY_CHARS]
)
def test_words_that_name_nothing_suggest_nothing_and_replace_nothing(q: str) -> None:
    assert suggested(q) == Suggestions(from_=len(q))


def test_without_data_there_are_no_names() -> None:
    assert Suggesting(None).of("Solothurn", 4, "de").items == ()


def test_a_place_in_the_text_is_counted_in_characters() -> None:
    assert suggested("😀 Olten").from_ == 2


@given(st.text(min_size=2, max_size=MAX_QUERY_CHARS), st.integers(1, 10))
def test_whatever_is_written_the_answer_fits_it(q: str, limit: int) -> None:
    found = suggested(q, limit)
    assert len(found.items) <= limit
    assert 0 <= found.from_ <= len(q)
    assert (found.from_ == len(q)) == (not found.items)
    assert suggested(q, limit) == found
