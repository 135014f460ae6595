"""`ask docs`: fill, look, search; and what is said when something is wrong."""

import io
import json
import os
import re
import subprocess
import time
from contextlib import closing
from pathlib import Path

import commands
import pytest
from rich.console import Console

from ask import ingesting
from ask.texts import text
from tools_docs.formats.reading import Problem
from tools_docs.ingest.run import Report


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, without variables that say where documents are."""
    monkeypatch.chdir(tmp_path)
    for name in ("DOCS_INDEX", "ASK_DATA_DIR", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EMBEDDING_MODEL", "none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "akten"
    made.mkdir()
    front = "---\nid: wald\ndate: 2024-01-02\ntype: Bericht\nbody: Gemeinderat\nurl: https://example.org/wald\n---\n"
    (made / "wald.md").write_text(f"{front}# Waldbericht\n\nDer Wald wächst.", encoding="utf-8")
    proposal = {"identifier": "M 1", "name": "Mehr Wald", "subject": "Es soll.", "documents": ["wald"]}
    (made / "antraege.jsonl").write_text(json.dumps(proposal), encoding="utf-8")
    return made


def _ask(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "200", "NO_COLOR": "1"} | variables
    return commands.ask("docs", *arguments, environment=environment)


def test_documents_are_ingested_counted_and_found(folder: Path) -> None:
    done = _ask("ingest", "akten")
    assert done.returncode == 0, done.stderr
    assert "1 Dokumente neu" in done.stdout and "1 Anträge" in done.stdout
    assert done.stderr == ""
    counted = json.loads(_ask("ingest", "akten", "--json").stdout)
    assert (counted["added"], counted["unchanged"], counted["leftOut"]) == (0, 1, 0)
    again = _ask("ingest", "akten")
    assert "0 Dokumente neu, 0 geändert, 1 unverändert" in again.stdout

    status = _ask("status").stdout
    assert str(folder) in status
    facts = json.loads(_ask("status", "--json").stdout)
    assert (facts["documents"], facts["proposals"], facts["sources"]) == (1, 1, {str(folder): 1})

    found = _ask("search", "Wie", "wächst", "der", "Wald?").stdout
    for words in (
        "Waldbericht",
        "Bericht · Gemeinderat · 02.01.2024",
        "https://example.org/wald",
        "Mehr Wald",
    ):
        assert words in found
    document = json.loads(_ask("search", "Wald", "--json").stdout)
    assert [item["type"] for item in document["items"]] == ["document", "proposal"]
    assert _ask("search", "Raumfahrt").stdout.strip() == text("docs_none")


def test_the_index_is_where_the_running_system_has_it(folder: Path, tmp_path: Path) -> None:
    assert _ask("ingest", "akten").returncode == 0
    assert (tmp_path / ".data" / "documents.sqlite").exists()
    assert _ask("ingest", "akten", ASK_DATA_DIR="daten").returncode == 0
    assert (tmp_path / "daten" / "documents.sqlite").exists()
    assert _ask("ingest", "akten", DOCS_INDEX="variable.sqlite").returncode == 0
    assert (tmp_path / "variable.sqlite").exists()
    assert _ask("ingest", "akten", "--index", "option.sqlite", DOCS_INDEX="x.sqlite").returncode == 0
    assert (tmp_path / "option.sqlite").exists() and not (tmp_path / "x.sqlite").exists()


def test_what_is_left_out_is_listed_and_the_exit_code_says_so(folder: Path) -> None:
    (folder / "kaputt.pdf").write_bytes(b"%PDF-1.4 kaputt")
    (folder / "bild.png").write_bytes(b"\x89PNG")
    done = _ask("ingest", "akten")
    assert done.returncode == 1
    assert "2 ausgelassen" in done.stderr
    assert f"kaputt.pdf: {text('problem_broken')}" in done.stderr
    assert f"bild.png: {text('problem_unknown_type')} (.png)" in done.stderr
    assert "1 Dokumente neu" in done.stdout


def test_everything_that_is_left_out_is_in_a_file_beside_the_index(folder: Path, tmp_path: Path) -> None:
    for n in range(9):
        (folder / f"bild{n}.png").write_bytes(b"\x89PNG")
    (folder / "see.md").write_text("---\nid: see\ndate: bald\n---\nDer See.", encoding="utf-8")
    done = _ask("ingest", "akten")
    file = tmp_path / ".data" / "documents-left-out.jsonl"
    assert text("docs_report", path=file.relative_to(tmp_path)) in done.stderr
    assert done.stderr.count("bild") == 5 and text("docs_more", n=4) in done.stderr
    assert f"see.md: {text('problem_ignored')} (date: bald)" in done.stderr
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 10
    assert {
        "label": "bild8.png",
        "id": "akten/bild8.png",
        "problem": "unknown_type",
        "reason": text("problem_unknown_type"),
        "detail": ".png",
    } in lines

    for path in folder.glob("*.png"):
        path.unlink()
    (folder / "see.md").unlink()
    assert _ask("ingest", "akten").returncode == 0
    assert not file.exists()


def test_the_file_of_what_is_left_out_can_be_elsewhere(folder: Path, tmp_path: Path) -> None:
    (folder / "bild.png").write_bytes(b"\x89PNG")
    _ask("ingest", "akten", "--report", "berichte/offen.jsonl")
    assert len((tmp_path / "berichte" / "offen.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    failed = _ask("ingest", "akten", "--report", "akten")
    assert failed.returncode == 1
    assert text("docs_no_report", path="akten", reason="Is a directory") in failed.stderr


def test_a_file_of_what_is_left_out_that_nobody_asked_for_may_be_missing(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "bild.png").write_bytes(b"\x89PNG")
    (tmp_path / ".data" / "documents-left-out.jsonl").mkdir(parents=True)
    done = _ask("ingest", "akten")
    assert "1 Dokumente neu" in done.stdout
    assert "bild.png" in done.stderr
    path = Path(".data/documents-left-out.jsonl")
    assert text("docs_no_report", path=path, reason="Is a directory") in done.stderr


def test_without_a_terminal_a_line_tells_now_and_then_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingesting, "LINE_EVERY_S", 0.0)
    out = io.StringIO()
    with (
        closing(ingesting.LeftOut(tmp_path / "x.jsonl")) as left_out,
        ingesting.Screen(Console(file=out, width=200), left_out) as screen,
    ):
        for done in range(1, 4):
            time.sleep(0.02)
            screen.progressed(Report(added=done), 400 + done)
        screen.progressed(Report(added=4), None)
        for done in (64, 128):
            screen.embedded(done, 200)
            time.sleep(0.02)
    first, *_, third, last, begun, goes_on = out.getvalue().splitlines()
    assert first == f"{text('docs_reading')}: 1/401"
    assert re.fullmatch(r".*: 3/403, [\d.]+ pro Sekunde, noch \d Min\.", third)
    assert re.fullmatch(r".*: 4, [\d.]+ pro Sekunde", last)
    assert begun == "64 von 200 Abschnitten mit Vektor"
    assert re.fullmatch(r"128 von 200 .*, \d+ pro Sekunde, noch 1 Min\.", goes_on)


def test_what_has_gone_is_removed_when_asked(folder: Path) -> None:
    _ask("ingest", "akten")
    (folder / "wald.md").unlink()
    assert "0 entfernt" in _ask("ingest", "akten").stdout
    assert "1 entfernt" in _ask("ingest", "akten", "--prune").stdout
    assert text("docs_empty", index=".data/documents.sqlite") in _ask("status").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ingest", "nirgends"), "«nirgends» gibt es nicht"),
        (("ingest", "https://"), "«https://» gibt es nicht"),
        (("status",), "documents.sqlite lässt sich nicht lesen"),
        (("search", "Wald"), "documents.sqlite lässt sich nicht lesen"),
        (
            ("ingest", "akten", "--index", "postgresql://ask:geheim@127.0.0.1:9/x"),
            "ask:…@127.0.0.1:9/x lässt sich",
        ),
    ],
)
def test_a_failure_is_one_line_and_exit_code_1(arguments: tuple[str, ...], words: str) -> None:
    Path("akten").mkdir()
    result = _ask(*arguments)
    assert result.returncode == 1
    assert words in result.stderr
    assert "geheim" not in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_is_no_index_stays_as_it_is(tmp_path: Path, folder: Path) -> None:
    other = tmp_path / "anderes.txt"
    other.write_text("Mein Tagebuch. " * 100, encoding="utf-8")
    assert _ask("ingest", "akten", "--index", "anderes.txt").returncode == 1
    assert other.read_text(encoding="utf-8") == "Mein Tagebuch. " * 100


def test_every_reason_has_its_words() -> None:
    assert all(text(f"problem_{problem}") for problem in Problem)
