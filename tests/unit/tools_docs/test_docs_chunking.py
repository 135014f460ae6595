"""Passages: on boundaries, with an overlap, and nothing gets lost."""

import re
from itertools import pairwise

from german.sentences import sentences
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.chunking import MAX_CHARS, chunks
from tools_docs.corpus import Section

PARAGRAPH = "Der Regierungsrat hat beschlossen, die Frist zu verlängern. Das kostet 3 Mio. Franken. Nun ja."


def test_a_short_section_is_one_passage() -> None:
    (only,) = chunks([Section(PARAGRAPH, "Frist")])
    assert (only.text, only.heading) == (PARAGRAPH, "Frist")


def test_passages_never_cross_a_heading() -> None:
    found = chunks([Section("Eins.", "A"), Section("Zwei.", "B"), Section("   ", "leer")])
    assert [(c.text, c.heading) for c in found] == [("Eins.", "A"), ("Zwei.", "B")]


def test_long_sections_are_cut_between_sentences_and_overlap() -> None:
    text = "\n\n".join(f"Absatz {n}. {PARAGRAPH}" for n in range(30))
    found = chunks([Section(text)])
    assert len(found) > 2
    for before, after in pairwise(found):
        assert before.text.endswith((".", "Franken."))
        first = next(sentences(after.text.split("\n")[0]))
        assert first in before.text


def test_lines_of_a_list_stay_lines() -> None:
    items = "\n".join(f"- Punkt {n}: {PARAGRAPH}" for n in range(20))
    joined = "\n".join(chunk.text for chunk in chunks([Section(items)]))
    assert all(re.search(rf"^- Punkt {n}:", joined, re.MULTILINE) for n in range(20))


@given(st.text(alphabet="ab .\n!Ä9", max_size=6_000))
def test_nothing_is_lost_and_nothing_is_too_long(text: str) -> None:
    found = chunks([Section(text)])
    assert all(0 < len(chunk.text) <= MAX_CHARS for chunk in found)
    left = [word for word in text.split() if word]
    said = " ".join(chunk.text for chunk in found)
    assert set("".join(left)) == set(said.replace(" ", "").replace("\n", ""))


@given(st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=12), min_size=1, max_size=900))
def test_every_word_is_in_a_passage_in_order(words: list[str]) -> None:
    numbered = [f"{word}{n}x" for n, word in enumerate(words)]
    found = " ".join(chunk.text for chunk in chunks([Section(" ".join(numbered))])).split()
    assert list(dict.fromkeys(found)) == numbered


def test_a_word_longer_than_a_passage_is_cut() -> None:
    found = chunks([Section("x" * 5_000)])
    assert sum(len(chunk.text) for chunk in found) >= 5_000
    assert all(len(chunk.text) <= MAX_CHARS for chunk in found)
