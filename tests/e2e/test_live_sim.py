"""Every intent on live sources, through all services; one local server stands for the sources.

It speaks the formats of the canton and of the Confederation, so nothing leaves this machine.
"""

import re
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from contracts.items import Item, ItemBase, LayerGroup
from recorded.environment import environment
from recorded.oereb_data import (
    BALM_168,
    BIBERIST_2084,
    LANGENDORFSTRASSE_19B,
    MESSEN_168,
    MESSEN_198,
    MESSEN_531,
)
from recorded.server import RecordedServer

from .running import Conversation, Json, System, action_types, layer_ids, option, running
from .shell import ASK, Shell, banner_of, ended
from .test_flows import LANGENDORFSTRASSE, check_water_protection
from .test_new_intents import check_pdf, link_in, only_step

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUPPORT = Path(__file__).parents[1] / "support"
AT_MESSEN = "2600513, 1215519"
PLAN_TOO = "Und bitte noch einen Grundbuchplanauszug."
CADASTRE = "ÖREB-Kataster Kanton Solothurn"
ADDRESSES, PLACES, MAPS, PARCELS, DRILLING, PLANS = (
    f"{{canton}}, {kind}"
    for kind in ("Adressen", "Orte", "Karten", "Grundstücke", "Erdwärmesonden", "Grundbuchplan")
)
HEIGHTS, FEDERAL_SEARCH, FEDERAL_LAYERS = (
    f"swisstopo, {kind}" for kind in ("Höhenmodell", "SearchServer", "Karten des Bundes")
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory, server: RecordedServer) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("live"), **environment(server.url)) as started:
        yield started


@pytest.fixture
def talk(system: System) -> Conversation:
    return system.conversation()


async def sources_of(system: System, response: Json, server: RecordedServer) -> set[str]:
    """Where everything is from that the tools of a turn have found; each single item must say it."""
    found: set[str] = set()
    canton = urlsplit(server.url).netloc
    for result in await system.results(response["requestId"]):
        for item in result.outcome.items:
            for each in parts(item):
                origin = each.provenance
                assert origin is not None, each
                assert origin.license == "Freie Nutzung mit Quellenangabe"
                assert origin.retrieved_at <= datetime.now(UTC)
                assert not origin.stale
                found.add(origin.source.replace(canton, "{canton}"))
    return found


def parts(item: Item) -> tuple[ItemBase, ...]:
    return (item, *item.layers) if isinstance(item, LayerGroup) else (item,)


# -- the three flows -------------------------------------------------------------------------------


async def test_a_sentence_with_one_wish(system: System, server: RecordedServer, talk: Conversation) -> None:
    response = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    assert response["steps"] == [LANGENDORFSTRASSE]
    assert await sources_of(system, response, server) == {ADDRESSES}


async def test_a_sentence_with_two_wishes(system: System, server: RecordedServer, talk: Conversation) -> None:
    response = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    centred, loaded = response["steps"]
    assert centred == LANGENDORFSTRASSE
    check_water_protection(loaded)
    for action in loaded["mapActions"]:
        assert action["payload"]["attribution"] == "Kanton Solothurn"
        assert action["payload"]["legendUrl"].endswith(f"LAYER={action['payload']['id']}")
    assert await sources_of(system, response, server) == {ADDRESSES, MAPS}


