"""A message as wishes: what it asks of the documents, sentence by sentence, and what it wants of the map."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar import commands
from planner.rules.grammar.arranging import with_opacity
from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.clauses import said
from planner.rules.grammar.documents import question_for_documents
from planner.rules.grammar.intents import wishes_of
from planner.rules.grammar.nouns import nouns_in
from planner.rules.grammar.openers import Opener, is_request, opener_of
from planner.rules.grammar.parcel_questions import questions_about_parcels
from planner.rules.grammar.parts import Mention, Word
from planner.rules.grammar.questions import asks_of_told, is_of_map, is_question, wants_map
from planner.rules.grammar.rewriting import corrected
from planner.rules.grammar.targets import located, target_of
from planner.rules.grammar.telling import orders, told_in, with_names
from planner.rules.grammar.utterance import Utterance, joined
from planner.rules.grammar.wishes import NAVIGATION, Wish, answer, clarify, visit
from planner.rules.planning.threads import Hold, Thread, continued, hold_of
from planner.rules.reading.lexicon import ACTIONS, GLUE, Role
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Egrid, most_precise
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_FEW = 3
"""In a message of more clauses than this a bare noun is rather told than wanted."""
_ORDERS = ACTIONS | {Role.QUESTION, Role.OTHER, Role.MEASURE}
_JOINT = re.compile(r"\s{0,9}[,:;]\s{0,9}(?:und\s{1,9})?|\s{1,9}und\s{1,9}(?:dann\s{1,9})?", re.IGNORECASE)
_TAKES_BACK = frozenset({Role.CORRECTION, Role.NO})
_OF_MAP = frozenset({Opener.NONE, Opener.WHERE})
"""How what follows an order begins if it is no question for documents."""
_IN_OTHER_WORDS = frozenset({"also", "sprich", "genauer"})
_BEFORE_CORRECTION = frozenset({Role.FILLER, Role.AND, Role.FUNCTION})
_MIN_QUESTION_WORDS = 3
_UNCLEAR = (clarify("unclear"),)
_POLITE = frozenset({"greeting", "welcome", "goodbye"})
_MAX_SENTENCE_CHARS = 400
"""What is longer is no question."""
_MAX_JOINTS = 6
"""So many places are tried at which a sentence may be a wish for the map and a question."""

Recall = Callable[[], Thread | None]
"""Tells what was asked before; called only when a sentence makes no sense without it."""


@dataclass(frozen=True)
class Piece:
    """A sentence or a part of one, with its wish if it is a question for documents or about a parcel."""

    said: Utterance
    wish: Wish | None = None


def pieces_of(
    message: Utterance, session: Session, tools: Sequence[ToolDescriptor], recall: Recall = lambda: None
) -> tuple[Piece, ...]:
    """The pieces of a message in its order."""
    found: list[Piece] = []
    for sentence in message.sentences:
        if any(piece.wish for piece in found) and _is_closing(sentence):
            break
        asked = [piece.wish.query for piece in found if piece.wish and _is_of_documents(piece.wish)]
        before = tuple(piece.said for piece in found)
        found += _read(sentence, session, tools, partial(Thread, asked[-1]) if asked else recall, before)
    return tuple(found)


def wishes_in_pieces(
    pieces: Sequence[Piece], session: Session, tools: Sequence[ToolDescriptor]
) -> tuple[Wish, ...]:
    """The wishes of a message with questions; what is said around them is passed over."""
    pieces = _without_reports(pieces)
    wishes: list[Wish] = []
    told = ""
    for is_map, run in groupby(pieces, key=lambda piece: piece.wish is None):
        if is_map:
            around = [piece.said for piece in run]
            clauses = joined(around).clauses
            wanted = wishes_in(clauses, session, tools, beside_question=True)
            if any(wish.text == "only_maps" for wish in wanted):
                return wanted
            aside = _is_beside_questions(clauses, wanted)
            wishes += () if aside else wanted
            told = around[-1].written if aside and not _is_talk(clauses) else ""
            continue
        for piece in run:
            assert piece.wish is not None
            told = told if _is_of_documents(piece.wish) else ""
            wishes.append(replace(piece.wish, query=f"{told} {piece.wish.query}") if told else piece.wish)
            told = ""
    return _with_topics(wishes)


def _without_reports(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """`Der Nachbar behauptet, dass …. Stimmt das?`: what is asked about the parcel that was told of."""
    about = [n for n, piece in enumerate(pieces) if piece.wish and not _is_of_documents(piece.wish)]
    if len(about) < 2 or pieces[about[0]].said.asks or not pieces[about[-1]].said.asks:
        return pieces
    first, last = pieces[about[0]].wish, pieces[about[-1]].wish
    if first is None or last is None or last.target not in (None, first.target):
        return pieces
    asked = replace(pieces[about[-1]], wish=replace(last, target=first.target))
    return [*pieces[: about[0]], *pieces[about[0] + 1 : about[-1]], asked, *pieces[about[-1] + 1 :]]


def wishes_in(
    clauses: Sequence[Clause],
    session: Session,
    tools: Sequence[ToolDescriptor],
    *,
    beside_question: bool = False,
) -> tuple[Wish, ...]:
    """All wishes for the map; small talk around them is passed over, a question or an order is not.

    So is what is only told, unless it says what a wish lacks: a place, a topic.
    """
    spoken = said(clauses)
    corrections = tuple(clause for clause in spoken if _corrects(clause, clauses))
    told = told_in(spoken, beside_question=beside_question)
    if beside_question and all(clause in told for clause in spoken):
        return ()
    wanted = _located(_wanted(spoken, corrections, told, session, tools), () if corrections else spoken, told)
    if told and not _is_complete(wanted):
        helped = _wanted(spoken, corrections, (), session, tools)
        wanted = tuple(wish for wish in helped if wish not in _UNCLEAR) or helped
    return _talk_in(clauses) or wanted if wanted == _UNCLEAR else with_names(wanted, clauses)


def _wanted(
    spoken: Sequence[Clause],
    corrections: Sequence[Clause],
    told: Sequence[Clause],
    session: Session,
    tools: Sequence[ToolDescriptor],
) -> tuple[Wish, ...]:
    understood: list[Wish] = []
    asides: list[Wish] = []
    before: tuple[Wish, ...] = ()
    was_corrected = False
    for n, clause in enumerate(spoken):
        wishes = wishes_of(clause, session, tools)
        if any(wish.text == "only_maps" for wish in wishes):
            return wishes
        completes = was_corrected and _names_only_place(clause)
        was_corrected = bool(before) and (clause in corrections or completes)
        if was_corrected:
            wishes = corrected(before, clause, wishes)
            del understood[len(understood) - len(before) :]
        isolated = {c.link for c in spoken[n : n + 2]} == {Link.SENTENCE} or len(spoken) > _FEW
        aside = clause in told or _is_aside(clause, wishes, understood, isolated=isolated)
        done = any(not wish.is_talk for wish in understood) and len(spoken) <= _FEW
        if done and wishes == _UNCLEAR and clause is spoken[-1]:
            aside = aside and not _asks(clause)
        (asides if aside else understood).extend(wishes)
        before = () if aside else wishes
    refused = (answer("never_mind"), answer("left_alone"))
    wanted = [wish for wish in understood if wish not in refused]
    return _with_topics(wanted or understood or _best_aside(asides))


def _located(wishes: tuple[Wish, ...], spoken: Sequence[Clause], told: Sequence[Clause]) -> tuple[Wish, ...]:
    """The first wish that lacks its place gets the one that is told of, or that comes in a refused wish."""
    at = next((n for n, wish in enumerate(wishes) if _has_or_needs_place(wish)), None)
    refused = spoken if any(wish.text == "no_data" for wish in wishes) else ()
    named = (*refused, *told)
    targets = [target for clause in named if clause.mentions and (target := target_of(clause))]
    shown = [
        w.target for w in wishes if w.intent in NAVIGATION and isinstance(w.target, Parcel | Egrid | Address)
    ]
    target = most_precise(targets[::-1]) or next(iter(shown), None)
    if at is None and any(wish.query and wish.pointer == "there" for wish in wishes):
        # Die Lastwagen donnern durch Olten, zeig mir den Lärm dort
        there = target or next((t for c in spoken if c.mentions and (t := target_of(c))), None)
        return (visit(there), *wishes) if there else wishes
    if at is None or wishes[at].target is not None or target is None:
        return wishes
    place = next((each for each in reversed(targets) if isinstance(each, Place)), None)
    where = located(target, place) if place else target
    return (*wishes[:at], replace(wishes[at], target=where), *wishes[at + 1 :])


def _has_or_needs_place(wish: Wish) -> bool:
    return wish.needs_place or wish.target is not None


def _names_only_place(clause: Clause) -> bool:
    """`…, ich meine 6, in Solothurn`"""
    places = [m for m in clause.mentions if isinstance(m.what, Place)]
    return len(places) == len(clause.mentions) == 1 and not clause.content and clause.own_roles <= GLUE


def _is_complete(wishes: Sequence[Wish]) -> bool:
    """Whether nothing lacks what a sentence that only tells something may say."""
    placed = next(filter(_has_or_needs_place, wishes), None)
    lacks_place = placed is not None and placed.target is None
    lacks = lacks_place or any(wish.text == "which_layer" for wish in wishes)
    return not lacks and any(wish != clarify("unclear") for wish in wishes)


def _corrects(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether it begins with a word that takes something back, or follows one: `Olten, nein, Grenchen`;
    or says the same in other words: `das Werkkataster, also GEP`."""
    at = next(n for n, each in enumerate(clauses) if each is clause)
    between = clauses[at - 1].own_roles & _TAKES_BACK if at and clauses[at - 1].is_talk else frozenset()
    first = next((word.role for word in clause.words if word.role not in _BEFORE_CORRECTION), None)
    repeats = clause.link is Link.COMMA and clause.words[:1] and clause.words[0].folded in _IN_OTHER_WORDS
    return bool(between) or first in _TAKES_BACK or bool(repeats and not clause.own_roles & _ORDERS)


