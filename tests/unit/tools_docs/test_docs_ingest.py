"""Filling an index: from folders, records and OParl; again, changed, broken, cut off."""

import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from index_behaviour import find
from oparl_server import OparlServer
from pdf_files import pdf

from tools_docs.corpus import SourceDocument
from tools_docs.errors import SourceMissing
from tools_docs.formats.kinds import Format
from tools_docs.formats.reading import Origin, Problem, Unreadable
from tools_docs.gateways import DocumentIndex
from tools_docs.indexes import Library
from tools_docs.ingest import job, memory, run
from tools_docs.ingest.job import fill
from tools_docs.ingest.reader import Readers
from tools_docs.ingest.run import Report
from tools_docs.models import Models
from tools_docs.sqlite.reading import SqliteIndex


class Watching:
    """Counts how often it was told of progress, and can be told to break off."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.totals: list[int | None] = []
        self.done: list[int] = []
        self._stop_after = stop_after

    def embedded(self, done: int, total: int) -> None:
        pass

    def progressed(self, report: Report, total: int | None) -> None:
        self.totals.append(total)
        self.done.append(report.done)
        if len(self.done) == self._stop_after:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "index.sqlite")


@pytest.fixture
async def filled(place: str) -> AsyncIterator[DocumentIndex]:
    """To look into what was ingested."""
    opened = SqliteIndex(Path(place))
    yield opened
    await opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "akten"
    (made / "2024" / ".verborgen").mkdir(parents=True)
    (made / "wald.md").write_text(
        "---\nid: wald\ndate: 2024-01-02\n---\n# Waldbericht\n\nDer Wald.", encoding="utf-8"
    )
    (made / "fisch.txt").write_bytes("Über Fische.\n\nForellen schwimmen in der Lürre.".encode("cp1252"))
    (made / "2024" / "bad.pdf").write_bytes(pdf(["Das Hallenbad wird saniert."]))
    (made / "2024" / "strasse & weg.html").write_text("<h1>Strassen</h1><p>Tempo 30.", encoding="utf-8")
    (made / "2024" / ".verborgen" / "x.txt").write_text("Geheim.", encoding="utf-8")
    proposal = {"identifier": "M 1", "name": "Motion", "subject": "Es soll.", "documents": ["wald"]}
    record = {"id": "satz", "title": "Ein Satz", "text": "Ein Kindergarten entsteht."}
    lines = "\n".join(map(json.dumps, (proposal, record)))
    (made / "daten.jsonl").write_text(lines, encoding="utf-8")
    return made


async def test_a_folder_of_all_formats_is_read(folder: Path, place: str, filled: DocumentIndex) -> None:
    report = await fill(str(folder), place, Watching())
    assert (report.added, report.proposals, report.problems) == (5, 1, [])
    for query, expected in [
        ("Forellen", "akten/fisch.txt"),
        ("Waldbericht", "wald"),
        ("Hallenbad", "akten/2024/bad.pdf"),
        ("Strassen", "akten/2024/strasse & weg.html"),
        ("Kindergarten", "satz"),
    ]:
        assert (await find(filled, query))[0] == expected
    assert await find(filled, "geheim") == []
    assert [p.identifier for p in await filled.proposals(["wald"])] == ["M 1"]
    assert (await filled.overview()).sources == {str(folder): 5}


async def test_links_lead_to_the_files_or_to_where_they_are_published(
    folder: Path, place: str, filled: DocumentIndex
) -> None:
    await fill(str(folder), place, Watching())
    found = await filled.document("akten/2024/strasse & weg.html")
    assert found is not None
    assert found.facts.url == (folder / "2024" / "strasse & weg.html").as_uri()
    await fill(str(folder), place, Watching(), base_url="https://example.org/akten")
    found = await filled.document("akten/2024/strasse & weg.html")
    assert found is not None
    assert found.facts.url == "https://example.org/akten/2024/strasse%20%26%20weg.html"


async def test_what_is_unchanged_is_not_read_again(
    folder: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(str(folder), place, Watching())
    monkeypatch.setattr(Readers, "read", _never)
    report = await fill(str(folder), place, Watching())
    assert (report.added, report.changed, report.unchanged, report.proposals) == (0, 0, 5, 1)


async def _never(self: Readers, kind: Format, content: bytes, origin: Origin) -> SourceDocument:
    raise AssertionError("read again")


async def test_what_has_changed_is_replaced_and_the_rest_stays(
    folder: Path, place: str, filled: DocumentIndex
) -> None:
    await fill(str(folder), place, Watching())
    (folder / "fisch.txt").write_text("Vögel brüten am Ufer.", encoding="utf-8")
    report = await fill(str(folder), place, Watching())
    assert (report.added, report.changed, report.unchanged) == (0, 1, 4)
    assert await find(filled, "Forellen") == []
    assert await find(filled, "Vögel") == ["akten/fisch.txt"]


async def test_what_has_gone_is_removed_only_when_asked(
    folder: Path, place: str, filled: DocumentIndex
) -> None:
    await fill(str(folder), place, Watching())
    (folder / "fisch.txt").unlink()
    (folder / "daten.jsonl").unlink()
    report = await fill(str(folder), place, Watching())
    assert report.removed == 0
    assert (await filled.overview()).documents == 5
    report = await fill(str(folder), place, Watching(), prune=True)
    assert report.removed == 2
    overview = await filled.overview()
    assert (overview.documents, overview.proposals) == (3, 0)


async def test_bad_files_are_reported_and_the_others_are_read(
    folder: Path, place: str, filled: DocumentIndex
) -> None:
    await fill(str(folder), place, Watching())
    (folder / "2024" / "bad.pdf").write_bytes(b"%PDF-1.4 kaputt")
    (folder / "leer.md").write_text("", encoding="utf-8")
    (folder / "bild.tiff").write_bytes(b"II*\0")
    (folder / "doppelt.md").write_text("---\nid: wald\n---\nNoch ein Wald.", encoding="utf-8")
    (folder / "schlecht.jsonl").write_text('{"id": "gut", "text": "Ein Igel."}\n{kaputt', encoding="utf-8")
    report = await fill(str(folder), place, Watching(), prune=True)
    found = {(bad.label, bad.reason.problem) for bad in report.problems}
    assert found == {
        ("2024/bad.pdf", Problem.BROKEN),
        ("leer.md", Problem.EMPTY),
        ("bild.tiff", Problem.UNKNOWN_TYPE),
        ("wald.md", Problem.DUPLICATE),
        ("schlecht.jsonl:2", Problem.BROKEN),
    }
    assert await find(filled, "Igel") == ["gut"]
    # It has not gone, it can only not be read: what was read before stays.
    assert await find(filled, "Hallenbad") == ["akten/2024/bad.pdf"]
    assert report.removed == 0


async def test_one_file_can_be_ingested(folder: Path, place: str, filled: DocumentIndex) -> None:
    report = await fill(str(folder / "daten.jsonl"), place, Watching())
    assert (report.added, report.proposals) == (1, 1)
    report = await fill(str(folder / "2024" / "bad.pdf"), place, Watching())
    assert report.added == 1
    assert (await filled.overview()).documents == 2


async def test_a_source_that_does_not_exist_is_named(place: str) -> None:
    with pytest.raises(SourceMissing, match="nirgends"):
        await fill("nirgends", place, Watching())
    with pytest.raises(SourceMissing):
        await fill("https://", place, Watching())


async def test_progress_is_told_for_every_entry(folder: Path, place: str) -> None:
    watching = Watching()
    await fill(str(folder), place, watching)
    assert watching.totals == [6] * 6
    assert watching.done == [1, 2, 3, 4, 5, 6]


async def test_values_that_make_no_sense_are_remarks(folder: Path, place: str) -> None:
    (folder / "wald.md").write_text("---\nid: wald\ndate: bald\n---\nDer Wald.", encoding="utf-8")
    (folder / "daten.jsonl").write_text('{"id": "satz", "text": "Ein Satz.", "date": 1.5}', encoding="utf-8")
    report = await fill(str(folder), place, Watching())
    assert (report.added, report.problems) == (5, [])
    assert [(bad.label, bad.id, bad.reason.detail) for bad in report.remarks] == [
        ("daten.jsonl:1", "satz", "date: 1.5"),
        ("wald.md", "wald", "date: bald"),
    ]


def _size(place: str) -> int:
    return Path(place).stat().st_size


async def test_what_is_removed_gives_its_space_back_while_others_read(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Vectors are of no concern here, and take their time.
    monkeypatch.setattr(job, "models", lambda _: Models())
    folder = tmp_path / "viele"
    folder.mkdir()
    for n in range(200):
        (folder / f"{n}.txt").write_text(f"Dokument {n} über Igel und Wald. " * 200, encoding="utf-8")
    await fill(str(folder), place, Watching())
    index = SqliteIndex(Path(place))
    assert (await index.overview()).documents == 200
    before = _size(place)
    for n in range(190):
        (folder / f"{n}.txt").unlink()
    assert (await fill(str(folder), place, Watching(), prune=True)).removed == 190
    assert _size(place) < before / 3
    assert (await index.overview()).documents == 10
    assert len(await find(index, "Igel")) == 10
    await index.close()


async def test_an_interrupted_run_leaves_whole_documents_and_the_next_one_goes_on(
    tmp_path: Path, place: str, filled: DocumentIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_BATCH_DOCUMENTS", 3)
    folder = tmp_path / "viele"
    folder.mkdir()
    for n in range(10):
        (folder / f"{n}.txt").write_text(f"Dokument Nummer {n} über Igel.", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        await fill(str(folder), place, Watching(stop_after=8))
    overview = await filled.overview()
    assert (overview.documents, overview.passages) == (6, 6)
    report = await fill(str(folder), place, Watching())
    assert (report.added, report.unchanged) == (4, 6)
    assert len(await find(filled, "Igel")) == 10


async def test_own_documents_take_the_place_of_the_sample(
    folder: Path, place: str, filled: DocumentIndex
) -> None:
    library = Library(place, connections=1)
    await library.open()
    assert (await filled.overview()).documents > 60
    await fill(str(folder), place, Watching())
    assert (await filled.overview()).sources == {str(folder): 5}
    await library.open()
    assert (await filled.overview()).sources == {str(folder): 5}
    await library.close()


# -- readers --------------------------------------------------------------------------------------


async def test_a_document_that_hangs_its_reader_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Readers(timeout_s=20) as readers:
        assert (await readers.read(Format.TEXT, b"Gut.", Origin("a", "u"))).facts.id == "a"
        for process in readers._all:
            assert process._process is not None
            process._process.kill()
        with pytest.raises(Unreadable) as caught:
            await readers.read(Format.TEXT, b"Gut.", Origin("b", "u"))
        assert caught.value.problem is Problem.BROKEN
        assert (await readers.read(Format.TEXT, b"Wieder gut.", Origin("c", "u"))).facts.id == "c"
    async with Readers(timeout_s=0.0) as readers:
        with pytest.raises(Unreadable) as caught:
            await readers.read(Format.TEXT, b"Gut.", Origin("a", "u"))
        assert caught.value.problem is Problem.TOO_SLOW


# -- OParl ----------------------------------------------------------------------------------------


@pytest.fixture
def council() -> Iterator[OparlServer]:
    server = OparlServer()
    yield server
    server.stop()


@pytest.mark.parametrize("path", ["/system", "/body/1", "/papers", "/bodies"])
async def test_papers_are_found_from_any_entrance(
    council: OparlServer, place: str, filled: DocumentIndex, path: str
) -> None:
    report = await fill(council.at(path), place, Watching())
    assert (report.added, report.proposals, report.is_complete) == (3, 2, True)
    assert [(bad.label, bad.reason.problem) for bad in report.problems] == [
        ("Gescannt / Scan", Problem.UNKNOWN_TYPE)
    ]
    assert await find(filled, "Hallenbad Sanierung Vorlage") != []


async def test_files_become_documents_with_what_their_paper_says(
    council: OparlServer, place: str, filled: DocumentIndex
) -> None:
    await fill(council.at("/system"), place, Watching())
    main = await filled.document(council.at("/file/1"))
    assert main is not None
    assert main.facts.name == "Sanierung Hallenbad"
    assert main.facts.url == council.at("/show/1")
    assert str(main.facts.date) == "2024-03-04"
    assert (main.facts.kind, main.facts.body, main.facts.size_bytes) == ("Vorlage", "Gemeinderat", 4711)
    annex = await filled.document(council.at("/file/2"))
    assert annex is not None
    assert annex.facts.name == "Sanierung Hallenbad: Beilage 1"
    answer = await filled.document(council.at("/file/3"))
    assert answer is not None
    assert str(answer.facts.date) == "2024-05-06"
    assert answer.facts.body == "Baukommission"
    assert await filled.document(council.at("/file/4")) is None


async def test_papers_that_ask_for_something_are_proposals_of_their_and_related_files(
    council: OparlServer, place: str, filled: DocumentIndex
) -> None:
    await fill(council.at("/system"), place, Watching())
    (motion,) = await filled.proposals([council.at("/file/1")])
    assert (motion.identifier, motion.name) == ("M 2/2024", "Motion für ein Parkleitsystem")
    assert (motion.kind, motion.body, str(motion.date)) == ("Motion", "Baukommission", "2024-02-01")
    assert motion.url == "https://example.org/m2"
    assert set(motion.document_ids) == {council.at(f"/file/{n}") for n in (1, 2, 3)}


async def test_files_are_fetched_once_and_again_when_they_change(
    council: OparlServer, place: str, filled: DocumentIndex
) -> None:
    await fill(council.at("/system"), place, Watching())
    council.asked.clear()
    report = await fill(council.at("/system"), place, Watching(), full=True)
    assert report.unchanged == 3
    assert "/download/1" not in council.asked
    council.objects["/paper/1"]["mainFile"]["modified"] = "2025-01-01T00:00:00+01:00"
    council.files["/download/1"] = ("application/pdf", pdf(["Das Hallenbad bleibt, wie es ist."]))
    report = await fill(council.at("/system"), place, Watching(), full=True)
    assert (report.changed, report.unchanged) == (1, 2)
    main = await filled.document(council.at("/file/1"))
    assert main is not None
    assert "bleibt" in main.passages[0].text


@pytest.mark.parametrize("is_simple", [False, True], ids=["filters", "lists everything"])
async def test_only_what_has_changed_is_asked_for_the_next_time(
    council: OparlServer, place: str, filled: DocumentIndex, is_simple: bool
) -> None:
    council.is_simple = is_simple
    await fill(council.at("/system"), place, Watching())
    council.asked.clear()
    report = await fill(council.at("/system"), place, Watching())
    assert (report.done, report.is_complete) == (0, True)
    assert not [path for path in council.asked if path.startswith(("/download", "/organization"))]
    assert any(path.startswith("/papers?modified_since=") for path in council.asked)
    council.change("/paper/2", name="Motion für ein neues Parkleitsystem")
    report = await fill(council.at("/system"), place, Watching())
    # What its paper is called is what a file is called.
    assert (report.changed, report.unchanged, report.proposals) == (1, 0, 1)
    (motion,) = await filled.proposals([council.at("/file/1")])
    assert motion.name == "Motion für ein neues Parkleitsystem"
    assert set(motion.document_ids) == {council.at(f"/file/{n}") for n in (1, 2, 3)}
    assert (await filled.overview()).documents == 3


async def test_a_file_that_was_not_handed_out_is_asked_for_again(council: OparlServer, place: str) -> None:
    council.failing.add("/download/1")
    await fill(council.at("/system"), place, Watching())
    assert (await fill(council.at("/system"), place, Watching())).added == 0
    council.failing.clear()
    report = await fill(council.at("/system"), place, Watching())
    assert (report.added, report.is_complete) == (1, True)
    assert (await fill(council.at("/system"), place, Watching())).done == 0


async def test_after_a_while_or_a_failure_everything_is_asked_for(
    council: OparlServer, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    council.failing.add("/papers?page=2")
    await fill(council.at("/system"), place, Watching())
    council.failing.clear()
    assert (await fill(council.at("/system"), place, Watching())).unchanged == 3
    assert (await fill(council.at("/system"), place, Watching())).unchanged == 0
    monkeypatch.setattr(memory, "FULL_EVERY", timedelta(0))
    assert (await fill(council.at("/system"), place, Watching())).unchanged == 3


@pytest.mark.parametrize("stored", ["", "{}", '{"read_at": "gestern"}', "[]"])
def test_a_memory_that_makes_no_sense_is_none(stored: str) -> None:
    assert memory.recalled(stored, datetime.now(UTC)) is None


def test_a_memory_of_another_version_or_of_the_future_is_none() -> None:
    now = datetime.now(UTC)
    kept = memory.renewed(None, now, ("paper",))
    assert kept is not None
    assert memory.recalled(kept.model_dump_json(), now) == kept
    assert memory.recalled(kept.model_copy(update={"version": -1}).model_dump_json(), now) is None
    assert memory.recalled(kept.model_dump_json(), now - timedelta(hours=1)) is None
    assert memory.renewed(None, now, tuple(map(str, range(1_001)))) is None


async def test_proposals_come_with_their_paper_and_not_at_the_end(council: OparlServer, place: str) -> None:
    motion = council.objects["/paper/2"]
    council.objects["/papers"]["data"] = [motion, council.objects["/paper/1"]]
    seen: list[tuple[int, int]] = []

    class Counting(Watching):
        def progressed(self, report: Report, total: int | None) -> None:
            super().progressed(report, total)
            seen.append((report.added, report.proposals))

    watching = Counting()
    await fill(council.at("/system"), place, watching)
    assert seen[:3] == [(1, 0), (1, 1), (2, 1)]
    assert watching.totals[-1] == len(watching.totals)
    index = SqliteIndex(Path(place))
    (found,) = await index.proposals([council.at("/file/3")])
    await index.close()
    assert set(found.document_ids) == {council.at(f"/file/{n}") for n in (1, 2, 3)}


@pytest.mark.parametrize(
    ("value", "is_known"),
    [
        ("2024-01-02T00:00:00+01:00", True),
        ("2024-01-02T00:00:00Z", True),
        ("2024-01-02T00:00:00", False),
        ("0001-01-01T00:00:00+14:00", False),
        ("gestern", False),
        (7, False),
    ],
)
def test_times_that_cannot_be_compared_are_none(value: object, is_known: bool) -> None:
    assert (memory.time_of(value) is not None) is is_known


async def test_lists_with_nonsense_around_them_are_read(council: OparlServer, place: str) -> None:
    council.objects["/papers"].update(pagination="viele", links=["weiter"])
    report = await fill(council.at("/system"), place, Watching())
    assert (report.added, report.proposals, report.is_complete) == (3, 1, True)


async def test_a_related_paper_that_is_not_there_takes_nothing_away(council: OparlServer, place: str) -> None:
    council.objects["/paper/2"]["relatedPaper"] = [council.at("/paper/99"), {"id": council.at("/paper/1")}, 7]
    report = await fill(council.at("/system"), place, Watching())
    assert (report.proposals, report.is_complete) == (2, True)


async def test_a_date_that_is_none_is_no_reason_to_leave_a_file_out(council: OparlServer, place: str) -> None:
    council.objects["/paper/1"].update(date="demnächst")
    assert (await fill(council.at("/system"), place, Watching())).added == 3


async def test_what_is_deleted_there_goes_when_asked(
    council: OparlServer, place: str, filled: DocumentIndex
) -> None:
    await fill(council.at("/system"), place, Watching())
    council.objects["/paper/1"]["deleted"] = True
    report = await fill(council.at("/system"), place, Watching(), prune=True)
    assert report.removed == 2
    assert (await filled.overview()).documents == 1


@pytest.mark.parametrize("path", ["/papers?page=2", "/paper/2", "/bodies"])
async def test_a_source_that_cannot_be_read_to_its_end_removes_nothing(
    council: OparlServer, place: str, filled: DocumentIndex, path: str
) -> None:
    await fill(council.at("/system"), place, Watching())
    council.failing.add(path)
    report = await fill(council.at("/system"), place, Watching(), prune=True)
    assert not report.is_complete
    assert Problem.NOT_FETCHED in {bad.reason.problem for bad in report.problems}
    assert report.removed == 0
    assert (await filled.overview()).documents == 3


async def test_a_file_that_is_not_handed_out_is_reported(council: OparlServer, place: str) -> None:
    council.failing.add("/download/1")
    report = await fill(council.at("/system"), place, Watching())
    assert ("2024-01 / Vorlage", Problem.NOT_FETCHED) in {
        (b.label, b.reason.problem) for b in report.problems
    }
    assert report.added == 2


async def test_files_of_other_servers_are_fetched_only_when_allowed(council: OparlServer, place: str) -> None:
    other = OparlServer()
    try:
        council.objects["/paper/1"]["mainFile"]["downloadUrl"] = other.at("/download/1")
        report = await fill(council.at("/system"), place, Watching())
        assert report.added == 2
        assert other.asked == []
        report = await fill(council.at("/system"), place, Watching(), allowed=[other.url])
        assert report.added == 1
    finally:
        other.stop()


async def test_a_list_that_leads_back_to_itself_ends(council: OparlServer, place: str) -> None:
    council.objects["/papers?page=2"]["links"] = {"next": council.at("/papers")}
    report = await fill(council.at("/system"), place, Watching())
    assert report.added == 3


@pytest.mark.parametrize(
    "content", [{"type": "https://schema.oparl.org/1.1/Meeting"}, {}, ["nichts"], "Text"]
)
async def test_what_is_no_oparl_is_reported(council: OparlServer, place: str, content: object) -> None:
    council.objects["/system"] = content
    report = await fill(council.at("/system"), place, Watching())
    assert not report.is_complete
    assert report.added == 0
