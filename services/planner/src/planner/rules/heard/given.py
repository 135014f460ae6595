"""What is given to whoever fills in the wishes of an intent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.heard.concerned import NONE, Concerned
from planner.rules.planning.past import Past
from planner.rules.references.finding import Reference

DOUBTLESS: Final = 0.96
"""Of what is so probable one may ask where nothing was read; and a less probable layer may be meant."""


@dataclass(frozen=True)
class Given:
    """A message, what was before it, and all that is wanted at once."""

    said: Utterance
    past: Past
    wanted: frozenset[str]
    """Every intent that was heard."""
    probable: Mapping[str, float]
    """How probable each intent is, and what an answer says."""
    read: Wishes
    """What the rules have read in the message as a whole, and then clause by clause."""
    concerned: Concerned = NONE
    """Which of the layers on the map it is about."""
    dropped: frozenset[Reference] = frozenset()
    """What they have read for something that nobody wants: `GS 198 Messen, ÖREB-Auszug`."""


Maker = Callable[[str, Given], Wishes]
"""Makes the wishes for one intent; none where the message does not say all that it needs."""