def _read(
    sentence: Utterance,
    session: Session,
    tools: Sequence[ToolDescriptor],
    recall: Recall,
    before: Sequence[Utterance],
) -> Iterator[Piece]:
    """The pieces of one sentence."""
    if len(sentence.text) > _MAX_SENTENCE_CHARS:
        yield Piece(sentence)
        return
    plain = sentence.without_talk()
    joints = list(_JOINT.finditer(plain.text))[:_MAX_JOINTS]
    for joint in joints:
        left, right = plain.until(joint.start()), plain.between(joint.end(), len(plain.text))
        asked = left if left.opener is Opener.NONE else replace(left, sign=plain.sign)
        if _is_order(right) and (wishes := _questions(asked, session, tools, recall, before)):
            yield from (*(Piece(left, wish) for wish in wishes), Piece(right))
            return
        rest = plain.since(joint.end())
        asks = _ends_in_order(left) and rest.opener not in _OF_MAP
        if asks and (wishes := _questions(rest, session, tools, recall, (*before, left))):
            yield from (Piece(left), *(Piece(rest, wish) for wish in wishes))
            return
    if wishes := _questions(plain, session, tools, recall, before):
        yield from (Piece(plain, wish) for wish in wishes)
        return
    politely = is_request(plain.parts)
    for joint in joints if politely or _is_order(plain) else ():
        left, right = plain.until(joint.start()), plain.since(joint.end())
        # Could you show me Olten, if you don't mind?
        asked = (replace(right, sign="") if politely else right).without_talk()
        if right.opener is Opener.WHERE and not politely:
            continue  # Zeig mir, wo Neophyten wachsen
        if wishes := _questions(asked, session, tools, recall, (*before, left)):
            yield from (Piece(left), *(Piece(asked, wish) for wish in wishes))
            return
    yield Piece(sentence)


