"""The sample corpus and its questions: complete, consistent, and all spelled the Swiss way."""

import json
import re
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
DATA = ROOT / "services" / "tools-docs" / "src" / "tools_docs" / "data"
QUESTIONS = ROOT / "tests" / "support" / "document_questions.toml"
KEYS = ["id", "title", "date", "type", "body", "url"]
DOCUMENT_TYPES = {
    "Antwort auf Interpellation",
    "Botschaft und Entwurf",
    "Jahresbericht",
    "Kommissionsbericht",
    "Medienmitteilung",
    "Merkblatt",
    "Protokollauszug",
    "Regierungsratsbeschluss",
    "Richtplananpassung",
    "Vernehmlassungsbericht",
}
PROPOSAL_TYPES = {"Antrag der Kommission", "Auftrag", "Interpellation", "Motion", "Postulat", "Volksauftrag"}


def split(path: Path) -> tuple[dict[str, str], str]:
    """The front matter of a document, in its order, and its text."""
    opening, front, text = path.read_text(encoding="utf-8").split("---\n", 2)
    assert opening == "", path
    lines = [line.partition(": ") for line in front.splitlines()]
    assert all(separator for _, separator, _ in lines), path
    return {key: value for key, _, value in lines}, text.strip()


FILES = sorted((DATA / "documents").iterdir())
DOCUMENTS = {path.stem: split(path) for path in FILES}
PROPOSALS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "proposals.jsonl").read_text(encoding="utf-8").splitlines()
]
EVALUATION = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))
ANSWERABLE = [entry for entry in EVALUATION["questions"] if not entry.get("unanswerable")]
UNANSWERABLE = [entry for entry in EVALUATION["questions"] if entry.get("unanswerable")]
FOLLOWUPS = EVALUATION["followups"]


def words(text: str) -> int:
    return len(re.findall(r"[^\W\d_]\w*", text))


def passes(front: dict[str, str], filters: dict[str, str]) -> bool:
    return (
        front["type"] == filters.get("type", front["type"])
        and front["body"] == filters.get("body", front["body"])
        and filters.get("from", front["date"]) <= front["date"] <= filters.get("to", front["date"])
    )


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_says_what_it_is_and_has_a_text(name: str) -> None:
    front, text = DOCUMENTS[name]
    assert list(front) == KEYS
    assert front["id"] == name
    assert re.fullmatch(r"\d{4}(-[a-z0-9]+)+", name)
    assert date.fromisoformat(front["date"]).year == int(name[:4])
    assert front["type"] in DOCUMENT_TYPES
    assert front["url"] == f"https://ris.example.org/dokumente/{name}"
    assert text.startswith(f"# {front['title']}\n")
    assert 130 <= words(text) <= 900


def test_there_are_about_sixty_documents_of_every_type_and_some_are_long() -> None:
    assert all(path.suffix == ".md" for path in FILES)
    assert 60 <= len(DOCUMENTS) <= 80
    assert {front["type"] for front, _ in DOCUMENTS.values()} == DOCUMENT_TYPES
    assert sum(words(text) >= 330 for _, text in DOCUMENTS.values()) >= 6


def test_titles_texts_and_identifiers_are_unique() -> None:
    for values in (
        [front["title"] for front, _ in DOCUMENTS.values()],
        [text for _, text in DOCUMENTS.values()],
        [proposal["identifier"] for proposal in PROPOSALS],
        [proposal["url"] for proposal in PROPOSALS],
        [proposal["name"] for proposal in PROPOSALS],
        [entry["question"] for entry in EVALUATION["questions"]],
    ):
        assert [value for value, count in Counter(values).items() if count > 1] == []


