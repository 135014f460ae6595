"""Somebody who writes the log of a turn, as the orchestrator and the responder do."""

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import Any

import nats
from contracts.chat import ChatResponse, Step
from contracts.messages import ChatRequested
from contracts.status import Status
from contracts.subjects import Header
from contracts.turns import AnswerDelta, Round, TurnEvent, TurnEventKind, TurnState, TurnView

from .edge_harness import Orchestrator

K = TurnEventKind


class Author:
    """Writes the log of a turn, and ends it, as the orchestrator and the responder do."""

    def __init__(
        self, orchestrator: Orchestrator, request: ChatRequested, first: int = 0, round: int = 0
    ) -> None:
        self._orchestrator = orchestrator
        self._request = request
        self._n = first
        self._round = round
        self._k = 0

    async def event(self, kind: TurnEventKind, **values: Any) -> None:
        ids = {"request_id": self._request.request_id, "session_id": self._request.session_id}
        where: dict[str, Any] = {**ids, "round": self._round, "n": self._n, "at": datetime.now(UTC)}
        self._n += 1
        await self.store(TurnEvent(kind=kind, **where, **values))

    async def say(self, text: str) -> None:
        ids = {"request_id": self._request.request_id, "session_id": self._request.session_id}
        where: dict[str, Any] = {
            **ids,
            "round": self._round,
            "step": 0,
            "call": 1,
            "attempt": 1,
            "k": self._k,
        }
        self._k += 1
        await self.store(AnswerDelta(**where, text=text))

    async def store(self, entry: TurnEvent | AnswerDelta) -> None:
        jetstream = self._orchestrator.connection.jetstream(timeout=1)
        headers = {Header.MESSAGE_ID: entry.message_id}
        for _ in range(10):
            # The stream of a restarted server may need a moment.
            with contextlib.suppress(nats.errors.Error):
                await jetstream.publish(entry.subject, entry.to_json(), headers=headers)
                return
        raise AssertionError("the log cannot be written")

    async def finish(self, *, reply: bool = True) -> ChatResponse:
        response = await self._orchestrator.finish(self._request, reply=reply)
        await self.event(K.FINISHED, response=response)
        return response

    async def write(self, words: int = 5, pause_s: float = 0.0) -> None:
        """A whole turn with a streamed answer."""
        await self.begin()
        for n in range(words):
            await self.say(f"Wort {n} ")
            await asyncio.sleep(pause_s)
        await self.end()

    async def begin(self) -> None:
        if self._round == 0:
            running_round = Round(state=TurnState.RUNNING, exchanges=(self._request.exchange,))
            view = {"request_id": self._request.request_id, "session_id": self._request.session_id}
            await self._orchestrator.keep(TurnView(**view, state=TurnState.RUNNING, rounds=(running_round,)))
            await self.event(K.STARTED, detail={"message": self._request.user_message})
            await self.event(K.PLAN_READY, detail={"steps": [{"intent": "search_documents"}]})

    async def end(self) -> None:
        answer = Step(intent="search_documents", status=Status.OK, message="fertig")
        await self.event(K.STEP_FINISHED, step=0, answer=answer)
        await self.finish()


async def write(orchestrator: Orchestrator, request: ChatRequested) -> None:
    await Author(orchestrator, request).write()
