"""Whatever a model writes, what comes out is Markdown that cites given documents only."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from responder.draft import Draft

from .responder_kit import numbered


def written(text: str, documents: int = 3, size: int | None = None) -> tuple[str, Draft]:
    """`size`: characters a piece; None is all at once."""
    draft = Draft(numbered(documents))
    step = size or max(1, len(text))
    pieces = [draft.feed(text[n : n + step]) for n in range(0, len(text), step)]
    return "".join([*pieces, draft.close()]), draft


CASES = [
    ("Die Zonen kosten 2 Mio. Franken [1].", "Die Zonen kosten 2 Mio. Franken [1]."),
    ("Beides [1, 3] und [2–3].", "Beides [1][3] und [2][3]."),
    ("Erfunden [4], echt [2].", "Erfunden , echt [2]."),
    ("Gemischt [1; 9].", "Gemischt [1]."),
    ("Fussnote [^2].", "Fussnote [2]."),
    ("Siehe [Bericht](https://evil.example/x) [1].", "Siehe Bericht [1]."),
    ("Verlinkt [1](https://evil.example/x).", "Verlinkt [1]."),
    ("Bild ![Karte](https://evil.example/x.png).", "Bild Karte."),
    ("Unter https://evil.example/a?b=c steht mehr.", "Unter  steht mehr."),
    ("Unter <https://evil.example> und www.evil.example.", "Unter  und"),
    ("<script>alert(1)</script>Text [1]", "alert(1)Text [1]"),
    ("1 < 2 und 3 > 2 [1]", "1 < 2 und 3 > 2 [1]"),
    ("[Anmerkung] bleibt [1]", "[Anmerkung] bleibt [1]"),
    ("Offene [Klammer", "Offene [Klammer"),
    ("```markdown\n# Titel\n\nText [1]\n```\n", "# Titel\n\nText [1]"),
    ('```json\n{"a": [1, "}"]}\n```\nText [1]', "Text [1]"),
    ('Vorher [1]\n{"a": {"b": "\\"}"}} nachher', "Vorher [1]\n nachher"),
    ('{"response": "Nur Text [1]"}', "Nur Text [1]"),
    ('[{"answer": "Nur Text [2]"}]', "Nur Text [2]"),
    ('{"action": "respond"}', ""),
    ('{"action": "respond"', ""),
    ("~~~\nText\n~~~", "Text"),
    ("Code `x` bleibt, {geschweift} auch [1].", "Code `x` bleibt, {geschweift} auch [1]."),
    ("  \n\nText [1] \n\n ", "Text [1]"),
    ("- a [1]\n- b [2]\n\n**Fazit** [3]", "- a [1]\n- b [2]\n\n**Fazit** [3]"),
]


@pytest.mark.parametrize("size", [None, 1, 2, 5])
@pytest.mark.parametrize(("text", "expected"), CASES)
def test_only_markdown_with_real_citations_remains(text: str, expected: str, size: int | None) -> None:
    clean, draft = written(text, size=size)
    assert clean == expected
    assert draft.text == clean


def test_invented_citations_are_counted_and_real_ones_remembered() -> None:
    _, draft = written("A [1], B [7], C [2][0], D [3, 8].")
    assert draft.cited == (1, 2, 3)
    assert draft.dropped_citations == 3


def test_text_passes_at_once() -> None:
    draft = Draft(numbered(1))
    assert draft.feed("Gemäss der Botschaft") == "Gemäss der Botschaft"
    assert draft.feed(" kostet es [1") == " kostet es"
    assert draft.feed("]") == ""
    assert draft.feed(".") == " [1]."


_PIECES = st.sampled_from(
    ["[1]", "[9]", "[", "]", "(", ")", "{", "}", '"', "```", "```json\n", "\n", " ", "a", "Text", "http", "://x",
     "www.", "<b>", "<", ">", "!", ":", "1", ",", "{\"a\": 1}", "~~~", "`", "h", "\\"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40))
@example(["{", '"', "a"])
@example(["h", "t", "[1]"])
def test_how_a_text_is_cut_into_pieces_changes_nothing(pieces: list[str]) -> None:
    text = "".join(pieces)
    at_once, whole = written(text, documents=2)
    draft = Draft(numbered(2))
    in_pieces = "".join([*(draft.feed(piece) for piece in pieces), draft.close()])
    assert in_pieces == at_once
    assert in_pieces == written(text, documents=2, size=1)[0]
    assert draft.cited == whole.cited


@given(st.lists(_PIECES, max_size=40))
@example(["[", "[9]", "1", "]", " "])
@example(["[", "1", "<b>", "]", " "])
@example(["[", "<b>", "1", "]", "(", ")"])
def test_nothing_forbidden_comes_through(pieces: list[str]) -> None:
    clean, draft = written("".join(pieces), documents=2, size=3)
    numbers = {int(n) for n in re.findall(r"\[(\d+)\]", clean)}
    assert numbers <= {1, 2}
    assert numbers <= set(draft.cited)
    assert not re.search(r"https?://\w|<b>", clean)
    assert '{"a": 1}' not in clean


_MARKS = """[x][ref] [ref][] [ref] [x][1] [1] ![x][ref] [ref]: [1]: [^1]: ( ) ] [ : < > http :// Satz « »
„ “ " ``` ~~~ https://evil.example/a <https://evil.example> www.evil.example //evil.example
javascript:alert(1) }"""
_REFERENCES = st.sampled_from(
    [*_MARKS.split(), "\n\n", "\n", " ", "> ", '{"a": ', "[ref]: https://evil.example"]
)


@given(st.lists(_REFERENCES, max_size=25))
@example(["[ref]", "«", ": https://evil.example", "\n\n", "[ref]"])
@example(["]", "«", "»", "(javascript:alert(1))"])
def test_no_address_gets_into_an_answer_by_the_filters_in_front(pieces: list[str]) -> None:
    text = "".join(pieces)
    clean, _ = written(text, documents=2, size=1)
    assert clean == written(text, documents=2)[0]
    assert not re.search(r"https?://|www\.", clean)
    html = MarkdownIt("commonmark").render(clean)
    assert not re.search(r"<a |<img|<script", html)
