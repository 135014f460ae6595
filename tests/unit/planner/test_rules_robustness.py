"""Any text gives a valid plan, and no more is done for it than its length asks for."""

from functools import partial
from itertools import pairwise
from typing import get_args

import pytest
from contracts.agents import Agent
from contracts.plan import Plan
from contracts.session import Session
from contracts.tools import ToolDescriptor
from german.fold import fold
from growth import ALLOWED, growth, repeated, steps
from hostile_texts import ANY_UNIT, fast_growing
from hypothesis import given
from hypothesis import strategies as st
from volume import examples

from planner.rules import plan
from planner.rules.grammar.utterance import utterance_with
from planner.rules.reading.tokens import MAX_CHARS, MAX_TOKENS, clean, tokens_of
from planner.rules.references.coordinates import find_coordinates, to_lv95

from .rules_kit import ADDRESS, PARCEL, TOOLS, after, open_choice

WORDS = st.sampled_from(
    [
        "Gehe",
        "zeige",
        "lade",
        "entferne",
        "erstelle",
        "und",
        "danach",
        ",",
        ".",
        "!",
        "?",
        "Solothurn",
        "Grenchen",
        "Messen",
        "Rötistrasse",
        "4",
        "19b",
        "Parzelle",
        "168",
        "ÖREB-Auszug",
        "Grundbuchplan",
        "Karte",
        "Layer",
        "Gewässerschutz",
        "Wald",
        "in",
        "zur",
        "von",
        "hier",
        "die",
        "zweite",
        "sorry",
        "meinte",
        "nein",
        "bitte",
        "2600513",
        "1215519",
        "47.2",
        "7.5",
        "CH955832730623",
        "CH12",
        "Luftbild",
        "farbig",
        "Höhe",
        "bohren",
        "Nr.",
        "9",
        '"Wald',
        'und"',
        "St.",
        "b.",
        "–",
        "'",
        "/",
        "alles",
        "Dokumente",
        "was",
        "kannst",
        "du",
        "nicht",
        "nochmals",
        "Botschaften des Regierungsrats",
        "seit 2022",
        "was kostet",
        "dazu",
        "fasse zusammen",
    ]
)
MESSAGES = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=25).map(" ".join))
SESSIONS = st.builds(
    after,
    MESSAGES,
    MESSAGES,
    selected=st.sampled_from([(), (ADDRESS,), (PARCEL,)]),
    choices=st.sampled_from([(), (open_choice("Liegenschaft (198)", "Baurecht (531)"), open_choice("x"))]),
)
TOOL_LISTS = st.sets(st.sampled_from(range(len(TOOLS)))).map(
    lambda chosen: tuple(TOOLS[n] for n in sorted(chosen))
)
AGENTS: tuple[Agent, ...] = get_args(Agent)
MAX_STEPS = 800_000
"""Calls of functions. The most that any of these takes is half of it, with a history of nothing but such
messages; one 4,000 characters long took nine millions when each part looked at all before it."""


@given(message=MESSAGES, session=SESSIONS, tools=TOOL_LISTS, agent=st.sampled_from(AGENTS))
def test_any_text_gives_a_plan_that_can_be_carried_out(
    message: str, session: Session, tools: tuple[ToolDescriptor, ...], agent: Agent
) -> None:
    made = plan(message, session, tools, agent=agent)
    assert Plan.from_json(made.to_json()) == made
    alive = {tool.capability: tool for tool in tools}
    if made.choice_id is not None:
        assert made.choice_id in {option.id for choice in session.choices for option in choice.options}
        return
    assert made.steps
    for step in made.steps:
        told = step.message or step.respond or step.error_type
        assert step.calls or told or step.intent in {"set_background", "clear_map", "remove_layer"}
        for call in step.calls:
            properties = alive[call.capability].parameters["properties"]
            assert call.args.keys() <= properties.keys()
            assert all(value for value in call.args.values())


@given(message=MESSAGES, session=SESSIONS)
def test_the_same_message_always_gives_the_same_plan(message: str, session: Session) -> None:
    assert plan(message, session, TOOLS) == plan(message, session, TOOLS)


