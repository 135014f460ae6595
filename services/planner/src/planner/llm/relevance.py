"""Which of very many tools a message may be about: a prompt has room for some."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log, sqrt

from contracts.tools import ToolDescriptor
from german.words import words

_LETTERS = 4
"""Parts of words, not words: they meet in compounds, endings, and words that languages share."""


class Relevance:
    """Tools by the parts of words that they are described with; a part that few tools have says more."""

    def __init__(self, tools: Sequence[ToolDescriptor]) -> None:
        self._tools = tools
        described = [_parts(_description(tool)) for tool in tools]
        of_part: defaultdict[str, list[int]] = defaultdict(list)
        for n, parts in enumerate(described):
            for part in parts:
                of_part[part].append(n)
        self._of_part = dict(of_part)
        self._weights = {part: log(1 + len(tools) / len(having)) for part, having in of_part.items()}
        self._lengths = [sqrt(sum(self._weights[part] ** 2 for part in parts)) for parts in described]

    def nearest(self, texts: Iterable[str], count: int) -> tuple[ToolDescriptor, ...]:
        """The `count` tools nearest to the texts, in the order that the tools have.

        Each text weighs half of the one before it: the message first, then what was said before.
        """
        asked: dict[str, float] = {}
        for age, text in enumerate(texts):
            for part in _parts(text):
                asked[part] = max(asked.get(part, 0.0), 0.5**age)
        scores = [0.0] * len(self._tools)
        for part, weight in asked.items():
            for n in self._of_part.get(part, ()):
                scores[n] += weight * self._weights[part] ** 2 / self._lengths[n]
        ranked = sorted(range(len(self._tools)), key=lambda n: -scores[n])
        return tuple(self._tools[n] for n in sorted(ranked[:count]))


def _description(tool: ToolDescriptor) -> str:
    declared = tool.parameters.get("properties")
    arguments = declared if isinstance(declared, dict) else {}
    told = (
        f"{name} {each.get('description', '')}" for name, each in arguments.items() if isinstance(each, dict)
    )
    return " ".join((tool.capability, tool.description, *tool.phrases, *tool.topics, *told))


def _parts(text: str) -> set[str]:
    """Every four letters of every word, its beginning and end among them; a short word as a whole."""
    padded = (f" {word} " for word in words(text))
    return {word[at : at + _LETTERS] for word in padded for at in range(max(1, len(word) - _LETTERS + 1))}
