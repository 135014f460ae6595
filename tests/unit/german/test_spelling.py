"""The nearest of the words that are known."""

from german.spelling import MAX_WORD_CHARS, Spellings, closest

WORDS = Spellings(["grundbuch", "gewaesserschutz", "gewaesserschau"])


def test_swapped_letters_are_one_typo() -> None:
    assert closest("sloothurn", ["solothurn", "olten"]) == (("solothurn", 1),)


def test_only_the_closest_entries_are_taken() -> None:
    assert closest("balsthall", ["balsthal", "balsthalx", "balsthai"]) == (("balsthal", 1), ("balsthalx", 1))


def test_nothing_is_close_to_a_foreign_word() -> None:
    assert closest("zuerich", ["solothurn", "olten", "messen"]) == ()


def test_the_nearest_word_and_how_many_letters_are_wrong() -> None:
    assert WORDS.nearest("gewaeserschutz", 2) == ("gewaesserschutz", 1)
    assert WORDS.nearest("grundbuch", 0) == ("grundbuch", 0)


def test_nothing_is_near_with_more_wrong_letters_or_without_end() -> None:
    assert WORDS.nearest("grunduch", 0) is None
    assert WORDS.nearest("grundbuch" * MAX_WORD_CHARS, 2) is None
