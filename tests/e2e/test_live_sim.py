"""Every intent on live sources, through all services; one local server stands for the sources.

It speaks the formats of the canton and of the Confederation, so nothing leaves this machine.
"""

import re
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import pytest_asyncio
from cantons import SOLOTHURN
from contracts.items import Item, ItemBase, LayerGroup, Municipality
from contracts.oereb import ExtractContent, LawStatus, Restriction
from recorded.environment import environment
from recorded.oereb_data import (
    BALM_168,
    BIBERIST_2084,
    LANGENDORFSTRASSE_19B,
    MESSEN_168,
    MESSEN_198,
    MESSEN_531,
    content_of,
    of_egrid,
    themes,
    without_data,
)
from recorded.server import RecordedServer

from .running import Conversation, Json, System, action_types, layer_ids, option, promised, running
from .shell import ASK, Shell, banner_of, ended
from .test_flows import centred_on, check_water_protection
from .test_new_intents import check_pdf, link_in, only_step

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUPPORT = Path(__file__).parents[1] / "support"
AT_MESSEN = "2600513, 1215519"
PLAN_TOO = "Und bitte noch einen Grundbuchplanauszug."
PLANNED, UNRELEASED, WITHOUT_DATA = "CH000000000003", "CH000000000004", "CH000000000005"
"""Made-up parcels that nobody else asks about."""
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
                source, _, outline = origin.source.partition("; Umriss: ")
                assert bool(outline) == (each.geometry is not None and isinstance(each, Municipality))
                found.add(source.replace(canton, "{canton}"))
    return found


def parts(item: Item) -> tuple[ItemBase, ...]:
    return (item, *item.layers) if isinstance(item, LayerGroup) else (item,)


# -- the three flows -------------------------------------------------------------------------------


async def test_a_sentence_with_one_wish(system: System, server: RecordedServer, talk: Conversation) -> None:
    response = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    assert [promised(step) for step in response["steps"]] == [centred_on(SOLOTHURN.spot)]
    assert await sources_of(system, response, server) == {ADDRESSES}


async def test_a_sentence_with_two_wishes(system: System, server: RecordedServer, talk: Conversation) -> None:
    response = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    centred, loaded = response["steps"]
    assert promised(centred) == centred_on(SOLOTHURN.spot)
    check_water_protection(loaded, SOLOTHURN.layers)
    for action in loaded["mapActions"]:
        assert action["payload"]["attribution"] == "Kanton Solothurn"
        legend = parse_qs(urlsplit(action["payload"]["legendUrl"]).query)
        assert (legend["LAYER"], legend["SLD_VERSION"]) == ([action["payload"]["id"]], ["1.1.0"])
    assert await sources_of(system, response, server) == {ADDRESSES, MAPS}


