"""Layers and places that are asked about: `Wie viele Altlasten hat Olten, und wie viele Grenchen?`"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from typing import Final

from contracts.intents import Intent

from planner.rules.grammar.counting import counted_at
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.wishes import Wish, label_of
from planner.rules.learned.wanted import SURE, Wanted
from planner.rules.references.layers import title_called
from planner.rules.references.places import Place

_LIKELY: Final = 0.5


def asked_of_each(wishes: Wishes, wanted: Sequence[Wanted]) -> Wishes:
    """What was read of one layer and place is asked of all layers, and at all places, that are asked about.

    None of them is loaded or shown for that. It stays as it was read where a layer is asked about that is not
    named, or where nobody can tell which layers and places belong together.
    """
    read = [wish for wish in wishes if wish.intent == Intent.QUERY_FEATURES and not wish.at_place]
    asked = dict.fromkeys(each.thing.what for each in wanted if each.of(Intent.QUERY_FEATURES) > SURE)
    pairs = _pairs([what for what in asked if isinstance(what, str | Place)])
    called = {title_called(layer): layer for wish in read if (layer := str(wish.args.get("layer", "")))}
    if not read or len(pairs) < 2 or not called.keys() <= asked.keys():
        return wishes
    of_layer = {
        title: replace(read[0], args={**read[0].args, "layer": called.get(title, title)})
        for title, _ in pairs
    }
    found = [counted_at(of_layer[title], place) for title, place in pairs]
    at = wishes.index(read[0])
    before, after = (
        [wish for wish in some if wish not in read and not _is_only_asked(wish, wanted)]
        for some in (wishes[:at], wishes[at:])
    )
    return (*before, *found, *after)


def _pairs(asked: Sequence[str | Place]) -> list[tuple[str, Place]]:
    """Each title with each place; of several of both with those that are named beside it."""
    runs = [list(run) for _, run in groupby(asked, key=lambda what: isinstance(what, str))]
    if 1 in Counter(isinstance(what, str) for what in asked).values():
        groups = [[*asked]]
    elif len(runs) % 2 == 0:
        groups = [[*one, *other] for one, other in zip(runs[::2], runs[1::2], strict=True)]
    else:
        return []
    pairs = chain.from_iterable(product(group, repeat=2) for group in groups)
    return [(one, other) for one, other in pairs if isinstance(one, str) and isinstance(other, Place)]


def _is_only_asked(wish: Wish, wanted: Sequence[Wanted]) -> bool:
    """Whether it shows a place, or loads a layer, of which only something is asked."""
    about = title_called(wish.query) if wish.intent == Intent.LOAD_LAYER else wish.target
    own = [each for each in wanted if about and each.thing.what == about]
    return any(each.of(Intent.QUERY_FEATURES) > SURE and each.of(label_of(wish)) < _LIKELY for each in own)
