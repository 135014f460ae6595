"""What a clause wants: a list of rules, the first that applies decides."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor
from german.fold import fold

from planner.rules.grammar import commands, counting, features, loaded, phrases
from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.documents import wish_for_documents
from planner.rules.grammar.measures import distance, measuring
from planner.rules.grammar.nouns import nouns_in
from planner.rules.grammar.pointing import pointer_of
from planner.rules.grammar.scope import old_and_new
from planner.rules.grammar.targets import (
    called_place,
    layer_and_place,
    spot_in_place,
    target_of,
    visits,
)
from planner.rules.grammar.wishes import Wish, clarify, load, visit
from planner.rules.reading.forms import is_inflected
from planner.rules.reading.lexicon import ACTIONS, GLUE, Role, intent_called, role_of
from planner.rules.reading.topics import ACTIVITIES, is_theme, topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid
from planner.rules.references.layers import (
    is_layer,
    layer_named,
    layer_words_of,
    may_name_layer,
)
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place, is_elsewhere, similar_place

Rule = Callable[[Clause], tuple[Wish, ...] | None]

_AT_PLACE: dict[Role, Intent] = {
    Role.OEREB: Intent.OEREB_EXTRACT,
    Role.PLAN: Intent.CADASTRAL_PLAN,
    Role.GEOTHERMAL: Intent.GEOTHERMAL_PROBE_ASSESSMENT,
    Role.HEIGHT: Intent.HEIGHT_QUERY,
}
_LAYERS_TOO = frozenset({Role.GEOTHERMAL, Role.HEIGHT})
"""Concepts that are layers when somebody wants to load them."""
_SHOWS = frozenset({Role.GO, Role.FIND, Role.SHOW})
_WANTS = frozenset({"will", "moechte", "soll", "sollst"})
_WHERE = frozenset({"wo", "wo ist", "wo sind", "wo liegen", "wo liegt", "wo finde ich", "wo waere"})
_MAY = frozenset({"darf", "duerfen", "kann", "koennen", "koennte"})
_ASKS_NICELY = frozenset({"kannst", "koenntest", "magst", "wuerdest"})
_LAND_REGISTER = "grundbuch"
LEGENDS = frozenset({"legende", "legenden"})
_MAX_BARE_WORDS = 4
_MAX_QUERY_CHARS = 200


def wishes_of(clause: Clause, session: Session, tools: Sequence[ToolDescriptor]) -> tuple[Wish, ...]:
    """The wishes of one clause in the order in which they are to be fulfilled; never none."""
    rules: tuple[Rule, ...] = (
        commands.manipulation,
        commands.explanation,
        commands.help_wanted,
        lambda clause: loaded.told(clause, session),
        lambda clause: counting.queried(clause, session, tools),
        lambda clause: features.identified(clause, session, tools),
        counting.sized,
        lambda clause: distance(clause, tools),
        measuring,
        commands.about_machine,
        commands.journey,
        lambda clause: _replacement(clause, session, tools),
        commands.clear,
        commands.background,
        lambda clause: commands.refusal(clause, session),
        commands.view,
        lambda clause: commands.whereabouts(clause, session),
        lambda clause: loaded.changed(clause, session),
        _at_place,
        _parcel_at,
        _activity,
        lambda clause: _some_extract(clause, session),
        _something_else,
        lambda clause: _foreign(clause, tools),
        _documents,
        _unknown_topic,
        _layer,
        _parcel,
        commands.courtesy,
        _bare_layer,
        _visit,
        _unknown_place,
        commands.talk,
    )
    found = next((wishes for rule in rules if (wishes := rule(clause))), (clarify("unclear"),))
    if all(wish.is_talk or wish.target for wish in found):
        return found
    pointer = pointer_of(clause.words)
    return tuple(wish if wish.is_talk or wish.target else replace(wish, pointer=pointer) for wish in found)


def _replacement(
    clause: Clause, session: Session, tools: Sequence[ToolDescriptor]
) -> tuple[Wish, ...] | None:
    """A layer, or the background, in the place of another."""
    found = old_and_new(clause)
    if found is None:
        return None
    old, new = found
    gone = () if commands.background(old) else loaded.changed(old, session) or ()
    return (*(gone if session.layers else ()), *wishes_of(new, session, tools))


def _at_place(clause: Clause) -> tuple[Wish, ...] | None:
    """What is made for a point or a parcel: extract, plan, assessment, height."""
    roles = clause.roles
    role = next((role for role in _AT_PLACE if role in roles), None)
    if role is None and Role.ASKED in roles:
        asked = next(intent_called(w.folded) for w in clause.words if w.role is Role.ASKED)
        return (Wish(asked or Intent.CLARIFY, target_of(clause)),)
    target = target_of(clause)
    made = roles & {Role.CREATE, Role.HERE} or isinstance(target, Parcel | Egrid)
    if role is None and Role.PLAN_SHORT in roles and made and not clause.phrase():
        role = Role.PLAN
    somewhere = Role.HERE in roles or (target is not None and not isinstance(target, Place))
    if role is None and Role.BUILD in roles and (somewhere or Role.PARCEL in roles):
        role = Role.OEREB  # Was darf ich auf Parzelle 168 in Messen bauen?
    if role is None and somewhere and _names_themes(clause):
        role = Role.OEREB  # Welche ÖREB-Themen betreffen Parzelle 168 in Messen?
    if role is None:
        return None
    loads = role in _LAYERS_TOO and Role.LOAD in roles
    if role is Role.GEOTHERMAL and Role.LIST in roles and target is None and not somewhere:
        return (load(next(word.text for word in clause.words if word.role is role)),)
    if not somewhere and (loads or Role.LAYER in roles or _shows_many(clause, role)):
        return None  # the layer of that name
    return (Wish(_AT_PLACE[role], target),)


def _parcel_at(clause: Clause) -> tuple[Wish, ...] | None:
    """`Welche Parzelle gehört zur Rötistrasse 4 in Solothurn?`, `EGRID von …`"""
    asked = {Role.PARCEL, Role.LIST} <= clause.roles or any(w.folded == "egrid" for w in clause.words)
    target = target_of(clause) if asked else None
    return (Wish(Intent.SHOW_PARCEL, target),) if isinstance(target, Address | Coordinate) else None


def _activity(clause: Clause) -> tuple[Wish, ...] | None:
    """`Wo darf ich in Grenchen bauen?`: where something may be done is what a layer shows."""
    said = [word.folded for word in clause.words]
    if not said or (said[0] != "wo" and said[0] not in _MAY) or _MAY.isdisjoint(said):
        return None
    verb = next((word for word in clause.words if word.folded in ACTIVITIES), None)
    return (*visits(clause), load(verb.text)) if verb else None


def _names_themes(clause: Clause) -> bool:
    """A compound of the cadastre and a word for layer, which beside a parcel means the themes there."""
    return any(w.stem and role_of(fold(w.stem)) is Role.OEREB for w in clause.words)


def _shows_many(clause: Clause, role: Role) -> bool:
    """`Zeige die Erdwärmesonden` means the layer, `Zeige die Höhe` does not."""
    plural = any(w.role is role and w.folded.endswith("sonden") for w in clause.words)
    return plural and Role.SHOW in clause.roles


def _some_extract(clause: Clause, session: Session) -> tuple[Wish, ...] | None:
    """Of a parcel there is one; only who wants that of the land register may mean something else."""
    selected = any("egrid" in item.bindings() for item in session.selections)
    if Role.PLAN_SHORT in clause.roles and selected and clause.roles <= GLUE | {Role.PLAN_SHORT}:
        return (Wish(Intent.CADASTRAL_PLAN),) if not (clause.content or clause.mentions) else None
    if Role.EXTRACT not in clause.roles:
        return None
    if any(word.folded.startswith(_LAND_REGISTER) for word in clause.words):
        return (clarify("which_extract"),)
    target = target_of(clause)
    parcel = isinstance(target, Parcel | Egrid)
    return (
        (Wish(Intent.OEREB_EXTRACT, target),)
        if parcel or (selected and target is None)
        else (clarify("which_extract"),)
    )


def _something_else(clause: Clause) -> tuple[Wish, ...] | None:
    """What nobody here can do (`Vergleiche …`), and what is not to be done."""
    wants = clause.has_action or any(w.folded in _WANTS for w in clause.words)
    refuses = Role.NOT in clause.roles and wants and not any(w.folded in _ASKS_NICELY for w in clause.words)
    other = clause.roles & {Role.OTHER, Role.MEASURE}
    return (clarify("unclear"),) if refuses or other else None


def _foreign(clause: Clause, tools: Sequence[ToolDescriptor]) -> tuple[Wish, ...] | None:
    wish = phrases.match(clause, tools)
    return (replace(wish, target=target_of(clause)),) if wish else None


def _documents(clause: Clause) -> tuple[Wish, ...] | None:
    if Role.DOCUMENT not in clause.roles:
        return None
    return (wish_for_documents(clause.parts),)


def _unknown_topic(clause: Clause) -> tuple[Wish, ...] | None:
    if clause.roles & {Role.LAYER, Role.LOAD}:
        return None
    topic = next((topic for w in clause.content if (topic := topic_of(w.folded))), None)
    return (clarify("no_data", topic=topic),) if topic else None


def _layer(clause: Clause) -> tuple[Wish, ...] | None:
    """A layer to load, after the place where it is wanted; or the question which one."""
    roles = clause.roles
    certain = bool(roles & {Role.LAYER, Role.LOAD})
    themed = any(is_layer(w.folded) for w in clause.content)
    made = Role.CREATE in roles and all(is_layer(w.folded) for w in clause.content)  # mach mal Altlasten rein
    shows = (Role.SHOW in roles or made) and not _asks(clause)
    where = any(word.folded in _WHERE for word in clause.words)  # Wo ist der Waldplan?
    if not (certain or shows or (themed and (where or roles & {Role.FIND, Role.LIST}))):
        return None
    topic, place = layer_and_place(clause)
    topic = _with_its_noun(layer_words_of(topic), clause)
    if fold(topic) in LEGENDS:
        return (Wish(Intent.SHOW_LEGEND, args={"name": ""}, is_guess=True),)
    if not certain and not themed and (called := called_place(clause)):
        return (visit(called),)
    if not certain and not themed and is_elsewhere(fold(topic)):
        return (visit(Place(topic, "unknown")),)
    vague = next((m for m in clause.mentions if isinstance(m.what, Address) and m.what.vague), None)
    if not topic and vague and not shows:
        return (load(vague.text),)  # Kapellstrasse: a street, but also what a layer may be called
    if not topic:
        return _which_layer(clause)
    named = themed or may_name_layer(w.folded for w in clause.content)
    borrowed = not clause.own_roles & (ACTIONS | {Role.LAYER, Role.LIST})
    listed = clause.link is Link.AND and any(w.is_noun for w in clause.content)
    small = clause.mentions and clause.content and not any(w.is_noun for w in clause.content)
    if not named and ((borrowed and not listed) or small or not _has_noun(clause)):
        return None
    if not certain and not themed:
        name = similar_place(topic)
        if name and not clause.mentions:
            return (visit(name),)
        if spot_in_place(clause):
            return None
    around = (visit(place),) if place else visits(clause)
    return (*around, load(topic))


def _has_noun(clause: Clause) -> bool:
    """Whether a word can be a name at all: where there are nouns, names are some of them."""
    tells = any(word.is_noun for word in clause.words[1:])
    return not tells or any(noun.at > 0 for noun in nouns_in(clause.parts))


def _with_its_noun(topic: str, clause: Clause) -> str:
    """`alte Karten`: an adjective says what kind of layer, and names none without its noun."""
    for adjective, noun in pairwise(clause.words):
        alone = adjective.text == topic and not adjective.is_noun and not is_theme(adjective.folded)
        if alone and noun.role is Role.LAYER and noun.stem is None:
            return f"{topic} {noun.text}"
    return topic


def _which_layer(clause: Clause) -> tuple[Wish, ...] | None:
    roles = clause.roles
    if clause.mentions or Role.PARCEL in roles:
        return None
    if roles & {Role.LIST, Role.EVERYTHING}:
        return (clarify("which_theme"),)
    wants_one = roles & {Role.LAYER, Role.LOAD} and not roles & {Role.CREATE, Role.QUESTION}
    return (clarify("which_layer"),) if wants_one else None


def _asks(clause: Clause) -> bool:
    return Role.QUESTION in clause.roles


def _parcel(clause: Clause) -> tuple[Wish, ...] | None:
    """`Welche Parzelle liegt hier?`, `die Parzelle in Messen`: the noun without a number."""
    said = {word.folded for word in clause.words}
    size = Role.SIZE in clause.roles and not clause.mentions  # Wie gross ist sie?
    number = "egrid" in said and Role.HERE in clause.roles and not clause.mentions  # die EGRID davon
    named = Role.PARCEL in clause.roles and Role.NOT not in clause.roles
    if not (size or number or named) or (_asks(clause) and not number) or clause.phrase():
        return None
    target = target_of(clause)
    if isinstance(target, Place):
        target = Parcel(None, target.name)
    return (Wish(Intent.SHOW_PARCEL, target),)


def _bare_layer(clause: Clause) -> tuple[Wish, ...] | None:
    """`Gewässerschutz Grenchen`: a theme without a verb; without a place any noun will do, as a guess."""
    if clause.roles & (ACTIONS | {Role.QUESTION, Role.NOT}) or not clause.content:
        return None
    if len(clause.content) > _MAX_BARE_WORDS:
        return None
    if any(is_layer(w.folded) for w in clause.content) or layer_named([w.folded for w in clause.content]):
        return (*visits(clause), load(layer_words_of(clause.phrase())))
    if clause.mentions or not _is_name(clause):
        return None
    if is_elsewhere(fold(clause.phrase())):
        return (visit(Place(clause.phrase(), "unknown")),)
    if not may_name_layer(w.folded for w in clause.content):
        return None
    return (replace(load(clause.phrase()), is_guess=True),)


def _is_name(clause: Clause) -> bool:
    """A noun or a few, and nothing else that says what to do with them."""
    words = clause.content
    beside = pairwise(clause.words)
    adjectives = [word for word, noun in beside if is_inflected(word.folded) and noun.is_noun]
    return (
        0 < len(words) <= _MAX_BARE_WORDS
        and clause.roles <= GLUE
        and all(w.is_noun or w.folded.isdigit() or w in adjectives for w in words)
        and any(len(w.folded) >= 4 and set(w.folded) & set("aeiouy") for w in words)
    )


def _visit(clause: Clause) -> tuple[Wish, ...] | None:
    if not clause.mentions or Role.NOT in clause.roles or (_asks(clause) and clause.content):
        return None
    regions = all(isinstance(m.what, Place) and m.what.kind == "region" for m in clause.mentions)
    if regions and (_asks(clause) or Role.LIST in clause.roles):
        return None  # Wie viele sind es im Kanton?
    spots = [m.what for m in clause.mentions if isinstance(m.what, Coordinate)]
    if spots and _asks(clause):  # Was liegt bei 2600513, 1215519?
        return tuple(Wish(Intent.SHOW_PARCEL, spot) for spot in spots)
    spot = spot_in_place(clause)
    if spot:
        return (visit(spot),)
    return None if _is_about_else(clause) else visits(clause)


def _is_about_else(clause: Clause) -> bool:
    """`Ich möchte in Olten eine Pizza essen`: what is wanted there is no tool's."""
    said = [word.folded for word in clause.words]
    if said[:1] == ["wo"] and clause.content and not _MAY.isdisjoint(said):
        return True  # Wo kann ich in Olten parkieren?
    small = any(word.role in GLUE for word in clause.words)
    nouns = [word for word in clause.content if word.is_noun]
    places = all(isinstance(mention.what, Place) for mention in clause.mentions)
    return bool(small and nouns) and places and not clause.roles & (_SHOWS | {Role.AGAIN, Role.UNDO})


def _unknown_place(clause: Clause) -> tuple[Wish, ...] | None:
    if not clause.roles & {Role.GO, Role.FIND} or not clause.phrase() or _asks(clause):
        return None
    name = clause.phrase()[:_MAX_QUERY_CHARS]
    return (visit(similar_place(name) or Place(name, "unknown")),)
