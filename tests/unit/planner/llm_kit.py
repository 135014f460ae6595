"""Tools, requests and plans that the tests of the language model planner share."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from contracts.agents import Agent
from contracts.items import Parcel
from contracts.messages import PlanRequested
from contracts.plan import Plan, PlanStep
from contracts.session import HistoryEntry, LoadedLayer, OpenChoice, Option, Session
from contracts.status import Status
from contracts.tools import ToolDescriptor
from pydantic import BaseModel, Field

from planner.llm.planner import LlmPlanner
from planner.planning import Planned
from planner.settings import Settings

MakePlanner = Callable[..., LlmPlanner]


class GeocodeArgs(BaseModel):
    q: Annotated[str, Field(min_length=1, max_length=200, description="Street, number and locality.")]


class QueryArgs(BaseModel):
    query: str


class PointArgs(BaseModel):
    x: Annotated[float, Field(ge=2_480_000, le=2_840_000)]
    y: Annotated[float, Field(ge=1_070_000, le=1_300_000)]


class EgridArgs(BaseModel):
    egrid: Annotated[str, Field(pattern=r"^CH\d{12}$")]


class ParcelArgs(BaseModel):
    number: str
    municipality: str


class FilterArgs(BaseModel):
    since: Annotated[date | None, Field(alias="from")] = None
    until: Annotated[date | None, Field(alias="to")] = None
    kind: Annotated[str | None, Field(alias="type")] = None
    body: str | None = None


class RetrieveArgs(BaseModel):
    query: Annotated[str, Field(min_length=1)]
    filters: FilterArgs | None = None
    limit: Annotated[int, Field(ge=1, le=20)] = 10


def tool(
    capability: str, arguments: type[BaseModel], description: str = "Finds something."
) -> ToolDescriptor:
    return ToolDescriptor(
        capability=capability,
        service="tools-test",
        description=description,
        parameters=arguments.model_json_schema(),
        result_types=("parcel",),
    )


TOOLS = (
    tool("geolocation.geocode", GeocodeArgs, "Finds addresses."),
    tool("layers.search", QueryArgs, "Finds map layers by topic."),
    tool("oereb.egrid_by_xy", PointArgs),
    tool("oereb.extract_by_id", EgridArgs),
    tool("parcels.by_number", ParcelArgs),
)
RETRIEVE = tool("documents.retrieve", RetrieveArgs, "Finds documents.")
WITH_DOCUMENTS = (RETRIEVE, *TOOLS)
EGRID = "CH807306583219"
SELECTED = Parcel(
    id="p-168",
    label="Grundstück 168 Messen",
    egrid=EGRID,
    number="168",
    municipality="Messen",
    coord=(2_600_513.0, 1_215_519.0),
    geometry={"type": "Point", "coordinates": [2_600_513.0, 1_215_519.0]},
)
CHOICE = OpenChoice(
    request_id="req-0",
    step=0,
    options=(Option(id="req-0.0.0", label="Parzelle A"), Option(id="req-0.0.1", label="Parzelle B")),
    expires_at=datetime(2099, 1, 1, tzinfo=UTC),
)
SESSION = Session(
    history=(
        HistoryEntry(role="user", text="Gehe zur Burgunderstrasse 19 in Solothurn."),
        HistoryEntry(role="assistant", text="Adresse Burgunderstrasse 19 zentriert."),
    ),
    selections=(SELECTED,),
    layers=(LoadedLayer(id="ch.so.gws", label="Gewässerschutz"),),
)


def request(
    message: str = "Gehe zur Langendorfstrasse 19b in Solothurn",
    *,
    session: Session | None = None,
    deadline_in_s: float = 30.0,
    language: str = "de",
    agent: Agent = "map",
) -> PlanRequested:
    return PlanRequested(
        request_id="req-1",
        session_id="user-42",
        deadline=datetime.now(UTC) + timedelta(seconds=deadline_in_s),
        language=language,
        user_message=message,
        session=session or Session(),
        agent=agent,
    )


def settings(**values: Any) -> Settings:
    return Settings.model_validate({"openai_api_key": "not used here", "fallback_to_rules": False} | values)


def call(capability: str, **args: Any) -> dict[str, Any]:
    return {"capability": capability, "args": args}


def step(intent: str, *calls: dict[str, Any], message: str | None = None, **args: Any) -> dict[str, Any]:
    return {"intent": intent, "calls": list(calls), "args": args or None, "message": message}


def steps(*planned: dict[str, Any]) -> dict[str, Any]:
    return {"steps": list(planned)}


GOOD = steps(step("goto_address", call("geolocation.geocode", q="Langendorfstrasse 19b, Solothurn")))


def ending(plan: Plan) -> tuple[Status | None, str]:
    """Status and sentence of a plan that is nothing but a `clarify` step."""
    (only,) = plan.steps
    assert only.intent == "clarify"
    assert only.calls == ()
    assert only.message
    return only.status, only.message


class OtherPlanner:
    """Stands in for the rules."""

    name = "rules"
    PLAN = Plan(steps=(PlanStep(intent="clear_map"),))

    def __init__(self) -> None:
        self.asked = 0
        self.offered: tuple[ToolDescriptor, ...] = ()

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
        self.asked += 1
        self.offered = tools
        return Planned(self.PLAN, self.name)
