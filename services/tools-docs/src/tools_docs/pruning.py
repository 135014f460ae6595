"""Which words of a question are looked up, and which only count when the best passages are compared. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools_docs.candidates import RARE_WORDS
from tools_docs.gateways import Sought

MAX_READ_PASSAGES = 40_000
"""An index looks at every passage that matches: this many take a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A passage needs a term of any of the `chosen` words, and of the `others` where there are any."""

    chosen: tuple[Sought, ...] = ()
    """The rarest come first."""
    others: tuple[Sought, ...] = ()
    is_ranked: bool = True
    """Whether the index is to sort what it finds. Of what is nearly everywhere any passages will do."""

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of terms; a passage needs one of each."""
        return tuple(_terms(words) for words in (self.chosen, self.others) if words)

    @property
    def rare(self) -> tuple[Sought, ...]:
        """The rarest words where there are several: each is sure to find some passages."""
        return self.chosen[:RARE_WORDS] if len(self.chosen) > 1 else ()


def looked_up(sought: Sequence[Sought]) -> Lookup:
    """The rarest words of `sought` come first.

    Usually all words are one set. Frequent words are left out when rarer ones are enough to find passages by,
    and when even the rarest one is frequent it is looked for together with another one.
    """
    chosen: list[Sought] = []
    read = 0
    for number, words in enumerate(sought):
        if chosen and read + words.passages > MAX_READ_PASSAGES:
            if read > MAX_READ_PASSAGES:
                return Lookup(tuple(chosen), tuple(sought[number:]), is_ranked=False)
            break
        chosen.append(words)
        read += words.passages
    return Lookup(tuple(chosen), is_ranked=read <= MAX_READ_PASSAGES)


def _terms(sought: Iterable[Sought]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for words in sought for term in words.terms))
