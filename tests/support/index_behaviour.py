"""What every index of documents does, whichever it is. Test classes inherit it."""

from datetime import date

import pytest
from documents_kit import document, indexed

from tools_docs import pruning
from tools_docs.corpus import SAMPLE, Proposal
from tools_docs.gateways import DocumentIndex, IndexWriter, Search, Sought
from tools_docs.ranking import Ranked
from tools_docs.retrieval import Restrictions, retrieve
from tools_docs.sample import put_sample, sample_documents

ANYTHING = Restrictions()
WATER = document(
    "wasser",
    "Die Grundwasserschutzzonen müssen bis 2027 bereinigt sein. Der Regierungsrat legt die Zonen fest.",
    name="Botschaft zum Gewässerschutz",
    date=date(2023, 5, 2),
    kind="Botschaft und Entwurf",
    body="Regierungsrat",
)
BICYCLES = document(
    "velo",
    "Das Velonetz wird ausgebaut. Neue Velorouten verbinden die Gemeinden.",
    heading="Ausbau der Routen",
    name="Bericht zum Velonetz",
    date=date(2019, 9, 1),
    kind="Kommissionsbericht",
    body="Finanzkommission",
)
ROADS = document(
    "strasse",
    "Auf den Strassen gilt Tempo 30. Lärmarme Beläge wirken rasch.",
    name="Antwort auf die Interpellation zu Tempo 30",
    date=date(2021, 1, 15),
    kind="Antwort auf Interpellation",
    body="Regierungsrat",
)


def ids(found: tuple[Ranked, ...]) -> list[str]:
    return [each.facts.id for each in found]


async def find(index: DocumentIndex, query: str, restrictions: Restrictions = ANYTHING) -> list[str]:
    return ids(await retrieve(index, query, restrictions, 10))


