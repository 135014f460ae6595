"""Questions as citizens ask them, and where the answers are."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "documents"
SEEN, HELD = "seen", "held"

Span = tuple[int, int]
"""Of characters, in the text of an article."""


@dataclass(frozen=True)
class Question:
    """`gold`: by id each article that answers it, with the sentences that do; none: there is no answer."""

    text: str
    language: str
    gold: Mapping[str, tuple[Span, ...]]


def questions(half: str, language: str) -> list[Question]:
    return [each for path in sorted((FOLDER / half).glob("*.jsonl")) for each in _read(path, language)]


def _read(path: Path, language: str) -> Iterator[Question]:
    for line in path.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        if said["language"] == language:
            gold = {each["id"]: tuple((begin, end) for begin, end in each["spans"]) for each in said["gold"]}
            yield Question(said["question"], language, gold)
