"""What can be done with the tools that are alive, in words."""

from collections.abc import Sequence

from contracts.intents import CLAIMED, SPECS, IntentSpec
from contracts.languages import said_in
from contracts.tools import ToolDescriptor

from planner.rules.reading.known import known
from planner.texts import text

_MAX_EXAMPLES = 3
_MAX_FOREIGN = 8
_MAX_PHRASE_CHARS = 80


def examples(tools: Sequence[ToolDescriptor], language: str) -> str:
    """A few sentences to try."""
    sentences = [_example(spec, tools, language) for spec in _possible(tools)][:_MAX_EXAMPLES]
    *first, last = sentences
    listed = text("or", language, first=", ".join(first), last=last) if first else last
    return text("examples", language, list=listed)


def listing(tools: Sequence[ToolDescriptor], language: str) -> str:
    """Everything that is possible, one line each; tools of others by the first of their phrases."""
    lines = [
        text("ability", language, what=said_in(spec.title, language), example=_example(spec, tools, language))
        for spec in _possible(tools)
    ]
    foreign = [tool for tool in tools if tool.capability not in CLAIMED and tool.phrases]
    lines += [
        text("ability_of_others", language, phrase=tool.phrases[0][:_MAX_PHRASE_CHARS])
        for tool in foreign[:_MAX_FOREIGN]
    ]
    return "\n".join(lines)


def _example(spec: IntentSpec, tools: Sequence[ToolDescriptor], language: str) -> str:
    """A sentence that works with these tools, about what a source names if one does."""
    named = known().vocabulary.example(spec.intent, {tool.capability for tool in tools})
    sentence = named.sentence(language) if named else spec.sentence(language)
    return text("example", language, sentence=sentence)


def _possible(tools: Sequence[ToolDescriptor]) -> list[IntentSpec]:
    alive = {tool.capability for tool in tools}
    return [spec for spec in SPECS if spec.title and spec.is_possible(alive)]
