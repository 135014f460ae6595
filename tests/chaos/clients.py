"""Users who know what the right answer is, and who try again when they get none."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from uuid import uuid4

import httpx
from frame_reader import FrameReader
from mcp import Client
from tests.e2e.running import Json, action_types, answer_of, check_response, layer_ids, option

from .record import Lost, Record

PAUSE_S = 0.25
_TRY_AGAIN = frozenset({429, 503, 504})
_TRIES = 5
_TURN_S = 40.0
"""A turn is answered before that, or refused."""

_NOT_NOW = "geht im Moment nicht"
"""Said while nobody is there who could do it."""
WATER_PROTECTION = [
    f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
]


class Again(Exception):
    """There was no answer; whoever repeats the question may get it."""


class Told(Exception):
    """The turn has ended, and its answer says that something did not work."""


def _said(response: Json) -> str:
    return f"{response['requestId']} {' | '.join(step['message'] for step in response['steps'])}"


@dataclass(frozen=True)
class Asked:
    """One message or choice. `key` makes its repetition the same turn."""

    body: dict[str, str]
    key: str

    @property
    def choice(self) -> str | None:
        return self.body.get("choiceId")


class Chat:
    """`POST /api/chat`."""

    def __init__(self, http: httpx.AsyncClient, session_id: str) -> None:
        self.http = http
        self.session_id = session_id

    async def ask(self, asked: Asked) -> Json:
        """Raises `Again`."""
        body = {"sessionId": self.session_id, **asked.body}
        return answer_of(checked(await self.http.post("/api/chat", json=body, headers=keyed(asked))))


class Stream(Chat):
    """`POST /api/chat/stream`, and `GET` behind the last event after the connection is lost."""

    async def ask(self, asked: Asked) -> Json:
        body = {"sessionId": self.session_id, **asked.body}
        reader, request_id = FrameReader(), ""
        async with self.http.stream("POST", "/api/chat/stream", json=body, headers=keyed(asked)) as response:
            await refuse(response)
            request_id = response.headers["ask-request-id"]
            await reader.read(response)
        if reader.frames and reader.events[-1] not in ("turn.finished", "error"):
            behind = {"Last-Event-ID": reader.last_id}
            path = f"/api/chat/{request_id}/stream"
            async with self.http.stream("GET", path, headers=behind) as response:
                await refuse(response)
                await reader.read(response)
        if not reader.frames or reader.events[-1] != "turn.finished":
            raise Again("stream without an end")
        every = [reader.data(n) for n in range(len(reader.frames))]
        numbers = [data["n"] for data in every if "n" in data]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True, numbers
        found: Json = every[-1]["response"]
        check_response(found)
        return found


class AgUi(Chat):
    """`POST /api/ag-ui/map`, and the answer as it is kept."""

    async def ask(self, asked: Asked) -> Json:
        body: Json = {"threadId": self.session_id, "runId": asked.key, "messages": []}
        if asked.choice is None:
            body["messages"] = [{"id": asked.key, "role": "user", "content": asked.body["userMessage"]}]
        else:
            interrupt, chosen = asked.choice.rpartition(".")[0], {"choiceId": asked.choice}
            body["resume"] = [{"interruptId": interrupt, "status": "resolved", "payload": chosen}]
        answered = checked(await self.http.post("/api/ag-ui/map", json=body))
        events = [json.loads(f.split("data: ")[1]) for f in answered.text.split("\n\n") if "data: " in f]
        types = [event["type"] for event in events]
        if not types or types[-1] != "RUN_FINISHED":
            raise Again(f"run: {events[-1].get('code', types[-1]) if events else 'nothing'}")
        assert types[0] == "RUN_STARTED" and types.count("RUN_FINISHED") == 1, types
        return answer_of(checked(await self.http.get(f"/api/chat/{events[-1]['result']['requestId']}")))


def keyed(asked: Asked) -> dict[str, str]:
    return {} if asked.choice else {"Idempotency-Key": asked.key}


def checked(answered: httpx.Response) -> httpx.Response:
    if answered.status_code in _TRY_AGAIN:
        assert answered.status_code == 504 or "retry-after" in answered.headers, answered.text
        raise Again(answered.json()["code"])
    return answered


async def refuse(response: httpx.Response) -> None:
    if response.status_code != 200:
        await response.aread()
        raise Again(checked(response).json()["code"] if response.content else str(response.status_code))


CLIENTS: tuple[type[Chat], ...] = (Chat, Chat, Stream, AgUi)


class User:
    """One session."""

    def __init__(self, http: httpx.AsyncClient, record: Record, session_id: str, client: type[Chat]) -> None:
        self.record = record
        self.session_id = session_id
        self._client = client(http, session_id)

    async def say(self, message: str) -> Json:
        return await self._ask(Asked({"userMessage": message}, str(uuid4())))

    async def choose(self, choice_id: str) -> Json:
        return await self._ask(Asked({"choiceId": choice_id}, str(uuid4())))

    async def call(self, tool: str, **arguments: str) -> Json:
        """A tool of the MCP server. Whoever gets no answer begins another turn."""

        async def attempt() -> Json:
            try:
                async with Client(str(self._client.http.base_url.join("/mcp"))) as client:
                    result = await client.call_tool(tool, arguments)
            except asyncio.CancelledError:
                self.record.unanswered_calls += 1
                raise
            except Exception as error:
                self.record.unanswered_calls += 1
                raise Again(f"mcp: {type(error).__name__}") from None
            if result.is_error:
                self.record.unanswered_calls += 1
                raise Again("mcp: error")
            # Of a whole turn the answer itself says which one it was; clients of before have no `_meta` then.
            found, meta = result.structured_content, result.meta or {}
            assert isinstance(found, dict)
            self.record.known.add(found.get("requestId") or meta["ask.sogis/requestId"])
            return found

        return await self._until_answered(f"{tool} {arguments}", attempt)

    async def _ask(self, asked: Asked) -> Json:
        began = monotonic()
        response = await self._until_answered(str(asked.body), lambda: self._client.ask(asked))
        self.record.keep(response, began)
        if response["overallStatus"] == "error" or any(_NOT_NOW in s["message"] for s in response["steps"]):
            raise Told(_said(response))
        return response

    async def _until_answered(self, what: str, attempt: Callable[[], Awaitable[Json]]) -> Json:
        async with self.record.turn(f"{self.session_id}: {what}") as turn:
            while True:
                try:
                    async with asyncio.timeout(_TURN_S):
                        return await attempt()
                except (Again, TimeoutError, httpx.TransportError) as error:
                    turn.again(str(error) if isinstance(error, Again) else type(error).__name__)
                await asyncio.sleep(PAUSE_S)


# -- what users do, and what they must get ---------------------------------------------------------


def _only(response: Json, intent: str, status: str = "ok") -> Json:
    (step,) = response["steps"]
    assert (step["intent"], step["status"]) == (intent, status), response
    found: Json = step
    return found


def _ids(step: Json) -> list[str]:
    return [action["payload"].get("id", "") for action in step["mapActions"]]


def _centred(step: Json, street: str, marker: str) -> None:
    assert (step["intent"], step["message"]) == ("goto_address", f"Adresse {street} zentriert."), step
    assert action_types(step) == ["setView", "addMarker"]
    assert _ids(step) == ["", marker]


def _extract(step: Json, egrid: str) -> None:
    assert step["intent"] == "oereb_extract", step
    assert step["message"].startswith(f"ÖREB-Auszug für {egrid} bereit."), step
    assert step["mapActions"][-1]["payload"]["egrid"] == egrid
    assert _ids(step)[1] == f"oereb-{egrid}"


async def one_step(user: User) -> None:
    response = await user.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    _centred(_only(response, "goto_address"), "Langendorfstrasse 19b", "addr-623490242")


async def two_steps(user: User) -> None:
    response = await user.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    centred, loaded = response["steps"]
    _centred(centred, "Langendorfstrasse 19b", "addr-623490242")
    assert layer_ids(loaded) == WATER_PROTECTION


async def choice(user: User) -> None:
    offered = await user.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    step = _only(offered, "oereb_extract", "needs_user_choice")
    egrids = [each["data"]["egrid"] for each in step["choices"]]
    assert egrids == ["CH955832730623", "CH710620327442"]
    taken = await user.choose(option(offered, 1))
    assert taken["requestId"] == offered["requestId"]
    _extract(_only(taken, "oereb_extract"), egrids[1])


async def choice_with_more_to_do(user: User) -> None:
    offered = await user.say("Zeige das Grundstück 168 in Messen und erstelle einen ÖREB-Auszug davon")
    step = _only(offered, "show_parcel", "needs_user_choice")
    egrids = [each["data"]["egrid"] for each in step["choices"]]
    assert egrids == ["CH807306583219", "CH181832067404"]
    taken = await user.choose(option(offered, 0))
    shown, extract = taken["steps"]
    assert egrids[0] in shown["message"]
    _extract(extract, egrids[0])


async def layers(user: User) -> None:
    loaded = await user.say("Lade die Gewässerschutzkarte")
    assert layer_ids(_only(loaded, "load_layer")) == WATER_PROTECTION
    removed = _only(await user.say("Entferne den Gewässerschutzlayer"), "remove_layer")
    assert set(action_types(removed)) == {"removeLayer"}
    assert _ids(removed) == WATER_PROTECTION


async def clarification(user: User) -> None:
    step = _only(
        await user.say("Erstelle mir hier einen ÖREB-Auszug"), "oereb_extract", "needs_clarification"
    )
    assert "Adresse" in step["message"]


async def correction(user: User) -> None:
    first = await user.say("Gehe zur Burgunderstrasse 19 in Solothurn.")
    _centred(_only(first, "goto_address"), "Burgunderstrasse 19", "addr-4500-burgunderstrasse-19")
    second = await user.say("Sorry, ich meinte 9.")
    _centred(_only(second, "goto_address"), "Burgunderstrasse 9", "addr-4500-burgunderstrasse-9")


async def here(user: User) -> None:
    shown = _only(await user.say("Zeige mir Grundstück 198 in Messen"), "show_parcel")
    assert "CH955832730623" in shown["message"]
    _extract(_only(await user.say("Erstelle mir hier einen ÖREB-Auszug"), "oereb_extract"), "CH955832730623")


async def background(user: User) -> None:
    step = _only(await user.say("Wechsle zum Luftbild"), "set_background")
    assert step["mapActions"] == [{"type": "setBackground", "payload": {"background": "ortho"}}]


async def nothing_found(user: User) -> None:
    _only(await user.say("Gehe nach Atlantis"), "search_place", "needs_clarification")


async def documents(user: User) -> None:
    for question in (
        "Was kostet die Ausscheidung der Grundwasserschutzzonen?",
        "Und bis wann gilt die Frist?",
    ):
        step = _only(await user.say(question), "search_documents")
        sources = {source["id"]: source["n"] for source in step["research"]["sources"]}
        assert any("gewaesserschutzzonen" in id for id in sources), step
        assert all(f"[{n}]" in step["message"] for n in sources.values())
        if not all(document["isChecked"] for document in step["research"]["trackedDocuments"]):
            raise Told(f"not checked: {step['message'][:60]}")


async def probe(user: User) -> None:
    step = _only(
        await user.say("Kann ich an der Rötistrasse 4 in Solothurn eine Erdwärmesonde bohren?"),
        "geothermal_probe_assessment",
    )
    assert action_types(step) == ["setView", "addMarker"]


async def height(user: User) -> None:
    assert "ü. M." in _only(await user.say("Wie hoch liegt Grenchen?"), "height_query")["message"]


async def plan(user: User) -> None:
    step = _only(
        await user.say("Mache mir einen Grundbuchplan des Grundstücks 198 in Messen"), "cadastral_plan"
    )
    assert "/api/prints/" in step["message"]


async def tool_over_mcp(user: User) -> None:
    found = await user.call("geolocation_geocode", q="Langendorfstrasse 19b, Solothurn")
    (address,) = found["items"]
    assert address["label"] == "Langendorfstrasse 19b, 4500 Solothurn"


async def question_over_mcp(user: User) -> None:
    found = await user.call("ask", message="Gehe zur Langendorfstrasse 19b in Solothurn")
    if found["overallStatus"] == "error":
        raise Told(_said(found))
    _centred(_only(found, "goto_address"), "Langendorfstrasse 19b", "addr-623490242")


@dataclass(frozen=True)
class Kind:
    """`turns` is how many; `shared` ones do not mind what else happens in their session."""

    act: Callable[[User], Awaitable[None]]
    turns: int
    shared: bool = False


KINDS = (
    Kind(one_step, 1, shared=True),
    Kind(choice, 2),
    Kind(two_steps, 1, shared=True),
    Kind(layers, 2),
    Kind(clarification, 1),
    Kind(correction, 2),
    Kind(background, 1, shared=True),
    Kind(choice_with_more_to_do, 2),
    Kind(nothing_found, 1, shared=True),
    Kind(here, 2),
    Kind(documents, 2),
    Kind(probe, 1, shared=True),
    Kind(height, 1, shared=True),
    Kind(plan, 1, shared=True),
    Kind(tool_over_mcp, 1),
    Kind(question_over_mcp, 1),
)


class Crowd:
    """Users who do one thing after the other, until they are told to stop."""

    def __init__(self, http: httpx.AsyncClient, record: Record, seed: int, name: str) -> None:
        self._http = http
        self._record = record
        self._dice = random.Random(seed)
        self._name = name
        self._deck: list[Kind] = []
        self._n = 0
        self.is_over = False

    async def run(self, users: int) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(users):
                group.create_task(self._one_after_the_other())

    async def _one_after_the_other(self) -> None:
        while not self.is_over:
            if not self._deck:
                self._deck = self._dice.sample(KINDS, len(KINDS))
            kind, client = self._deck.pop(), self._dice.choice(CLIENTS)
            await self._do(kind, client)

    async def _do(self, kind: Kind, client: type[Chat]) -> None:
        """Again from the start, as somebody else, when the answer was that something did not work."""
        for _ in range(_TRIES):
            if self.is_over:
                return
            self._n += 1
            shared = kind.shared and self._n % 2
            session = f"{self._name}-shared-{self._n % 5}" if shared else f"{self._name}-{self._n}"
            began = monotonic()
            try:
                await kind.act(User(self._http, self._record, session, client))
                return
            except Told as error:
                self._record.phase.told.append(f"{kind.act.__name__} in {session}: {error}")
            except Lost:
                return
            except Exception as error:
                self._record.was_wrong(
                    f"{kind.act.__name__} in {session} by {client.__name__}: {error!r}", began
                )
                return
