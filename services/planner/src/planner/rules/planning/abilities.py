"""What can be done with the tools that are alive, in words."""

import re
from collections.abc import Sequence

from contracts.intents import CLAIMED, SPECS, IntentSpec
from contracts.languages import said_in
from contracts.tools import ToolDescriptor

from planner.rules.reading.known import known
from planner.texts import text

_MAX_EXAMPLES = 3
_EXAMPLES = "{examples}"
_QUOTED = re.compile(r"«([^«»{}]+)»")
"""What a sentence of the catalogue quotes is something to say; what a user has said is filled in."""
_UNNAMED = "…"
"""In the place of a name where no source has one."""
_OF_ANYBODY = frozenset({"what_instead"})
"""Whose example only shows how it is said."""
_MAX_FOREIGN = 8
_MAX_PHRASE_CHARS = 80


def examples(tools: Sequence[ToolDescriptor], language: str) -> str:
    """A few sentences to try."""
    *first, last = [text("example", language, sentence=each) for each in _sentences(tools, language)]
    listed = text("or", language, first=", ".join(first), last=last) if first else last
    return text("examples", language, list=listed)


def suggestions(key: str, tools: Sequence[ToolDescriptor], language: str) -> tuple[str, ...]:
    """The examples in what is said under a key, alone: those that it quotes itself, and the `{examples}`."""
    if key in _OF_ANYBODY:
        return ()
    written = text.written(key, language)
    named = _sentences(tools, language) if _EXAMPLES in written else []
    return (*_QUOTED.findall(written), *(each for each in named if _UNNAMED not in each))


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


def _sentences(tools: Sequence[ToolDescriptor], language: str) -> list[str]:
    return [_sentence(spec, tools, language) for spec in _possible(tools)][:_MAX_EXAMPLES]


def _example(spec: IntentSpec, tools: Sequence[ToolDescriptor], language: str) -> str:
    return text("example", language, sentence=_sentence(spec, tools, language))


def _sentence(spec: IntentSpec, tools: Sequence[ToolDescriptor], language: str) -> str:
    """One that works with these tools, about what a source names if one does."""
    named = known().vocabulary.example(spec.intent, {tool.capability for tool in tools})
    return named.sentence(language) if named else spec.sentence(language)


def _possible(tools: Sequence[ToolDescriptor]) -> list[IntentSpec]:
    alive = {tool.capability for tool in tools}
    return [spec for spec in SPECS if spec.title and spec.is_possible(alive)]
