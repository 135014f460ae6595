"""A message as sentences, with what stands around the question taken away."""

from dataclasses import dataclass

from german.sentences import typed_ends

from planner.rules.grammar.clauses import clauses_of
from planner.rules.reading.tokens import clean

MAX_SENTENCES = 40
"""What is read of a message one by one."""
_MAX_TALK_PIECES = 3


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` without the sign at its end; `written` with it."""

    text: str
    written: str

    @property
    def asks(self) -> bool:
        return "?" in self.written[len(self.text) :]


def sentences_of(message: str) -> tuple[Sentence, ...]:
    """The sentences of a message in its order; what goes beyond the limit is part of the last one."""
    cleaned = clean(message)
    found: list[Sentence] = []
    start = 0
    for sign, end in typed_ends(cleaned):
        if len(found) + 1 == MAX_SENTENCES:
            break
        found += _sentence(cleaned[start:sign], cleaned[start:end])
        start = end
    found += _sentence(cleaned[start:], cleaned[start:])
    return tuple(found)


def without_talk(sentence: Sentence) -> Sentence:
    """`Hallo, was kostet das, bitte?` becomes `was kostet das?`."""
    pieces = sentence.text.split(",")
    first, last = 0, len(pieces)
    while last - first > 1 and first < _MAX_TALK_PIECES and _is_talk(pieces[first]):
        first += 1
    while last - first > 1 and len(pieces) - last < _MAX_TALK_PIECES and _is_talk(pieces[last - 1]):
        last -= 1
    text = ",".join(pieces[first:last]).strip()
    return Sentence(text, text + sentence.written[len(sentence.text) :].strip())


def _is_talk(piece: str) -> bool:
    return all(clause.is_talk for clause in clauses_of(piece))


def _sentence(text: str, written: str) -> list[Sentence]:
    text, written = text.strip(), written.strip()
    return [Sentence(text, written)] if any(c.isalnum() for c in text) else []
