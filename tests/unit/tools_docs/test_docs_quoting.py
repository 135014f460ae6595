"""Which sentences are quoted: none that is not sure."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from contracts.items import Passage
from documents_kit import document, indexed
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.errors import NoVectors
from tools_docs.expansion import Expanded
from tools_docs.gateways import DocumentIndex, Embedder
from tools_docs.question import Question
from tools_docs.quoting import MAX_QUOTES, Quoter, sentences_in
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter
from tools_docs.standards import Standards
from tools_docs.vectors import embed_missing

QUESTION = "Bis wann müssen die Grundwasserschutzzonen bereinigt sein?"
ANSWER = "Die Grundwasserschutzzonen müssen bis Ende 2030 bereinigt sein."
BEST, OTHER = "2023-gewaesserschutzzonen-botschaft", "2024-velowege-richtplananpassung"
ASIDE = "Das Wetter war im letzten Herbst vielerorts ungewöhnlich trocken."
PASSAGE = Passage(text=f"{ASIDE} {ANSWER} Danach nicht.", heading="Frist", page=4, anchor="frist")


def _quoter(index: DocumentIndex, embedder: Embedder | None) -> Quoter:
    return Quoter(Standards(index, embedder), embedder)


async def test_the_sentence_that_answers_is_quoted_with_its_place(
    index: DocumentIndex, embedder: Embedder
) -> None:
    (quote,) = await _quoter(index, embedder).quotes(QUESTION, BEST, (PASSAGE,))
    assert quote == PASSAGE.model_copy(update={"text": ANSWER})


async def test_without_vectors_most_words_have_to_be_the_same(index: DocumentIndex) -> None:
    quoter = _quoter(index, None)
    assert [each.text for each in await quoter.quotes(QUESTION, BEST, (PASSAGE,))] == [ANSWER]
    some = Passage(text="Die Grundwasserschutzzonen liegen meist in der Nähe der Aare und der Emme.")
    assert await quoter.quotes("Wie teuer ist die Bereinigung in Arvenstadt?", BEST, (some,)) == ()


async def test_words_in_common_are_not_enough_where_the_meaning_is_another_one(
    index: DocumentIndex, embedder: Embedder
) -> None:
    other = Passage(text="Das Protokoll nennt die Zahl 2030 und bereinigt sein Verzeichnis der Wörter.")
    assert await _quoter(index, embedder).quotes(QUESTION, BEST, (other,)) == ()


class Scripted:
    """The real model for questions; every passage means the same as the question, or there is no answer."""

    def __init__(self, real: Embedder, means: str = QUESTION, *, fails: bool = False) -> None:
        self.model = real.model
        self.question = real.question
        self.close = real.close
        self._means = means
        self._fails = fails

    async def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._fails:
            raise NoVectors("timeout")
        return [await self.question(self._means) for _ in texts]


async def test_a_model_that_fails_quotes_nothing(index: DocumentIndex, embedder: Embedder) -> None:
    assert await _quoter(index, Scripted(embedder, fails=True)).quotes(QUESTION, BEST, (PASSAGE,)) == ()


async def test_what_is_not_the_best_document_has_to_share_most_words(
    index: DocumentIndex, embedder: Embedder
) -> None:
    quoter = _quoter(index, Scripted(embedder))
    some = Passage(text="Die Bereinigung dauert im ganzen Kanton noch einige Jahre länger.")
    assert len(await quoter.quotes(QUESTION, BEST, (some,))) == 1
    assert await quoter.quotes(QUESTION, OTHER, (some,)) == ()
    assert len(await quoter.quotes(QUESTION, OTHER, (PASSAGE,))) == 1


@pytest.mark.parametrize(
    ("question", "text", "quotes"),
    [
        ("Wer nimmt das Inventar auf?", "Das Inventar wird alle zehn Jahre erneuert.", 1),
        ("Qui tient l'inventaire ?", "L'inventaire est mis à jour tous les dix ans.", 0),
        (
            "L'inventaire est-il mis à jour ?",
            "L'inventaire est mis à jour tous les dix ans.",
            1,
        ),
    ],
)
async def test_where_nearness_was_not_measured_most_words_have_to_be_the_same(
    tmp_path: Path, embedder: Embedder, question: str, text: str, quotes: int
) -> None:
    path = tmp_path / "documents.sqlite"
    writer, index = SqliteWriter(path), SqliteIndex(path)
    await writer.put("here", indexed(document("inventar", text), document("andere", "12 34 56")))
    await embed_missing(writer, embedder)
    quoter = _quoter(index, Scripted(embedder, question))
    assert len(await quoter.quotes(question, "inventar", [Passage(text=text)])) == quotes
    await index.close()
    await writer.close()


async def test_a_document_is_quoted_a_few_times_only_and_in_its_order(
    index: DocumentIndex, embedder: Embedder
) -> None:
    years = [
        f"Bis Ende {year} müssen die Grundwasserschutzzonen bereinigt sein." for year in range(2026, 2032)
    ]
    quotes = await _quoter(index, embedder).quotes(QUESTION, BEST, [Passage(text=" ".join(years))])
    assert len(quotes) == MAX_QUOTES
    assert [each.text for each in quotes] == sorted(each.text for each in quotes)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Gemäss Art. 20 Abs. 2 gilt sie bis 31. Dezember 2027 z. B. auch für Gemeinden. Danach nicht.",
            ["Gemäss Art. 20 Abs. 2 gilt sie bis 31. Dezember 2027 z. B. auch für Gemeinden."],
        ),
        (
            "- **Kosten:** Sie betragen im ganzen 2 Mio. Franken.",
            ["Kosten: Sie betragen im ganzen 2 Mio. Franken."],
        ),
        ("und geht hier weiter, ohne dass man den Anfang kennt.", []),
    ],
)
def test_only_whole_sentences_without_markup_are_quoted(text: str, sentences: list[str]) -> None:
    nothing = Expanded(Question(()), (), {}, 0.0)
    assert [each.text for each in sentences_in(nothing, [Passage(text=text)])] == sentences


@given(st.lists(st.text(max_size=300), max_size=4))
def test_every_sentence_is_of_its_passage(texts: list[str]) -> None:
    passages = tuple(Passage(text=text) for text in texts)
    for each in sentences_in(Expanded(Question(()), (), {}, 0.0), passages):
        letters = re.sub(r"[\W_]", "", each.text)
        assert letters in re.sub(r"[\W_]", "", each.passage.text)
