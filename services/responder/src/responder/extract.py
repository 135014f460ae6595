"""An answer without a model: sentences of the documents word by word, or where to look. Pure."""

from collections.abc import Sequence
from itertools import islice

from contracts.items import Document
from contracts.markdown import Links, prose
from contracts.messages import AnswerRequested

from responder.texts import text
from responder.writing import AnswerSink, Written

AUTHOR = "extract"
MAX_QUOTES = 3
MAX_NAMED = 5
"""Documents, where none is quoted."""


async def write(request: AnswerRequested, sink: AnswerSink) -> Written:
    """Quote the documents; each line ends with the number of its document."""
    intro, lines, cited = _lines(request.documents)
    # Sentences are taken out of their Markdown: what was none before may be some now.
    links = Links(urls=frozenset(document.url for document in request.documents if document.url))
    answer = prose("\n".join([text(intro, request.language), "", *lines]), links)
    await sink.append(answer)
    return Written(answer, AUTHOR, tuple(sorted(cited)))


def _lines(documents: Sequence[Document]) -> tuple[str, list[str], set[int]]:
    """The key of what introduces them, the lines, and the documents that they cite."""
    numbered = list(enumerate(documents, 1))
    quotes = list(islice(((n, d, q) for n, d in numbered for q in d.quotes or ()), MAX_QUOTES))
    if quotes:
        lines = []
        for n, document, quote in quotes:
            section = f"{quote.heading}: " if quote.heading and quote.heading != document.name else ""
            lines.append(f"- {section}«{_unquoted(quote.text)}» [{n}]")
        return "extract_intro", lines, {n for n, _, _ in quotes}
    # No sentence answers for sure: say where to look, and no more.
    named = numbered[:MAX_NAMED]
    return "unsure_intro", [f"- {d.name} [{n}]" for n, d in named], {n for n, _ in named}


def _unquoted(sentence: str) -> str:
    """The answer puts it into quotes of its own."""
    return sentence.replace("«", "‹").replace("»", "›")
