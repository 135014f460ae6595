"""The real services in one process: handlers and tools on a bus in memory, turns in a dictionary."""

import asyncio
import atexit
from copy import copy
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from typing import Any

from contracts import subjects
from contracts.chat import ChatRequest, ChatResponse, turn_of
from contracts.languages import language_of
from contracts.messages import ChatRequested, TurnReply
from contracts.session import Session
from contracts.subjects import is_model, is_vocabulary
from contracts.tools import ToolDescriptor
from contracts.turns import TurnEvent
from contracts.vocabulary import Vocabulary, merged
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox

from actionplanner import handlers as actionplanner
from orchestrator import handlers as orchestrator
from orchestrator.arrivals import ChatArrived, begun
from orchestrator.memory import Change
from orchestrator.service import TurnService
from orchestrator.state import Turn
from orchestrator.store import TurnStore
from planner import handlers as planner_handlers
from planner.planning import Planner
from planner.rules import RulesPlanner
from responder import handlers as responder
from responder.answering import Responder
from responder.settings import Settings as ResponderSettings
from tools_docs import handlers as tools_docs
from tools_docs.indexes import Library
from tools_docs.research import Research
from tools_geo import handlers as tools_geo
from tools_geo.embedded import embedded_gateways
from tools_geo.settings import Settings as GeoSettings
from tools_geo.sources import names_of, outlines_of
from tools_oereb import handlers as tools_oereb
from tools_oereb import sources as oereb_sources
from tools_oereb.gateways import CadastreGateway
from tools_oereb.settings import Settings as OerebSettings
from tools_oereb.vocabulary import vocabulary_of as oereb_vocabulary_of

_FOLDER = TemporaryDirectory(prefix="ask-documents-")
"""For the sample documents: indexed once, found again by every system."""
_DEADLINE_S = 30
atexit.register(_FOLDER.cleanup)


class Bucket:
    """Remembers what is announced."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}

    async def put(self, key: str, value: bytes) -> None:
        self.entries[key] = value


class AnnouncingBus(MemoryBus):
    """A bus in memory on which tools can be announced."""

    def __init__(self, service: str = "test") -> None:
        super().__init__(service)
        self.bucket = Bucket()

    @property
    def tools_bucket(self) -> Bucket:
        return self.bucket

    def of(self, service: str) -> "AnnouncingBus":
        """The same bus, as another service sees it."""
        other = copy(self)
        other.service = service
        return other


class Announced:
    """The tools that are announced on a bus."""

    def __init__(self, bus: AnnouncingBus) -> None:
        self._bus = bus
        self._read: tuple[list[tuple[str, bytes]], Vocabulary] = ([], Vocabulary())

    def tools(self) -> tuple[ToolDescriptor, ...]:
        entries = sorted(self._bus.bucket.entries.items())
        others = (is_vocabulary, is_model)
        return tuple(ToolDescriptor.from_json(d) for key, d in entries if not any(is_(key) for is_ in others))

    def vocabulary(self) -> Vocabulary:
        """The same value as the last time while nothing new is announced, as in the running system."""
        entries = [each for each in sorted(self._bus.bucket.entries.items()) if is_vocabulary(each[0])]
        if entries != self._read[0]:
            self._read = entries, merged(tuple(Vocabulary.from_json(d) for _, d in entries))
        return self._read[1]


class Turns:
    """A store for turns; sessions are not remembered."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}

    async def load(self, request_id: str) -> Turn | None:
        return self._turns.get(request_id)

    async def open(self, session_id: str, request_id: str) -> tuple[Session, Turn | None]:
        return Session(), await self.load(request_id)

    async def begin(self, arrived: ChatArrived) -> tuple[Turn, bool]:
        is_new = arrived.request_id not in self._turns
        return self._turns.setdefault(arrived.request_id, begun(arrived)), is_new

    async def was_deleted(self, request_id: str) -> bool:
        return False

    async def delete_turns(self, session_id: str) -> tuple[str, ...]:
        raise NotImplementedError

    async def forbid(self, request_id: str) -> bool:
        raise NotImplementedError

    async def save(
        self, turn: Turn, changes: tuple[Change, ...], told: tuple[TurnEvent, ...] = ()
    ) -> Turn | None:
        known = self._turns.get(turn.request_id)
        if (known.version if known else 0) != turn.version:
            return None
        saved = self._turns[turn.request_id] = turn.model_copy(update={"version": turn.version + 1})
        return saved


