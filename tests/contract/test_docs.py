"""The pages say what the code does: examples are answered, tables compared, links followed."""

import csv
import json
import re
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pages
import pytest
from ask_sogis import AskError
from contracts.actions import MapAction
from contracts.chat import ChatRequest, ChatResponse
from contracts.oereb import ExtractContent, LegalDocument, Restriction, Theme
from contracts.problems import Problem
from contracts.session import LoadedLayer, Session
from contracts.turns import TurnProgress
from in_memory import InMemorySystem
from pages import ROOT, Block
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase
from servicekit import connections, lag, telemetry

from ask.errors import Exit
from edge import errors, metrics
from orchestrator.metrics import REFUSED
from planner import rules
from planner.rules.reading.known import knowing

README = ROOT / "README.md"
HTTP = ROOT / "docs" / "http.md"
OPERATIONS = ROOT / "docs" / "operations.md"
TOOLS = ROOT / "docs" / "tools.md"
PAGES = pages.files()
DATA = ROOT / "services" / "tools-geo" / "src" / "tools_geo" / "data"

page = pytest.mark.parametrize("page", PAGES, ids=pages.name_of)


@pytest.fixture
async def system() -> AsyncIterator[InMemorySystem]:
    started = InMemorySystem()
    await started.start()
    yield started
    await started.stop()


