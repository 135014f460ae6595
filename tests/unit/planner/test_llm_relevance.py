"""Of very many tools a prompt offers those that a message may be about."""

import json
import tomllib
from itertools import product
from pathlib import Path

import pytest
from contracts.session import HistoryEntry, Session
from contracts.tools import ToolDescriptor

from planner.llm.offer import Offers
from planner.llm.relevance import Relevance

from .fake_openai import FakeOpenAI, Says
from .llm_kit import GOOD, TOOLS, WITH_DOCUMENTS, MakePlanner, request

_FILE = Path(__file__).parents[2] / "support" / "foreign_tools.toml"
_LISTED = tomllib.loads(_FILE.read_text(encoding="utf-8"))["tool"]
_IN_GERMAN, _IN_ENGLISH = ([each for each in _LISTED if each["language"] == one] for one in ("de", "en"))
_ROOM = 40
_SUBJECTS = {
    "de": "Tarife Vereine Hunde Brücken Reben Museen Steine Märkte Ziegen Mieten Fahnen Uhren",
    "en": "fares clubs dogs bridges vines museums stones markets goats rents flags clocks",
}


def described(name: str, description: str) -> ToolDescriptor:
    parameters = {"type": "object", "properties": {"place": {"type": "string", "description": "Ort"}}}
    return ToolDescriptor(
        capability=f"mcp.{name}",
        service="tools-mcp",
        description=description,
        parameters=parameters,
        result_types=(),
    )


def many(count: int) -> list[ToolDescriptor]:
    """Tools about all kinds of things, two subjects each, half of them in German."""
    german, english = _SUBJECTS["de"].split(), _SUBJECTS["en"].split()
    pairs = [
        *((f"{a}.{b}", f"Sucht {a} und {b} an einem Ort.") for a, b in product(german, german)),
        *((f"{a}.{b}", f"Searches {a} and {b} near a place.") for a, b in product(english, english)),
    ]
    return [described(f"{name}-{n}".lower(), text) for n, (name, text) in enumerate(pairs * 4)][:count]


LISTED = [described(each["name"], each["description"]) for each in _LISTED]
ALL = (*LISTED, *many(960))


@pytest.fixture(scope="module")
def relevance() -> Relevance:
    return Relevance(ALL)


def nearest(relevance: Relevance, *texts: str, count: int = _ROOM) -> set[str]:
    return {tool.capability for tool in relevance.nearest(texts, count)}


@pytest.mark.parametrize("asked", _IN_GERMAN, ids=lambda each: each["name"])
def test_the_right_tool_is_among_a_thousand(relevance: Relevance, asked: dict[str, str]) -> None:
    assert f"mcp.{asked['name']}" in nearest(relevance, asked["question"])


def test_across_languages_words_that_they_share_find_some(relevance: Relevance) -> None:
    found = [f"mcp.{each['name']}" in nearest(relevance, each["question"]) for each in _IN_ENGLISH]
    assert sum(found) >= len(found) // 3


def test_what_was_said_before_tells_what_a_follow_up_is_about(relevance: Relevance) -> None:
    follow_up, before = "Und in Grenchen?", "Wie wird das Wetter morgen in Olten?"
    assert "mcp.meteo.forecast" not in nearest(relevance, follow_up, count=5)
    assert "mcp.meteo.forecast" in nearest(relevance, follow_up, before, count=5)


def test_the_message_weighs_more_than_what_was_said_before(relevance: Relevance) -> None:
    asked = relevance.nearest(["Wie hoch ist der Pegel der Aare?", "Welche Baugesuche liegen auf?"], 1)
    assert [tool.capability for tool in asked] == ["mcp.wasser.pegel"]


def test_our_own_tools_are_always_offered_and_all_others_while_there_is_room() -> None:
    few, lots = (tuple(LISTED[:count]) for count in (_ROOM // 2, _ROOM))
    for strangers in (few, lots):
        offered = Offers((*WITH_DOCUMENTS, *strangers), _ROOM).about(["Grüezi"])
        assert len(offered.tools) == len(TOOLS) + 1 + len(strangers)
    offered = Offers((*WITH_DOCUMENTS, *ALL), _ROOM).about(["Wie wird das Wetter?"])
    assert {tool.capability for tool in TOOLS} < {tool.capability for tool in offered.tools}
    assert len(offered.tools) == len(TOOLS) + 1 + _ROOM
    assert offered.intent("mcp_meteo_forecast") is not None


def test_who_answers_from_documents_has_no_use_for_them() -> None:
    offered = Offers((*WITH_DOCUMENTS, *ALL), _ROOM).about(["Wie wird das Wetter?"], "riskiagent")
    assert [tool.capability for tool in offered.tools] == ["documents.retrieve"]


def test_what_describes_itself_badly_or_not_at_all_keeps_nobody_from_being_found() -> None:
    odd: tuple[object, ...] = (None, [], "x", {"a": None}, {"a": {"description": 7}})
    bad = [
        described(f"odd.{n}", "").model_copy(update={"parameters": {"properties": properties}})
        for n, properties in enumerate(odd)
    ]
    (found,) = Relevance([*bad, *LISTED]).nearest(["Wie wird das Wetter?"], 1)
    assert found.capability == "mcp.meteo.forecast"


def test_no_room_means_none() -> None:
    assert len(Offers((*TOOLS, *LISTED), 0).about(["Wie wird das Wetter?"]).tools) == len(TOOLS)


async def test_a_prompt_is_no_longer_for_a_thousand_tools_than_for_some(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    planner = make_planner()
    session = Session(history=(HistoryEntry(role="user", text="Wie wird das Wetter in Olten?"),))
    sizes = []
    for strangers in (LISTED, ALL):
        openai.will(Says(GOOD))
        await planner.plan(request("Und morgen?", session=session), (*TOOLS, *strangers))
        asked = json.dumps(openai.received[-1].body)
        assert "mcp.meteo.forecast" in asked
        sizes.append(len(asked))
    assert sizes[1] < 1.2 * sizes[0]