@pytest.mark.parametrize(
    ("n", "egrid", "number"), [(0, MESSEN_198, "198"), (1, MESSEN_531, "531")], ids=["parcel", "right"]
)
async def test_a_choice_at_a_coordinate_is_offered_and_taken(
    system: System, server: RecordedServer, talk: Conversation, n: int, egrid: str, number: str
) -> None:
    offered = await talk.say(f"Lade den ÖREB-Auszug an der Koordinate {AT_MESSEN}")
    (step,) = offered["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "needs_user_choice")
    assert step["message"] == "Bitte wähle das betroffene Grundstück."
    assert [choice["data"]["egrid"] for choice in step["choices"]] == [MESSEN_198, MESSEN_531]
    taken = await talk.choose(option(offered, n))
    assert taken["requestId"] == offered["requestId"]
    check_extract(only_step(taken, "oereb_extract"), egrid, server)
    assert f"Grundstück {number} in Messen" in taken["steps"][0]["message"]
    assert await sources_of(system, taken, server) == {CADASTRE}


def check_extract(step: Json, egrid: str, server: RecordedServer) -> None:
    assert step["message"].startswith(f"ÖREB-Auszug für {egrid} bereit.")
    assert action_types(step) == ["setView", "addMarker", "addLayer", "showOerebExtract"]
    shown = step["mapActions"][-1]["payload"]
    assert shown["url"] == f"{server.url}/api/oereb/extract/pdf/?EGRID={egrid}"
    assert shown["mapUrl"] == f"https://geo.so.ch/map/?oereb_egrid={egrid}"


# -- every intent ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "intent", "message", "sources"),
    [
        ("Gehe nach Grenchen", "search_place", "Gemeinde Grenchen zentriert.", {PLACES}),
        # A field name of the canton, and places and addresses that only the Confederation knows.
        (
            "Wo liegt Gänsbrunnen?",
            "search_place",
            "Gänsbrunnen (Gemeinde Welschenrohr-Gänsbrunnen) zentriert.",
            {PLACES},
        ),
        ("Gehe nach Wabern", "search_place", "Wabern zentriert.", {FEDERAL_SEARCH}),
        (
            "Gehe zum Bundesplatz 3 in Bern",
            "goto_address",
            "Adresse Bundesplatz 3 zentriert.",
            {FEDERAL_SEARCH},
        ),
        ("Lade den Waldplan", "load_layer", "Waldplan-Layer geladen.", {MAPS}),
        (
            "Lade die Landeskarte",
            "load_layer",
            "Layer «Pixelkarte farbig (Quelle Bund)» geladen.",
            {MAPS},
        ),
        (
            "Zeige das Grundstück 198 in Messen",
            "show_parcel",
            "Grundstück 198 in Messen (EGRID CH955832730623).",
            {PARCELS},
        ),
        (
            f"Zeige das Grundstück {BIBERIST_2084}",
            "show_parcel",
            "Grundstück 2084 in Biberist (EGRID CH727994320611, 618 m²).",
            {PARCELS},
        ),
        (
            "Zeige Grundstück 1260 in Moudon",
            "show_parcel",
            "Grundstück 1260 in Moudon (EGRID CH974590888353).",
            {FEDERAL_SEARCH},
        ),
        (
            "Wie hoch liegt 2607094, 1228788?",
            "height_query",
            "Höhe bei 2'607'094 / 1'228'788: 435 m ü. M.\nQuelle: swisstopo, Höhenmodell",
            {HEIGHTS},
        ),
        (
            "Wie hoch liegt Solothurn?",
            "height_query",
            "Höhe bei 2'607'094 / 1'228'788: 435 m ü. M.\nQuelle: swisstopo, Höhenmodell",
            {PLACES, HEIGHTS},
        ),
    ],
)
async def test_an_intent_is_answered_from_its_source(
    system: System,
    server: RecordedServer,
    talk: Conversation,
    sentence: str,
    intent: str,
    message: str,
    sources: set[str],
) -> None:
    response = await talk.say(sentence)
    step = only_step(response, intent)
    assert step["message"] == message
    assert step["mapActions"]
    assert await sources_of(system, response, server) == sources


async def test_tiles_come_with_their_grid(talk: Conversation) -> None:
    step = only_step(await talk.say("Lade die Landeskarte"), "load_layer")
    (layer,) = (action["payload"] for action in step["mapActions"])
    assert (layer["id"], layer["type"]) == ("ch.swisstopo.pixelkarte-farbe", "wmts")
    assert layer["source"]["url"].startswith("https://wmts.geo.admin.ch/1.0.0/ch.swisstopo.pixelkarte-farbe/")
    assert layer["source"]["tileGrid"]["resolutions"][0] == 4_000
    assert layer["attribution"]


