"""How long retrieving and judging take on generated documents: `bench/documents.py --passages 10000 1000000`.

The text is random, but its words are as unevenly frequent as those of a language, half of them are compounds
of others, and the questions take words from everywhere between frequent and rare.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path
from time import perf_counter

from german.compounds import shipped_parts

from tools_docs.arguments import CheckedDocument
from tools_docs.corpus import DocumentFacts, Section, SourceDocument
from tools_docs.judging.comparing import ComparingJudge
from tools_docs.preparing import prepare
from tools_docs.research import Research
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter

PASSAGES_A_DOCUMENT = 10
WORDS_A_PASSAGE = 90
QUESTIONS = 200
BATCH = 200


def vocabulary(chance: random.Random, size: int) -> list[str]:
    """Words, the most frequent first: simple ones, and compounds of them."""
    parts = sorted(part for part in shipped_parts() if len(part) > 3)
    simple = [
        f"{chance.choice(parts)}{chance.choice('aeiou')}{chance.choice('lmnrt')}" for _ in range(size // 2)
    ]
    compound = [f"{chance.choice(parts)}{chance.choice(simple)}" for _ in range(size // 2)]
    words = list(dict.fromkeys([*parts, *simple, *compound]))
    chance.shuffle(words)
    return [word.capitalize() for word in words]


def documents(chance: random.Random, words: list[str], number: int) -> Iterator[SourceDocument]:
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    for n in range(number):
        sections = tuple(
            Section(
                " ".join(chance.choices(words, cum_weights=weights, k=WORDS_A_PASSAGE)) + ".",
                f"Abschnitt {k}",
            )
            for k in range(PASSAGES_A_DOCUMENT)
        )
        name = " ".join(chance.choices(words, cum_weights=weights, k=6))
        facts = DocumentFacts(
            f"d{n}", name, f"https://example.org/{n}", kind="Botschaft", body="Regierungsrat"
        )
        yield SourceDocument(facts, sections, str(n))


def questions(chance: random.Random, words: list[str]) -> Iterator[str]:
    for _ in range(QUESTIONS):
        ranks = [int(len(words) ** chance.random()) for _ in range(chance.randint(2, 6))]
        yield "Was gilt für " + " und ".join(words[min(rank, len(words) - 1)] for rank in ranks) + "?"


def shown(name: str, times: list[float]) -> str:
    ordered = sorted(times)
    p95 = ordered[int(len(ordered) * 0.95)]
    figures = {"p50": statistics.median(times), "p95": p95, "max": ordered[-1]}
    return f"{name}: " + ", ".join(f"{key} {seconds * 1000:.1f} ms" for key, seconds in figures.items())


async def fill(path: Path, source: Iterator[SourceDocument]) -> None:
    writer = SqliteWriter(path)
    while batch := [prepare(document) for document in islice(source, BATCH)]:
        await writer.put("bench", batch)
    await writer.finish()
    await writer.close()


async def measure(passages: int, folder: Path) -> None:
    chance = random.Random(7)
    words = vocabulary(chance, 30_000 if passages < 100_000 else 300_000)
    path = folder / f"{passages}.sqlite"
    if not path.exists():
        started = perf_counter()
        await fill(path, documents(random.Random(8), words, passages // PASSAGES_A_DOCUMENT))
        seconds = perf_counter() - started
        size = path.stat().st_size / 1e6
        print(f"{passages} passages, {len(words)} words: filled in {seconds:.0f} s, {size:.0f} MB")
    index = SqliteIndex(path)
    research = Research(index, ComparingJudge(index))
    retrieving, judging = [], []
    for question in questions(chance, words):
        started = perf_counter()
        outcome = await research.retrieve(question, None, 10)
        retrieving.append(perf_counter() - started)
        for item in outcome.items[:2]:
            content = CheckedDocument.model_validate(item.model_dump())
            started = perf_counter()
            await research.check(question, content)
            judging.append(perf_counter() - started)
    await index.close()
    print(f"  {shown('retrieve', retrieving)}\n  {shown('check', judging)}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--passages", type=int, nargs="+", default=[10_000])
    arguments.add_argument("--keep", type=Path, help="a folder: indexes are made there once and used again")
    wanted = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="ask-bench-") as folder:
        for passages in wanted.passages:
            asyncio.run(measure(passages, wanted.keep or Path(folder)))


if __name__ == "__main__":
    main()
