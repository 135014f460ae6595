"""Plays conversations, each in a session of its own, on the real services in one process."""

import asyncio
import logging
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from contracts.chat import ChatRequest
from in_memory import InMemorySystem
from redis.asyncio import Redis

from ask.servers import find_redis
from evaluation.conversations import Conversation, Turn
from evaluation.happenings import ClientMap
from evaluation.outcomes import Happening, accepts, is_question
from evaluation.places import Places
from orchestrator.store import RedisTurnStore
from planner.planning import Planner as PlannerProtocol
from planner.rules import RulesPlanner
from planner.settings import Settings

Planner = Literal["rules", "model"]
PROCESSES = 2
_AT_ONCE: dict[Planner, int] = {"rules": 1, "model": 8}
"""Rules only compute; a model is waited for."""
_START_S = 10.0


@dataclass(frozen=True)
class Played:
    """What came of a turn."""

    conversation: Conversation
    turn: Turn
    happened: tuple[Happening, ...]

    @property
    def accepted(self) -> bool:
        return any(accepts(outcome, self.happened) for outcome in self.turn.accept)

    @property
    def wrong_with_success(self) -> bool:
        """It has done or answered something that nobody wanted, or not all and has not asked for the rest."""
        return not (self.accepted or self._only_asked or self._asked_beside)

    @property
    def asked_without_need(self) -> bool:
        asked = self._only_asked or self._asked_beside
        return not self.accepted and asked and not any(map(is_question, self.turn.accept))

    @property
    def _only_asked(self) -> bool:
        return all(each.only_asks for each in self.happened)

    @property
    def _asked_beside(self) -> bool:
        """It has done some of what was wanted, and asked."""
        done = tuple(each for each in self.happened if not each.only_asks)
        wanted = (part for outcome in self.turn.accept for part in combinations(outcome, len(done)))
        return len(done) < len(self.happened) and any(accepts(part, done) for part in wanted)

    @property
    def not_asked(self) -> bool:
        """It has gone ahead where one had to ask."""
        return self.wrong_with_success and all(map(is_question, self.turn.accept))

    @property
    def failed(self) -> bool:
        return any(each.kind == "error" for each in self.happened)


def planners() -> tuple[Planner, ...]:
    """The rules, and the model if there is one in the environment."""
    return ("rules", "model") if os.environ.get("OPENAI_API_KEY") else ("rules",)


def play(conversations: Sequence[Conversation], planner: Planner = "rules") -> tuple[Played, ...]:
    """All turns, in the order of the conversations."""
    shares = [share for n in range(PROCESSES) if (share := tuple(conversations[n::PROCESSES]))]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        played = [turn for share in pool.map(_play_share, shares, [planner] * len(shares)) for turn in share]
    place = {(each.kind, each.number): n for n, each in enumerate(conversations)}
    return tuple(sorted(played, key=lambda each: place[each.conversation.kind, each.conversation.number]))


def _play_share(conversations: Sequence[Conversation], planner: Planner) -> tuple[Played, ...]:
    made = _model() if planner == "model" else RulesPlanner()
    return play_here(conversations, made, _AT_ONCE[planner])


def play_here(
    conversations: Sequence[Conversation], planner: PlannerProtocol, at_once: int = 1
) -> tuple[Played, ...]:
    """All turns, in this process."""
    logging.disable(logging.WARNING)
    with TemporaryDirectory(prefix="ask-eval-") as folder, _redis(Path(folder)) as socket:
        return asyncio.run(_play_all(conversations, planner, at_once, socket))


@contextmanager
def _redis(folder: Path) -> Iterator[Path]:
    """A server for the turns and sessions; nothing of it is kept."""
    socket = folder / "redis.sock"
    command = [
        str(find_redis()),
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--dir",
        str(folder),
        "--save",
        "",
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + _START_S
        while not socket.exists():
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the server for turns and sessions did not start")
            time.sleep(0.01)
        yield socket
    finally:
        server.kill()
        server.wait()


async def _play_all(
    conversations: Sequence[Conversation], planner: PlannerProtocol, at_once: int, socket: Path
) -> tuple[Played, ...]:
    redis = Redis(unix_socket_path=str(socket))
    store = RedisTurnStore(redis, timeout_s=10)
    system = InMemorySystem(store=store, planner=planner)
    await system.start()
    places = Places(system.catalogue.vocabulary())
    gate = asyncio.Semaphore(at_once)

    async def one(conversation: Conversation) -> list[Played]:
        async with gate:
            return await _play_one(conversation, system, places)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(conversation)) for conversation in conversations]
    finally:
        await system.stop()
        await store.close()
        await redis.aclose()
    return tuple(turn for task in tasks for turn in task.result())


async def _play_one(conversation: Conversation, system: InMemorySystem, places: Places) -> list[Played]:
    client = ClientMap(places, conversation.view)
    played = []
    for n, turn in enumerate(conversation.turns):
        if turn.click:
            client.click(turn.click)
        request = ChatRequest(
            session_id=conversation.name, user_message=turn.say, agent=conversation.agent, **client.told()
        )
        try:
            response = await system.answer(request, conversation.request_id(n), conversation.language)
            happened = client.take(response)
        except (AssertionError, TimeoutError) as error:
            happened = (Happening("error", told=f"{type(error).__name__}: {error}"),)
        played.append(Played(conversation, turn, happened))
    return played


def _model() -> PlannerProtocol:
    """As the service wires it, without the rules that stand in."""
    # Imported here: the SDK is slow to load.
    from servicekit.completions import LanguageModel

    from planner.llm.planner import LlmPlanner

    settings = Settings()
    return LlmPlanner(LanguageModel(settings, settings.plan_model), settings)