async def test_a_group_is_loaded_with_its_members(talk: Conversation) -> None:
    step = only_step(await talk.say("Lade den Waldplan"), "load_layer")
    assert layer_ids(step) == [
        f"ch.so.awjf.waldplan.{part}" for part in ("waldplantyp", "waldfunktion", "waldeigentum")
    ]


async def test_of_many_layers_the_best_are_offered(talk: Conversation) -> None:
    offered = await talk.say("Lade alles zum Thema Wasser")
    (step,) = offered["steps"]
    assert step["status"] == "needs_user_choice"
    assert re.fullmatch(
        r"Es gibt \d+ passende Karten; hier die besten 8\. Nenne ein genaueres Thema, wenn .*",
        step["message"],
    )
    assert len(step["choices"]) == 8
    assert step["choices"][0]["label"] == "Gewässerschutz (Gruppe)"
    assert action_types(step["choices"][0]) == ["addLayer"] * 4
    check_water_protection(only_step(await talk.choose(option(offered, 0)), "load_layer"))


async def test_a_layer_of_the_confederation_alone_is_found(
    system: System, server: RecordedServer, talk: Conversation
) -> None:
    response = await talk.say("Lade die Karte Solarenergie Eignung Hausdächer")
    step = only_step(response, "load_layer")
    assert layer_ids(step) == ["ch.bfe.solarenergie-eignung-daecher"]
    assert step["mapActions"][0]["payload"]["attribution"] == "Bund (geo.admin.ch)"
    assert await sources_of(system, response, server) == {FEDERAL_LAYERS}


async def test_a_parcel_number_of_two_land_registers_is_a_choice(
    system: System, server: RecordedServer, talk: Conversation
) -> None:
    offered = await talk.say("Zeige das Grundstück 168 in Messen und erstelle einen ÖREB-Auszug davon")
    assert [c["data"]["egrid"] for c in offered["steps"][0]["choices"]] == [MESSEN_168, BALM_168]
    taken = await talk.choose(option(offered, 1))
    shown, extract = taken["steps"]
    assert BALM_168 in shown["message"]
    check_extract(extract, BALM_168, server)
    assert await sources_of(system, taken, server) == {PARCELS, CADASTRE}


@pytest.mark.parametrize(
    ("sentence", "egrid", "sources"),
    [
        (
            "Erstelle einen ÖREB-Auszug für die Langendorfstrasse 19b in Solothurn",
            LANGENDORFSTRASSE_19B,
            {ADDRESSES, CADASTRE},
        ),
        (
            "Erstelle einen ÖREB-Auszug vom Grundstück 198 in Messen",
            MESSEN_198,
            {PARCELS, CADASTRE},
        ),
        (f"Erstelle den ÖREB-Auszug für {MESSEN_168}", MESSEN_168, {CADASTRE}),
    ],
    ids=["address", "number", "egrid"],
)
async def test_an_extract_is_found_by_whatever_is_known_of_the_parcel(
    system: System, server: RecordedServer, talk: Conversation, sentence: str, egrid: str, sources: set[str]
) -> None:
    response = await talk.say(sentence)
    check_extract(only_step(response, "oereb_extract"), egrid, server)
    assert await sources_of(system, response, server) == sources


async def test_the_themes_of_an_extract_are_told(talk: Conversation) -> None:
    step = only_step(await talk.say(f"Erstelle den ÖREB-Auszug für {MESSEN_198}"), "oereb_extract")
    assert step["message"].splitlines()[1:] == [
        "Grundstück 198 in Messen, 11'756 m²",
        "3 betroffene Themen: Nutzungsplanung (kantonal/kommunal), Grundwasserschutzzonen, "
        "Lärmempfindlichkeitsstufen.",
    ]


async def test_the_linked_extract_is_a_pdf(talk: Conversation) -> None:
    step = only_step(await talk.say(f"Erstelle den ÖREB-Auszug für {MESSEN_198}"), "oereb_extract")
    async with httpx.AsyncClient() as http:
        check_pdf(await http.get(step["mapActions"][-1]["payload"]["url"]))