@pytest.mark.parametrize(
    "message",
    [
        "a," * 2_000,
        "und " * 1_000,
        "Grenchen " * 450,
        "Rötistr 4, " * 400,
        "2600513 " * 500,
        "2600513, 1215519, " * 220,
        "1 " * 2_000,
        "1." * 2_000,
        "<a" * 2_000,
        "z. B. " * 660,
        "\u0308\u0323" * 2_000,
        "1'" * 2_000,
        "'" * 4_000,
        '"a b' * 1_000,
        "a-" * 2_000,
        "CH" + " 1" * 1_999,
        "." * 4_000,
        "47°" * 1_300,
        "Parzelle der die in " * 200,
        "lade Wald und " * 300,
        "den Layer Wald und Boden " * 160,
        "a" * 4_000,
        "a" * 3_990 + "strasse",
        "🤷" * 4_000,
        "Lade Wald. " * 100_000,
        " ".join(f"wort{n:x}en" for n in range(500)),
    ],
    ids=lambda message: f"{message[:12]!r} times {len(message)}",
)
def test_the_longest_message_takes_few_steps(message: str) -> None:
    session = after(*([message] * 3), choices=(open_choice(*(f"Rötistrasse {n}" for n in range(25))),) * 16)
    # From then on it is remembered in the same way each time.
    history = (*session.history, *session.history[-2:] * 37)
    session = session.model_copy(update={"history": history})
    for agent in AGENTS:
        utterance_with.cache_clear()
        work = partial(plan, session=session, tools=TOOLS, agent=agent)
        assert steps(work, f"{message} ") < MAX_STEPS


def planned_anew(text: str) -> Plan:
    utterance_with.cache_clear()
    return plan(text, Session(), TOOLS)


def test_what_planning_costs_grows_with_the_message_alone() -> None:
    assert fast_growing(planned_anew, MAX_CHARS) == {}


@examples(30)
@given(before=st.sampled_from(["", "Lade ", '"', "«", "Parzelle "]), unit=ANY_UNIT, after=st.text(max_size=2))
def test_no_repeated_text_makes_planning_grow_faster(before: str, unit: str, after: str) -> None:
    assert growth(planned_anew, repeated(unit, before, after), MAX_CHARS) <= ALLOWED


def test_of_a_message_of_nothing_but_signs_the_beginning_is_read() -> None:
    assert len(tokens_of(clean("1." * 2_000))) == MAX_TOKENS
    letter = "Ich plane ein Gartenhaus in Grenchen, und frage mich, was das kostet. " * 60
    assert len(clean(letter)) > MAX_CHARS - 2


def test_an_angle_is_no_year() -> None:
    made = plan("""Was liegt bei 47°02'31.68"N in Olten?""", Session(), TOOLS)
    assert made.steps


def test_a_lone_surrogate_is_left_out() -> None:
    made = plan("Lade den Wald\ud800plan", Session(), TOOLS)
    assert made.steps[0].calls[0].args == {"query": "Waldplan"}
    assert made.to_json()


@given(st.text())
def test_a_cleaned_text_is_short_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) <= MAX_CHARS
    assert clean(cleaned) == cleaned


@given(st.text(max_size=200))
def test_tokens_are_where_they_say(text: str) -> None:
    cleaned = clean(text)
    tokens = tokens_of(cleaned)
    assert all(cleaned[t.start : t.end] == t.text for t in tokens)
    assert all(a.end <= b.start for a, b in pairwise(tokens))


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("ÖREB", "oereb"),
        ("Strasse", "strasse"),
        ("Straße", "strasse"),
        ("Gewa\u0308sser", "gewaesser"),
        ("Genève", "geneve"),
        ("ＰＬＺ", "plz"),
    ],
)
def test_spellings_are_folded_together(written: str, folded: str) -> None:
    assert fold(clean(written)) == folded


@given(st.floats(), st.floats())
def test_coordinates_are_in_switzerland_or_none(one: float, other: float) -> None:
    point = to_lv95(one, other)
    assert point is None or (2_480_000 <= point.x <= 2_840_000 and 1_070_000 <= point.y <= 1_300_000)


@given(
    st.floats(min_value=2_480_000, max_value=2_840_000), st.floats(min_value=1_070_000, max_value=1_300_000)
)
def test_a_written_coordinate_is_read_back(east: float, north: float) -> None:
    (found,) = find_coordinates(f"{east:.1f}, {north:.1f}")
    assert (found.coordinate.x, found.coordinate.y) == pytest.approx((east, north), abs=0.051)
