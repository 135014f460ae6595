"""A message as clauses, each with one thing to do.

A message is cut at every sign and conjunction that can separate two wishes; then the pieces that are no wish
of their own are put back: polite tails, places that belong to what stands before, names with an `und` inside.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from planner.rules.grammar.bare_parcels import with_bare_parcel, with_shared_place
from planner.rules.grammar.clause import TALK, Clause, Link
from planner.rules.grammar.letters import body_of
from planner.rules.grammar.loaded import gives_up
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.scope import in_scope
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, GLUE, PARTICLES, SEPARABLE, Role
from planner.rules.reading.topics import JOINED_NAMES, is_theme, topic_of
from planner.rules.references.places import Place, place_near

MAX_PIECES = 80
"""What is read of a message; nobody can mean more, a plan has ten steps at most."""
_WISHES = ACTIONS | CONCEPTS
_SHORT = frozenset({Role.EXTRACT, Role.PLAN_SHORT})
"""Two of these are two wishes: `Auszug und Plan`."""
_TAKES_OFF = frozenset({Role.REMOVE, Role.HIDE})
_INSTEAD = frozenset({"dafuer", "stattdessen", "dazu", "rein", "hinzu"})
"""`Wald weg, dafür die Geologie`, `Geologie dazu`"""
_OF_LOADED = frozenset({Role.REMOVE, Role.HIDE, Role.UNHIDE, Role.CLEAR, Role.EVERYTHING})
"""What has no place."""
_AT_PLACE = frozenset({Role.OEREB, Role.PLAN, Role.GEOTHERMAL, Role.HEIGHT})
_LAYER_ROLES = frozenset({Role.LOAD, Role.SHOW, Role.REMOVE, Role.HIDE, Role.LIST, Role.LAYER})
_ONE_LAYER = frozenset({"karte", "ebene", "thema", "kartenebene", "kartenlayer", "kartenthema"})
_LAYER_OF_ANY_NUMBER = frozenset({"layer", "overlay"})
_ARTICLES_OF_ONE = frozenset({"den", "der", "dem", "einen", "ein"})
_TAILS = frozenset({"bitte", "wieder", "auch", "noch"})
_BREAK = (Sign(","),)
_BETWEEN = "zwischen"
_POINTS = GLUE | {Role.HERE}
_WHERE = frozenset({"wo", "den", "die", "das"})
_PICTURES = "\u2600"
"""What is written from here on is a picture, and parts as a comma does: `zu dunkel 🙈 lieber farbig`."""
_DASH = Sign("-")
_COLON = Sign(":")
_COMMA = Sign(",")
_MIN_ANNOUNCING = 4
"""So many words before a colon are a clause of their own."""
_TAKES_BACK = frozenset({Role.NO, Role.CORRECTION})
_AFTER_DASH = frozenset({Role.NO, Role.CORRECTION, Role.QUESTION, Role.HELP})
_WHICH = frozenset({"das", "die", "jenes", "dasjenige", "dem"})
_NEAR = frozenset({"bei", "beim"})
_AROUND_THAT = GLUE | {Role.CORRECTION}
_REASONS = frozenset({"weil", "obwohl", "sonst"})
_AND_IN_NAME = (Word("und", "und", Role.FUNCTION),)


def clauses_of(parts: Sequence[Part]) -> tuple[Clause, ...]:
    """The clauses of a message, or of a piece of it, in its order."""
    clauses: list[Clause] = []
    wanted = in_scope(body_of(parts))
    for piece in islice(_split(tuple(_with_pauses(_with_places_told_apart(wanted)))), MAX_PIECES):
        _add(clauses, with_bare_parcel(_with_particle(piece)))
    return tuple(map(with_bare_parcel, _with_late_words(_with_late_particles(clauses))))


def _with_places_told_apart(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """`Balm, das bei Günsberg` is one place."""
    for first, second in pairwise(n for n, part in enumerate(parts) if isinstance(part, Mention)):
        one, other = parts[first], parts[second]
        between = [part for part in parts[first + 1 : second] if not isinstance(part, Sign)]
        that, near = [part.folded for part in between[-2:]] if len(between) > 1 else ("", "")
        if that in _WHICH and near in _NEAR and all(part.role in _AROUND_THAT for part in between):
            place = _near(one, other)
            if place:
                named = Mention(f"{one.text} {near} {other.text}", what=place, start=one.start)
                return (*parts[:first], named, *parts[second + 1 :])
    return parts


def _near(one: Part, other: Part) -> Place | None:
    places = [
        part.what for part in (one, other) if isinstance(part, Mention) and isinstance(part.what, Place)
    ]
    return place_near(*places) if len(places) == 2 else None


def _with_pauses(parts: Sequence[Part]) -> Iterator[Part]:
    """`in Zuchwil äh nein Subingen`: what takes something back begins a clause."""
    for n, part in enumerate(parts):
        if n and isinstance(parts[n - 1], Mention) and part.role in _TAKES_BACK:
            following = next((p for p in parts[n + 1 :] if p.role not in _TAKES_BACK | {Role.FILLER}), None)
            if isinstance(following, Mention):
                yield replace(_COMMA, start=part.start)
        yield part


def said(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """The clauses that are more than talk, or the talk if there is nothing else."""
    every = tuple(clauses)
    return tuple(c for c in every if not c.is_talk or gives_up(c)) or every[:1]


def _add(clauses: list[Clause], piece: Clause) -> None:
    """Append a piece as a clause of its own, or put it together with the one before."""
    if not clauses or (clauses[-1].is_talk and not piece.is_talk):
        clauses.append(piece)
        return
    previous = clauses[-1]
    joint = _joint(previous, piece)
    if joint is not None:
        clauses[-1] = replace(previous, parts=(*previous.parts, *joint, *piece.parts))
    elif (
        previous.has_action
        and not previous.has_object
        and (piece.link is not Link.SENTENCE or _is_verb(previous))
    ):
        # "lade danach den Waldplan": the verb is the one of what follows.
        verb = frozenset() if piece.has_action else previous.roles & ACTIONS
        clauses[-1] = replace(piece, link=previous.link, inherited=piece.inherited | verb)
    else:
        clauses.append(replace(piece, inherited=_inherited(previous, piece)))


def _is_verb(clause: Clause) -> bool:
    """`Lade!`: a sentence of one word, whose object is the next one."""
    return sum(word.role is not Role.FILLER for word in clause.words) == 1


def _split(parts: Sequence[Part]) -> Iterator[Clause]:
    """The pieces between signs and conjunctions; empty ones leave their link to the next."""
    current: list[Part] = []
    link, begun = Link.SENTENCE, False
    for part, following in pairwise((*parts, Sign("\n"))):
        boundary = _boundary(current, part, following)
        if boundary is None:
            current.append(part)
        elif current:
            yield Clause(tuple(current), link)
            current, link, begun = [], boundary, True
        else:
            link = min(link, boundary) if begun else boundary
    if current:
        yield Clause(tuple(current), link)


def _boundary(before: Sequence[Part], part: Part, following: Part) -> Link | None:
    if part == _COMMA and before and _is_decimal(before[-1], part, following):
        return None
    takes_back = part == _COLON and before and before[-1].role in _TAKES_BACK
    announces = part == _COLON and _announces(before)
    if takes_back or announces or part == Sign(",") or (part == _DASH and following.role in _AFTER_DASH):
        return Link.COMMA
    if isinstance(part, Sign):
        return Link.SENTENCE if part.text in ".!?;\n" else Link.COMMA if part.text >= _PICTURES else None
    if part.folded == "mit" and any(each.role is Role.AERIAL for each in before):
        return Link.AND  # Luftbild mit Parzellengrenzen
    if part.role is Role.AND and isinstance(following, Mention) and _joins_ends(before):
        return None
    return {Role.AND: Link.AND, Role.THEN: Link.THEN}.get(part.role) if part.role else None


def _announces(before: Sequence[Part]) -> bool:
    """`Was ich noch sagen wollte:`, `noch zwei Sachen:`, but not `Layer:`"""
    counts = [part for part in before if part.is_content]
    short = bool(counts) and all(isinstance(part, Word) and not part.is_noun for part in counts)
    return (short or len(before) >= _MIN_ANNOUNCING) and not any(part.role in ACTIONS for part in before)


def _is_decimal(before: Part, comma: Part, following: Part) -> bool:
    """`1,5 km`"""
    numbers = before.text.isdigit() and following.text.isdigit()
    return numbers and before.start + len(before.text) == comma.start == following.start - 1


def _joins_ends(before: Sequence[Part]) -> bool:
    """`zwischen Olten und Solothurn`"""
    at = next((n for n, part in enumerate(before) if part.folded == _BETWEEN), len(before))
    return sum(isinstance(part, Mention) for part in before[at:]) == 1


def _with_particle(piece: Clause) -> Clause:
    """`blende den Layer ein`: the verb gets the meaning that its particle gives it."""
    *verbs, particle = [w for w in piece.words if w.role is not Role.FILLER] or [Word("")]
    found = ((verb, _meanings(verb).get(particle.folded)) for verb in verbs)
    verb, role = next((each for each in found if each[1]), (None, None))
    if verb is None:
        return _with_lone_particle(piece, particle)
    parts = (replace(p, role=Role.FILLER) if p is particle else p for p in piece.parts)
    return replace(piece, parts=tuple(replace(p, role=role) if p is verb else p for p in parts))


def _with_lone_particle(piece: Clause, particle: Word) -> Clause:
    """`Karst raus, Jungwald rein`: there is no other verb."""
    role = PARTICLES.get(particle.folded)
    if (
        role is None
        or not piece.content
        or piece.own_roles & _WISHES
        or opener_of(piece.parts) is not Opener.NONE
    ):
        return piece
    return replace(piece, parts=tuple(replace(p, role=role) if p is particle else p for p in piece.parts))


def _meanings(verb: Word) -> dict[str, Role]:
    """Particle -> role for a verb that has particles."""
    stem = re.sub(r"(e|en|t)$", "", verb.folded)
    return SEPARABLE.get(stem) or SEPARABLE.get(verb.folded, {})


def _joint(previous: Clause, piece: Clause) -> tuple[Part, ...] | None:
    """What to put between two pieces that are one clause; None if they are two."""
    tight = piece.link > Link.THEN
    first = next((word.role for word in piece.words if word.role is not Role.FILLER), None)
    gives_reason = piece.link is Link.COMMA and piece.words and piece.words[0].folded in _REASONS
    if gives_reason or (first in _TAKES_BACK and not piece.is_talk):
        return None
    if Role.HERE in piece.own_roles and piece.own_roles <= _POINTS and piece.words[0].folded in _WHERE:
        return None if piece.content else _BREAK  # da, wo ich geklickt habe
    if piece.is_talk and (previous.is_talk or not piece.own_roles & {Role.YES, Role.NO, Role.CORRECTION}):
        return _BREAK
    if piece.link is Link.AND and _is_one_name(previous, piece):
        return _AND_IN_NAME
    ordered = piece.has_action and not piece.has_object and (tight or _is_verb(piece))
    if ordered and not previous.has_action:
        return _BREAK  # Rötistrasse 4 in Solothurn, bitte anzeigen
    if piece.link is Link.AND and _are_documents(previous, piece):
        return _AND_IN_NAME
    if _completes_place(previous, piece):
        return _BREAK
    if opener_of(piece.parts) is Opener.FACT and any(topic_of(w.folded) for w in piece.content):
        return None  # … und wie wird dort das Wetter?
    if piece.link is Link.SENTENCE and Role.MEASURE in piece.own_roles:
        return None
    if piece.own_roles & _WISHES or (piece.own_roles & _SHORT and previous.roles & (_SHORT | CONCEPTS)):
        return None
    if Role.DOCUMENT in previous.roles and tight:
        return _AND_IN_NAME if piece.link is Link.AND else _BREAK  # their subjects: Lärm, Wald und Boden
    if piece.mentions and not piece.content:
        lacks_place = not previous.mentions and not previous.content and not previous.roles & _OF_LOADED
        return _BREAK if lacks_place and previous.roles & (_WISHES | {Role.PARCEL}) else None
    themed = any(is_theme(w.folded) for w in piece.content)
    named = _is_about_layers(previous) and any(w.is_noun for w in piece.content)
    if piece.content and not themed and not named:
        return _BREAK if tight and Role.LAYER not in piece.roles else None
    return None


def _completes_place(previous: Clause, piece: Clause) -> bool:
    """`Parzelle 9902 in Subingen, Grundbuchplan bitte`: what is wanted comes after the place."""
    bare = previous.mentions and not previous.content and previous.roles <= GLUE | TALK | {Role.PARCEL}
    wanted = piece.own_roles & (_AT_PLACE | {Role.PLAN_SHORT}) and not piece.mentions and not piece.content
    return bool(bare and wanted)


def _are_documents(previous: Clause, piece: Clause) -> bool:
    """`Botschaften und Merkblätter zu …`: one subject for both."""
    wishes = piece.own_roles & _WISHES
    return Role.DOCUMENT in previous.own_roles and wishes == {Role.DOCUMENT} and not previous.content


def _is_about_layers(clause: Clause) -> bool:
    only_names = bool(clause.content) and clause.roles <= GLUE | TALK
    return only_names or bool(clause.roles & _LAYER_ROLES)


def _is_one_name(previous: Clause, piece: Clause) -> bool:
    """Whether the `und` between two pieces stands inside a name.

    It does in the names we know, after a truncated compound (`Wasser- und …`), and after a single layer that
    has its name behind it (`den Layer Natur und Umwelt`).
    """
    left, right = previous.parts[-1], piece.parts[0]
    if right == _DASH or (isinstance(left, Word) and left.text.endswith("-")):
        return True
    joined = f"{left.folded} und {right.folded}" in JOINED_NAMES
    return left.is_content and right.is_content and (joined or _names_one_layer(previous))


def _names_one_layer(clause: Clause) -> bool:
    """`den Layer Natur`, `zum Thema Natur`, but not `die Layer Natur`."""
    words = [Word(""), *(w for w in clause.words if w.role is not Role.FILLER)]
    for article, noun, name in zip(words, words[1:], words[2:], strict=False):
        single = noun.folded in _LAYER_OF_ANY_NUMBER and article.folded in _ARTICLES_OF_ONE
        if noun.role is Role.LAYER and name.is_content and (single or noun.folded in _ONE_LAYER):
            return True
    return False


def _inherited(previous: Clause, piece: Clause) -> frozenset[Role]:
    """`Lade Gewässerschutz und Waldplan`: the second piece has no verb and takes the first one's."""
    turned = (_meanings(verb).get(_last_word(piece)) for verb in previous.words)
    if role := next(filter(None, turned), None):
        return frozenset({role})  # Blende den Wald aus und den Karst ein
    ends = {word.folded for word in (*piece.words[:1], *piece.words[-1:])}
    if previous.roles & _TAKES_OFF and ends & _INSTEAD and piece.content and not piece.own_roles & _WISHES:
        return frozenset({Role.LOAD})
    asks = opener_of(piece.parts) in {Opener.STATE, Opener.NORM}
    if piece.own_roles & (_WISHES | {Role.LIST, Role.HELP, Role.MEASURE}) or piece.is_talk or asks:
        return frozenset()
    if piece.mentions and not piece.content:
        if previous.roles & _OF_LOADED:
            return frozenset()
        asked = frozenset() if piece.link is Link.THEN else frozenset({Role.OTHER, Role.MEASURE})
        return previous.roles & (_WISHES | asked)
    return previous.roles & (ACTIONS | {Role.LIST, Role.LAYER}) if _is_about_layers(previous) else frozenset()


