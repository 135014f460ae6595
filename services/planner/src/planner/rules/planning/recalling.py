"""What a session has asked of the documents before a message, read from its history."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar.messages import Piece, Recall, wishes_in
from planner.rules.grammar.utterance import Utterance, utterance_of
from planner.rules.planning.threads import Thread

_MAX_ENTRIES = 8
_MAX_CHARS = 600
"""How far back and how much of a message one refers to without naming it."""
_ANSWERED = re.compile(r"^\[(\w+): \w+\]", re.MULTILINE)
_SEARCHED = re.compile(r"gesucht: «([^\n]{1,400}?)»(?=[;)])")
"""How the answers in a history note what was searched for."""

Read = Callable[[Utterance, Recall], Sequence[Piece]]


def recall_of(session: Session, tools: Sequence[ToolDescriptor], read: Read) -> Recall:
    """Tells what was talked about. `read` makes pieces of a message."""

    @lru_cache(maxsize=1)
    def recall() -> Thread | None:
        thread = before = None
        for entry in session.history[-_MAX_ENTRIES:]:
            if entry.role == "user":
                before = thread
                said = utterance_of(entry.text[:_MAX_CHARS])
                thread = _after_message(said, thread, session, tools, read)
            else:
                thread = _after_answer(entry.text, thread, before)
        return thread

    return recall


def _after_message(
    message: Utterance, thread: Thread | None, session: Session, tools: Sequence[ToolDescriptor], read: Read
) -> Thread | None:
    asked = [piece.wish.query for piece in read(message, lambda: thread) if piece.wish]
    if asked and asked[-1]:
        return Thread(asked[-1])
    if message.is_talk:
        return thread
    wishes = wishes_in(message.clauses, session, tools)
    if topics := [wish.query for wish in wishes if wish.query]:
        searched = wishes[-1].intent == Intent.SEARCH_DOCUMENTS
        return Thread(topics[-1], is_fresh=searched, is_topic=not searched)
    if topics := [noun.text for noun in message.nouns if not noun.is_place]:
        return Thread(" ".join(topics), is_fresh=False, is_topic=True)
    return replace(thread, is_fresh=False) if thread else None


def _after_answer(text: str, thread: Thread | None, before: Thread | None) -> Thread | None:
    """The answer tells what the message before it was taken for."""
    noted = _SEARCHED.findall(text)
    if noted:
        # A long query is noted in part.
        return thread if thread and thread.query.startswith(noted[-1]) else Thread(noted[-1])
    if thread and thread.is_fresh and thread is not before and _ANSWERED.search(text):
        return replace(before, is_fresh=False) if before else None
    return thread
