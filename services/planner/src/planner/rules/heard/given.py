"""What is given to whoever fills in the wishes of an intent."""

from collections.abc import Callable
from dataclasses import dataclass

from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.planning.past import Past


@dataclass(frozen=True)
class Given:
    """A message, what was before it, and all that is wanted at once."""

    said: Utterance
    past: Past
    wanted: frozenset[str]
    """Every intent that was heard."""
    read: Wishes
    """What the rules have read in the message as a whole, and then clause by clause."""


Maker = Callable[[str, Given], Wishes]
"""Makes the wishes for one intent; none where the message does not say all that it needs."""