def test_the_pages_are_found() -> None:
    assert {README, HTTP, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"} <= set(PAGES)
    assert len([p for p in PAGES if p.parent.name == "decisions"]) >= 10


@page
def test_links_lead_somewhere(page: Path) -> None:
    for link in pages.links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if fragment:
            assert fragment in pages.anchors(target), link


KNOWN_HOSTS = {
    "127.0.0.1",
    "localhost",
    "geo.so.ch",
    "api3.geo.admin.ch",
    "wms.geo.admin.ch",
    "wmts.geo.admin.ch",
    "ask.example.org",
    "maps.example.org",
    "oereb.example.org",
}


@page
def test_pages_hold_on_every_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    somewhere = re.search(r"(?<![\w./-])/(home|root|work|tmp|opt|Users|mnt|srv)/", text)
    assert somewhere is None, somewhere
    hosts = set(re.findall(r"https?://([^/\s:\"'`)…]+)", text))
    assert hosts <= KNOWN_HOSTS, hosts - KNOWN_HOSTS


@page
def test_json_can_be_read(page: Path) -> None:
    for block in pages.blocks(page):
        if block.language == "json":
            assert json.loads(block.text), f"{pages.name_of(page)}:{block.line}"


# -- examples -------------------------------------------------------------------------------------


def requests_in(block: Block) -> list[dict[str, Any]]:
    """The body of a request, alone or in a call of curl."""
    found = re.findall(r"-d '(.*?)'", block.text) if block.language == "sh" else []
    if block.language == "json" and "sessionId" in json.loads(block.text):
        found = [block.text]
    return [document for body in found if "state" not in (document := json.loads(body))]


def is_part(shown: Any, whole: Any) -> bool:
    """Whether `shown` is `whole`, perhaps with some things left out and coordinates rounded."""
    if isinstance(shown, dict):
        return isinstance(whole, dict) and all(k in whole and is_part(v, whole[k]) for k, v in shown.items())
    if isinstance(shown, list):
        rest = iter(whole)
        return isinstance(whole, list) and all(any(is_part(s, w) for w in rest) for s in shown)
    if isinstance(shown, float):
        return bool(shown == pytest.approx(whole, rel=0, abs=0.06 if shown > 1_000 else 0))
    return bool(shown == whole)


def examples(page: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(request, answer) of every answer, with the request before it."""
    return [
        (request, json.loads(after.text))
        for before, after in pairwise(b for b in pages.blocks(page) if b.language in ("sh", "json"))
        for request in requests_in(before)[:1]
        if '"overallStatus"' in after.text
    ]


@pytest.mark.parametrize(("page", "count"), [(README, 1), (HTTP, 4)], ids=["README", "http"])
async def test_the_examples_are_what_the_system_answers(
    page: Path, count: int, system: InMemorySystem
) -> None:
    found = examples(page)
    assert len(found) == count
    for body, shown in found:
        request = ChatRequest.from_json(json.dumps(body))
        response = await system.answer(request, shown["requestId"])
        whole = json.loads(response.to_json())
        assert is_part(shown, whole), json.dumps(whole, ensure_ascii=False, indent=1)
        assert [_keys(step) for step in shown["steps"]] == [_keys(step) for step in whole["steps"]]
        ChatResponse.from_json(json.dumps(shown))


def _keys(step: dict[str, Any]) -> list[str]:
    """But the facts for cards, which the pages show once."""
    return [key for key in step if key != "items"]


@pytest.mark.parametrize("shown", [{"a": 2}, {"b": 1}, {"l": [2, 1]}, {"l": [3]}, {"c": 5000.2}])
def test_a_wrong_example_is_noticed(shown: dict[str, Any]) -> None:
    assert not is_part(shown, {"a": 1, "l": [1, 2], "c": 5000.0})


def test_other_json_has_the_shape_of_its_model() -> None:
    documents = [json.loads(block.text) for block in pages.blocks(HTTP) if block.language == "json"]
    (running,) = (d for d in documents if "state" in d)
    assert json.loads(TurnProgress.from_json(json.dumps(running)).to_json()) == running
    (problem,) = (d for d in documents if "code" in d)
    assert json.loads(Problem.from_json(json.dumps(problem)).to_json()) == problem


async def test_the_sentences_of_the_readme_are_understood(system: InMemorySystem) -> None:
    rows = pages.table(README, "What it understands", "intent")
    loaded = LoadedLayer(id="ch.so.afu.gewaesserschutz", label="Gewässerschutz")
    assert len(rows) >= 9
    for row in rows:
        with knowing(system.catalogue.vocabulary()):
            plan = rules.plan(row["sentence"], Session(layers=(loaded,)), system.catalogue.tools())
        assert [step.intent for step in plan.steps] == [row["intent"].strip("`")], row
        assert all(
            step.calls or step.args or step.message or step.intent == "clear_map" for step in plan.steps
        )


@pytest.mark.parametrize("sentence", re.findall(r'ask chat "(.+?)"', README.read_text(encoding="utf-8")))
async def test_the_commands_of_the_readme_find_something(sentence: str, system: InMemorySystem) -> None:
    request = ChatRequest(session_id="s", user_message=sentence)
    assert (await system.answer(request, "req-1")).overall_status in ("ok", "needs_user_choice")


def test_the_example_tool_stands_in_the_page_as_it_is() -> None:
    (shown,) = (block.text for block in pages.blocks(TOOLS) if block.language == "python")
    assert shown == (ROOT / "examples" / "tools-hello" / "tools_hello.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (
            ROOT / "docs" / "howto" / "use-from-python.md",
            ["chat", "choice", "stream", "documents", "together"],
        ),
        (ROOT / "packages" / "ask-sogis" / "README.md", ["chat"]),
    ],
    ids=["how-to", "README"],
)
def test_the_examples_in_python_stand_in_the_page_as_they_are(page: Path, shown: list[str]) -> None:
    files = [ROOT / "examples" / "python" / f"{name}.py" for name in shown]
    blocks = [block.text for block in pages.blocks(page) if block.language == "python"]
    assert blocks == [file.read_text(encoding="utf-8") for file in files]


def test_the_exceptions_of_the_python_client_are_documented() -> None:
    page = ROOT / "docs" / "howto" / "use-from-python.md"
    written = {row["exception"].strip("`") for row in pages.table(page, "What goes wrong", "exception")}
    assert written == {error.__name__ for error in AskError.__subclasses__()}


def test_the_exit_codes_of_the_command_are_documented() -> None:
    rows = pages.table(ROOT / "docs" / "howto" / "use-in-a-pipe.md", "Exit codes", "code")
    assert [int(row["code"]) for row in rows] == [*Exit, 130]


def test_the_examples_in_typescript_stand_in_the_page_as_they_are() -> None:
    shown = {block.text for block in pages.blocks(ROOT / "docs" / "howto" / "use-from-typescript.md")}
    files = list((ROOT / "examples" / "typescript").glob("*.mts"))
    assert files and {file.read_text(encoding="utf-8") for file in files} <= shown


@pytest.mark.parametrize("name", ["openlayers.js", "own-chat.js"])
def test_the_examples_of_embedding_stand_in_the_page_as_they_are(name: str) -> None:
    shown = {block.text for block in pages.blocks(ROOT / "docs" / "howto" / "embed.md")}
    assert (ROOT / "examples" / "embed" / name).read_text(encoding="utf-8") in shown


# -- tables and figures ---------------------------------------------------------------------------


def test_all_problems_are_documented() -> None:
    written = {
        (row["status"], row["code"].strip("`"), row["title"], row["`Retry-After`, s"])
        for row in pages.table(HTTP, "Problems", "code")
    }
    assert written == {
        (str(kind.status), kind.code, kind.title(), str(kind.retry_after_s or "–"))
        for kind in errors.EdgeError.__subclasses__()
    }


def test_all_map_actions_are_documented_with_their_payload() -> None:
    written = {
        row["type"].strip("`"): re.findall(r"`(\w+)`(\??)", row["payload"].partition(";")[0])
        for row in pages.table(HTTP, "Map actions", "payload")
    }
    actions = get_args(get_args(MapAction)[0])
    assert written.keys() == {action.model_fields["type"].default for action in actions}
    for action in actions:
        payload = action.model_fields["payload"].annotation
        fields = {
            field.alias: "?" if field.default is None else "" for field in payload.model_fields.values()
        }
        assert fields.items() <= set(written[action.model_fields["type"].default]), action


def test_all_that_an_extract_says_is_documented() -> None:
    written = {(row["key"], row["content"]) for row in pages.table(HTTP, "Extracts", "content")}
    keys = {key for row, _ in written for key in re.findall(r"`(\w+)`", row)}
    assert keys == {field.alias for field in ExtractContent.model_fields.values()}
    for key, model in (("restrictions", Restriction), ("documents", LegalDocument), ("concerned", Theme)):
        (content,) = (told for row, told in written if f"`{key}`" in row)
        assert {field.alias for field in model.model_fields.values()} <= set(re.findall(r"`(\w+)`", content))


def test_all_metrics_are_documented() -> None:
    assert telemetry.HANDLED and metrics.REQUESTS and connections.CUT and REFUSED and lag.PENDING
    written = {
        row["metric"].strip("`").removesuffix("_total"): pages.names(row["labels"])
        for row in pages.table(OPERATIONS, "Metrics", "metric")
    }
    known = {
        metric._name: tuple(metric._labelnames) or ("",)
        for metric in REGISTRY._collector_to_names
        if isinstance(metric, MetricWrapperBase) and metric._name.startswith("ask_")
    }
    assert written == known


def test_the_readme_counts_the_data_right() -> None:
    text = " ".join(pages.prose(README).split())

    def rows(name: str) -> list[dict[str, str]]:
        with (DATA / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    kinds = [row["kind"] for row in rows("layers.csv")]
    assert f"All {len(rows('municipalities.csv'))} municipalities" in text
    assert f"{len(rows('localities.csv'))} localities" in text
    assert f"{len(rows('addresses.csv'))} addresses in Solothurn" in text
    assert f"{kinds.count('layer')} layers and {kinds.count('group')} groups" in text
    parcels = json.loads((DATA / "parcels.geojson").read_text(encoding="utf-8"))["features"]
    assert f"{len(parcels)} parcels" in text
    assert all(parcel["properties"]["number"] in text for parcel in parcels)


@page
def test_make_has_the_tasks_that_are_named(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    tasks = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    commands = re.findall(
        r"(?:`|^|\b[A-Z_]+=\S+ )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(commands) <= tasks