def _with_late_particles(clauses: Sequence[Clause]) -> list[Clause]:
    """`blende A und B aus`: the particle at the end of a list gives the verb before it its meaning."""
    result = list(clauses)
    for n, clause in enumerate(clauses):
        meanings = next(filter(None, map(_meanings, clause.words)), {})
        if not meanings or clause.own_roles & (ACTIONS - {Role.CHANGE, Role.CREATE}):
            continue
        for m in range(n + 1, len(clauses)):
            if clauses[m].link <= Link.THEN or clauses[m].own_roles & ACTIONS:
                break
            role = meanings.get(_last_word(clauses[m]))
            if role:
                changed = (replace(each, inherited=each.inherited | {role}) for each in clauses[n : m + 1])
                result[n : m + 1] = changed
                break
    return result


def _last_word(clause: Clause) -> str:
    return next((word.folded for word in reversed(clause.words) if word.role is not Role.FILLER), "")


def _with_late_words(clauses: Sequence[Clause]) -> list[Clause]:
    """What stands only at the end of a list but holds for all of it.

    The verb (`Waldplan und Nutzungsplanung entfernen`), and the place (`den ÖREB-Auszug und den Grundbuchplan
    für Parzelle 168 in Messen`), which moves to the first wish: the others find it there.
    """
    result = list(clauses)
    for i in range(len(result) - 2, -1, -1):
        clause, following = result[i], result[i + 1]
        if following.link <= Link.THEN:
            continue
        result[i] = clause = with_shared_place(clause, following)
        result[i + 1] = following = with_shared_place(following, clause)
        late = [p for p in following.parts if not isinstance(p, Sign) and p.folded not in _TAILS]
        last = late[-1] if late and isinstance(late[-1], Word) else Word("")
        verb = last.role if not (last.role in _AT_PLACE and last.is_noun) else None
        if verb in ACTIONS | _AT_PLACE and clause.has_object and not clause.roles & _WISHES:
            result[i] = clause = replace(clause, inherited=clause.inherited | {verb})
        if _shares_place(clause, following):
            result[i] = replace(clause, parts=(*clause.parts, *following.mentions))
            if not following.roles & _SHORT:
                rest = tuple(p for p in following.parts if not isinstance(p, Mention))
                result[i + 1] = replace(following, parts=rest)
    return result


def _shares_place(clause: Clause, following: Clause) -> bool:
    made = CONCEPTS | _SHORT
    placeless = clause.roles & made and not clause.mentions and Role.HERE not in clause.roles
    return bool(placeless and following.roles & made and not following.own_roles & ACTIONS)
