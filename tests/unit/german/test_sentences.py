"""Where sentences end."""

import pytest
from german.sentences import sentences, typed_ends
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Das kostet ca. 3 Mio. Franken. Mehr nicht.", ["Das kostet ca. 3 Mio. Franken.", "Mehr nicht."]),
        ("Am 3. Mai 2024 war es. Ja.", ["Am 3. Mai 2024 war es.", "Ja."]),
        ("Gemäss Art. 5 Abs. 2 gilt das. Gut.", ["Gemäss Art. 5 Abs. 2 gilt das.", "Gut."]),
        ("Wirklich? «Ja!» Also.", ["Wirklich?", "«Ja!»", "Also."]),
        ("Seit 2023. Dann nicht mehr.", ["Seit 2023.", "Dann nicht mehr."]),
        ("An der Bahnhofstr. 5 z. B. Nr. 3.", ["An der Bahnhofstr. 5 z. B. Nr. 3."]),
        ("Mal sehen... Dann ja.", ["Mal sehen...", "Dann ja."]),
        ("ohne Ende", ["ohne Ende"]),
        ("", []),
    ],
)
def test_sentences_end_where_they_end(line: str, expected: list[str]) -> None:
    assert list(sentences(line)) == expected


@pytest.mark.parametrize(
    ("message", "signs"),
    [
        ("geh nach messen. dann zeig den wald", ["."]),
        ("Wo ist das?Und dort?!", ["?", "?!"]),
        ("Parzelle Nr. 5, gb. Messen; am 31. Dezember\nEnde.", [";", "\n", "."]),
    ],
)
def test_a_typed_message_ends_its_sentences_anyhow(message: str, signs: list[str]) -> None:
    assert [message[start:end] for start, end in typed_ends(message)] == signs


@given(st.text(alphabet='aB .!?»"', max_size=80))
def test_no_letter_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
