"""Sources that fail, seen by a user: a clear sentence in time, the other steps go on, and it gets well again.

Nothing is fresh for longer than a moment (CACHE_TTL_S), so that every question is asked again.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from contracts.items import ItemBase
from contracts.turns import TurnEventKind
from misbehaving import EXTERNAL_ENTITY, METADATA_SERVICE, SERVICE_EXCEPTION, XML_BOMB
from recorded.environment import environment
from recorded.server import RecordedServer
from servicekit.http import AsgiApp
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from .running import Conversation, Json, System, layer_ids, option, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

TURN_TIMEOUT_S = 15.0
"""Shorter than a call of a source may take: the turn has to end all the same."""
GOTO = "gehe zur Rötistrasse 4 in Solothurn"
GONE_TO = "Adresse Rötistrasse 4 zentriert."
DRILL = "Kann ich an der Koordinate 2605919, 1229245 eine Erdwärmesonde bohren?"
HEIGHT = "Wie hoch liegt 2607094, 1228788?"
HEIGHT_ELSEWHERE = "Wie hoch liegt 2635345, 1244330?"
PARCEL = "Zeige das Grundstück 198 in Messen"
UNKNOWN_PARCEL = "Zeige das Grundstück 77 in Messen"
PLAN = "Mache mir einen Grundbuchplan des Grundstücks 198 in Messen"
EXTRACT_AT = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"

CADASTRE = "Der ÖREB-Dienst"
PARCELS = "Die Grundstücksabfrage von {host}"
DRILLING = "Die Erdwärmesonden-Abfrage des Kantons"
HEIGHTS = "Der Höhendienst von swisstopo"
PRINTS = "Der Druckdienst für Grundbuchpläne"
UNREADABLE = " hat eine Antwort geschickt, die nicht verarbeitet werden konnte."
LATER = " Versuche es in ein paar Minuten noch einmal."


class Search:
    """The search of the canton on a server of its own, which can be stopped and started again."""

    def __init__(self) -> None:
        self.server = RecordedServer()
        self._is_up = False

    @property
    def host(self) -> str:
        return urlsplit(self.server.url).netloc

    async def start(self) -> None:
        if not self._is_up:
            port = urlsplit(self.server.url).port or 0
            self.server = await RecordedServer(port).__aenter__()
            self._is_up = True

    async def stop(self) -> None:
        if self._is_up:
            await self.server.__aexit__(None, None, None)
            self._is_up = False


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers() -> AsyncIterator[tuple[Search, RecordedServer]]:
    search = Search()
    await search.start()
    async with RecordedServer() as others:
        yield search, others
    await search.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running_system(
    tmp_path_factory: pytest.TempPathFactory, servers: tuple[Search, RecordedServer]
) -> AsyncIterator[System]:
    search, others = servers
    variables = {
        **environment(others.url),
        "SEARCH_URL": environment(search.server.url)["SEARCH_URL"],
        "CACHE_TTL_S": "0",
        "TURN_TIMEOUT_S": str(TURN_TIMEOUT_S),
        "OUTBOUND_READ_TIMEOUT_S": "30",
        "OUTBOUND_TOTAL_TIMEOUT_S": "30",
        # More than the failures that a test causes on purpose.
        "OUTBOUND_BREAKER_MIN_QUESTIONS": "8",
        "OUTBOUND_BREAKER_PAUSE_S": "1",
    }
    async with running(tmp_path_factory.mktemp("outages"), **variables) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="module")
async def search(running_system: System, servers: tuple[Search, RecordedServer]) -> AsyncIterator[Search]:
    """Up, and believed to be: whatever was before is forgiven."""
    search, _ = servers
    yield search
    await search.start()
    conversation = running_system.conversation()

    async def answers() -> bool:
        response = await conversation.say("Lade den Waldplan")
        return bool(response["overallStatus"] == "ok")

    await until(answers)


@pytest.fixture
def others(servers: tuple[Search, RecordedServer]) -> RecordedServer:
    """All the other services, with nothing wrong."""
    servers[1].reset()
    return servers[1]


@pytest.fixture
def system(running_system: System, others: RecordedServer) -> System:
    return running_system


@pytest.fixture
def talk(system: System) -> Conversation:
    return system.conversation()


async def until_told(talk: Conversation, sentence: str, ending: str) -> Json:
    """Say it until the answer ends like this."""
    response: Json = {}

    async def told() -> bool:
        nonlocal response
        response = await talk.say(sentence)
        return bool(response["steps"][0]["message"].endswith(ending))

    await until(told)
    return response


async def found_by(system: System, response: Json) -> list[ItemBase]:
    return [item for result in await system.results(response["requestId"]) for item in result.outcome.items]


# -- a source that is gone -------------------------------------------------------------------------


async def test_a_source_that_is_gone_is_named_and_the_other_steps_go_on(
    talk: Conversation, search: Search
) -> None:
    await search.stop()
    response = await talk.say(f"Lade die Karte Fruchtfolgeflächen, {PARCEL} und {HEIGHT}")
    assert [step["status"] for step in response["steps"]] == ["error", "ok", "ok"]
    assert response["overallStatus"] == "error"
    assert response["steps"][0]["message"] == (
        f"Die Kartensuche von {search.host} ist zurzeit nicht erreichbar.{LATER}"
    )


async def test_a_source_that_stays_gone_is_left_alone_until_it_is_back(
    talk: Conversation, search: Search
) -> None:
    sentence = "Lade die Karte Jagdreviere"
    await search.stop()
    paused = f" ist zurzeit gestört und wird einen Moment lang nicht abgefragt.{LATER}"
    await until_told(talk, sentence, f"Die Kartensuche von {search.host}{paused}")
    await search.start()
    back = await until_told(talk, sentence, "geladen.")
    assert back["overallStatus"] == "ok"
    assert layer_ids(back["steps"][0]) == ["ch.so.awjf.jagdreviere"]


async def test_the_confederation_stands_in_for_the_canton(
    system: System, talk: Conversation, search: Search
) -> None:
    await search.stop()
    response = await talk.say("Gehe zur Rötistrasse 17 in Solothurn")
    assert response["steps"][0]["message"] == "Adresse Rötistrasse 17 zentriert."
    (address,) = await found_by(system, response)
    assert address.provenance is not None
    assert (address.provenance.source, address.provenance.stale) == ("swisstopo, SearchServer", False)


async def test_while_a_source_is_gone_its_old_answers_serve_and_say_so(
    system: System, talk: Conversation, search: Search
) -> None:
    fresh = await talk.say("Gehe nach Grenchen")
    assert fresh["steps"][0]["message"] == "Gemeinde Grenchen zentriert."
    (before,) = await found_by(system, fresh)

    await search.stop()
    old = await talk.say("Gehe nach Grenchen")
    assert old["overallStatus"] == "ok"
    said, note = old["steps"][0]["message"].splitlines()
    assert said == "Gemeinde Grenchen zentriert."
    assert note.startswith("Hinweis: Diese Angabe ist vom ")
    assert note.endswith(f" Uhr, die Quelle antwortet gerade nicht ({search.host}, Orte).")
    assert old["steps"][0]["mapActions"] == fresh["steps"][0]["mapActions"]
    (after,) = await found_by(system, old)
    assert before.provenance is not None and after.provenance is not None
    alone, _, outline = before.provenance.source.partition("; Umriss: ")
    assert outline
    assert after.provenance == before.provenance.model_copy(update={"stale": True, "source": alone})

    await search.start()
    again = await until_told(talk, "Gehe nach Grenchen", said)
    (newest,) = await found_by(system, again)
    assert newest.provenance is not None
    assert newest.provenance.retrieved_at > before.provenance.retrieved_at


# -- a source that takes its time ------------------------------------------------------------------


async def silent(scope: Any, receive: Any, send: Any) -> None:
    """Takes the request and says nothing."""
    await asyncio.sleep(3_600)


async def _drops() -> AsyncIterator[bytes]:
    while True:
        yield b" "
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "slow", [silent, StreamingResponse(_drops(), media_type="text/xml")], ids=["headers", "body"]
)
async def test_a_turn_ends_in_time_although_a_source_is_slow(
    system: System, talk: Conversation, others: RecordedServer, slow: AsgiApp
) -> None:
    others.options.instead = {"/featureinfo/": slow}
    response = await talk.say(f"{GOTO} und {DRILL}")
    centred, drilled = response["steps"]
    assert (centred["status"], centred["message"]) == ("ok", GONE_TO)
    # Told by the tool, which knows who was slow, and not by the turn, which has run out of time.
    assert (drilled["status"], drilled["message"]) == (
        "error",
        f"{DRILLING} hat nicht rechtzeitig geantwortet.{LATER}",
    )
    events = await system.events(response["requestId"])
    assert events[-1].kind is TurnEventKind.FINISHED
    assert (events[-1].at - events[0].at).total_seconds() < TURN_TIMEOUT_S


# -- a source that talks nonsense ------------------------------------------------------------------

PAGE = HTMLResponse("<!DOCTYPE html><title>Wartung</title>")
TRUNCATED = Response(b'{"type":"FeatureCollection","features":[{"pro', media_type="application/json")
TRUNCATED_XML = Response(b"<a><b>", media_type="text/xml")
EXCEPTION = Response(SERVICE_EXCEPTION, media_type="text/xml")
NO_SUCH_LAYER = Response(b"<GetFeatureInfoResponse></GetFeatureInfoResponse>", media_type="text/xml")
BOMB = Response(XML_BOMB, media_type="application/xml")
ENTITY = Response(EXTERNAL_ENTITY, media_type="application/xml")
OTHER_TYPE = Response(b'{"height":"435.0"}', media_type="application/octet-stream")
INSIDE = RedirectResponse(METADATA_SERVICE)
BROKEN = Response(b'{"message":"Internal Server Error"}', 500, media_type="application/json")
BUSY = Response(b"busy", 503, {"retry-after": "60"})
TOO_MANY = Response(b"slow down", 429, {"retry-after": "60"})


async def large(scope: Any, receive: Any, send: Any) -> None:
    body = (b" " * 1_000_000 for _ in range(50))
    await StreamingResponse(body, media_type="application/json")(scope, receive, send)


@pytest.mark.parametrize(
    ("path", "answer", "sentence", "told"),
    [
        ("/api/data/", PAGE, UNKNOWN_PARCEL, PARCELS + UNREADABLE),
        ("/api/data/", TRUNCATED, UNKNOWN_PARCEL, PARCELS + UNREADABLE),
        (
            "/api/data/",
            large,
            UNKNOWN_PARCEL,
            f"{PARCELS} hat eine zu grosse Antwort geschickt. Bitte grenze die Frage ein.",
        ),
        ("/height", PAGE, HEIGHT_ELSEWHERE, HEIGHTS + UNREADABLE),
        ("/height", OTHER_TYPE, HEIGHT_ELSEWHERE, HEIGHTS + UNREADABLE),
        ("/height", TOO_MANY, HEIGHT_ELSEWHERE, f"{HEIGHTS} ist zurzeit überlastet (HTTP 429).{LATER}"),
        ("/featureinfo/", EXCEPTION, DRILL, f"{DRILLING} antwortete nicht erfolgreich."),
        ("/featureinfo/", NO_SUCH_LAYER, DRILL, f"{DRILLING} antwortete nicht erfolgreich."),
        ("/featureinfo/", BOMB, DRILL, DRILLING + UNREADABLE),
        ("/featureinfo/", ENTITY, DRILL, DRILLING + UNREADABLE),
        ("/featureinfo/", TRUNCATED_XML, DRILL, DRILLING + UNREADABLE),
        ("/landreg/", PAGE, PLAN, PRINTS + UNREADABLE),
        ("/landreg/", BUSY, PLAN, f"{PRINTS} ist zurzeit überlastet (HTTP 503).{LATER}"),
        ("/getegrid/", BROKEN, EXTRACT_AT, f"{CADASTRE} antwortete nicht erfolgreich (HTTP 500)."),
        ("/getegrid/", ENTITY, EXTRACT_AT, CADASTRE + UNREADABLE),
        (
            "/getegrid/",
            INSIDE,
            EXTRACT_AT,
            f"{CADASTRE} verweist auf eine Adresse, die nicht abgefragt werden darf.",
        ),
    ],
)
async def test_nonsense_is_said_in_a_clear_sentence_and_the_other_steps_go_on(
    talk: Conversation, others: RecordedServer, path: str, answer: AsgiApp, sentence: str, told: str
) -> None:
    others.options.instead = {path: answer}
    response = await talk.say(f"{sentence} und {GOTO}" if "?" not in sentence else f"{GOTO} und {sentence}")
    by_status = {step["status"]: step["message"] for step in response["steps"]}
    assert by_status == {"error": told.format(host=urlsplit(others.url).netloc), "ok": GONE_TO}
    assert response["overallStatus"] == "error"


async def test_what_only_describes_a_layer_may_fail(talk: Conversation, others: RecordedServer) -> None:
    others.options.instead = {"/weblayers": PAGE}
    response = await talk.say("Lade die Karte Schutzwald")
    assert response["overallStatus"] == "ok"
    assert layer_ids(response["steps"][0]) == ["ch.so.awjf.schutzwald"]


# -- an extract that cannot be read ----------------------------------------------------------------

# Each of these has a parcel of its own: an extract that has been read once serves later.


def made_up(n: int) -> str:
    """The EGRID of the recorded parcel around an address."""
    return f"CH{n:012d}"


@pytest.mark.parametrize(
    ("n", "answer", "reason"),
    [
        (1, BROKEN, " antwortete nicht erfolgreich (HTTP 500)."),
        (2, PAGE, UNREADABLE),
        (3, BOMB, UNREADABLE),
        (4, BUSY, f" ist zurzeit überlastet (HTTP 503).{LATER}"),
        (5, silent, f" hat nicht rechtzeitig geantwortet.{LATER}"),
    ],
    ids=["500", "page", "bomb", "busy", "slow"],
)
async def test_an_extract_that_could_not_be_read_is_not_called_ready_and_can_be_tried_again(
    talk: Conversation, others: RecordedServer, n: int, answer: AsgiApp, reason: str
) -> None:
    egrid = made_up(n)
    others.options.instead = {"/extract/xml": answer}
    failed = await talk.say(f"Erstelle den ÖREB-Auszug für {egrid}")
    (step,) = failed["steps"]
    first, unknown, *links, remark = step["message"].splitlines()
    assert first == f"Den ÖREB-Auszug für {egrid} konnte ich nicht lesen: {CADASTRE}{reason}"
    assert unknown == "Welche Eigentumsbeschränkungen gelten, weiss ich deshalb nicht."
    assert [line.partition(":")[0] for line in links] == ["PDF", "Fachanwendung"]
    assert remark.startswith("Die Links führen zum gleichen Dienst")
    assert [choice["label"] for choice in step["choices"]] == ["Nochmals versuchen"]
    assert "content" not in step["mapActions"][-1]["payload"]

    others.options.instead = {}
    again = await talk.choose(option(failed, 0))
    (step,) = again["steps"]
    assert (step["status"], step["message"].splitlines()[0]) == ("ok", f"ÖREB-Auszug für {egrid} bereit.")
    assert step["mapActions"][-1]["payload"]["content"]["notConcerned"]


async def test_the_view_of_the_canton_is_no_condition_of_the_extract(
    talk: Conversation, others: RecordedServer
) -> None:
    others.options.instead = {"/extract/url": BROKEN}
    (step,) = (await talk.say(f"Erstelle den ÖREB-Auszug für {made_up(6)}"))["steps"]
    assert step["status"] == "ok"
    assert step["message"].startswith(f"ÖREB-Auszug für {made_up(6)} bereit.")


async def test_an_old_extract_serves_and_says_so(talk: Conversation, others: RecordedServer) -> None:
    sentence = "Erstelle den ÖREB-Auszug für CH807306583219"
    (fresh,) = (await talk.say(sentence))["steps"]
    others.options.instead = {"/extract/": PAGE}
    (old,) = (await talk.say(sentence))["steps"]
    *said, note = old["message"].splitlines()
    assert said == fresh["message"].splitlines()
    assert note.startswith("Hinweis: Diese Angabe ist vom ")


async def test_everybody_in_a_burst_gets_the_extract_or_is_told_that_it_was_not_read(
    system: System, others: RecordedServer
) -> None:
    others.options.oereb.at_once, others.options.oereb.slow_s = 2, 2
    egrids = [made_up(7 + n % 8) for n in range(20)]
    told = await asyncio.gather(
        *(system.conversation().say(f"Erstelle den ÖREB-Auszug für {egrid}") for egrid in egrids)
    )
    read = 0
    for response, egrid in zip(told, egrids, strict=True):
        (step,) = response["steps"]
        is_read = any("content" in action["payload"] for action in step["mapActions"])
        read += is_read
        assert is_read == step["message"].startswith(f"ÖREB-Auszug für {egrid} bereit.")
    assert 0 < read < len(egrids)


async def test_it_is_said_when_nobody_could_look_outside_of_the_canton(
    talk: Conversation, others: RecordedServer
) -> None:
    others.options.instead = {"/SearchServer": PAGE}
    response = await talk.say("Gehe zum Bundesplatz 3 in Bern")
    (step,) = response["steps"]
    assert step["status"] == "needs_clarification"
    assert "Ausserhalb des Kantons konnte gerade nicht gesucht werden" in step["message"]
