"""What is denied, excepted or replaced: `nicht Olten, sondern Grenchen`, `alles ausser Wald`, `A statt B`.

A word that denies or replaces holds as far as its phrase goes. What it holds for is taken out of the message
if something else is left to wish for. What an exception spares becomes one part, which belongs to the clause
with the verb. The rest of the grammar never sees either.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.loaded import IN_LAYER_NAMES, ONLY_THIS
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Mention, Part, Sign, Spared, Word
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, Role
from planner.rules.reading.tables import table
from planner.rules.references.layers import may_name_layer

_WORDS: Final = table("words.toml")
_DENIES: Final = frozenset(_WORDS["scope"]["denies"].split())
_INSTEAD_OF: Final = frozenset(_WORDS["scope"]["instead_of"].split())
_FORGETS: Final = frozenset(_WORDS["scope"]["forgets"].split())
_RATHER: Final = frozenset(_WORDS["scope"]["rather"].split())
_THAN: Final = frozenset(_WORDS["scope"]["than"].split())
_ENDS: Final = frozenset(_WORDS["scope"]["ends"].split())
_EXCEPT: Final = tuple(tuple(words.split()) for words in _WORDS["exceptions"]["except"])
_EXCEPT_BEGINS: Final = frozenset(words[0] for words in _EXCEPT)
_BUT: Final = (("aber",),)
"""`everything but A`"""
_ONLY: Final = frozenset(_WORDS["exceptions"]["only"].split())
_REST: Final = frozenset(_WORDS["exceptions"]["rest"].split())
_LEFT: Final = frozenset(_WORDS["exceptions"]["left"].split())
_REPLACES: Final = frozenset(_WORDS["replacing"]["verbs"].split())
_BEFORE_NEW: Final = frozenset(_WORDS["replacing"]["before_new"].split())
_BEFORE_OLD: Final = frozenset(_WORDS["replacing"]["before_old"].split())
_NAMES = CONCEPTS | {Role.GREY, Role.COLOUR}
_LEAVES = frozenset({Role.KEEP, Role.UNHIDE})
_SMALL = frozenset({Role.FILLER, Role.FUNCTION})
_JOINTS = frozenset({Role.FILLER, Role.AND})
_TAKES_AWAY = frozenset({Role.REMOVE, Role.HIDE, Role.CHANGE})
_ENDS_OF_SENTENCE = tuple(map(Sign, ".!?;\n"))
_COMMA, _DASH = Sign(","), Sign("-")
_TAKES_BACK = frozenset({Role.CORRECTION, Role.NO})
_PERCENT: Final = frozenset(_WORDS["arranging"]["percent"].split())
_EVERYTHING = Word("alles", "alles", Role.EVERYTHING)
_AWAY = Word("weg", "weg", Role.REMOVE)
_OUT = Word("ausblenden", "ausblenden", Role.HIDE)
_TO = frozenset({"auf"})
"""`alles ausser A auf 30 %`"""
_OUT_OF = "aus"
"""`blende alles aus`"""
_WITHOUT, _TO_DO = "ohne", "zu"
_NOTHING = frozenset({"ohne", "kein", "keinen"})
_NEITHER, _NOR = "weder", "noch"
_Cut = tuple[int, int, int]
"""Where what stays begins to be told of, where its names begin, and where they end."""
_Replaced = tuple[Sequence[Part], Sequence[Part]]
"""What is to go, and what is to come."""


def in_scope(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts with what is left alone as one of them, and without what is denied where more is wanted."""
    settled = _without_corrected_numbers(parts)
    excepted = (part for sentence in _sentences_in(settled) for part in _with_exception(sentence))
    return tuple(part for sentence in _sentences_in(tuple(excepted)) for part in _without_denied(sentence))


def old_and_new(clause: Clause) -> tuple[Clause, Clause] | None:
    """What is to go and what is to come, each as a clause with its verb; None without such a wish."""
    found = _by_verb(clause.parts) or _by_preposition(clause.parts)
    if found is None:
        return None
    old = Clause(tuple(found[0]), inherited=frozenset({Role.REMOVE}))
    new = Clause(tuple(found[1]), inherited=frozenset({Role.LOAD}))
    numbered = old.mentions or any(w.text[0].isdigit() for w in old.content)  # nicht 19, sondern 9
    return (old, new) if old.phrase(*_NAMES) and new.phrase(*_NAMES) and not numbered else None


