"""The tools as the bus sees them: arguments, items, suggestions, descriptors."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from contracts.items import Document, Proposal, Relevance
from contracts.languages import LANGUAGES
from contracts.messages import Outcome
from contracts.status import Status
from documents_kit import document, indexed
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox
from servicekit.wording import answering_in
from volume import some

from tools_docs.chunking import MAX_CHARS
from tools_docs.corpus import DocumentFacts
from tools_docs.gateways import DocumentIndex
from tools_docs.handlers import register
from tools_docs.indexes import Library
from tools_docs.research import Research
from tools_docs.sample import sample_documents, sample_proposals
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter
from tools_docs.suggestions import suggestions
from tools_docs.texts import text

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTION = "Bis wann müssen die Grundwasserschutzzonen bereinigt sein?"


@pytest.fixture
def toolbox(index: DocumentIndex) -> Toolbox:
    bus: Any = MemoryBus("tools-docs")
    return register(bus, Research(index, now=lambda: NOON))


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[Toolbox]:
    """The tools on an index with nothing but a remark."""
    path = tmp_path / "documents.sqlite"
    writer = SqliteWriter(path)
    await writer.put("here", indexed(document("a", "Ein Fisch.", name="Ein «grosser» Fisch")))
    await writer.close()
    opened = SqliteIndex(path)
    bus: Any = MemoryBus("tools-docs")
    yield register(bus, Research(opened, now=lambda: NOON))
    await opened.close()


async def call(toolbox: Toolbox, capability: str, **args: object) -> Outcome:
    return await toolbox[capability].call(dict(args), "de")


def documents(outcome: Outcome) -> list[Document]:
    return [item for item in outcome.items if isinstance(item, Document)]


def test_capabilities_and_argument_names_are_the_agreed_ones(toolbox: Toolbox) -> None:
    declared = {d.capability: set(d.parameters["properties"]) for d in toolbox.descriptors}
    assert declared == {
        "documents.retrieve": {"query", "filters", "limit"},
        "documents.check": {"query", "document"},
    }
    required = {d.capability: set(d.parameters["required"]) for d in toolbox.descriptors}
    assert required == {"documents.retrieve": {"query"}, "documents.check": {"query", "document"}}
    filters = toolbox["documents.retrieve"].descriptor.parameters["$defs"]["Filters"]["properties"]
    assert filters.keys() == {"from", "to", "type", "body"}


def test_several_documents_are_no_choice_and_planners_can_read_every_parameter(toolbox: Toolbox) -> None:
    for descriptor in toolbox.descriptors:
        assert not descriptor.selects
        for schema in descriptor.parameters["properties"].values():
            assert schema["description"]
            assert schema["examples"]


async def test_the_examples_for_planners_work(toolbox: Toolbox) -> None:
    for descriptor in toolbox.descriptors:
        properties = descriptor.parameters["properties"]
        args = {name: schema["examples"][0] for name, schema in properties.items()}
        outcome = await call(toolbox, descriptor.capability, **args)
        assert outcome.status is Status.OK, outcome.message
        assert outcome.items
        assert {item.type for item in outcome.items} <= set(descriptor.result_types)


async def test_documents_come_with_facts_passages_and_provenance(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "documents.retrieve", query=QUESTION)
    shipped = {each.facts.id: each.facts for each in sample_documents()}
    for item in documents(outcome):
        facts = shipped[item.id]
        assert (item.name, item.url, item.date) == (facts.name, facts.url, facts.date)
        assert (item.kind, item.body, item.size_bytes) == (facts.kind, facts.body, facts.size_bytes)
        assert 1 <= len(item.passages) <= 3
        assert all(0 < len(passage.text) <= MAX_CHARS for passage in item.passages)
        assert item.confidence is not None
        assert item.provenance is not None
        assert item.provenance.retrieved_at == NOON
        assert "Beispiel" in item.provenance.source
        assert item.provenance.sample
    best = documents(outcome)[0]
    assert best.confidence == max(d.confidence or 0 for d in documents(outcome))
    assert best.passages[0].heading


async def test_proposals_follow_the_documents_that_they_are_linked_to(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "documents.retrieve", query=QUESTION)
    found = documents(outcome)
    proposals = [item for item in outcome.items if isinstance(item, Proposal)]
    assert outcome.items == (*found, *proposals)
    ids = {document.id for document in found}
    expected = {p.identifier for p in sample_proposals() if ids & set(p.document_ids)}
    assert {proposal.identifier for proposal in proposals} == expected != set()
    assert all(p.id == p.identifier and p.subject and p.url for p in proposals)


@pytest.mark.parametrize("query", [QUESTION, "Kryptowährungsbesteuerungsbefreiung"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_that_the_sample_is_invented_is_said_in_every_language_also_when_it_has_nothing(
    toolbox: Toolbox, language: str, query: str
) -> None:
    outcome = await toolbox["documents.retrieve"].call({"query": query}, language)
    assert bool(outcome.items) is (query == QUESTION)
    assert outcome.note == text("sample", language)
    assert outcome.message.endswith(f" {outcome.note}")


@pytest.mark.parametrize("query", ["Fisch", "Kryptowährungsbesteuerungsbefreiung"])
async def test_documents_of_ones_own_are_no_sample(empty: Toolbox, query: str) -> None:
    outcome = await call(empty, "documents.retrieve", query=query)
    assert bool(outcome.items) is (query == "Fisch")
    assert outcome.note == "" and text("sample") not in outcome.message
    assert not any(item.provenance and item.provenance.sample for item in outcome.items)


@pytest.mark.parametrize(("limit", "number"), [(1, 1), (3, 3), (99, 20), (None, 10)])
async def test_there_are_as_many_documents_as_wanted_at_most(
    toolbox: Toolbox, limit: int | None, number: int
) -> None:
    args: dict[str, object] = {} if limit is None else {"limit": limit}
    outcome = await call(
        toolbox, "documents.retrieve", query="Kanton Gemeinde Strasse Wasser Energie", **args
    )
    assert len(documents(outcome)) == number


@pytest.mark.parametrize(
    ("filters", "first", "last"),
    [
        ({"from": "2024"}, date(2024, 1, 1), None),
        ({"to": "2019-12"}, None, date(2019, 12, 31)),
        ({"from": "2023-01-01", "to": 2023}, date(2023, 1, 1), date(2023, 12, 31)),
        ({"from": "", "type": "", "body": None}, None, None),
    ],
)
async def test_days_can_be_years_and_months_and_empty_means_any(
    toolbox: Toolbox, filters: dict[str, object], first: date | None, last: date | None
) -> None:
    outcome = await call(toolbox, "documents.retrieve", query="Kanton Gemeinde Strasse", filters=filters)
    dates = [document.date for document in documents(outcome) if document.date is not None]
    assert dates
    assert first is None or min(dates) >= first
    assert last is None or max(dates) <= last


@pytest.mark.parametrize(
    "args",
    [
        {"query": ""},
        {"query": "Wald", "limit": 0},
        {"query": "Wald", "filters": {"from": "gestern"}},
        {"query": "Wald", "filters": {"from": "2024-13"}},
        {"query": "x" * 4_001},
        {},
    ],
)
async def test_arguments_that_make_no_sense_are_an_error(toolbox: Toolbox, args: dict[str, object]) -> None:
    assert (await call(toolbox, "documents.retrieve", **args)).status is Status.ERROR


# -- suggestions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [QUESTION, "Kennst du ein Rezept für Zwetschgenwähe?", "???"])
async def test_there_are_always_two_or_three_questions_to_try_instead(toolbox: Toolbox, query: str) -> None:
    outcome = await call(toolbox, "documents.retrieve", query=query)
    assert 2 <= len(outcome.suggestions) <= 3
    assert len(set(outcome.suggestions)) == len(outcome.suggestions)
    assert all(suggestion.endswith("?") for suggestion in outcome.suggestions)


async def test_suggestions_are_near_to_what_was_asked(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "documents.retrieve", query=QUESTION)
    assert all(re.search("[Gg]rundwasser", suggestion) for suggestion in outcome.suggestions)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_suggestion_leads_to_its_document(toolbox: Toolbox, language: str) -> None:
    for each in some(tuple(sample_documents())):
        with answering_in(language):
            suggested = suggestions([each.facts] * 3, ()) + suggestions(
                [DocumentFacts("x", "Anderes", "u"), each.facts, each.facts], ()
            )
        for question in suggested:
            if "Anderes" in question:
                continue
            outcome = await call(toolbox, "documents.retrieve", query=question)
            first = documents(outcome)[0]
            assert first.id == each.facts.id, question
            content = {
                "id": first.id,
                "name": first.name,
                "passages": [p.model_dump() for p in first.passages],
            }
            (judged,) = (await call(toolbox, "documents.check", query=question, document=content)).items
            assert isinstance(judged, Relevance)
            assert judged.is_relevant, (question, judged.reason)


async def test_nothing_found_is_no_failure(empty: Toolbox) -> None:
    outcome = await call(empty, "documents.retrieve", query="Raumfahrt")
    assert outcome.status is Status.OK
    assert outcome.items == ()
    assert outcome.message == "Keine Dokumente zu «Raumfahrt» gefunden."
    assert outcome.suggestions == ("Worum geht es in «Ein ‹grosser› Fisch»?",)


# -- check ----------------------------------------------------------------------------------------


async def test_without_passages_the_index_is_read(toolbox: Toolbox) -> None:
    outcome = await call(
        toolbox,
        "documents.check",
        query="Wie nah darf ich an einen Bach bauen?",
        document={"id": "2021-gewaesserraum-merkblatt"},
    )
    (judged,) = outcome.items
    assert isinstance(judged, Relevance)
    assert judged.id == "2021-gewaesserraum-merkblatt"
    assert judged.label.startswith("Merkblatt Gewässerraum")
    assert judged.is_relevant


async def test_a_document_without_any_text_is_kept_and_says_so(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "documents.check", query=QUESTION, document={"id": "weg", "name": "Weg"})
    (judged,) = outcome.items
    assert isinstance(judged, Relevance)
    assert judged.is_relevant
    assert judged.reason == text("kept_unreadable")


async def test_an_index_that_has_gone_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    library = Library(str(tmp_path / "nothing.sqlite"), connections=1)
    bus: Any = MemoryBus("tools-docs")
    toolbox = register(bus, Research(library.index))
    outcome = await call(toolbox, "documents.retrieve", query=QUESTION)
    assert outcome.status is Status.ERROR
    assert outcome.message
    await library.close()
