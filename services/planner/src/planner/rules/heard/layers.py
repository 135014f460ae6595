"""Which layers a message means, by what was wanted by who said such things."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from contracts.session import LoadedLayer, Session

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.parts import Part, Word
from planner.rules.learned.features import text_of, titles_in, topic_features_of
from planner.rules.learned.model import layer_model
from planner.rules.learned.sense import sense_of
from planner.rules.reading.known import known

_LIKELY: Final = 0.5
_SURELY: Final = 0.8
_CERTAIN: Final = 0.85
"""A word by itself has nothing beside it that tells what is meant."""
_PERHAPS: Final = 0.3
"""Where it is known that there is a layer to be found."""
_HARDLY: Final = 0.1
"""Where there is no doubt that it is a layer."""
_FAINT: Final = 0.05
"""Where it is known that it is one of a few."""
_FEW: Final = 3
_MAX_CLAUSES: Final = 16
"""People name no more layers at once."""
_CLEARLY: Final = 3.0
"""So many times as probable as any other."""


def layers_meant(parts: Sequence[Part]) -> tuple[str, ...]:
    """The titles that are meant as likely as not, the likeliest first; only of layers that there are."""
    least = _LIKELY if sum(part.is_content for part in parts) > 1 else _CERTAIN
    return tuple(title for p, title in _ranked(parts) if p >= least)


def layers_wanted(clauses: Sequence[Clause], above: str = "", told: Container[str] = ()) -> tuple[str, ...]:
    """The titles that some clauses want as likely as not, in the order in which they are said.

    `above` is called what lies on all other layers: `und nachts?`

    What is wanted beside titles that were `told` needs more. Of a word that stands alone in its clause, and
    names no layer, it has to be certain.
    """
    found = _wanted(clauses, above)
    beside = _SURELY if any(title in told for title in found) else _LIKELY
    least = {t: _CERTAIN if each.is_lone else _LIKELY if t in told else beside for t, each in found.items()}
    titles = [title for title, each in found.items() if each.p > least[title]]
    said = [title for clause in clauses for title in titles_in(clause.parts)]
    at = {title: said.index(title) for title in said}
    return tuple(sorted(titles, key=lambda title: (found[title].clause, at.get(title, 0), -found[title].p)))


def layer_guessed(clauses: Sequence[Clause], above: str = "", *, doubtless: bool = False) -> tuple[str, ...]:
    """The clearly likeliest title, where it is known that a layer is meant, by more than one word.

    Where that is `doubtless` it may be less probable.
    """
    found = _wanted(clauses, above)
    first, second = (*_likeliest(found), "", "")[:2]
    is_word = sum(len(clause.content) for clause in clauses) <= 1
    if not first or is_word or (found[first].is_lone and not doubtless):
        return ()
    other = found[second].p if second else 0.0
    least = _PERHAPS if not doubtless else _LIKELY if found[first].is_lone else _HARDLY
    return (first,) if found[first].p >= max(least, _CLEARLY * other) else ()


def layers_likely(clauses: Sequence[Clause], above: str = "") -> tuple[str, ...]:
    """Those to choose from where none is clearly the likeliest; none where all are unlikely."""
    found = _wanted(clauses, above)
    return tuple(title for title in _likeliest(found)[:_FEW] if found[title].p > _FAINT)


class _Wanted(NamedTuple):
    p: float
    """How probable it is, by all that is said and by the clause that says most for it."""
    clause: int
    is_lone: bool
    """That clause has one word only, and no name, and does not go on from what lies above."""


def _wanted(clauses: Sequence[Clause], above: str) -> Mapping[str, _Wanted]:
    """How each title that there is may be wanted."""
    said = [clause for clause in clauses if clause.content][:_MAX_CLAUSES]
    if not said:
        return {}
    together = _probable(parts_of(said), above)
    apart = [_probable(clause.parts, above) for clause in said] if len(said) > 1 else [together]
    named = [titles_in(clause.parts) for clause in said]
    found = {}
    for title in together.keys() & {layer.name for layer in known().vocabulary.layers}:
        n = max(range(len(said)), key=lambda n: apart[n].get(title, 0.0))
        goes_on = bool(above) and said[n].link is Link.AND
        is_lone = len(said[n].content) == 1 and title not in named[n] and not goes_on
        found[title] = _Wanted((together[title] + apart[n].get(title, 0.0)) / 2, n, is_lone)
    return found


def _likeliest(found: Mapping[str, _Wanted]) -> Sequence[str]:
    return sorted(found, key=lambda title: (-found[title].p, title))


def is_learned(title: str) -> bool:
    """Whether it is known what people call that layer; not so of those of other cantons."""
    return title in layer_model(by_sense=False).labels


def _ranked(parts: Sequence[Part]) -> Sequence[tuple[float, str]]:
    titles = {layer.name for layer in known().vocabulary.layers}
    return sorted(((p, title) for title, p in _probable(parts).items() if title in titles), reverse=True)


def loaded_meant(parts: Sequence[Part], among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...]:
    """`die Rohre blasser`: the one of some loaded layers that is clearly the likeliest."""
    named = [part for part in parts if isinstance(part, Word) and not says_how(part)]
    probable = _probable(named)
    ranked = sorted(among, key=lambda layer: -probable.get(layer.label, 0.0))
    best, other, *_ = (*(probable.get(layer.label, 0.0) for layer in ranked), 0.0, 0.0)
    return tuple(ranked[:1]) if best >= max(_FAINT, _CLEARLY * other) else ()


def lies_above(session: Session) -> str:
    """What the layer is called that lies above all others that can be seen."""
    return next((layer.label for layer in reversed(session.layers) if layer.visible), "")


def parts_of(clauses: Iterable[Clause]) -> list[Part]:
    return [part for clause in clauses for part in clause.parts]


def _probable(parts: Iterable[Part], above: str = "") -> Mapping[str, float]:
    said = tuple(parts)
    sense = sense_of(text_of(said))
    return layer_model(by_sense=sense is not None).probabilities(topic_features_of(said, above), sense)
