"""What an answer says of its sources: where in them, and that they are invented."""

from datetime import UTC, datetime

import pytest
from contracts.items import Passage, Provenance
from contracts.research import SourcePlace

from responder.answering import Responder
from responder.settings import Settings
from responder.sources import sources_of
from responder.writing import AnswerSink, Written

from .responder_kit import BIKES, ZONES, Memory, about_documents, asked

NOTE = "Durchsucht wurden Beispieldokumente."
PAGES = tuple(Passage(text=f"Absatz {n}.", heading=f"Teil {n}", page=n) for n in range(1, 6))


def places(
    *passages: Passage, url: str = ZONES.url, quotes: tuple[Passage, ...] | None = None
) -> list[SourcePlace]:
    document = ZONES.model_copy(update={"passages": passages, "url": url, "quotes": quotes})
    (source,) = sources_of((BIKES, document), Written("x [2]", "x", (2,)))
    assert (source.n, source.id) == (2, document.id)
    return list(source.places or ())


def test_a_source_leads_to_the_places_of_its_passages() -> None:
    found = places(
        Passage(text="a", heading="Kosten", page=3),
        Passage(text="b", heading="§ 2 Frist", anchor="§-2 frist"),
        Passage(text="c", heading="Zweck", anchor="zweck/für-wen"),
        url=f"{ZONES.url}#oben",
    )
    assert [(each.section, each.page, each.url) for each in found] == [
        ("Kosten", 3, f"{ZONES.url}#page=3"),
        ("§ 2 Frist", None, None),
        ("Zweck", None, f"{ZONES.url}#zweck%2Ff%C3%BCr-wen"),
    ]


def test_three_places_are_enough_and_none_is_told_twice() -> None:
    assert [each.page for each in places(PAGES[0], PAGES[0], *PAGES[1:])] == [1, 2, 3]


def test_where_the_quoted_words_stand_is_told_where_that_is_known() -> None:
    assert [each.page for each in places(*PAGES, quotes=(PAGES[1], PAGES[4]))] == [2, 5]


@pytest.mark.parametrize(
    "passage",
    [Passage(text="a"), Passage(text="a", heading=ZONES.name), Passage(text="a", anchor="x")],
    ids=["nothing", "its title", "no name"],
)
def test_what_has_no_name_is_no_place(passage: Passage) -> None:
    assert places(passage) == []


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "file:///etc/passwd"])
def test_a_document_without_an_address_has_places_without_one(url: str) -> None:
    assert places(PAGES[2], url=url) == [SourcePlace(section="Teil 3", page=3)]


async def test_sources_that_are_a_sample_say_so_and_others_do_not() -> None:
    invented = Provenance(source="Beispiel", license="MIT", retrieved_at=datetime.now(UTC), sample=True)
    zones = ZONES.model_copy(update={"provenance": invented})
    real = BIKES.model_copy(update={"provenance": invented.model_copy(update={"sample": False})})
    for document, sample in ((zones, True), (real, None), (BIKES, None)):
        ready = await Responder(None, Settings()).answer(about_documents(documents=(document,)), Memory())
        assert [source.sample for source in ready.sources] == [sample]


class Model:
    async def write(self, request: object, sink: AnswerSink) -> Written:
        await sink.append("Ja [1].")
        return Written("Ja [1].", "model", (1,))


@pytest.mark.parametrize("model", [None, Model()])
async def test_what_a_search_wants_to_have_said_ends_the_answer_whoever_writes(model: Model | None) -> None:
    sink = Memory()
    ready = await Responder(model, Settings()).answer(about_documents(note=NOTE), sink)
    assert ready.text == sink.text
    assert ready.text.endswith(f"[1]\n\n{NOTE}" if model is None else f"Ja [1].\n\n{NOTE}")


async def test_without_a_note_nothing_is_added() -> None:
    ready = await Responder(None, Settings()).answer(asked(), Memory())
    assert ready.text == ready.text.strip()