def _questions(
    sentence: Utterance,
    session: Session,
    tools: Sequence[ToolDescriptor],
    recall: Recall,
    before: Sequence[Utterance],
) -> tuple[Wish, ...]:
    """The wishes of a sentence that asks about parcels, or about documents."""
    if is_of_map(sentence, session, tools):
        return ()
    wishes = questions_about_parcels(sentence, session, tools, before)
    if wishes:
        return wishes
    of_documents = Role.DOCUMENT in sentence.roles
    hold = hold_of(sentence, asks=sentence.asks or of_documents)
    if hold is not Hold.NONE and wants_map(sentence, session, tools):
        hold = Hold.NONE
    thread = recall() if hold is not Hold.NONE else None
    stands = is_question(sentence, session, tools)
    goes_on = thread and not thread.is_topic and (thread.is_fresh or hold is Hold.TIGHT)
    if thread and (of_documents or stands or goes_on):
        wish = question_for_documents(sentence)
        return (replace(wish, query=continued(sentence, thread)),)
    stands = stands or bool(before and asks_of_told(sentence, before[-1], session, tools))
    return (question_for_documents(sentence),) if stands else ()


def _is_order(piece: Utterance) -> bool:
    """Whether it begins with what is to be done, and with what: `zeige mir Grenchen`, not `zeigen`."""
    spoken = [part for part in piece.parts if isinstance(part, Word | Mention)]
    spoken = [p for p in spoken if not (isinstance(p, Word) and p.role is Role.FILLER)]
    first = spoken[0] if len(spoken) > 1 else None
    return isinstance(first, Word) and first.role in ACTIONS and not first.folded.endswith("en")


