"""Users who know what the right answer is, and who try again when they get none."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from uuid import uuid4

import httpx
from tests.e2e.running import Json, action_types, answer_of, layer_ids, option

PATIENCE_S = 75.0
"""A turn has an end after 30 s; a client may have to ask for it more than once."""
PAUSE_S = 0.25
_TRY_AGAIN = frozenset({429, 503, 504})

WATER_PROTECTION = [
    f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
]


@dataclass
class Record:
    """What the users have seen."""

    started: int = 0
    responses: dict[str, list[Json]] = field(default_factory=dict)
    """By request id, one for each round."""
    failures: Counter[str] = field(default_factory=Counter)
    """What made users try again."""
    slowest_s: float = 0.0

    @property
    def answered(self) -> int:
        return sum(len(rounds) for rounds in self.responses.values())


class User:
    """One session."""

    def __init__(
        self, http: httpx.AsyncClient, record: Record, session_id: str, turn: Callable[[], Awaitable[None]]
    ):
        self._http = http
        self._record = record
        self._session_id = session_id
        self._turn = turn
        """Waited for before every turn."""

    async def say(self, message: str) -> Json:
        return await self._ask({"userMessage": message}, {"Idempotency-Key": str(uuid4())})

    async def choose(self, choice_id: str) -> Json:
        return await self._ask({"choiceId": choice_id}, {})

    async def _ask(self, asked: dict[str, str], headers: dict[str, str]) -> Json:
        await self._turn()
        self._record.started += 1
        began = time.monotonic()
        body = {"sessionId": self._session_id, **asked}
        while True:
            failure = None
            try:
                answered = await self._http.post("/api/chat", json=body, headers=headers)
            except httpx.TransportError as error:
                failure = type(error).__name__
            else:
                if answered.status_code not in _TRY_AGAIN:
                    break
                failure = answered.json()["code"]
            self._record.failures[failure] += 1
            took_s = time.monotonic() - began
            assert took_s < PATIENCE_S, f"{asked} is not answered: {self._record.failures}"
            await asyncio.sleep(PAUSE_S)
        response = answer_of(answered)
        self._record.slowest_s = max(self._record.slowest_s, time.monotonic() - began)
        self._record.responses.setdefault(response["requestId"], []).append(response)
        return response


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
        assert all(document["isChecked"] for document in step["research"]["trackedDocuments"])


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
)
