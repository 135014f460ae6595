"""Documents and questions in German, French and Italian."""

from pathlib import Path

import pytest
from documents_kit import document, indexed
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.corpus import Chunk
from tools_docs.languages import LANGUAGES, Language, language_of
from tools_docs.preparing import forms_of, prepare
from tools_docs.question import understand
from tools_docs.retrieval import ANYTHING, retrieve
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter

_, FRENCH, ITALIAN = LANGUAGES

DOG = document("hund", "Hunde sind an der Leine zu führen. Das gilt auch im Wald.")
CHIEN = document("chien", "Les chiens doivent être tenus en laisse. L'eau de la source est protégée.")
CANE = document("cane", "I cani devono essere tenuti al guinzaglio. L'acqua della sorgente è protetta.")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Muss ich meinen Hund an der Leine führen?", "de"),
        ("Dois-je tenir mon chien en laisse ?", "fr"),
        ("L’eau est-elle potable ?", "fr"),
        ("Devo tenere il cane al guinzaglio?", "it"),
        ("Dov'è la sorgente dell'acqua?", "it"),
        ("Gewässerschutz", "de"),
        ("", "de"),
        ("12 34", "de"),
    ],
)
def test_small_words_tell_the_language(text: str, code: str) -> None:
    assert language_of(text).code == code


def test_what_stands_before_an_apostrophe_is_no_part_of_the_word() -> None:
    assert [word.form for word in FRENCH.words("Qu’est-ce que l'eau ?")] == ["est", "ce", "que", "eau"]
    assert ITALIAN.stems("dell'impianto, gli impianti") == ["impiant", "gli", "impiant"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("protégée", "protéger"), ("écoles", "ecole"), ("aménagements", "AMÉNAGEMENT"), ("chiens", "chien")],
)
def test_forms_of_a_french_word_have_one_term(one: str, other: str) -> None:
    assert FRENCH.stems(one) == FRENCH.stems(other)


def test_a_question_is_what_it_asks_for_in_its_language() -> None:
    asked = understand("Est-ce que je dois tenir mon chien en laisse dans la forêt ?")
    assert [word.text for word in asked.words] == ["tenir", "chien", "laisse", "forêt"]
    # No word of French is surely a noun, without which a question would be another one.
    assert all(word.weight < 1 for word in asked.words)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Müssen Hunde an die Leine?", "hund"),
        ("Est-ce que le chien doit être en laisse ?", "chien"),
        ("Est-ce que les eaux des sources sont protégées ?", "chien"),
        ("I cani devono stare al guinzaglio?", "cane"),
        ("È protetta l'acqua delle sorgenti?", "cane"),
    ],
)
async def test_an_index_answers_in_every_language_that_it_has(
    tmp_path: Path, question: str, found: str
) -> None:
    path = tmp_path / "documents.sqlite"
    writer, index = SqliteWriter(path), SqliteIndex(path)
    await writer.put("here", indexed(DOG, CHIEN, CANE))
    await writer.finish()
    assert (await retrieve(index, question, ANYTHING, 10))[0].facts.id == found
    await writer.keep_only("here", [], [])
    assert not (await index.vocabulary(["chien", "hund", "can", "acqua"])).passages
    await index.close()
    await writer.close()


@given(st.text() | st.text(alphabet="aé1 '’ʼ-_\u0301ﷺ"), st.sampled_from(LANGUAGES))
def test_every_word_has_letters_and_stands_in_the_text(text: str, language: Language) -> None:
    for word in language.words(text):
        assert word.form
        assert text[word.start : word.end] == word.text
    understand(text)


@given(st.lists(st.text(alphabet="aeéilnoqtu d'’.\n", min_size=1, max_size=300), min_size=1, max_size=3))
def test_what_a_document_adds_to_the_words_is_what_it_takes_away(texts: list[str]) -> None:
    prepared = prepare(document("a", "\n\n".join(texts)))
    stored = [Chunk(passage.text, passage.heading) for passage in prepared.passages]
    assert forms_of(prepared.facts.name, stored) == prepared.forms
