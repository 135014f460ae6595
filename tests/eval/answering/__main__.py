"""Asks the questions of both halves and prints tables; of the seen half also each answer with `--show`."""

import asyncio
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from servicekit.service import Service

from answering.corpus import Corpus, indexed
from answering.finding import Find, Found, fts5, measure, nearest, ours, stemmed_bm25
from answering.questions import HELD, SEEN, Question, questions
from answering.quoting import Answer, Answered, answer, figures
from responder.answering import Responder
from responder.app import model_for
from responder.settings import Settings as ResponderSettings
from tools_docs.gateways import DocumentIndex, Embedder
from tools_docs.indexes import index_at
from tools_docs.models import Models, models
from tools_docs.research import Research
from tools_docs.settings import Settings


def main() -> None:
    parser = ArgumentParser(prog="answering", description=__doc__)
    parser.add_argument("corpus", type=Path, help="a folder with JSON Lines: id, title, body, language, text")
    parser.add_argument("--kept", type=Path, default=Path(".data/eval"), help="where the indexes are kept")
    parser.add_argument("--show", action="store_true", help="list the answers of the seen half")
    options = parser.parse_args()
    asyncio.run(_run(options.corpus, options.kept, show=options.show))


async def _run(folder: Path, kept: Path, *, show: bool) -> None:
    async with AsyncExitStack() as stack:
        known = models(Settings())
        stack.push_async_callback(known.close)
        paths = await asyncio.to_thread(lambda: sorted(folder.glob("*.jsonl")))
        for corpus in [await indexed(path, kept, known.embedder) for path in paths]:
            index = index_at(str(corpus.index), connections=1)
            stack.push_async_callback(index.close)
            for half in (SEEN, HELD):
                asked = questions(half, corpus.language)
                title = (
                    f"{corpus.language}, {half} half: {len(asked)} questions, {len(corpus.articles)} articles"
                )
                print(f"\n## {title}\n")
                print("\n".join(await _finding(corpus, index, known.embedder, asked)))
                print()
                print("\n".join(await _answering(corpus, index, known, asked, show=show and half == SEEN)))


async def _finding(
    corpus: Corpus, index: DocumentIndex, embedder: Embedder | None, asked: Sequence[Question]
) -> list[str]:
    ways: dict[str, Find] = {
        "FTS5 alone": fts5(corpus),
        "bm25s and PyStemmer": stemmed_bm25(corpus),
        "ours, words": ours(index, None),
    }
    if embedder is not None:
        ways |= {"vectors alone": nearest(index, embedder), "ours, words and vectors": ours(index, embedder)}
    rows = [(name, await measure(find, asked)) for name, find in ways.items()]
    return ["| found by | R@1 | R@5 | R@10 | MRR |", "|---|--:|--:|--:|--:|", *map(_found, rows)]


def _found(row: tuple[str, Found]) -> str:
    name, f = row
    return f"| {name} | {f.at_1:.2f} | {f.at_5:.2f} | {f.at_10:.2f} | {f.reciprocal_rank:.2f} |"


async def _answering(
    corpus: Corpus, index: DocumentIndex, known: Models, asked: Sequence[Question], *, show: bool
) -> list[str]:
    """Without a model by words, and by words and vectors; with a model where there is a key for one."""
    settings = ResponderSettings()
    quoting = Responder(None, settings)
    ways = [("words", Research(index), quoting)]
    if known.embedder is not None:
        ways.append(("words and vectors", Research(index, known.embedder), quoting))
    if known.judge is not None:
        writer = model_for(Service("eval", settings), settings)
        ways.append(("model", Research(index, known.embedder, known.judge), Responder(writer, settings)))
    lines = [
        "| answered by | right | partly | wrong | unsure | refused | no answer: claimed | no answer: kept"
        " | check P | check R |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, research, responder in ways:
        answers = [await answer(research, responder, corpus, each) for each in asked]
        lines.append(_answered(name, figures(answers)))
        if show:
            print("\n".join(line for each in answers for line in _shown(name, each)))
    return lines


def _answered(name: str, f: Answered) -> str:
    shares = [f"{n}/{f.answerable}" for n in (f.right, f.partly, f.wrong, f.unsure, f.refused)]
    hopeless = [f"{n}/{f.unanswerable}" for n in (f.claimed, f.kept_for_unanswerable)]
    return (
        f"| {' | '.join((name, *shares, *hopeless, f'{f.check_precision:.2f}', f'{f.check_recall:.2f}'))} |"
    )


def _shown(name: str, each: Answer) -> Iterator[str]:
    gold = ", ".join(each.question.gold) or "no answer"
    yield f"{name}: {each.question.text}\n    wanted: {gold}; kept: {', '.join(each.kept) or 'none'}"
    if each.in_gold_article:
        yield f"    quoted: {sum(each.in_gold_sentence)} right of {len(each.in_gold_article)}"


if __name__ == "__main__":
    main()