class IndexBehaviour:
    """Inherit, and give the fixtures `index` and `writer` of one empty index."""

    @pytest.fixture
    async def filled(self, index: DocumentIndex, writer: IndexWriter) -> DocumentIndex:
        await writer.put("here", indexed(WATER, BICYCLES, ROADS))
        await writer.finish()
        return index

    # -- finding -----------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("Grundwasserschutzzonen", "wasser"),
            ("Was gilt für eine Grundwasserschutzzone?", "wasser"),
            ("GRUNDWASSERSCHUTZZONEN", "wasser"),
            ("Schutz des Grundwassers", "wasser"),
            ("Gewaesserschutz", "wasser"),
            ("gewasserschutz", "wasser"),
            ("Velo-Routen", "velo"),
            ("Veloroute", "velo"),
            ("Ausbau", "velo"),
            ("Lärmarmer Belag", "strasse"),
            ("Belaege", "strasse"),
            ("Grundwaserschutzzonen", "wasser"),
            ("Veloruten", "velo"),
            ("beläg*", "strasse"),
            ("«Tempo 30»", "strasse"),
        ],
    )
    async def test_words_are_found_in_any_form(
        self, filled: DocumentIndex, query: str, expected: str
    ) -> None:
        assert (await find(filled, query))[:1] == [expected]

    @pytest.mark.parametrize(
        "query", ["Raumfahrt", "und oder nicht", "???", "«Raumfahrt»", "x", '"AND" OR NEAR']
    )
    async def test_what_nobody_says_is_not_found(self, filled: DocumentIndex, query: str) -> None:
        assert await find(filled, query) == []

    async def test_a_title_counts_more_than_a_mention(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        mention = document("a", "Nebenbei geht es auch um den Wald und noch um vieles andere mehr.")
        subject = document("b", "Die Bäume wachsen seit Jahren langsam, und niemand eilt.", name="Wald")
        await writer.put("here", indexed(mention, subject))
        assert await find(index, "Wald") == ["b", "a"]

    async def test_a_phrase_in_quotes_has_to_stand_together(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        apart = document(
            "a", "Der Tunnel und der Wald. Der Wald ist gross, der Tunnel kurz, und der Wald alt."
        )
        together = document(
            "b", "Ein Tunnel Wald wurde verworfen und ist seither kein Thema mehr für den Rat."
        )
        await writer.put("here", indexed(apart, together))
        assert (await find(index, "«Tunnel Wald»"))[0] == "b"

    @pytest.mark.parametrize(
        ("restrictions", "expected"),
        [
            (Restrictions(since=date(2021, 1, 15)), {"wasser", "strasse"}),
            (Restrictions(until=date(2021, 1, 15)), {"velo", "strasse"}),
            (Restrictions(since=date(2020, 1, 1), until=date(2022, 1, 1)), {"strasse"}),
            (Restrictions(kind="Botschaft"), {"wasser"}),
            (Restrictions(kind="interpellation"), {"strasse"}),
            (Restrictions(body="Regierungsrat"), {"wasser", "strasse"}),
            (Restrictions(body="Regierungsrats", kind="Kommissionsbericht"), set()),
            (Restrictions(body="Bundesrat"), set()),
        ],
    )
    async def test_restrictions_hold(
        self, filled: DocumentIndex, restrictions: Restrictions, expected: set[str]
    ) -> None:
        query = "Grundwasserschutzzonen Velonetz Tempo"
        assert set(await find(filled, query)) == {"wasser", "velo", "strasse"}
        assert set(await find(filled, query, restrictions)) == expected

    async def test_a_year_in_the_question_prefers_its_documents(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        text = "Der Jahresbericht zum Wald zählt die Bäume."
        await writer.put(
            "here",
            indexed(*(document(f"{year}", text, date=date(year, 3, 1)) for year in (2021, 2022, 2023))),
        )
        assert (await find(index, "Wie viele Bäume hat der Wald 2022?"))[0] == "2022"
        assert (await find(index, "Wie viele Bäume hat der Wald seit 2023?"))[0] == "2023"

    async def test_an_answer_brings_its_passage_and_facts(self, filled: DocumentIndex) -> None:
        (found, *_) = await retrieve(filled, "Neue Velorouten", ANYTHING, 10)
        assert found.facts == BICYCLES.facts
        assert found.passages[0].text == BICYCLES.sections[0].text
        assert found.passages[0].heading == "Ausbau der Routen"

    async def test_a_question_of_thousands_of_words_is_answered(self, filled: DocumentIndex) -> None:
        assert (await find(filled, "Velonetz " + "Wort nach Wort " * 1_500))[0] == "velo"

    async def test_more_passages_than_needed_leave_room_for_all_documents(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        long = document(
            "lang", "\n\n".join(f"Der Wald Nummer {n} ist gross. " + "Text. " * 150 for n in range(30))
        )
        await writer.put("here", indexed(long, document("kurz", "Auch hier gibt es Wald.")))
        (candidate, *_) = [c for c in await index.search(_search("wald")) if c.facts.id == "lang"]
        assert 1 <= len(candidate.passages) < len(indexed(long)[0].passages)
        assert set(await find(index, "Wald")) == {"lang", "kurz"}

    async def test_a_word_that_is_nearly_everywhere_is_found_without_reading_everything(
        self, filled: DocumentIndex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pruning, "MAX_READ_PASSAGES", 0)
        assert (await find(filled, "Tempo"))[0] == "strasse"
        assert (await find(filled, "Neue Velorouten der Gemeinden"))[0] == "velo"
        assert await find(filled, "Tempo", Restrictions(body="Finanzkommission")) == []

    # -- filling -----------------------------------------------------------------------------------

    async def test_a_document_replaces_the_one_before(
        self, filled: DocumentIndex, writer: IndexWriter
    ) -> None:
        await writer.put("here", indexed(document("strasse", "Jetzt geht es um Fische.", fingerprint="2")))
        assert await find(filled, "Lärmarme Beläge") == []
        assert await find(filled, "Fische") == ["strasse"]
        assert (await writer.fingerprints("here"))["strasse"] == "2"
        overview = await filled.overview()
        assert (overview.documents, overview.passages) == (3, 3)

    async def test_what_is_remembered_of_a_source_is_kept(
        self, filled: DocumentIndex, writer: IndexWriter
    ) -> None:
        assert await writer.remembered("here") is None
        await writer.remember("here", "gestern")
        await writer.remember("here", "heute")
        await writer.put("here", indexed(document("neu", "Ein See.")))
        assert (await writer.remembered("here"), await writer.remembered("there")) == ("heute", None)
        assert (await filled.overview()).documents == 4

    async def test_what_is_removed_leaves_nothing_behind(
        self, filled: DocumentIndex, writer: IndexWriter
    ) -> None:
        await writer.put_proposals(
            "here", [Proposal("M 1", "Antrag", "Es soll.", "u", document_ids=("velo",))]
        )
        assert await writer.keep_only("here", {"wasser"}, set()) == 2
        overview = await filled.overview()
        assert (overview.documents, overview.passages, overview.proposals) == (1, 1, 0)
        assert await find(filled, "Velorouten Tempo") == []
        assert (await filled.vocabulary(["velorout", "tempo", "regierungsrat"])).passages.keys() == {
            "regierungsrat"
        }
        assert await filled.proposals(["velo"]) == []

    async def test_only_the_source_that_is_tidied_up_loses_documents(
        self, filled: DocumentIndex, writer: IndexWriter
    ) -> None:
        await writer.put("there", indexed(document("anderswo", "Ein See.")))
        assert await writer.keep_only("here", (), ()) == 3
        assert (await filled.overview()).sources == {"there": 1}

    async def test_filling_in_two_goes_is_like_filling_in_one(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        for each in (
            WATER,
            document("schutz", "Schutz und Schutz. Die Zone."),
            document("z", "Der Schutz. Zone!"),
        ):
            await writer.put("here", indexed(each))
            await writer.finish()
        in_steps = await index.vocabulary(["schutz", "zon"])
        await writer.keep_only("here", (), ())
        await writer.put(
            "here",
            indexed(
                WATER, document("schutz", "Schutz und Schutz. Die Zone."), document("z", "Der Schutz. Zone!")
            ),
        )
        await writer.finish()
        assert await index.vocabulary(["schutz", "zon"]) == in_steps
        assert "grundwasserschutzzon" in in_steps.compounds["schutz"]

    async def test_frequencies_count_passages(self, filled: DocumentIndex) -> None:
        known = await filled.vocabulary(["regierungsrat", "velorout", "niemals"])
        assert known.passages == {"regierungsrat": 1, "velorout": 1}

    async def test_the_overview_follows_what_is_put_in(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        assert (await index.overview()).documents == 0
        await writer.put("here", indexed(WATER))
        overview = await index.overview()
        assert overview.documents == 1
        assert overview.kinds == ("Botschaft und Entwurf",)
        assert overview.bodies == ("Regierungsrat",)
        assert overview.updated_at is not None

    async def test_all_passages_of_a_document_come_in_order(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        text = "\n\n".join(f"Absatz {n}. " + "Füllung. " * 100 for n in range(5))
        await writer.put("here", indexed(document("a", text)))
        found = await index.document("a")
        assert found is not None
        assert [p.position for p in found.passages] == list(range(len(found.passages)))
        assert "Absatz 0." in found.passages[0].text
        whole = " ".join(p.text for p in found.passages)
        assert [whole.index(f"Absatz {n}.") for n in range(5)] == sorted(
            whole.index(f"Absatz {n}.") for n in range(5)
        )
        assert await index.document("b") is None

    async def test_the_newest_documents_come_first(self, filled: DocumentIndex) -> None:
        assert [facts.id for facts in await filled.newest(2)] == ["wasser", "strasse"]

    # -- proposals ---------------------------------------------------------------------------------

    async def test_proposals_follow_their_documents(self, filled: DocumentIndex, writer: IndexWriter) -> None:
        old = Proposal("M 1", "Alt", "Es soll.", "u1", date(2018, 1, 1), "Motion", "Rat", ("velo", "wasser"))
        new = Proposal("P 2", "Neu", "Es muss.", "u2", date(2024, 1, 1), document_ids=("wasser", "fehlt"))
        await writer.put_proposals("here", [old, new])
        assert list(await filled.proposals(["wasser"])) == [new_sorted(new), new_sorted(old)]
        assert list(await filled.proposals(["velo"])) == [new_sorted(old)]
        assert list(await filled.proposals([])) == []
        await writer.put_proposals("here", [Proposal("M 1", "Ganz neu", "Doch nicht.", "u1")])
        assert list(await filled.proposals(["velo"])) == []

    # -- sample ------------------------------------------------------------------------------------

    async def test_the_sample_gives_way_to_own_documents_and_does_not_come_back(
        self, index: DocumentIndex, writer: IndexWriter
    ) -> None:
        await put_sample(writer)
        overview = await index.overview()
        assert overview.sources == {SAMPLE: len(list(sample_documents()))}
        assert overview.proposals == 25
        await writer.put("here", indexed(WATER))
        assert (await index.overview()).sources == {"here": 1}
        assert (await index.overview()).proposals == 0
        await put_sample(writer)
        assert (await index.overview()).sources == {"here": 1}
        await writer.keep_only("here", (), ())
        await put_sample(writer)
        assert (await index.overview()).sources.keys() == {SAMPLE}


def new_sorted(proposal: Proposal) -> Proposal:
    """As an index hands it out."""
    linked = tuple(sorted(proposal.document_ids))
    known = (proposal.identifier, proposal.name, proposal.subject, proposal.url, proposal.date)
    return Proposal(*known, proposal.kind, proposal.body, linked)


def _search(*terms: str) -> Search:
    return Search((Sought(terms, 1),))
