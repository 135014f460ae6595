"""What is said where nothing is done: an answer, or that something cannot be done."""

from typing import Final

from contracts.intents import Intent

from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.wishes import SUMMARY, Wish, answer, clarify
from planner.rules.heard.given import Given
from planner.rules.heard.opacity import says_only_opacity
from planner.rules.learned.model import TALK
from planner.rules.reading.lexicon import Role
from planner.rules.reading.topics import topic_of

_LIKELY: Final = 0.5
_CLEAR: Final = 0.25
"""Less probable kinds of talk are no better than to tell what is possible."""


def refused(given: Given) -> Wish:
    """What to say to what cannot be done; of a lone word or number only that it is not understood."""
    read = (wish for wish in given.read if wish.intent == Intent.CLARIFY and wish.text != "unclear")
    if told := next(read, None):
        return told
    said = given.said
    pieces = (piece for word in said.words for piece in word.folded.split())
    if topic := next(filter(None, map(topic_of, pieces)), None):
        return clarify("no_data", topic=topic)
    if given.past.session.layers and says_only_opacity(said.clauses):
        return clarify("how_opaque")
    says = len(said.words) > 1 and said.nouns and Role.NOT not in said.roles
    return clarify("only_maps" if says else "unclear")


def answered(given: Given) -> Wishes:
    """The answer that is meant, by the kind of talk that it is."""
    read = tuple(wish for wish in given.read if wish.intent == Intent.ANSWER)[:1]
    if read:
        return read
    session, probable = given.past.session, given.probable
    best = max((label for label in probable if label.startswith(TALK)), key=lambda label: probable[label])
    match best.removeprefix(TALK) if probable[best] > _CLEAR else "abilities":
        case "loaded":
            seen, hidden = (
                "\n".join(f"- {layer.label}" for layer in session.layers if layer.visible is visible)
                for visible in (True, False)
            )
            if hidden:
                return (answer("seen_and_hidden" if seen else "hidden_layers", layers=seen, hidden=hidden),)
            return (answer("loaded_layers", layers=seen) if seen else answer("no_layers_loaded"),)
        case "summary" if session.results:
            return (SUMMARY,)
        case "summary":
            return (answer("nothing_yet" if probable[best] > _LIKELY else "abilities"),)
        case key:
            return (answer(key),)
