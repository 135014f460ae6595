"""Answers without a model: the documents' own words, or what was done; honest about it."""

import re

import pytest
from contracts.items import Passage
from hypothesis import given
from hypothesis import strategies as st

from responder.answering import Responder
from responder.extract import best_sentences
from responder.settings import Settings

from .responder_kit import BIKES, ZONES, Memory, about_documents, asked, result


async def test_the_best_sentences_are_quoted_with_their_documents() -> None:
    voice = Memory()
    ready = await Responder(None, Settings()).answer(about_documents(), voice)
    assert ready.text == voice.text
    assert ready.text.startswith("Ohne Sprachmodell fasse ich nichts zusammen.")
    assert "- «Die Ausscheidung der Grundwasserschutzzonen kostet 2,4 Mio. Franken.» [1]" in ready.text
    assert "Wetter" not in ready.text and "Veloplan" not in ready.text
    assert [source.id for source in ready.sources] == ["zonen"]
    assert ready.usage.calls == 0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wie viel kostet die Ausscheidung der Schutzzonen?", {1}),
        ("Welche Radrouten gibt es?", {2}),
        ("Wo führen Routen fürs Rad durch?", {2}),
    ],
)
def test_compounds_and_inflections_find_their_sentence(question: str, expected: set[int]) -> None:
    assert {n for n, _ in best_sentences(question, (ZONES, BIKES))} == expected


def test_half_of_a_compound_is_not_enough() -> None:
    text = "Die Fassungen liefern 15 Millionen Kubikmeter Wasser im Jahr. Die Zonen gelten bis Ende 2027."
    document = ZONES.model_copy(update={"passages": (Passage(text=text),)})
    found = best_sentences("Bis wann gelten die Grundwasserschutzzonen?", (document,))
    assert [sentence for _, sentence in found] == ["Die Zonen gelten bis Ende 2027."]


def test_abbreviations_and_dates_do_not_end_a_sentence() -> None:
    text = (
        "Gemäss Art. 20 Abs. 2 gilt die Frist bis 31. Dezember 2027 z. B. auch für Gemeinden. Danach nicht."
    )
    document = ZONES.model_copy(update={"passages": (Passage(text=text),)})
    ((_, sentence),) = best_sentences("Welche Frist gilt?", (document,))
    assert sentence == text.removesuffix(" Danach nicht.")


async def test_documents_without_a_fitting_sentence_are_named() -> None:
    bare = ZONES.model_copy(update={"passages": ()})
    ready = await Responder(None, Settings()).answer(about_documents(documents=(bare,)), Memory())
    assert "- Botschaft Schutzzonen [1]" in ready.text
    assert "wörtlich" not in ready.text, "a title answers nothing"
    assert [source.n for source in ready.sources] == [1]


async def test_what_was_done_is_listed_with_marks() -> None:
    request = asked(results=(result("Adresse zentriert."), result("Kein Layer.", ok=False)))
    voice = Memory()
    ready = await Responder(None, Settings()).answer(request, voice)
    assert ready.text == voice.text == "Das ist das Ergebnis:\n\n- ✓ Adresse zentriert.\n- ✗ Kein Layer."


@pytest.mark.parametrize(
    ("language", "beginning"),
    [("fr", "Sans modèle de langage"), ("it", "Senza un modello"), ("en", "Without a language model")],
)
async def test_quotations_stay_as_they_are_in_every_language(language: str, beginning: str) -> None:
    ready = await Responder(None, Settings()).answer(about_documents(language=language), Memory())
    assert ready.text.startswith(beginning)
    assert "- «Die Ausscheidung der Grundwasserschutzzonen kostet 2,4 Mio. Franken.» [1]" in ready.text


async def test_a_plain_question_is_not_answered_by_guessing() -> None:
    ready = await Responder(None, Settings()).answer(asked("Wie wird das Wetter?"), Memory())
    assert ready.text.startswith("Dazu habe ich keine Daten.")


@given(st.text(max_size=60), st.lists(st.text(max_size=300), max_size=4))
def test_every_quotation_is_from_its_document(question: str, texts: list[str]) -> None:
    passages = tuple(Passage(text=text) for text in texts)
    documents = (BIKES, ZONES.model_copy(update={"passages": passages}))
    for n, sentence in best_sentences(question, documents):
        letters = re.sub(r"[\W_]", "", sentence)
        assert letters in re.sub(r"[\W_]", "", " ".join(p.text for p in documents[n - 1].passages))
