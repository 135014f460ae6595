"""Documents of every format: text, Markdown, HTML, PDF and JSON Lines; and those that cannot be read."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdf_files import designed, encrypted, pdf

from tools_docs.corpus import Proposal, Section, SourceDocument
from tools_docs.formats.encoding import decode
from tools_docs.formats.jsonl import read_records
from tools_docs.formats.kinds import Format, format_of_suffix, format_of_type, read
from tools_docs.formats.reading import Origin, Problem, Unreadable, day_of, fingerprint, paragraphs

HERE = Origin(id="ordner/datei", url="https://example.org/datei", name="datei")
GERMAN = (
    "Der Regierungsrat beschliesst über Gewässer, Strassenlärm und öffentliche Plätze für die Bevölkerung."
)


def problem(kind: Format, content: bytes) -> Problem:
    with pytest.raises(Unreadable) as caught:
        read(kind, content, HERE)
    return caught.value.problem


# -- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1"]
)
def test_encodings_are_recognised(encoding: str) -> None:
    assert decode((GERMAN * 5).encode(encoding)) == GERMAN * 5


def test_what_a_document_says_of_its_encoding_is_believed_unless_it_is_utf8() -> None:
    assert decode("Grösse".encode("mac_roman"), "mac_roman") == "Grösse"
    assert decode("Grösse".encode(), "latin-1") == "Grösse"
    assert decode("Grösse".encode("cp1252"), "nonsense") == "Grösse"


@given(st.binary(max_size=2_000))
def test_any_bytes_become_text_or_a_problem(content: bytes) -> None:
    try:
        assert "\r" not in decode(content)
    except Unreadable as unreadable:
        assert unreadable.problem is Problem.ENCODING


def test_bytes_that_are_no_text_are_a_problem() -> None:
    assert problem(Format.TEXT, bytes(range(256)) * 20) is Problem.ENCODING


def test_ligatures_of_fonts_are_letters() -> None:
    assert decode("P\ufb02icht der O\ufb03ziere".encode()) == "Pflicht der Offiziere"


def test_a_first_line_of_its_own_is_the_title() -> None:
    found = read(Format.TEXT, b"Bericht zum Wald\n\nDer Wald ist gross\nund alt.\n\nEnde.", HERE)
    assert found.facts.name == "Bericht zum Wald"
    assert found.sections == (Section("Der Wald ist gross und alt.\n\nEnde."),)
    assert found.facts.size_bytes == len(b"Bericht zum Wald\n\nDer Wald ist gross\nund alt.\n\nEnde.")


def test_without_one_the_file_gives_the_name() -> None:
    assert read(Format.TEXT, b"Der Wald ist gross.\nUnd alt.", HERE).facts.name == "datei"


def test_broken_lines_are_joined_and_lists_are_not() -> None:
    lines = [
        "Das Gewäs-",
        "serschutzgesetz gilt",
        "seit 1991.",
        "- erstens",
        "- zweitens",
        "",
        "Luft- und",
        "Wasser",
    ]
    assert paragraphs(lines) == (
        "Das Gewässerschutzgesetz gilt seit 1991.\n- erstens\n- zweitens\n\nLuft- und Wasser"
    )
    assert paragraphs(["Luft-", "und Wasser-", "reinhaltung"]) == "Luft- und Wasserreinhaltung"


@pytest.mark.parametrize("content", [b"", b"  \n\n ", b"\xef\xbb\xbf"])
def test_an_empty_document_is_a_problem(content: bytes) -> None:
    assert problem(Format.TEXT, content) is Problem.EMPTY
    assert problem(Format.MARKDOWN, content) is Problem.EMPTY
    assert problem(Format.HTML, content) is Problem.EMPTY


# -- Markdown -------------------------------------------------------------------------------------

MARKDOWN = """---
id: 2023-botschaft
title: "Botschaft: Schutz des Grundwassers"
date: 2023-05-02
type: Botschaft und Entwurf
body: Regierungsrat
url: https://example.org/botschaft
---

# Botschaft: Schutz des Grundwassers

