"""Answers without a model: the documents' own words, or what was done; honest about it."""

import pytest
from contracts.items import Passage

from responder.answering import Responder
from responder.extract import MAX_QUOTES
from responder.settings import Settings

from .responder_kit import BIKES, ZONES, Memory, about_documents, asked, result

COST = Passage(text="Die Ausscheidung kostet «rund» 2,4 Mio. Franken.", heading="Kosten", page=3)
SURE = ZONES.model_copy(update={"quotes": (COST,)})


async def test_sentences_that_answer_are_quoted_under_their_heading() -> None:
    sink = Memory()
    ready = await Responder(None, Settings()).answer(about_documents(documents=(BIKES, SURE)), sink)
    assert ready.text == sink.text
    assert ready.text.startswith("Ohne Sprachmodell fasse ich nichts zusammen.")
    assert ready.text.endswith("\n- Kosten: «Die Ausscheidung kostet ‹rund› 2,4 Mio. Franken.» [2]")
    assert [(source.n, source.places) for source in ready.sources] == [(2, ready.sources[0].places)]
    assert [place.page for place in ready.sources[0].places or ()] == [3]
    assert ready.usage.calls == 0


async def test_three_quotations_are_enough() -> None:
    many = ZONES.model_copy(update={"quotes": (COST,) * 2})
    ready = await Responder(None, Settings()).answer(about_documents(documents=(many, many)), Memory())
    assert ready.text.count("«") == MAX_QUOTES


async def test_documents_without_a_sentence_that_answers_are_named() -> None:
    unsure = ZONES.model_copy(update={"quotes": None})
    ready = await Responder(None, Settings()).answer(about_documents(documents=(unsure,)), Memory())
    assert ready.text.startswith("Ich habe dazu Dokumente gefunden, bin aber nicht sicher")
    assert "- Botschaft Schutzzonen [1]" in ready.text
    assert "wörtlich" not in ready.text, "a title answers nothing"
    assert [source.n for source in ready.sources] == [1]


async def test_what_was_done_is_listed_with_marks() -> None:
    request = asked(results=(result("Adresse zentriert."), result("Kein Layer.", ok=False)))
    sink = Memory()
    ready = await Responder(None, Settings()).answer(request, sink)
    assert ready.text == sink.text == "Das ist das Ergebnis:\n\n- ✓ Adresse zentriert.\n- ✗ Kein Layer."


@pytest.mark.parametrize(
    ("language", "beginning"),
    [("fr", "Sans modèle de langage"), ("it", "Senza un modello"), ("en", "Without a language model")],
)
async def test_quotations_stay_as_they_are_in_every_language(language: str, beginning: str) -> None:
    request = about_documents(documents=(SURE,), language=language)
    ready = await Responder(None, Settings()).answer(request, Memory())
    assert ready.text.startswith(beginning)
    assert "- Kosten: «Die Ausscheidung kostet ‹rund› 2,4 Mio. Franken.» [1]" in ready.text


async def test_a_plain_question_is_not_answered_by_guessing() -> None:
    ready = await Responder(None, Settings()).answer(asked("Wie wird das Wetter?"), Memory())
    assert ready.text.startswith("Dazu habe ich keine Daten.")