@pytest.mark.parametrize("proposal", PROPOSALS, ids=lambda proposal: str(proposal["identifier"]))
def test_a_proposal_is_complete_and_its_links_resolve(proposal: dict[str, Any]) -> None:
    assert set(proposal) == {"identifier", "name", "subject", "date", "url", "type", "body", "documents"}
    year = re.fullmatch(r"[A-Z]{1,2} \d{4}/(\d{4})", proposal["identifier"])
    assert year and date.fromisoformat(proposal["date"]).year == int(year[1])
    assert proposal["type"] in PROPOSAL_TYPES
    assert proposal["url"].startswith("https://ris.example.org/antraege/")
    assert proposal["subject"].endswith(".")
    assert 1 <= len(set(proposal["documents"])) == len(proposal["documents"]) <= 4
    assert set(proposal["documents"]) <= DOCUMENTS.keys()


def test_there_are_twenty_five_proposals_of_every_type() -> None:
    assert len(PROPOSALS) == 25
    assert {proposal["type"] for proposal in PROPOSALS} == PROPOSAL_TYPES


def test_the_readme_counts_what_is_there() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert f"{len(DOCUMENTS)} documents and {len(PROPOSALS)} proposals" in readme
    assert "invented" in readme
    assert all(f"`{kind}`" in readme for kind in DOCUMENT_TYPES | PROPOSAL_TYPES)


def test_nothing_is_spelled_with_a_sharp_s_or_in_foreign_quotation_marks() -> None:
    for path in [*FILES, DATA / "proposals.jsonl", DATA / "README.md", QUESTIONS]:
        assert not set("ßẞ„“”") & set(path.read_text(encoding="utf-8")), path


def test_no_document_gives_orders_to_a_language_model() -> None:
    orders = re.compile(r"ignoriere|hinweis an das system|layers\.search|\{\"|sprachmodell|prompt", re.I)
    planted = (ROOT / "tests" / "support" / "documents").glob("*.md")
    assert all(orders.search(split(path)[1]) for path in planted)
    assert [name for name, (_, text) in DOCUMENTS.items() if orders.search(text)] == []


@pytest.mark.parametrize("entry", ANSWERABLE, ids=lambda entry: str(entry["question"]))
def test_an_answerable_question_expects_documents_that_pass_its_filters(entry: dict[str, Any]) -> None:
    assert entry.keys() <= {"question", "expected", "filters"}
    filters = entry.get("filters", {})
    assert filters.keys() <= {"type", "body", "from", "to"}
    assert all(date.fromisoformat(filters[key]) for key in ("from", "to") if key in filters)
    assert 1 <= len(set(entry["expected"])) == len(entry["expected"]) <= 4
    assert all(passes(DOCUMENTS[name][0], filters) for name in entry["expected"])


@pytest.mark.parametrize("entry", [entry for entry in ANSWERABLE if "filters" in entry], ids=str)
def test_a_filter_narrows_the_search(entry: dict[str, Any]) -> None:
    assert not all(passes(front, entry["filters"]) for front, _ in DOCUMENTS.values())


def test_there_are_enough_questions_of_every_kind() -> None:
    assert len(ANSWERABLE) >= 50
    assert sum("filters" in entry for entry in ANSWERABLE) >= 6
    assert sum(len(entry["expected"]) > 1 for entry in ANSWERABLE) >= 10
    kinds = Counter(entry["why"] for entry in UNANSWERABLE)
    assert kinds.keys() == {"foreign", "near"} and min(kinds.values()) >= 5
    assert len(FOLLOWUPS) >= 6


def test_an_unanswerable_question_expects_no_document() -> None:
    assert all(entry.keys() == {"question", "unanswerable", "why"} for entry in UNANSWERABLE)


def test_most_documents_and_every_type_are_asked_for() -> None:
    asked = {name for entry in ANSWERABLE for name in entry["expected"]}
    assert len(asked) >= 0.9 * len(DOCUMENTS)
    assert {DOCUMENTS[name][0]["type"] for name in asked} == DOCUMENT_TYPES


@pytest.mark.parametrize("entry", FOLLOWUPS, ids=lambda entry: str(entry["first"]))
def test_a_followup_expects_known_documents(entry: dict[str, Any]) -> None:
    assert entry.keys() == {"first", "second", "expected"}
    assert entry["expected"] and set(entry["expected"]) <= DOCUMENTS.keys()
