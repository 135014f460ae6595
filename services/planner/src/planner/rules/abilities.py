"""What can be done with the tools that are alive, in words."""

from collections.abc import Sequence

from contracts.intents import Intent
from contracts.tools import ToolDescriptor

from planner.rules import routes
from planner.rules.known import known
from planner.texts import text

_NEEDED: dict[str, tuple[frozenset[str], ...]] = {
    Intent.GOTO_ADDRESS: (frozenset({routes.GEOCODE}),),
    Intent.LOAD_LAYER: (frozenset({routes.LAYERS}),),
    Intent.OEREB_EXTRACT: (
        frozenset({routes.EXTRACT, routes.EGRID_BY_XY}),
        frozenset({routes.EXTRACT, routes.BY_NUMBER}),
    ),
    Intent.SEARCH_PLACE: (frozenset({routes.MUNICIPALITY}), frozenset({routes.PLACE})),
    Intent.SHOW_PARCEL: (frozenset({routes.BY_NUMBER}),),
    Intent.CADASTRAL_PLAN: (frozenset({routes.PLAN}),),
    Intent.GEOTHERMAL_PROBE_ASSESSMENT: (frozenset({routes.GEOTHERMAL}),),
    Intent.HEIGHT_QUERY: (frozenset({routes.HEIGHT}),),
    Intent.SEARCH_DOCUMENTS: (frozenset({routes.RETRIEVE}),),
}
"""Intent -> sets of capabilities, one of which has to be alive. The most useful intents first."""
_ALWAYS = (Intent.SET_BACKGROUND, Intent.REMOVE_LAYER, Intent.CLEAR_MAP)
_MAX_EXAMPLES = 3
_MAX_FOREIGN = 8
_MAX_PHRASE_CHARS = 80


def examples(tools: Sequence[ToolDescriptor], language: str) -> str:
    """A few sentences to try."""
    sentences = [_example(intent, tools, language) for intent in _possible(tools)][:_MAX_EXAMPLES]
    *first, last = sentences
    listed = text("or", language, first=", ".join(first), last=last) if first else last
    return text("examples", language, list=listed)


def listing(tools: Sequence[ToolDescriptor], language: str) -> str:
    """Everything that is possible, one line each; tools of others by the first of their phrases."""
    lines = [
        text(
            "ability",
            language,
            what=text(f"can_{intent}", language),
            example=_example(intent, tools, language),
        )
        for intent in _possible(tools)
    ]
    foreign = [tool for tool in tools if tool.capability not in routes.KNOWN_CAPABILITIES and tool.phrases]
    lines += [
        text("ability_of_others", language, phrase=tool.phrases[0][:_MAX_PHRASE_CHARS])
        for tool in foreign[:_MAX_FOREIGN]
    ]
    return "\n".join(lines)


def _example(intent: str, tools: Sequence[ToolDescriptor], language: str) -> str:
    """A sentence that works with these tools, of a source if it has one."""
    alive = {tool.capability for tool in tools}
    if named := known().vocabulary.example(intent, alive):
        return text("example", language, sentence=named.text)
    at_point = intent == Intent.OEREB_EXTRACT and routes.BY_NUMBER not in alive
    return text("example_extract_at_point" if at_point else f"example_{intent}", language)


def _possible(tools: Sequence[ToolDescriptor]) -> list[str]:
    alive = {tool.capability for tool in tools}
    possible = [intent for intent, ways in _NEEDED.items() if any(way <= alive for way in ways)]
    return [*possible, *_ALWAYS]
