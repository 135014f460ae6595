"""A search that sends fewer hits than it has, and words with signs that it takes for something else."""

import json
import re
import unicodedata
from collections.abc import AsyncIterator
from typing import Any

import pytest
from contracts.messages import Outcome
from contracts.status import Status
from geo_live import live_gateway
from hypothesis import example, given
from hypothesis import strategies as st
from layer_searches import answering, ids, product
from misbehaving import Exchange, MisbehavingServer, healthy
from recorded.search_v2 import ADDRESSES, FIELD_NAMES
from recorded.server import RecordedServer

from tools_geo.answers import Answers
from tools_geo.gateways import AddressGateway, Remark
from tools_geo.live.canton_search import search_text
from tools_geo.vocabulary import Samples

ANSWERS = Answers(Samples())

SIGNS = "'\\:|&!<>()%_*\"?~^+-[]{}/`´’;,."


@pytest.fixture
async def addresses(server: RecordedServer) -> AsyncIterator[AddressGateway]:
    async with live_gateway("addresses", server.url) as gateway:
        yield gateway


@pytest.fixture
async def in_canton(server: RecordedServer) -> AsyncIterator[AddressGateway]:
    """Without the Confederation."""
    async with live_gateway("addresses", server.url, federal_fallback=False) as gateway:
        yield gateway


# -- words -------------------------------------------------------------------------------------------------


@given(st.text(st.one_of(st.characters(), st.sampled_from(SIGNS + "aä1 "))))
@example("Adresse: Rötistrasse 4")
@example("Chemin de l'Ancienne-Forge 3")
def test_nothing_but_letters_and_digits_is_searched_and_all_of_them(text: str) -> None:
    sent = search_text(text.split())
    assert not re.search(r"[^\w ]|_", sent)
    composed = unicodedata.normalize("NFC", text)
    assert sent.replace(" ", "") == "".join(sign for sign in composed if sign.isalnum())


def test_the_words_beside_a_sign_stay_words() -> None:
    assert search_text(("l'Ancienne", "(Forge)")) == "l Ancienne Forge"


@pytest.mark.parametrize("query", ["L'Ärm | Wald", "Wald/Wiese", "Wald|plan", "Wald's", "100%Wald"])
async def test_no_question_about_layers_breaks_the_search(server: RecordedServer, query: str) -> None:
    """One search of several that fails is not noticed in what is found."""
    async with live_gateway("layers", server.url) as gateway:
        assert (await gateway.layers(query)).items
    assert not any(set(SIGNS) & set(seen.query["searchtext"]) for seen in server.asked("/search/v2/"))


# -- limits ------------------------------------------------------------------------------------------------


async def test_a_number_that_was_not_sent_is_looked_for_elsewhere(addresses: AddressGateway) -> None:
    """500 is in the postal code of all of them; the Confederation searches whole numbers."""
    (address,) = (await addresses.addresses("Lange Gasse 500, Solothurn")).items
    assert address.house_number == "500"
    assert address.provenance and address.provenance.source.startswith("swisstopo")


async def test_a_number_that_was_not_sent_is_not_called_unknown(in_canton: AddressGateway) -> None:
    found = await in_canton.addresses("Lange Gasse 450, Solothurn")
    assert (found.remark, found.is_all) == (Remark.NUMBER_NOT_SHOWN, False)
    assert "450" not in {address.house_number for address in found.items}
    assert ANSWERS.about_addresses(found, "Lange Gasse 450, Solothurn").message == (
        "Die Hausnummer 450 ist nicht unter den Treffern (Lange Gasse). 25 Treffer gefunden. "
        "Es kann weitere Treffer geben. Nenne auch Hausnummer, Ort und Postleitzahl, wenn der richtige fehlt."
    )


async def test_a_number_that_nobody_has_sent_is_unknown(in_canton: AddressGateway) -> None:
    """All addresses with 777 in them were sent, which are none; of the street not all were."""
    found = await in_canton.addresses("Lange Gasse 777, Solothurn")
    assert found.remark is Remark.NUMBER_UNKNOWN


async def test_of_a_place_without_a_street_the_street_is_missing_and_no_more(
    addresses: AddressGateway,
) -> None:
    """However many addresses it has."""
    assert ANSWERS.about_addresses(await addresses.addresses("4500 Solothurn"), "4500 Solothurn").message == (
        "Keine Adresse «4500 Solothurn» gefunden. «4500 Solothurn» ist ein Ort, es fehlt die Strasse."
    )


@pytest.mark.parametrize("backend", ["postgresql", "solr"])
async def test_of_a_long_street_it_is_said_that_there_is_more(
    in_canton: AddressGateway, server: RecordedServer, backend: Any
) -> None:
    server.options.search_backend = backend
    outcome = ANSWERS.about_addresses(await in_canton.addresses("Lange Gasse, Solothurn"), "Lange Gasse")
    assert len(outcome.items) == 25
    assert outcome.note.startswith("Es kann weitere Treffer geben. Nenne auch Hausnummer")
    assert outcome.message.endswith(outcome.note)


