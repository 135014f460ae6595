"""A live tool list, sessions, and a compact notation for plans.

goto_address: geolocation.geocode(q=Rötistrasse 4, Solothurn)
oereb_extract: oereb.egrid_by_xy(x=2600513, y=1215519) > oereb.extract_by_id()
set_background: background=ortho
height_query: terrain.height_by_xy(x=2600513, y=1215519) @point
clarify?                needs_clarification, with a message
answer: …               only a message
"""

from datetime import UTC, datetime
from typing import Any

from contracts.agents import Agent
from contracts.intents import spec_calling
from contracts.items import Address, Item, Municipality, OerebExtract, Parcel
from contracts.languages import LANGUAGES
from contracts.plan import Plan, PlanStep
from contracts.session import HistoryEntry, LoadedLayer, OpenChoice, Option, Session, Wanted
from contracts.status import Status
from contracts.tools import ToolDescriptor

from orchestrator.memory import wanted_of
from planner.rules import plan
from planner.texts import text

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
Utterances = list[tuple[str, tuple[str, ...]]]


def tool(
    capability: str,
    *results: str,
    phrases: tuple[str, ...] = (),
    any_of: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
    **properties: dict[str, Any],
) -> ToolDescriptor:
    """A descriptor; every property is required, but those in `optional` and those of which one is enough."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    schema["required"] = [name for name in properties if name not in (*any_of, *optional)]
    if any_of:
        schema["anyOf"] = [{"required": [name]} for name in any_of]
    return ToolDescriptor(
        capability=capability,
        service=capability.partition(".")[0],
        description=f"Does {capability}.",
        parameters=schema,
        result_types=results,
        phrases=phrases,
    )


TOOLS = (
    tool(
        "cadastral.plan_by_geometry", "cadastral_plan", any_of=("geometry", "egrid"), geometry={}, egrid=TEXT
    ),
    tool("documents.retrieve", "document", query=TEXT),
    tool("geolocation.geocode", "address", phrases=("gehe zur adresse",), q=TEXT),
    tool("geolocation.municipality", "municipality", q=TEXT),
    tool("geolocation.place", "place", q=TEXT),
    tool("geothermal.assess_by_xy", "geothermal_assessment", x=NUMBER, y=NUMBER),
    tool("layers.search", "layer", "layer_group", phrases=("lade den layer",), query=TEXT),
    tool("oereb.egrid_by_xy", "parcel", x=NUMBER, y=NUMBER),
    tool("oereb.extract_by_id", "oereb_extract", egrid=TEXT),
    tool("parcels.by_egrid", "parcel", egrid=TEXT),
    tool("parcels.by_number", "parcel", number=TEXT, municipality=TEXT),
    tool("parcels.by_xy", "parcel", x=NUMBER, y=NUMBER),
    tool("geolocation.coordinates_by_xy", "coordinates", x=NUMBER, y=NUMBER),
    tool("terrain.height_by_xy", "height", x=NUMBER, y=NUMBER),
)

FEATURES = (
    tool(
        "features.identify",
        "address",
        "feature",
        optional=("layers", "place"),
        x=NUMBER,
        y=NUMBER,
        layers={"type": "array"},
        place={"type": "boolean"},
    ),
    tool(
        "features.query",
        "feature_set",
        any_of=("municipality", "extent", "egrid", "x", "everywhere"),
        optional=("y", "radius", "where", "order", "limit", "function", "attribute"),
        layer=TEXT,
        municipality=TEXT,
        extent={"type": "array"},
        egrid=TEXT,
        x=NUMBER,
        y=NUMBER,
        everywhere={"type": "boolean"},
        radius=NUMBER,
    ),
    tool("geolocation.distance", "distance", any_of=("start", "x"), optional=("y",), start=TEXT, end=TEXT),
)
"""What tells of points, of the things of layers and of distances."""
EVERYTHING = (*TOOLS, *FEATURES)

ADDRESS = Address(
    id="623490242",
    label="Langendorfstrasse 19b, 4500 Solothurn",
    coord=(2605899, 1229278),
    street="Langendorfstrasse",
    house_number="19b",
    postal_code="4500",
    locality="Solothurn",
)
PARCEL = Parcel(
    id="CH955832730623",
    label="Grundstück 198 Messen",
    coord=(2600520, 1215480),
    egrid="CH955832730623",
    number="198",
    municipality="Messen",
)
EXTRACT = OerebExtract(
    id="CH955832730623",
    label="ÖREB-Auszug für CH955832730623",
    coord=(2600520, 1215480),
    egrid="CH955832730623",
    pdf_url="https://example.org/extract.pdf",
)
MUNICIPALITY = Municipality(id="2546", label="Grenchen | 2546 (Gemeinde)", name="Grenchen", bfs_number=2546)


def without(*capabilities: str) -> tuple[ToolDescriptor, ...]:
    """The tools that are left when some are not alive."""
    return tuple(tool for tool in TOOLS if tool.capability not in capabilities)


def after(
    *messages: str,
    selected: tuple[Item, ...] = (),
    layers: tuple[str, ...] = (),
    choices: tuple[OpenChoice, ...] = (),
) -> Session:
    """A session in which the user has said these messages, and got what they want."""
    loaded = tuple(LoadedLayer(id=f"ch.so.{n}", label=label) for n, label in enumerate(layers))
    session = Session(selections=selected, layers=loaded)
    for message in messages:
        session = session.model_copy(update={"history": (*session.history, *turn(message, session))})
    return session.model_copy(update={"choices": choices})


def turn(
    message: str, session: Session, tools: tuple[ToolDescriptor, ...] = EVERYTHING, agent: Agent = "map"
) -> tuple[HistoryEntry, ...]:
    """What a session remembers of a message, and of its answer; `Ich wähle: …` makes a choice."""
    chosen = message.removeprefix("Ich wähle: ")
    before = (entry.wanted for entry in reversed(session.history) if entry.wanted)
    last = next((wanted for wanted in before if wanted[0].intent not in {"answer", "clarify"}), ())
    wanted: tuple[Wanted, ...] = tuple(each.model_copy(update={"chosen": chosen}) for each in last[:1])
    if chosen == message or not wanted:
        wanted = tuple(map(wanted_of, plan(message, session, tools, agent=agent).steps))
    answer = "\n".join(f"[{each.intent}: {Status.OK}] {each.args.get('name', '')}" for each in wanted)
    said = HistoryEntry(role="user", text=message)
    return (said, HistoryEntry(role="assistant", text=answer, wanted=wanted)) if wanted else (said,)


def open_choice(*labels: str, turn: str = "turn") -> OpenChoice:
    options = tuple(Option(id=f"{turn}.0.{n}", label=label) for n, label in enumerate(labels))
    return OpenChoice(request_id=turn, step=0, options=options, expires_at=datetime(2030, 1, 1, tzinfo=UTC))


def planned(
    message: str, session: Session | None = None, tools: tuple[ToolDescriptor, ...] = TOOLS
) -> tuple[str, ...]:
    """The plan for a message in the compact notation."""
    made = plan(message, session or Session(), tools)
    # What is handed over to a neighbour is what others would read.
    assert Plan.from_json(made.to_json()) == made
    return notation(made)


def told(message: str, session: Session | None = None, tools: tuple[ToolDescriptor, ...] = TOOLS) -> str:
    """What a plan of one step without calls tells the user."""
    (step,) = plan(message, session or Session(), tools).steps
    assert not step.calls
    assert step.message is not None
    return step.message


def layer(query: str) -> str:
    """The step that loads a layer, in the compact notation."""
    return f"load_layer: layers.search(query={query})"


def begins(key: str, language: str = "de", **values: str) -> str:
    """The beginning of a text of the catalogue, up to its first example or list."""
    listed = {"examples": "\0", "abilities": "\0", "layers": "\0", "options": "\0"}
    return text(key, language, **listed, **values).partition("\0")[0]


def begins_in_any(key: str) -> tuple[str, ...]:
    """The same in every language: who writes in one is answered in it."""
    return tuple(begins(key, language) for language in LANGUAGES)


def unavailable(capability: str) -> str:
    """What is told when a tool is not alive."""
    spec = spec_calling(capability)
    assert spec is not None
    return text("unavailable", what=spec.title["de"])


def notation(made: Plan) -> tuple[str, ...]:
    if made.choice_id is not None:
        assert not made.steps
        return (f"choice {made.choice_id}",)
    return tuple(map(_step, made.steps))


def _step(step: PlanStep) -> str:
    if step.calls:
        assert step.status is None and step.message is None and step.args.keys() <= {"here"}
        here = f" @{step.args['here']}" if step.args else ""
        calls = (f"{call.capability}({_values(call.args)})" for call in step.calls)
        return f"{step.intent}: {' > '.join(calls)}{here}"
    if step.message is None:
        return f"{step.intent}: {_values(step.args)}".rstrip(": ")
    if step.status is Status.NEEDS_CLARIFICATION:
        return f"{step.intent}?"
    assert step.status is Status.OK
    return f"{step.intent}: …"


def _values(values: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v:.10g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items())
