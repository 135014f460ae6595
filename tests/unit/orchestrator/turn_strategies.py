"""Plans and tools of all kinds, for property tests."""

from typing import Any

from contracts.messages import Outcome
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.session import LoadedLayer, MapView
from contracts.status import Status
from hypothesis import strategies as st
from world import (
    DEFAULT_TOOLS,
    SEARCH,
    Tool,
    address,
    document,
    extract,
    judgement,
    layer,
    parcel,
    proposal,
    step,
)

ARGUMENTS: dict[str, dict[str, Any]] = {
    "geolocation.geocode": {"q": "Rötistrasse 4"},
    "layers.search": {"query": "Wald"},
    "parcels.by_number": {"number": "1", "municipality": "Messen"},
    "oereb.egrid_by_xy": {"x": 2600513.0, "y": 1215519.0},
    "oereb.extract_by_id": {"egrid": "CH000000000001"},
}
ITEMS: dict[str, Any] = {
    "geolocation.geocode": lambda n: address(f"Rötistrasse {n}", id=str(n)),
    "layers.search": lambda n: layer(f"Wald{n}"),
    "parcels.by_number": parcel,
    "oereb.egrid_by_xy": parcel,
    "oereb.extract_by_id": lambda n: extract(f"CH{n:012d}"),
}
MAX_FOUND = 4

calls = st.sampled_from(sorted(ARGUMENTS)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from([{}, ARGUMENTS[name]]))
)
steps = st.lists(calls, min_size=0, max_size=3).map(lambda made: step("some_intent", *made))
answered = st.sampled_from(list(Status)).map(
    lambda status: PlanStep(
        intent="answer", message="Grüezi", status=status if status != "needs_user_choice" else None
    )
)
searches = st.sampled_from(
    [
        SEARCH,
        step("search_documents"),
        PlanStep(intent="search_documents", error_type=ErrorType.CONTENT_POLICY_VIOLATION),
    ]
)
responds = st.sampled_from([None, "kurz", "genug gesagt " * 5]).map(
    lambda message: PlanStep(intent="answer", respond=True, message=message)
)
plans = st.lists(st.one_of(steps, answered, searches, responds), max_size=5).map(
    lambda made: Plan(steps=tuple(made))
)
plans_of_one_step = steps.map(lambda made: Plan(steps=(made,)))
"""What leads to one call alone waits in memory for the answer to the next."""
plans_with_search = st.tuples(
    st.lists(st.one_of(steps, responds), max_size=2), st.lists(st.one_of(steps, responds), max_size=2)
).map(lambda around: Plan(steps=(*around[0], SEARCH, *around[1])))

verdicts = st.sampled_from(["relevant", "irrelevant", "failed", "timeout", "empty", "wrong"])


east = st.floats(2_480_000, 2_840_000)
north = st.floats(1_070_000, 1_300_000)
points = st.tuples(east, north)
views = st.builds(
    MapView,
    center=points,
    extent=st.tuples(east, north, east, north),
    scale=st.floats(1, 1e7),
    point=st.none() | points,
)
layers = st.lists(
    st.builds(
        LoadedLayer,
        id=st.sampled_from(["wald", "gws", "plan"]),
        label=st.sampled_from(["Wald", "Gewässerschutz"]),
        visible=st.booleans(),
        opacity=st.floats(0, 1),
    ),
    max_size=3,
    unique_by=lambda layer: layer.id,
).map(tuple)


def judged(document_id: str, verdict: str) -> Outcome:
    """What a check says about a document."""
    match verdict:
        case "failed":
            return Outcome(status=Status.ERROR)
        case "timeout":
            return Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT)
        case "empty":
            return Outcome()
        case "wrong":
            return Outcome(items=(document(99),))
    return judgement(document_id, verdict == "relevant")


@st.composite
def tool_sets(draw: st.DrawFn) -> dict[str, Tool]:
    made: dict[str, Tool] = {}
    for name in ITEMS:
        status = draw(
            st.sampled_from([Status.OK, Status.OK, Status.OK, Status.NEEDS_CLARIFICATION, Status.ERROR])
        )
        count = draw(st.sampled_from([0, 1, 1, 1, 2, 3]))
        items = tuple(ITEMS[name](n) for n in range(count)) if status is Status.OK else ()
        made[name] = always(
            Outcome(status=status, items=items, again=draw(st.booleans()), confirm=draw(st.booleans()))
        )
    found = draw(st.permutations(range(MAX_FOUND)))[: draw(st.integers(0, MAX_FOUND))]
    linked = (proposal(1, "d0", "d1"), proposal(2, "d2"), proposal(3))
    made["documents.retrieve"] = always(Outcome(items=(*(document(n) for n in found), *linked)))
    said = {f"d{n}": draw(verdicts) for n in range(MAX_FOUND)}
    made["documents.check"] = lambda args: judged(args["document"]["id"], said[args["document"]["id"]])
    assert made.keys() == DEFAULT_TOOLS.keys()
    return made


def always(outcome: Outcome) -> Tool:
    return lambda args: outcome
