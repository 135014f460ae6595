"""A quotation is one when a document says so, and it cites that document."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from responder.draft import Draft
from responder.quotations import MAX_CHARS, MAX_GAP_CHARS

from .responder_kit import numbered

ZONES = (
    "Die Ausscheidung der Grund\u00adwasserschutzzonen kostet **2,4 Mio.** Franken.\nDer Kanton trägt die "
    "Hälfte davon, die «Werke» den Rest. Bis 2030 sind 1'200 Zonen unannehmbar alt."
)
BIKES = "Der Veloplan sieht bis 2030 neue Radrouten entlang der Aare vor. Der Kanton zahlt nichts."


def written(text: str, size: int | None = None, asked: Sequence[str] = ()) -> tuple[str, Draft]:
    """`size`: characters a piece; None is all at once."""
    draft = Draft(numbered(3, ZONES, BIKES), asked)
    step = size or max(1, len(text))
    pieces = [draft.feed(text[n : n + step]) for n in range(0, len(text), step)]
    return "".join([*pieces, draft.close()]), draft


TRUE = [
    "«Der Kanton trägt die Hälfte davon» [1].",
    "Er schreibt: «Der Kanton trägt die Hälfte davon.» [1] Mehr nicht [2].",
    "«der Kanton trägt die Hälfte» und mehr, nämlich 2,4 Mio. Franken [1].",
    "„Der Kanton trägt die Hälfte davon“ [1].",
    "«Der Kanton trägt die Hälfte³ davon» [1].",
    '"Der Kanton trägt die Hälfte davon" [1].',
    "“Der Kanton trägt die Hälfte davon” [1].",
    "»Der Kanton trägt die Hälfte davon« [1].",
    "« Der\u00a0Kanton trägt\ndie Hälfte davon » [1].",
    "«Die Ausscheidung der Grundwasserschutzzonen kostet 2,4 Mio. Franken» [1].",
    "«Die Ausscheidung […] kostet 2,4 Mio. Franken.» [1]",
    "«… trägt die Hälfte davon, die ‹Werke› den Rest …» [1].",
    "«1200 Zonen» [1], «2,4 Mio.» [1].",
    "«Der Kanton trägt die Hälfte davon [1]», heisst es.",
    "Laut [1] gilt: «Der Kanton trägt die Hälfte davon.»",
    "«Der Kanton trägt die Hälfte» [1], «Der Kanton zahlt nichts» [2].",
    "«Der Kanton trägt die Hälfte», aber «der Kanton zahlt nichts» [1, 2].".replace("[1, 2]", "[1][2]"),
    # Terms and titles are no quotations.
    "Die «Grundwasserschutzzonen» sind teuer [2].",
    "Im «Dokument 1» steht nichts dazu [2].",
    'Ein Rohr von 5" und eines von 6" [1].',
]


@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize("text", TRUE)
def test_what_a_document_says_is_quoted(text: str, size: int | None) -> None:
    clean, draft = written(text, size)
    assert clean == text
    assert draft.dropped_citations == 0


WRONG = [
    # In no document: no marks, no citation.
    ("«Der Kanton trägt alles selber» [1].", "Der Kanton trägt alles selber.", 1),
    ("«Der Kanton trägt die Hälfte nicht» [1].", "Der Kanton trägt die Hälfte nicht.", 1),
    ("«annehmbar alt» ist «alles davon hier» [1].", "annehmbar alt ist alles davon hier.", 1),
    ("«9 Mio.» [1], nicht «4 Mio.» [1].", "9 Mio., nicht 4 Mio..", 2),
    ("Er sagt «Nein zu allem hier [1]».", "Er sagt Nein zu allem hier.", 1),
    ("«Frei erfundenes Zitat hier» [1](https://evil.example/) x", "Frei erfundenes Zitat hier x", 1),
    ("«Der … Kanton … trägt … davon» [1].", "Der … Kanton … trägt … davon.", 1),
    ("«Hälfte davon … Der Kanton trägt» [1].", "Hälfte davon … Der Kanton trägt.", 1),
    ("„Frei erfundenes Zitat hier“ [1, 2].", "Frei erfundenes Zitat hier.", 2),
    ('Er sagt "Frei erfundenes Zitat hier" [1].', "Er sagt Frei erfundenes Zitat hier.", 1),
    ("«Frei erfundenes Zitat hier.» Es kostet 2 [1].", "Frei erfundenes Zitat hier. Es kostet 2 [1].", 0),
    ("«Frei erfundenes Zitat hier»\nEs kostet 2 [1].", "Frei erfundenes Zitat hier\nEs kostet 2 [1].", 0),
    # A term that nobody uses is none, but its sentence may still be right.
    ("Die «Zonenpolizei» kostet 2 [1].", "Die Zonenpolizei kostet 2 [1].", 0),
    ("&laquo;Frei erfundenes Zitat hier&#187; [1] &amp; &", "Frei erfundenes Zitat hier &amp; &", 1),
    # In another document than cited.
    ("«Der Kanton trägt die Hälfte davon» [2].", "«Der Kanton trägt die Hälfte davon» [1].", 1),
    ("«Der Kanton zahlt nichts» [1, 3].", "«Der Kanton zahlt nichts» [2].", 2),
    ("«Der Kanton zahlt nichts» [9].", "«Der Kanton zahlt nichts» [2].", 1),
    ("«Der Kanton zahlt nichts [1]», sagt er.", "«Der Kanton zahlt nichts» [2], sagt er.", 1),
    ("Laut [1] gilt: «Der Kanton zahlt nichts.»", "Laut [1] gilt: «Der Kanton zahlt nichts.» [2]", 0),
    # In none that is cited, because none is.
    ("«Der Kanton zahlt nichts», sagt er.", "«Der Kanton zahlt nichts» [2], sagt er.", 0),
    # One of two.
    ("«Der Kanton zahlt nichts» und «alles ist gratis hier» [1].",
     "«Der Kanton zahlt nichts» und alles ist gratis hier [2].", 1),
    # Marks that never close quote nothing.
    ("Offen «bis zum Ende [1]", "Offen bis zum Ende [1]", 0),
    ("Offen «bis\n\nzum» Ende [1]", "Offen bis\n\nzum Ende [1]", 0),
    (f"Lang «{'x ' * MAX_CHARS}» [1]", f"Lang {'x ' * MAX_CHARS} [1]", 0),
]  # fmt: skip


@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize(("text", "expected", "dropped"), WRONG)
def test_what_no_document_says_is_not(text: str, expected: str, dropped: int, size: int | None) -> None:
    clean, draft = written(text, size)
    assert clean == expected
    assert draft.dropped_citations == dropped


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Laut [1] gilt: «Der Bund zahlt hier alles.»", ()),
        ("Laut [1] gilt: «Der Bund zahlt hier alles.» Und anderes [2].", (1, 2)),
        ("Es kostet [1]. Es gilt «Der Bund zahlt hier alles».", (1,)),
    ],
)
def test_a_citation_in_front_of_what_is_invented_proves_nothing(text: str, cited: tuple[int, ...]) -> None:
    clean, draft = written(text)
    assert "«" not in clean
    assert draft.cited == cited


def test_what_the_user_has_said_may_be_repeated() -> None:
    asked = ("Stimmt «Der Mond ist aus Käse»?",)
    text = "«Der Mond ist aus Käse»: Davon steht nichts da [1]."
    assert written(text, asked=asked)[0] == text
    assert written(text)[0] != text


def test_without_documents_nothing_is_compared() -> None:
    draft = Draft(())
    assert (
        draft.feed("Die Karte «Frei erfundenes Zitat hier» ist da.")
        == "Die Karte «Frei erfundenes Zitat hier» ist da."
    )


def test_text_flows_until_something_is_quoted_and_again_when_its_sentence_has_cited() -> None:
    draft = Draft(numbered(1, ZONES))
    assert draft.feed("Es heisst: «Der Kanton trägt") == "Es heisst:"
    assert draft.feed(" die Hälfte» sofort") == ""
    assert draft.feed(" [1]. ") == " «Der Kanton trägt die Hälfte» sofort [1]."
    assert draft.feed("Und mehr") == " Und mehr"


@pytest.mark.parametrize("mark", ["«", "„", ' "x', "« x» "])
def test_no_more_is_held_back_than_a_quotation_can_be_long(mark: str) -> None:
    draft = Draft(numbered(1, ZONES))
    said = sum(len(draft.feed(piece)) for piece in (mark, *["ab "] * 1_000))
    assert 3_000 - said < MAX_CHARS + MAX_GAP_CHARS + 10


_PIECES = st.sampled_from(
    ["«", "»", "„", "“", '"', "‹", "›", "Der Kanton zahlt nichts", "trägt die Hälfte davon", "Kanton",
     "frei erfundener Satz", "[1]", "[2]", "[9]", "[", "]", "(", ")", ".", ". ", "\n", "\n\n", " ", "…", "12",
     "A", "&laquo;", "&", "raquo;", "[1](x)", "]:", "http", "://x"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40), st.integers(1, 5))
@example(["«", "frei erfundener Satz", "»", "[1]", "(", "x"], 1)
def test_how_a_text_is_cut_into_pieces_changes_nothing(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    whole, at_once = written(text)
    draft = Draft(numbered(3, ZONES, BIKES))
    assert "".join([*map(draft.feed, pieces), draft.close()]) == whole
    in_bits, bits = written(text, size)
    assert in_bits == whole
    assert draft.cited == bits.cited == at_once.cited
    assert draft.dropped_citations == bits.dropped_citations == at_once.dropped_citations