Eine Einleitung mit **fettem** Text
und einem [Link](https://example.org/a_b).

## Kosten & Nutzen

- Punkt eins
- Punkt _zwei_

| Jahr | Franken |
|------|---------|
| 2023 | 1'200 |

```
Code  bleibt
```
"""


def test_markdown_keeps_headings_lists_tables_and_what_stands_in_front() -> None:
    found = read(Format.MARKDOWN, MARKDOWN.encode(), HERE)
    facts = found.facts
    assert (facts.id, facts.name) == ("2023-botschaft", "Botschaft: Schutz des Grundwassers")
    assert (facts.date, facts.kind, facts.body) == (
        date(2023, 5, 2),
        "Botschaft und Entwurf",
        "Regierungsrat",
    )
    assert facts.url == "https://example.org/botschaft"
    introduction, costs = found.sections
    assert introduction == Section("Eine Einleitung mit fettem Text und einem Link.")
    assert costs.heading == "Kosten & Nutzen"
    assert costs.text == "- Punkt eins\n- Punkt zwei\n\nJahr | Franken\n2023 | 1'200\n\nCode  bleibt"


def test_markdown_without_anything_in_front_is_called_by_its_heading() -> None:
    found = read(Format.MARKDOWN, b"# Mein Titel\n\nText.", HERE)
    assert (found.facts.id, found.facts.name, found.facts.url) == (HERE.id, "Mein Titel", HERE.url)


def front(lines: str) -> SourceDocument:
    return read(Format.MARKDOWN, f"---\n{lines}\n---\n# Erlass\n\nText.".encode(), HERE)


def test_front_matter_is_yaml_with_whatever_others_read_there() -> None:
    found = front(
        "id: 131.10  # mit Null am Ende\ntitle: >-\n  Gesetz über\n  den Wald\ntype: 'Gesetz: kantonal'\n"
        "body: |\n  Kantonsrat\ntags: [Wald, Wasser]\nlayout:\n  - breit: no\nDate: 12.3.2024\n"
    )
    facts = found.facts
    assert (facts.id, facts.name, facts.kind) == ("131.10", "Gesetz über den Wald", "Gesetz: kantonal")
    assert (facts.body, facts.date) == ("Kantonsrat", date(2024, 3, 12))
    assert found.ignored == ()


@pytest.mark.parametrize(
    ("lines", "ignored"),
    [
        ("date: gestern", "date: gestern"),
        ("date: 2023-02-30", "date: 2023-02-30"),
        ("title: [Wald, Wasser]", "title: ['Wald', 'Wasser']"),
        ("nur Text", "YAML: nur Text"),
        ("a: [" + "[" * 5_000, "YAML: "),
    ],
)
def test_front_matter_that_makes_no_sense_is_left_out_and_the_text_is_there(lines: str, ignored: str) -> None:
    found = front(lines)
    assert (found.facts.name, found.facts.date) == ("Erlass", None)
    assert found.sections == (Section("Text."),)
    (said,) = found.ignored
    assert said.startswith(ignored)


def test_front_matter_that_refers_to_itself_over_and_over_costs_nothing() -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    found = front(f"a0: &a0 lol\n{levels}title: *a29")
    assert found.facts.name == "Erlass"
    assert len(found.ignored[0]) <= 120


def test_front_matter_that_is_not_quite_yaml_is_read_line_by_line() -> None:
    found = front("title: Botschaft: Schutz des Waldes\ndate: 2024-03-12")
    assert (found.facts.name, found.facts.date) == ("Botschaft: Schutz des Waldes", date(2024, 3, 12))
    assert found.ignored == ("YAML: mapping values are not allowed here (2)",)


# -- HTML -----------------------------------------------------------------------------------------

HTML = """<!doctype html><html lang=de><head><meta charset="iso-8859-1"><title>Kanton – Wald</title>
<link rel="canonical" href="https://example.org/wald">
<meta property="article:published_time" content="2022-04-01T08:00">
<script>var x = "Skript";</script></head><body><nav><a href="/">Startseite</a></nav>
<main><h1>Bericht zum Wald</h1><p>Der Wald ist <b>gross</b>
und<br>alt.</p><h2>Bäume</h2><ul><li>Eiche</li><li>Buche mit <a href=x>Link</a></li></ul>
<table><tr><th>Jahr</th><th>Zahl</th></tr><tr><td>2022</td><td>17</td></tr></table>
<div>Lose<div>verschachtelt</div>danach</div><p hidden>Versteckt</p></main>
<footer>Impressum</footer></body></html>"""


def test_html_keeps_the_main_text_and_nothing_around_it() -> None:
    found = read(Format.HTML, HTML.encode("cp1252"), HERE)
    assert found.facts.name == "Bericht zum Wald"
    assert (found.facts.url, found.facts.date) == ("https://example.org/wald", date(2022, 4, 1))
    first, second = found.sections
    assert first == Section("Der Wald ist gross und\nalt.")
    assert second.heading == "Bäume"
    assert (
        second.text
        == "- Eiche\n- Buche mit Link\n\nJahr | Zahl\n2022 | 17\n\nLose\n\nverschachtelt\n\ndanach"
    )


def test_headings_lead_to_their_place_by_the_id_of_themselves_or_around_them() -> None:
    page = (
        "<main><h1 id=oben>Titel</h1><p>A</p><h2 id=eins>Eins</h2><p>B</p>"
        "<h2><a name=zwei></a>Zwei</h2><p>C</p>"
        "<section id=drei><h2>Drei</h2><p>D</p><h3>Ohne</h3><p>E</p></section></main>"
    )
    found = read(Format.HTML, page.encode(), HERE)
    assert [(s.heading, s.anchor) for s in found.sections] == [
        (None, "oben"),
        ("Eins", "eins"),
        ("Zwei", "zwei"),
        ("Drei", "drei"),
        ("Ohne", None),
    ]


def test_a_heading_as_long_as_a_paragraph_is_text() -> None:
    long = "Wald und Wasser " * 30
    found = read(Format.HTML, f"<h2>Kurz</h2><p>A</p><h2>{long}</h2><p>B</p>".encode(), HERE)
    assert found.sections == (Section(f"A\n\n{long.strip()}\n\nB", "Kurz"),)
    (record,) = records({"id": "a", "passages": [{"heading": long, "text": "B"}]})
    assert isinstance(record, SourceDocument)
    assert record.sections == (Section(f"{long}\n\nB"),)


def test_html_with_thousands_of_nested_marks_is_read() -> None:
    found = read(Format.HTML, b"<b>" * 20_000 + b"Tief unten steht etwas.", HERE)
    assert found.sections == (Section("Tief unten steht etwas."),)


@given(st.text(alphabet='<>/pbh1div&;"= äx\n', max_size=400))
def test_any_html_is_read_or_empty(text: str) -> None:
    try:
        assert read(Format.HTML, text.encode(), HERE).sections
    except Unreadable as unreadable:
        assert unreadable.problem is Problem.EMPTY


# -- PDF ------------------------------------------------------------------------------------------


def test_pdf_text_runs_on_over_pages_without_what_repeats() -> None:
    words = ("Wald", "Wasser", "Luft", "Boden")
    pages = [
        [
            "Kanton Tannmark",
            f"{word} braucht einen Gewässer-",
            "schutz, der",
            f"zum {word} passt",
            f"Seite {n} von 4",
        ]
        for n, word in enumerate(words, 1)
    ]
    found = read(Format.PDF, pdf(*pages, title="Bericht über Gewässer"), HERE)
    assert found.facts.name == "Bericht über Gewässer"
    (section,) = found.sections
    assert section.text == " ".join(f"{w} braucht einen Gewässerschutz, der zum {w} passt" for w in words)


def test_pdf_with_two_pages_loses_nothing() -> None:
    found = read(Format.PDF, pdf(["Gleicher Anfang", "Eins."], ["Gleicher Anfang", "Zwei."]), HERE)
    assert [(s.text, s.page, s.anchor) for s in found.sections] == [
        ("Gleicher Anfang Eins.", 1, "page=1"),
        ("Gleicher Anfang Zwei.", 2, "page=2"),
    ]


PLAIN = [(f"Zeile {n} eines Textes ohne Besonderheit.", 10.0, False, 0.0) for n in range(6)]


def test_pdf_headings_are_larger_bolder_or_numbered_lines_and_know_their_page() -> None:
    first = [
        ("Reglement über", 18.0, True, 0.0),
        ("die Abfälle", 18.0, True, 0.0),
        ("Artikel 1 Zweck", 10.0, False, 10.0),
        *PLAIN,
        ("Das gilt auch nach", 10.0, False, 0.0),
        ("Art. 3 des Gesetzes über die Abfälle vom 1.", 10.0, False, 0.0),
        ("Mai 2020 und", 10.0, False, 0.0),
        ("Artikel 12 der Verordnung wird aufgehoben", 10.0, False, 0.0),
        ("Kosten und Nutzen", 10.0, True, 10.0),
        ("Die Gebühr beträgt 12 Franken", 10.0, False, 0.0),
    ]
    second = [
        ("je Sack.", 10.0, False, 0.0),
        ("Neuer Absatz.", 10.0, False, 14.0),
        ("§ 12 Vollzug", 10.0, False, 8.0),
        ("1 Der Gemeinderat vollzieht.", 10.0, False, 0.0),
        ("1.1 Kosten . . . . . . . . 7", 10.0, False, 0.0),
    ]
    found = read(Format.PDF, designed(first, second, title="Microsoft Word - Vorlage_neu.docx"), HERE)
    assert found.facts.name == "Reglement über die Abfälle"
    assert [(s.heading, s.page, s.anchor) for s in found.sections] == [
        ("Artikel 1 Zweck", 1, "page=1"),
        ("Kosten und Nutzen", 1, "page=1"),
        ("Kosten und Nutzen", 2, "page=2"),
        ("§ 12 Vollzug", 2, "page=2"),
    ]
    assert found.sections[1].text == "Die Gebühr beträgt 12 Franken je Sack."
    assert found.sections[2].text == "Neuer Absatz."


def test_pdf_full_of_bold_lines_has_no_headings() -> None:
    lines = [(f"Position {n}", 10.0, n % 2 == 0, 0.0) for n in range(30)]
    found = read(Format.PDF, designed([("Text " * 30, 10.0, False, 0.0), *lines]), HERE)
    assert [s.heading for s in found.sections] == [None]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Bericht zum Wald 2024", "Bericht zum Wald 2024"),
        ("Waldgesetz", "Waldgesetz"),
        ("Microsoft Word - Bericht.docx", "Das Grösste"),
        ("bericht_wald_v2", "Das Grösste"),
        ("20240312-RRB", "Das Grösste"),
        ("Unbenannt", "Das Grösste"),
        ("PowerPoint-Präsentation", "Das Grösste"),
        ("bericht.indd", "Das Grösste"),
    ],
)
def test_pdf_titles_are_no_file_names(title: str, expected: str) -> None:
    content = designed([("Kanton", 8.0, False, 0.0), ("Das Grösste", 16.0, False, 0.0), *PLAIN], title=title)
    assert read(Format.PDF, content, HERE).facts.name == expected


def test_pdf_without_any_title_is_called_like_its_file() -> None:
    assert read(Format.PDF, designed(PLAIN), HERE).facts.name == "datei"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"%PDF-1.4\nnichts weiter", Problem.BROKEN),
        (b"kein PDF", Problem.BROKEN),
        (pdf(["Text"])[:300], Problem.BROKEN),
        (pdf([], []), Problem.SCANNED),
        (encrypted("Geheim", "passwort"), Problem.ENCRYPTED),
    ],
    ids=["stump", "no pdf", "cut off", "scanned", "encrypted"],
)
def test_pdf_that_cannot_be_read_says_why(content: bytes, expected: Problem) -> None:
    assert problem(Format.PDF, content) is expected


def test_pdf_that_opens_without_a_password_is_read() -> None:
    assert read(Format.PDF, encrypted("Offen.", ""), HERE).sections[0].text == "Offen."


# -- JSON Lines -----------------------------------------------------------------------------------


def records(*lines: object) -> list[object]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return [record for _, record in read_records(text)]


def test_records_are_documents_and_proposals() -> None:
    document, proposal = records(
        {
            "id": 7,
            "title": "Bericht",
            "date": "2024-01-02",
            "type": "Bericht",
            "body": "Rat",
            "url": "u",
            "text": "Text.",
            "passages": [{"heading": "H", "text": "Mehr."}],
        },
        {"identifier": "M 1", "name": "Motion", "subject": "Es soll.", "documents": ["7"], "type": "Motion"},
    )
    assert isinstance(document, SourceDocument)
    assert document.facts.id == "7"
    assert document.facts.size_bytes == len("Text.") + len("Mehr.")
    assert document.sections == (Section("Text."), Section("Mehr.", "H"))
    assert proposal == Proposal("M 1", "Motion", "Es soll.", "", None, "Motion", None, ("7",))


def test_a_bad_line_spoils_no_other_one() -> None:
    found = records(
        "{kein JSON", [1], {"id": "a"}, {"text": "ohne id"}, {"subject": "S"}, {"id": "b", "text": "Gut."}
    )
    assert [r.problem if isinstance(r, Unreadable) else type(r).__name__ for r in found] == [
        Problem.BROKEN,
        Problem.BROKEN,
        Problem.EMPTY,
        Problem.INCOMPLETE,
        Problem.INCOMPLETE,
        "SourceDocument",
    ]


def test_half_characters_and_deep_nesting_spoil_nothing() -> None:
    half, nested, whole = records(
        '{"id": "a\\ud83d", "text": "Halb \\ud83d"}',
        "[" * 100_000,
        '{"id": "b", "text": "Ganz \\ud83c\\udf32"}',
    )
    assert isinstance(half, SourceDocument) and isinstance(whole, SourceDocument)
    assert (half.facts.id, half.sections) == ("a\ufffd", (Section("Halb \ufffd"),))
    assert isinstance(nested, Unreadable) and nested.problem is Problem.BROKEN
    assert whole.sections == (Section("Ganz \N{EVERGREEN TREE}"),)


def test_what_makes_no_sense_in_a_line_is_left_out_and_told() -> None:
    document, proposal = records(
        {
            "id": "a",
            "text": "Text.",
            "title": None,
            "date": "gestern",
            "type": ["Bericht"],
            "sizeBytes": "gross",
            "mehr": {"x": 1},
            "passages": [
                {"text": "Mehr.", "heading": {}, "page": 3, "anchor": "page=3"},
                {"heading": "Leer"},
                5,
            ],
        },
        {"identifier": "M 1", "name": "Motion", "subject": "S", "date": 3.5, "documents": "a"},
    )
    assert isinstance(document, SourceDocument)
    assert (document.facts.name, document.facts.date, document.facts.kind) == ("a", None, None)
    assert document.sections == (Section("Text."), Section("Mehr.", None, 3, "page=3"))
    assert document.ignored[:3] == ("date: gestern", "type: ['Bericht']", "sizeBytes: gross")
    assert len(document.ignored) == 6
    assert isinstance(proposal, Proposal)
    assert (proposal.date, proposal.document_ids) == (None, ())
    assert proposal.ignored == ("date: 3.5", "documents: a")


# -- what they have in common ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-03-12", date(2024, 3, 12)),
        ("2024-03-12T08:00:00+01:00", date(2024, 3, 12)),
        (" 12.3.2024 ", date(2024, 3, 12)),
        ("12. 03. 2024", date(2024, 3, 12)),
        ("2024", None),
        ("12. Mai 2024", None),
        ("32.1.2024", None),
    ],
)
def test_days_are_read(value: str, expected: date | None) -> None:
    if expected is None:
        with pytest.raises(Unreadable):
            day_of(value)
    else:
        assert day_of(value) == expected


def test_content_tells_the_format_before_its_type_does() -> None:
    assert format_of_type("text/html", b"%PDF-1.7 ...") is Format.PDF
    assert format_of_type("application/octet-stream", b"\n <!DOCTYPE html>") is Format.HTML
    assert format_of_type("application/pdf; q=1", b"Text") is Format.PDF
    assert format_of_type("image/png", b"\x89PNG") is None
    assert format_of_suffix(".PDF") is Format.PDF
    assert format_of_suffix(".docx") is None


def test_a_fingerprint_changes_with_content_and_origin() -> None:
    first = fingerprint(b"a", HERE)
    assert first == fingerprint(b"a", HERE)
    assert first != fingerprint(b"b", HERE)
    assert first != fingerprint(b"a", Origin(HERE.id, "https://example.org/anders", HERE.name))