def _ends_in_order(piece: Utterance) -> bool:
    """`Parzelle 198: Plan erstellen`"""
    last = piece.words[-1] if piece.words else None
    ends = last is not None and last.role in ACTIONS and last.folded.endswith("en")
    return ends and piece.opener is Opener.NONE


def _is_of_documents(wish: Wish) -> bool:
    return wish.intent == Intent.SEARCH_DOCUMENTS


def _is_closing(sentence: Utterance) -> bool:
    first = sentence.parts[0]
    return isinstance(first, Word) and first.role is Role.CLOSING


def _is_talk(clauses: Sequence[Clause]) -> bool:
    greets = any(Role.GREETING in clause.roles for clause in clauses)
    return greets or not any(nouns_in(clause.parts) for clause in clauses)


def _is_beside_questions(clauses: Sequence[Clause], wishes: Sequence[Wish]) -> bool:
    """Whether a text says nothing of its own beside a question: `Ich plane ein Gartenhaus.`"""
    if all(clause.is_talk for clause in clauses):
        return True
    ordered = any(clause.roles & _ORDERS and (clause.content or clause.mentions) for clause in clauses)
    return not wishes or (not ordered and all(wish.is_guess or wish in _UNCLEAR for wish in wishes))


def _with_topics(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """`Lade den Gewässerschutz und suche Dokumente dazu`: they are to be about the same."""
    result: list[Wish] = []
    more = [wish for wish in wishes if wish.text not in _POLITE]
    for wish in more or wishes:
        unnamed = wish.intent == Intent.SEARCH_DOCUMENTS and not wish.query
        topic = next((before.query for before in reversed(result) if before.query), "")
        result.append(replace(wish, query=topic) if unnamed and topic else wish)
    return with_opacity(result)


def _asks(clause: Clause) -> bool:
    """More than `was nun`."""
    return opener_of(clause.parts) is not Opener.NONE and len(clause.words) >= _MIN_QUESTION_WORDS


def _is_aside(
    clause: Clause, wishes: tuple[Wish, ...], understood: Sequence[Wish], *, isolated: bool
) -> bool:
    """Whether a clause was said beside the point, if there is one."""
    if wishes == (clarify("unclear"),):
        # "…, aber nicht den Waldplan" wants nothing of its own.
        wants = orders(clause) or (_asks(clause) and clause.link is not Link.COMMA)
        return Role.NOT in clause.roles or not (wants and (clause.content or clause.mentions))
    if all(wish.is_guess and wish.is_talk for wish in wishes):
        return True
    loaded = any(wish.intent == Intent.LOAD_LAYER for wish in understood)
    if loaded and wishes == (clarify("which_theme"),):
        return True  # Wer liefert uns Strom, gibt es dazu eine Karte?
    if wishes == (clarify("which_layer"),):
        return loaded or not clause.own_roles & ACTIONS
    return isolated and all(wish.is_guess for wish in wishes)


def _best_aside(asides: Sequence[Wish]) -> tuple[Wish, ...]:
    """Of what nobody asked for the first guess, else what was not understood."""
    guesses = [wish for wish in asides if wish.is_guess or wish == clarify("which_layer")]
    return tuple((guesses or _UNCLEAR)[:1])


def _talk_in(clauses: Sequence[Clause]) -> tuple[Wish, ...] | None:
    """What to say to `Danke, das war hilfreich`, but not to `Hallo, wie spät ist es?`."""
    if any(clause.roles & {Role.NOT, Role.CORRECTION} for clause in clauses):
        return None
    if any(opener_of(clause.parts) is not Opener.NONE for clause in clauses):
        return None
    polite = [clause for clause in clauses if clause.is_talk or commands.courtesy(clause)]
    return commands.talk_of([role for clause in polite for role in clause.roles])
