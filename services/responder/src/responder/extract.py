"""An answer without a model: the sentences of the documents that fit a question best, word by word. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from contracts.items import Document
from contracts.markdown import Links, prose
from contracts.messages import AnswerRequested
from german.fold import bare
from german.sentences import sentences
from german.stems import stem
from german.stop_words import stop_words
from german.words import words_in

from responder.texts import text
from responder.writing import Voice, Written

AUTHOR = "extract"
MAX_SENTENCES = 5
MAX_SENTENCES_A_DOCUMENT = 2
MIN_SENTENCE_CHARS = 30
MAX_SENTENCE_CHARS = 400

_MARKUP = re.compile(r"^\s*+(?:#{1,6}\s+|[-*+]\s+|>\s*|\d{1,2}[.)]\s+)|[*_`|]+|\[([^\[\]]*+)\]\([^()]*+\)")
_COUNTED = re.compile(
    r"\b(?:wie\s*viel|wieviel|was kost|wann|wie hoch|wie gross|wie lange|bis wann|welche frist)", re.I
)
MAX_WORDS = 32
"""Of a question; what goes beyond is a pasted text, whose beginning says enough."""
_MIN_PART = 4
"""Shorter words say too little inside of a compound."""


@dataclass(frozen=True)
class _Sentence:
    n: int
    """The document's number, from 1."""
    order: int
    text: str
    stems: frozenset[str]


async def write(request: AnswerRequested, voice: Voice) -> Written:
    """Quote the documents; each line ends with the number of its document."""
    intro, lines, cited = _lines(request.question, request.documents)
    # Sentences are taken out of their Markdown: what was none before may be some now.
    links = Links(urls=frozenset(document.url for document in request.documents if document.url))
    answer = prose("\n".join([text(intro, request.language), "", *lines]), links)
    await voice.say(answer)
    return Written(answer, AUTHOR, tuple(sorted(cited)))


def _lines(question: str, documents: Sequence[Document]) -> tuple[str, list[str], set[int]]:
    """The key of what introduces them, the lines, and the documents that they cite."""
    chosen = best_sentences(question, documents)
    if chosen:
        return "extract_intro", [f"- «{s}» [{n}]" for n, s in chosen], {n for n, _ in chosen}
    # Passages without a whole sentence that fits: at least say where to look.
    first = list(enumerate(documents[:MAX_SENTENCES], 1))
    return "titles_intro", [f"- {d.name} [{n}]" for n, d in first], {n for n, _ in first}


def best_sentences(question: str, documents: Sequence[Document]) -> list[tuple[int, str]]:
    """At most `MAX_SENTENCES` pairs of document number and sentence, in the order of the documents."""
    wanted = set(islice(_stems(question), MAX_WORDS))
    said = [s for n, document in enumerate(documents, 1) for s in _sentences(n, document)]
    rarity = Counter(stem for s in said for stem in _matches(wanted, s.stems))
    counted = _COUNTED.search(question) is not None

    def score(sentence: _Sentence) -> float:
        found = _matches(wanted, sentence.stems)
        points = sum(1.0 + 1.0 / rarity[stem] for stem in found)
        if points and counted and any(char.isdigit() for char in sentence.text):
            points += 0.75
        # The first documents fit best, and so do their first passages.
        return points - 0.05 * sentence.n - 0.01 * sentence.order

    ranked = sorted(((score(s), s) for s in said), key=lambda pair: -pair[0])
    best = ranked[0][0] if ranked else 0.0
    taken: list[_Sentence] = []
    for points, sentence in ranked:
        if len(taken) == MAX_SENTENCES or points < max(0.9, best / 3):
            break
        if sum(t.n == sentence.n for t in taken) < MAX_SENTENCES_A_DOCUMENT:
            taken.append(sentence)
    return [(s.n, s.text) for s in sorted(taken, key=lambda s: (s.n, s.order))]


def _sentences(n: int, document: Document) -> Iterator[_Sentence]:
    seen: set[str] = set()
    order = 0
    for passage in document.passages:
        for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*#|>])", passage.text):
            plain = " ".join(_MARKUP.sub(lambda m: m.group(1) or "", paragraph).split())
            for sentence in map(_unquoted, sentences(plain)):
                whole = sentence[0].isupper() or sentence[0] in "‹„(" or sentence[0].isdigit()
                fits = MIN_SENTENCE_CHARS <= len(sentence) <= MAX_SENTENCE_CHARS
                if fits and whole and sentence.endswith((".", "!", "?", "›", ":")) and sentence not in seen:
                    seen.add(sentence)
                    yield _Sentence(n, order, sentence, frozenset(_stems(sentence)))
                    order += 1


def _unquoted(sentence: str) -> str:
    """The answer puts it into quotes of its own."""
    return sentence.replace("«", "‹").replace("»", "›")


def _stems(said: str) -> Iterator[str]:
    """In their order, each as often as it is said."""
    for word in words_in(said):
        if bare(word.text) not in stop_words() and (len(word.form) > 2 or word.is_number):
            yield stem(word.form)


def _matches(wanted: set[str], stems: frozenset[str]) -> set[str]:
    """The wanted stems that a sentence has, also as a part of a compound."""
    return {
        want
        for want in wanted
        if want in stems
        or (len(want) >= _MIN_PART and any(want in stem for stem in stems))
        or any(len(stem) >= _MIN_PART and stem in want and _is_heart(stem, want) for stem in stems)
    }


def _is_heart(part: str, compound: str) -> bool:
    """A compound is a kind of what it ends with: a Schutzzone is a Zone, and not a Schutz."""
    return compound.endswith(part) or len(part) * 2 >= len(compound)