def _geo_tools(bus: Any, settings: GeoSettings) -> Toolbox:
    vocabulary, samples = names_of(settings)
    toolbox = tools_geo.register(bus, embedded_gateways(settings), samples, outlines_of(settings))
    toolbox.knows(vocabulary)
    return toolbox


def _oereb_tools(bus: Any, cadastre: CadastreGateway, settings: OerebSettings) -> Toolbox:
    example = oereb_sources.example_of(settings)
    toolbox = tools_oereb.register(bus, cadastre, example)
    toolbox.knows(oereb_vocabulary_of(example))
    return toolbox


class InMemorySystem:
    """Answers requests like the running system: with rules, embedded data and no memory of sessions, unless
    something else is given.
    """

    _INBOX = subjects.reply("test")

    def __init__(
        self,
        cadastre: CadastreGateway | None = None,
        store: TurnStore | None = None,
        planner: Planner | None = None,
    ) -> None:
        bus: Any = AnnouncingBus()
        self.bus = bus
        self.catalogue = Announced(bus)
        self._replies: dict[str, asyncio.Future[TurnReply]] = {}
        orchestrator.register(bus, TurnService(store or Turns(), bus))
        planner_handlers.register(bus, planner or RulesPlanner(), self.catalogue)
        actionplanner.register(bus)
        responder.register(bus, Responder(None, ResponderSettings()), 0.0)
        cadastre = cadastre or oereb_sources.cadastre(OerebSettings(), None)
        self._documents = Library(f"{_FOLDER.name}/documents.sqlite", connections=1)
        self._toolboxes: tuple[Toolbox, ...] = (
            tools_docs.register(bus.of("tools-docs"), Research(self._documents.index)),
            _geo_tools(bus.of("tools-geo"), GeoSettings()),
            _oereb_tools(bus.of("tools-oereb"), cadastre, OerebSettings()),
        )
        bus.listen(self._INBOX, self._on_reply, TurnReply)

    async def start(self) -> None:
        await self._documents.open()
        await self.bus.start()

    async def stop(self) -> None:
        for toolbox in self._toolboxes:
            await toolbox.stop()
        await self._documents.close()

    async def _on_reply(self, reply: TurnReply) -> None:
        self._replies[reply.exchange].set_result(reply)

    async def answer(self, request: ChatRequest, request_id: str, language: str = "de") -> ChatResponse:
        """The response to a message under that id, or to a choice."""
        reply = await self._ask(request, request_id, language)
        if reply.choice_id is not None:
            # The message answers an open choice: that one is asked, as the edge does.
            choice = ChatRequest(session_id=request.session_id, choice_id=reply.choice_id)
            reply = await self._ask(choice, request_id, language)
        assert reply.response is not None
        return reply.response

    async def _ask(self, request: ChatRequest, request_id: str, language: str) -> TurnReply:
        exchange = str(len(self._replies))
        self._replies[exchange] = asyncio.get_running_loop().create_future()
        of_choice = turn_of(request.choice_id) if request.choice_id else None
        await self.bus.publish(
            ChatRequested(
                request_id=of_choice or request_id,
                session_id=request.session_id,
                deadline=datetime.now(UTC) + timedelta(seconds=_DEADLINE_S),
                language=language_of(request.language or "") or language,
                exchange=exchange,
                reply_to=self._INBOX,
                user_message=request.user_message,
                choice_id=request.choice_id,
                agent=request.agent or "map",
                map_layers=request.loaded_layers,
                view=request.map.view if request.map is not None else None,
            )
        )
        async with asyncio.timeout(_DEADLINE_S + 5):
            return await self._replies[exchange]