@pytest.mark.parametrize(
    ("sentence", "center", "sources"),
    [
        (
            "Wie tief kann ich an der Koordinate 2605919, 1229245 für eine Erdwärmesonde bohren?",
            [2605919.0, 1229245.0],
            {DRILLING},
        ),
        (
            "Kann ich an der Langendorfstrasse 19b in Solothurn eine Erdwärmesonde bohren?",
            [2605899.0, 1229278.0],
            {ADDRESSES, DRILLING},
        ),
    ],
    ids=["coordinate", "address"],
)
async def test_a_geothermal_probe_is_assessed(
    system: System,
    server: RecordedServer,
    talk: Conversation,
    sentence: str,
    center: list[float],
    sources: set[str],
) -> None:
    response = await talk.say(sentence)
    step = only_step(response, "geothermal_probe_assessment")
    said, report, source = step["message"].splitlines()
    assert "bis in eine Tiefe von 250 Metern möglich" in said
    assert report.startswith("Bericht: https://dox42.so.ch/")
    assert source == f"Quelle: {urlsplit(server.url).netloc}, Erdwärmesonden"
    assert step["mapActions"][0]["payload"]["center"] == center
    assert await sources_of(system, response, server) == sources


async def test_a_plan_is_printed_and_downloaded(
    system: System, server: RecordedServer, talk: Conversation
) -> None:
    response = await talk.say("Mache mir einen Grundbuchplan des Grundstücks 198 in Messen.")
    step = only_step(response, "cadastral_plan")
    assert step["message"].startswith("Grundbuchplan im Massstab 1:1'000 erstellt.\nPDF: ")
    answered = await system.http.get(link_in(step))
    check_pdf(answered)
    # The recorded print service writes the form that it got onto the sheet.
    assert b"scale=1000" in answered.content and b"TEMPLATE=A4-Hoch" in answered.content
    assert await sources_of(system, response, server) == {PARCELS, PLANS}


# -- follow-ups ------------------------------------------------------------------------------------


async def test_a_correction_changes_only_the_house_number(talk: Conversation) -> None:
    first = await talk.say("Gehe zur Burgunderstrasse 19 in Solothurn.")
    assert first["steps"][0]["message"] == "Adresse Burgunderstrasse 19 zentriert."
    corrected = await talk.say("Sorry, ich meinte 9.")
    step = only_step(corrected, "goto_address")
    assert step["message"] == "Adresse Burgunderstrasse 9 zentriert."
    assert corrected["requestId"] != first["requestId"]


@pytest.mark.parametrize(
    "before",
    [
        "Zeige das Grundstück 198 in Messen",
        "Erstelle einen ÖREB-Auszug vom Grundstück 198 in Messen",
        "Gehe zur Langendorfstrasse 19b in Solothurn",
    ],
    ids=["parcel", "extract", "address"],
)
async def test_a_plan_of_what_was_shown_before(system: System, talk: Conversation, before: str) -> None:
    await talk.say(before)
    step = only_step(await talk.say(PLAN_TOO), "cadastral_plan")
    check_pdf(await system.http.get(link_in(step)))


async def test_an_open_choice_is_answered_in_words(talk: Conversation, server: RecordedServer) -> None:
    await talk.say(f"Lade den ÖREB-Auszug an der Koordinate {AT_MESSEN}")
    check_extract(only_step(await talk.say("die zweite"), "oereb_extract"), MESSEN_531, server)


# -- the simulation for people ---------------------------------------------------------------------


async def test_the_simulation_runs_until_ctrl_c(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", tmp_path)
    up = await shell.start(
        sys.executable, "-m", "recorded", "--", ASK, "up", PORT="0", PYTHONPATH=str(SUPPORT)
    )
    banner = await banner_of(up)
    (simulation,) = re.findall(r"simulated at (http://\S+)", banner)
    response = (await shell.ask("chat", "--json", f"Erstelle den ÖREB-Auszug für {MESSEN_198}")).json()
    extract = response["steps"][0]["mapActions"][-1]["payload"]
    assert extract["url"].startswith(simulation)
    await ended(up)
    with pytest.raises(httpx.ConnectError):
        await httpx.AsyncClient().get(simulation)
