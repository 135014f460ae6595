"""Cuts documents into passages on the boundaries of paragraphs, lines and sentences, with an overlap."""

import re
from collections.abc import Iterable, Iterator

from german.sentences import sentences

from tools_docs.corpus import Chunk, Section

MAX_CHARS = 1_200
"""What is shown of a passage; a longer one would have to be cut again."""
TARGET_CHARS = 900
"""A passage that answers one question: a few paragraphs."""
_OVERLAP_CHARS = 220
"""Room for the last sentence or two, so that what refers to them is understood."""
_MIN_CHARS = 200
"""A rest shorter than this joins the passage before it."""

_PARAGRAPHS = re.compile(r"\n\s*\n")


def chunks(sections: Iterable[Section]) -> tuple[Chunk, ...]:
    """Passages of a document in order. No text is lost and none crosses a heading."""
    return tuple(
        Chunk(text, section.heading, section.page, section.anchor)
        for section in sections
        for text in _texts(section.text)
        if text.strip()
    )


def _texts(text: str) -> Iterator[str]:
    """Whole paragraphs while they fit, else whole sentences, else words."""
    if len(text) <= MAX_CHARS:
        yield text.strip()
        return
    passage: list[str] = []
    length = 0
    """Of the passage."""
    fresh = False
    pieces = [(piece, glue) for piece, glue in _pieces(text)]
    left = sum(len(piece) + len(glue) for piece, glue in pieces)
    for piece, glue in pieces:
        left -= len(piece) + len(glue)
        full = length >= TARGET_CHARS and left + len(piece) >= _MIN_CHARS
        if fresh and (full or length + len(glue) + len(piece) > MAX_CHARS):
            yield "".join(passage).strip()
            passage = _overlap(passage, MAX_CHARS - len(piece) - len(glue))
            length = sum(map(len, passage))
        added = [glue, piece] if passage else [piece]
        passage += added
        length += sum(map(len, added))
        fresh = True
    if passage:
        yield "".join(passage).strip()


def _overlap(passage: list[str], room: int) -> list[str]:
    """The last sentences of a passage that fit into the next one."""
    kept: list[str] = []
    length = 0
    for part in reversed(passage):
        length += len(part)
        if length > min(_OVERLAP_CHARS, room):
            break
        kept.insert(0, part)
    while kept and not kept[0].strip():
        kept.pop(0)
    return kept


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """(sentence, what separates it from the one before)"""
    for paragraph in _PARAGRAPHS.split(text):
        glue = "\n\n"
        for line in filter(None, map(str.strip, paragraph.split("\n"))):
            for sentence in sentences(line):
                for part in _bounded(sentence):
                    yield part, glue
                    glue = " "
            glue = "\n"


def _bounded(sentence: str) -> Iterator[str]:
    """A sentence longer than a passage is cut between words, a word longer than one anywhere."""
    begin = 0
    while len(sentence) - begin > TARGET_CHARS:
        cut = sentence.rfind(" ", begin, begin + TARGET_CHARS)
        cut = cut if cut > begin else begin + TARGET_CHARS
        yield sentence[begin:cut]
        begin = cut
        while sentence[begin : begin + 1].isspace():
            begin += 1
    if begin < len(sentence):
        yield sentence[begin:]
