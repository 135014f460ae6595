"""How well articles are found: by this project, and by simpler ways with the same texts."""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import bm25s
from german.words import words_in
from Stemmer import Stemmer

from answering.corpus import Corpus
from answering.questions import Question
from tools_docs.gateways import DocumentIndex, Embedder, Search
from tools_docs.retrieval import Restrictions, retrieve

DEPTH = 100
"""An article that comes later is not found."""
_STEMMERS = {"de": "german", "fr": "french", "it": "italian"}

Find = Callable[[str], Awaitable[Sequence[str]]]
"""From a question to ids of articles, the best first."""


@dataclass(frozen=True)
class Found:
    """Of the questions that have an answer, how many had it among the first 1, 5 and 10 articles."""

    questions: int
    at_1: float
    at_5: float
    at_10: float
    reciprocal_rank: float


async def measure(find: Find, questions: Sequence[Question]) -> Found:
    ranks = []
    for question in questions:
        if question.gold:
            found = await find(question.text)
            ranks.append(next((n for n, each in enumerate(found, 1) if each in question.gold), None))
    total = len(ranks) or 1
    known = [rank for rank in ranks if rank is not None]
    first = {n: sum(rank <= n for rank in known) / total for n in (1, 5, 10)}
    return Found(len(ranks), first[1], first[5], first[10], sum(1 / rank for rank in known) / total)


def ours(index: DocumentIndex, embedder: Embedder | None) -> Find:
    async def find(question: str) -> Sequence[str]:
        found = await retrieve(index, question, Restrictions(), DEPTH, embedder)
        return [each.facts.id for each in found]

    return find


def nearest(index: DocumentIndex, embedder: Embedder) -> Find:
    """The embedding model alone."""

    async def find(question: str) -> Sequence[str]:
        vector = await embedder.question(question)
        found = await index.search(Search(sought=(), vector=vector, model=embedder.model))
        return [each.facts.id for each in sorted(found, key=lambda each: -(each.nearness or 0))]

    return find


def fts5(corpus: Corpus) -> Find:
    """Full text search of SQLite as it comes."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE articles USING fts5 (id UNINDEXED, title, body, text)")
    db.executemany("INSERT INTO articles VALUES (?, ?, ?, ?)", [(k, *v) for k, v in corpus.articles.items()])

    async def find(question: str) -> Sequence[str]:
        match = " OR ".join(f'"{word.text}"' for word in words_in(question))
        query = f"SELECT id FROM articles WHERE articles MATCH ? ORDER BY rank LIMIT {DEPTH}"
        return [row[0] for row in db.execute(query, (match,))]

    return find


def stemmed_bm25(corpus: Corpus) -> Find:
    """`bm25s` with the stemmer and the stop words of the language."""
    ids, stemmer = list(corpus.articles), Stemmer(_STEMMERS[corpus.language])

    def tokens(texts: list[str]) -> bm25s.tokenization.Tokenized:
        return bm25s.tokenize(texts, stopwords=corpus.language, stemmer=stemmer, show_progress=False)

    ranking = bm25s.BM25()
    ranking.index(tokens(["\n".join(said) for said in corpus.articles.values()]), show_progress=False)

    async def find(question: str) -> Sequence[str]:
        asked = tokens([question])
        found, _ = ranking.retrieve(asked, k=min(DEPTH, len(ids)), show_progress=False)
        return [ids[number] for number in found[0]]

    return find