@pytest.mark.parametrize(
    ("n", "egrid", "kind", "number"),
    [(0, MESSEN_198, "Liegenschaft", "198"), (1, MESSEN_531, "Baurecht", "531")],
    ids=["parcel", "right"],
)
async def test_a_choice_at_a_coordinate_is_offered_and_taken(
    system: System, server: RecordedServer, talk: Conversation, n: int, egrid: str, kind: str, number: str
) -> None:
    offered = await talk.say(f"Lade den ÖREB-Auszug an der Koordinate {AT_MESSEN}")
    (step,) = offered["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "needs_user_choice")
    assert step["message"] == "Bitte wähle das betroffene Grundstück."
    assert [choice["data"]["egrid"] for choice in step["choices"]] == [MESSEN_198, MESSEN_531]
    taken = await talk.choose(option(offered, n))
    assert taken["requestId"] == offered["requestId"]
    check_extract(only_step(taken, "oereb_extract"), egrid, server)
    assert taken["steps"][0]["message"].splitlines()[1].startswith(f"{kind} {number} in Messen, ")
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
            "Grundstück 198 in Messen (EGRID CH955832730623, 11'756 m² aus dem Umriss berechnet).\n"
            "Quelle: {host}, Grundstücke",
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
    assert step["message"] == message.format(host=urlsplit(server.url).netloc)
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
    # The canton leaves the last one switched off.
    assert [action["payload"]["visible"] for action in step["mapActions"]] == [True, True, False]


async def test_the_members_of_a_group_may_be_named_in_another_way(
    talk: Conversation, server: RecordedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.options, "sublayers", "ident")
    step = only_step(await talk.say("Lade die Amtliche Vermessung"), "load_layer")
    assert len(layer_ids(step)) == 7


async def test_signs_that_a_search_cannot_take_do_not_fail(
    talk: Conversation, server: RecordedServer
) -> None:
    response = await talk.say("Lade die Karte Wild'tier & (Korridore)")
    assert {step["status"] for step in response["steps"]} <= {
        "ok",
        "needs_user_choice",
        "needs_clarification",
    }
    assert not any(set("'&()") & set(seen.query["searchtext"]) for seen in server.asked("/search/v2/"))


async def test_it_is_said_that_a_long_street_has_more_addresses(talk: Conversation) -> None:
    (step,) = (await talk.say("Gehe zur Lange Gasse in Solothurn"))["steps"]
    assert step["status"] == "needs_user_choice"
    assert len(step["choices"]) == 25
    assert step["message"] == (
        "Mehrere Adressen gefunden. Bitte wähle eine. Es kann weitere Treffer geben. "
        "Nenne auch Hausnummer, Ort und Postleitzahl, wenn der richtige fehlt."
    )


async def test_a_number_that_the_canton_does_not_send_is_found(
    system: System, server: RecordedServer, talk: Conversation
) -> None:
    response = await talk.say("Gehe zur Lange Gasse 500 in Solothurn")
    assert only_step(response, "goto_address")["message"] == "Adresse Lange Gasse 500 zentriert."
    assert await sources_of(system, response, server) == {FEDERAL_SEARCH}


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
    check_water_protection(only_step(await talk.choose(option(offered, 0)), "load_layer"), SOLOTHURN.layers)


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


async def test_the_contents_of_an_extract_are_told_and_shown(talk: Conversation) -> None:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    content = content_of(estate)
    step = only_step(await talk.say(f"Erstelle den ÖREB-Auszug für {MESSEN_198}"), "oereb_extract")
    for restriction in content.restrictions:
        assert restriction.theme.title in step["message"] and restriction.text in step["message"]
    shown = step["mapActions"][-1]["payload"]
    assert ExtractContent.model_validate(shown["content"]) == content
    assert not shown["provenance"]["sample"]


async def test_a_question_is_answered_from_the_extract(
    system: System, server: RecordedServer, talk: Conversation
) -> None:
    response = await talk.say("Liegt das Grundstück 198 in Messen in einer Grundwasserschutzzone?")
    message = only_step(response, "oereb_extract")["message"]
    assert "Grundwasserschutzzonen" in message and "24.8 %" in message
    assert CADASTRE in message
    assert await sources_of(system, response, server) == {PARCELS, CADASTRE}


async def test_a_planned_change_is_no_law(talk: Conversation, server: RecordedServer) -> None:
    zones, *others = themes("de")
    planned = Restriction(theme=zones, text="Kernzone", law_status=LawStatus.CHANGE_WITHOUT_PRE_EFFECT)
    server.options.oereb.contents[PLANNED] = ExtractContent(
        concerned=(zones,), not_concerned=tuple(others), restrictions=(planned,)
    )
    step = only_step(await talk.say(f"Erstelle den ÖREB-Auszug für {PLANNED}"), "oereb_extract")
    (told,) = (line for line in step["message"].splitlines() if "Kernzone" in line)
    assert "geplant, ohne Vorwirkung" in told and "in Kraft" not in told


async def test_what_is_not_released_is_not_called_free(talk: Conversation, server: RecordedServer) -> None:
    """One implementation sends nothing for it, the other one an extract of themes without data."""
    server.options.oereb.unreleased.add(UNRELEASED)
    server.options.oereb.contents[WITHOUT_DATA] = without_data()
    (nothing,) = (await talk.say(f"Erstelle den ÖREB-Auszug für {UNRELEASED}"))["steps"]
    (empty,) = (await talk.say(f"Erstelle den ÖREB-Auszug für {WITHOUT_DATA}"))["steps"]
    assert (nothing["status"], nothing["mapActions"]) == ("needs_clarification", [])
    for step in (nothing, empty):
        assert "nicht freigeschaltet" in step["message"]
        assert "Kein Thema" not in step["message"]


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
