"""What a session has asked of the documents before a message."""

from dataclasses import replace
from functools import lru_cache

from contracts.intents import Intent
from contracts.session import Session

from planner.rules.grammar.messages import Recall
from planner.rules.grammar.utterance import utterance_of
from planner.rules.planning.past import MAX_CHARS, remembered
from planner.rules.planning.threads import Thread


def recall_of(session: Session) -> Recall:
    """Tells what was talked about."""
    return lru_cache(maxsize=1)(lambda: _thread(session))


def _thread(session: Session) -> Thread | None:
    thread = None
    answers = remembered(session)
    for answer in reversed(answers):
        topics = [wish for wish in answer.wishes if wish.query]
        if topics:
            searched = topics[-1].intent == Intent.SEARCH_DOCUMENTS
            thread = Thread(topics[-1].query, is_fresh=searched, is_topic=not searched)
        elif not all(wish.is_talk for wish in answer.wishes):
            named = _nouns_said(session) if answer is answers[0] and not answer.settles else ""
            thread = Thread(named, is_fresh=False, is_topic=True) if named else thread
            thread = replace(thread, is_fresh=False) if thread else None
    return thread


def _nouns_said(session: Session) -> str:
    """Of the last message that was answered: `Kann ich dort eine Erdwärmesonde bohren?`"""
    answered = max(n for n, entry in enumerate(session.history) if entry.wanted)
    said = [entry.text for entry in session.history[:answered] if entry.role == "user"]
    nouns = utterance_of(said[-1][:MAX_CHARS]).nouns if said else ()
    return " ".join(noun.text for noun in nouns if not noun.is_place)