async def test_of_a_street_that_is_there_as_a_whole_nothing_is_said(in_canton: AddressGateway) -> None:
    assert ANSWERS.about_addresses(await in_canton.addresses("Rötistrasse, Solothurn"), "Rötistrasse") == (
        Outcome(
            items=(await in_canton.addresses("Rötistrasse, Solothurn")).items, message="11 Treffer gefunden."
        )
    )


async def test_the_hits_of_one_facet_do_not_push_out_those_of_another(server: RecordedServer) -> None:
    async with live_gateway("places", server.url) as places:
        await places.places("Grenchen")
    assert server.asked("search")[0].query["limit"] == "100"


def field_name(n: int) -> dict[str, Any]:
    """The name of a field that is not the one asked for."""
    entry = {
        "dataproduct_id": FIELD_NAMES,
        "feature_id": n,
        "display": f"Grosser Abc{n:03}feld, Messen (Flurname)",
    }
    return {"feature": {**entry, "bbox": [2600500, 1215500, 2600500, 1215500], "srid": "EPSG:2056"}}


@pytest.mark.parametrize(
    ("counts", "is_all"),
    [
        ([{"count": 3, "dataproduct_id": FIELD_NAMES}], True),
        ([{"count": 4, "dataproduct_id": FIELD_NAMES}], False),
        ([{"count": -1, "dataproduct_id": FIELD_NAMES}], False),
        ([{"count": None, "dataproduct_id": FIELD_NAMES}], False),
        ([{"count": 3, "dataproduct_id": FIELD_NAMES}, {"count": 1, "dataproduct_id": ADDRESSES}], False),
        ([{}], False),
        ([], True),
        (None, True),
    ],
)
async def test_none_is_said_only_when_all_was_sent(counts: Any, is_all: bool) -> None:
    server = answering(*map(field_name, range(3)), counts=counts)
    async with server, live_gateway("places", server.url, federal_fallback=False) as places:
        found = await places.places("Xyz")
    assert (found.items, found.is_all) == ((), is_all)
    outcome = ANSWERS.about_places(found, "Xyz")
    assert outcome.status is Status.NEEDS_CLARIFICATION
    assert outcome.message.startswith("Keinen Ort «Xyz» gefunden.") is is_all
    assert outcome.message.startswith("Unter den Treffern der Suche ist keiner, der passt") is not is_all


async def test_fifty_hits_of_a_facet_are_never_all() -> None:
    server = answering(*map(field_name, range(50)), counts=[])
    async with server, live_gateway("places", server.url, federal_fallback=False) as places:
        assert not (await places.places("Xyz")).is_all


async def test_the_number_of_layers_is_the_least_there_are_when_not_all_were_sent() -> None:
    products = [product(f"x.{n}", f"Orchideen {n}") for n in range(12)]
    for counts, number in (([], "12"), ([{"count": None, "dataproduct_id": "foreground"}], "mindestens 12")):
        server = answering(*products, counts=counts)
        async with server, live_gateway("layers", server.url) as layers:
            found = await layers.layers("Orchideen")
        assert len(ids(found)) == 8
        assert ANSWERS.about_layers(found, "Orchideen").message.startswith(
            f"Es gibt {number} passende Karten;"
        )


async def test_of_a_few_layers_among_many_it_is_said_that_there_may_be_more() -> None:
    products = [product(f"x.{n}", f"Orchideen {n}") for n in range(3)]
    server = answering(*products, counts=[{"count": -1, "dataproduct_id": "foreground"}])
    async with server, live_gateway("layers", server.url) as layers:
        outcome = ANSWERS.about_layers(await layers.layers("Orchideen"), "Orchideen")
    assert len(outcome.items) == 3
    assert outcome.message == (
        "Mehrere Layer gefunden. Bitte triff eine Auswahl. "
        "Es kann weitere Treffer geben. Nenne ein genaueres Thema, wenn der richtige fehlt."
    )


async def test_thirty_layers_of_the_confederation_are_the_least_there_are() -> None:
    """It sends no more than these."""
    for sent, number in ((29, "29"), (30, "mindestens 30")):
        layers = [{"attrs": {"layer": f"ch.x.{n}", "label": f"<b>Orchideen {n}</b>"}} for n in range(sent)]
        async with MisbehavingServer() as server, live_gateway("layers", server.url) as gateway:

            async def answer(exchange: Exchange, layers: Any = layers) -> None:
                found = layers if "SearchServer" in exchange.request.path else []
                await healthy(json.dumps({"results": found}).encode())(exchange)

            server.behave(answer)
            outcome = ANSWERS.about_layers(await gateway.layers("Orchideen"), "Orchideen")
        assert outcome.message.startswith(f"Es gibt {number} passende Karten;")
