"""An orchestrator whose turns are those of the real core, with workers that answer at once."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from contracts.messages import ChatRequested
from contracts.plan import Plan
from contracts.turns import TurnEvent, TurnEventKind, TurnView
from recording import Recording

from orchestrator.arrivals import ChatArrived

from .edge_harness import Orchestrator
from .turn_author import Author

Scenes = Mapping[str, Callable[[], Recording]]


class Player:
    """Plays the scene that belongs to a message, and goes on with it when its choices are made."""

    def __init__(self, scenes: Scenes) -> None:
        self._scenes = dict(scenes)
        self.worlds: dict[str, Recording] = {}

    def add(self, message: str, scene: Callable[[], Recording]) -> None:
        self._scenes[message] = scene

    async def __call__(self, orchestrator: Orchestrator, request: ChatRequested) -> None:
        world = self.worlds.get(request.request_id)
        if world is None:
            scene = self._scenes.get(request.user_message or "")
            world = self.worlds[request.request_id] = scene() if scene else Recording(Plan())
        world.now = datetime.now(UTC)
        before = len(world.entries)
        decision = world.take(ChatArrived(request, world.session))
        world.work()
        author = Author(orchestrator, request)
        for entry in world.entries[before:]:
            if isinstance(entry, TurnEvent) and entry.kind is TurnEventKind.FINISHED:
                await self._reply(orchestrator, request, world)
            await author.store(entry)
        if not decision.changed:
            # Refused, or a repetition of what is known.
            await self._reply(orchestrator, request, world)

    async def _reply(self, orchestrator: Orchestrator, request: ChatRequested, world: Recording) -> None:
        (reply, *_) = [each for each in world.replies if each.exchange == request.exchange]
        if world.turn is not None:
            view: TurnView = world.turn.view()
            await orchestrator.keep(view)
        await orchestrator.reply(request, response=reply.response, choice_id=reply.choice_id)