def _sentences_in(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    """A message cut after the signs that end a sentence."""
    ends = [n for n, part in enumerate(parts, start=1) if part in _ENDS_OF_SENTENCE]
    for start, end in pairwise((0, *ends, len(parts))):
        yield tuple(parts[start:end])


def _without_corrected_numbers(parts: Sequence[Part]) -> tuple[Part, ...]:
    """`auf 40, äh 60 Prozent` is `auf 60 Prozent`."""
    if _TAKES_BACK.isdisjoint([part.role for part in parts]):
        return tuple(parts)
    result: list[Part] = []
    number, corrects = None, False
    """Where the last number is, and whether it was taken back since."""
    for part in parts:
        if part.text.isdigit() and number is not None and corrects:
            unit = [each for each in result[number:] if _is_unit(each)][:1]
            result[number:] = [part, *unit]
            corrects = False
        elif _is_unit(part) and number == len(result) - 2 and _is_unit(result[-1]):
            continue
        else:
            result.append(part)
            number = len(result) - 1 if part.text.isdigit() else number if _is_beside_number(part) else None
            corrects = number is not None and (
                part.role in _TAKES_BACK or (corrects and number != len(result) - 1)
            )
    return tuple(result)


def _is_beside_number(part: Part) -> bool:
    """What may stand between a number and the one that is meant."""
    return isinstance(part, Sign) or part.role in _TAKES_BACK | _SMALL or _is_unit(part)


def _is_unit(part: Part) -> bool:
    return part.text == "%" or part.folded in _PERCENT


def _without_denied(sentence: tuple[Part, ...]) -> tuple[Part, ...]:
    asks = opener_of(sentence) is not Opener.NONE or Sign("?") in sentence
    if asks and not any(part.folded in _INSTEAD_OF for part in sentence):
        return sentence
    done = _without_denied_verbs(sentence)
    wanted = tuple(_wanted(done))
    return wanted if any(map(_is_named, wanted)) else done


def _without_denied_verbs(sentence: tuple[Part, ...]) -> tuple[Part, ...]:
    """Without a denied verb that stands alone beside another: `nur verstecken, nicht löschen`."""
    if sum(part.role in ACTIONS for part in sentence) < 2:
        return sentence
    gone: set[int] = set()
    for n, (part, following) in enumerate(pairwise(sentence)):
        alone = n == 0 or isinstance(sentence[n - 1], Sign) or sentence[n - 1].role in _JOINTS
        if alone and part.folded in _DENIES and following.role in ACTIONS:
            gone |= {n, n + 1}
    return tuple(part for n, part in enumerate(sentence) if n not in gone)


def _wanted(sentence: Sequence[Part]) -> Iterator[Part]:
    at = 0
    while at < len(sentence):
        if sentence[at].folded == _WITHOUT and (end := _end_of_left_alone(sentence, at)):
            at = end
            continue
        end = _end_of_scope(sentence, at + 1) if _denies(sentence, at) else at + 1
        scope = sentence[at + 1 : end]
        # One layer in the place of another is a wish.
        layers = sentence[at].folded in _INSTEAD_OF and not any(isinstance(part, Mention) for part in scope)
        wished = sentence[at].folded in _NOTHING and any(part.role is Role.BACKGROUND for part in scope)
        if layers or wished or not any(_is_named(part) or part.role is Role.LAYER for part in scope):
            yield sentence[at]
            end = at + 1
        at = end


def _end_of_left_alone(sentence: Sequence[Part], at: int) -> int | None:
    """`ohne den Hintergrund zu wechseln`, `sans changer de fond`: where what is not to be done ends."""
    ends = (n for n, part in enumerate(sentence[at:], at) if isinstance(part, Sign) or part.role is Role.AND)
    end = next(ends, len(sentence))
    verb = _index(sentence[:end], lambda part: part.role in ACTIONS, at + 1)
    if verb is None:
        return None
    after_to = sentence[verb - 1].folded == _TO_DO
    return verb + 1 if after_to else (end if verb == at + 1 else None)


def _denies(sentence: Sequence[Part], at: int) -> bool:
    word = sentence[at].folded
    if word in _THAN:
        return any(part.folded in _RATHER for part in sentence[:at])
    if word == _NOR:
        return any(part.folded == _NEITHER for part in sentence[:at])
    if any(part.folded in _FORGETS for part in sentence[max(0, at - 2) : at]):
        return False  # vergiss bitte nicht A
    not_only = [part.folded for part in sentence[at + 1 : at + 2]] == ["nur"]
    return word in _INSTEAD_OF or (word in _DENIES and not not_only)


def _end_of_scope(sentence: Sequence[Part], start: int) -> int:
    """The first part beyond it: a sign, a word like `sondern`, a verb, or the next phrase."""
    named = False
    for n, part in enumerate(sentence[start:], start):
        if (isinstance(part, Sign) and part != _DASH) or part.folded in _ENDS or part.role in ACTIONS:
            return n
        if named and part.role in _SMALL:
            return n
        named = named or _is_named(part)
    return len(sentence)


def _is_named(part: Part) -> bool:
    return isinstance(part, Mention) or (part.says_something(_NAMES) and not says_how(part))


def _with_exception(sentence: tuple[Part, ...]) -> tuple[Part, ...]:
    if verb := _verb_for_the_rest(sentence):
        spared = _spared(sentence)
        return (_EVERYTHING, verb, spared) if spared.names else sentence
    if _only_these(sentence):
        spared = _spared(sentence)
        return (_EVERYTHING, _OUT, ONLY_THIS, spared) if spared.names else sentence
    found = _marked(sentence) or _refused(sentence)
    if found is None:
        return sentence
    at, start, end = found
    spared = _spared(sentence[start:end])
    while at and (isinstance(sentence[at - 1], Sign) or sentence[at - 1].role in _JOINTS):
        at -= 1
    return (*sentence[:at], spared, *sentence[end:]) if spared.names else sentence


def _verb_for_the_rest(sentence: Sequence[Part]) -> Part | None:
    """What is done to all but the named: `behalte nur A`, `lass nur A stehen`, `nur A, den Rest weg`"""
    words, verbs = {part.folded for part in sentence}, [part for part in sentence if part.role in ACTIONS]
    out = _OUT_OF in words and any(verb.role is Role.CHANGE for verb in verbs)
    taking = [
        _OUT if out and verb.role is Role.CHANGE else verb for verb in verbs if verb.role not in _LEAVES
    ]
    if not words & _ONLY or any(verb.role not in {Role.REMOVE, Role.HIDE} for verb in taking):
        return None
    if taking:
        every = any(part.role is Role.EVERYTHING for part in sentence) and words & _LEFT
        return taking[-1] if words & _REST or every else None
    return _AWAY if verbs or words & _LEFT else None


def _only_these(sentence: Sequence[Part]) -> bool:
    """`Zeig nur noch A und B`"""
    if not any(one.folded in _ONLY and more.folded == _NOR for one, more in pairwise(sentence)):
        return False
    named = [part for part in sentence if part.is_content]
    verbs = {part.role for part in sentence if part.role in ACTIONS}
    sounds = any(may_name_layer(part.folded.split()) for part in named)
    mentioned = any(isinstance(part, Mention) for part in sentence)
    return sounds and not mentioned and verbs <= {Role.SHOW, Role.LOAD, Role.UNHIDE}


def _marked(sentence: Sequence[Part]) -> _Cut | None:
    """`alles ausser A und B`"""
    begin = _after_everything(sentence)
    if sentence and sentence[0].folded in _EXCEPT_BEGINS and (first := _marked_first(sentence, begin)):
        return first
    for at in range(begin, len(sentence)):
        words = _EXCEPT + (_BUT if all(part.role is Role.LAYER for part in sentence[begin:at]) else ())
        said = tuple(part.folded for part in sentence[at:])
        start = next((at + len(each) for each in words if said[: len(each)] == each), None)
        if start is not None:
            return at, start, _end_of_names(sentence, start)
    return None


def _marked_first(sentence: Sequence[Part], everything: int) -> _Cut | None:
    """`ausser A kann alles weg`"""
    said = tuple(part.folded for part in sentence)
    start = next((len(each) for each in _EXCEPT if said[: len(each)] == each), None)
    named = start is not None and any(part.role is Role.EVERYTHING for part in sentence[start:everything])
    return (0, start, _end_of_names(sentence[: everything - 1], start)) if named and start else None


def _refused(sentence: Sequence[Part]) -> _Cut | None:
    """`alles weg, aber nicht A`, `alles weg, nur A nicht`, `alles weg, aber lass A stehen`"""
    begin = _after_everything(sentence)
    refusals = (n for n in range(begin, len(sentence)) if _refuses(sentence[n]))
    at = next((n for n in refusals if not any(p.folded in _ONLY for p in sentence[n + 1 : n + 2])), None)
    if at is None or not any(part.role in _TAKES_AWAY for part in sentence[:at]):
        return None
    end = _end_of_names(sentence, at + 1)
    if _spared(sentence[at + 1 : end]).names:
        return at, at + 1, end
    start = max((n + 1 for n in range(begin, at) if sentence[n].role in ACTIONS), default=begin)
    return start, start, at + 1


def _refuses(part: Part) -> bool:
    return part.role in {Role.NOT, Role.KEEP} or part.folded in _LEFT


def _after_everything(sentence: Sequence[Part]) -> int:
    """Where something after the word for everything begins; the end if there is none."""
    everything = _index(sentence, lambda part: part.role is Role.EVERYTHING)
    return len(sentence) if everything is None else everything + 1


def _end_of_names(sentence: Sequence[Part], start: int) -> int:
    """Before the next verb or the particle of one: both belong to the clause."""
    verb = _index(sentence, lambda part: part.role in ACTIONS or part.folded in _TO, start) or len(sentence)
    named = [n for n in range(start, verb) if _is_layer_name(sentence[n])]
    return named[-1] + 1 if named else verb


def _is_layer_name(part: Part) -> bool:
    return isinstance(part, Mention) or part.says_something(IN_LAYER_NAMES)


def _spared(parts: Sequence[Part]) -> Spared:
    """Each with its name."""
    told = (part for part in parts if not _refuses(part) and part.folded not in _REST)
    runs = groupby(told, key=lambda part: part == _COMMA or part.role is Role.AND)
    clauses = [Clause(tuple(run)) for joins, run in runs if not joins]
    names = (c.phrase(*IN_LAYER_NAMES) or " ".join(m.text for m in c.mentions) for c in clauses)
    return Spared(" ".join(part.text for part in parts), names=tuple(filter(None, names)))


def _by_verb(parts: tuple[Part, ...]) -> _Replaced | None:
    """`Ersetze A durch B`"""
    verb = _index(parts, lambda part: part.folded in _REPLACES)
    between = _index(parts, lambda part: part.folded in _BEFORE_NEW)
    if verb is None or between is None:
        return None
    old, new = ([part for part in side if part is not parts[verb]] for side in _around(parts, between))
    return old, new


def _by_preposition(parts: tuple[Part, ...]) -> _Replaced | None:
    """`B statt A`, `statt A lieber B`"""
    at = _index(parts, lambda part: part.folded in _BEFORE_OLD)
    if at is None:
        return None
    before, after = _around(parts, at)
    if Clause(before).phrase(*_NAMES):
        return after, before
    # "statt dem Waldplan die Nutzungsplanung": the first name ends where the next small words begin.
    names = [n for n, part in enumerate(after) if part.says_something(_NAMES)]
    gap = next((n + 1 for n, following in pairwise(names) if following > n + 1), None)
    return (after[:gap], after[gap:]) if gap else None


def _around(parts: tuple[Part, ...], at: int) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    return parts[:at], parts[at + 1 :]


def _index(parts: Sequence[Part], fits: Callable[[Part], bool], start: int = 0) -> int | None:
    return next((n for n in range(start, len(parts)) if fits(parts[n])), None)
