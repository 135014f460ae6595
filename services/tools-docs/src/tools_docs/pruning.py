"""Which words of a question are looked up, and which only count when the best passages are compared. Pure."""

from collections.abc import Iterable, Sequence

from tools_docs.gateways import Sought

MAX_READ_PASSAGES = 60_000
"""An index looks at every passage that matches: this many take a few hundredths of a second."""


def looked_up(sought: Sequence[Sought]) -> tuple[tuple[str, ...], ...]:
    """Sets of terms; a passage needs one of each. The rarest words of `sought` come first.

    Usually that is one set with all words. Frequent words are left out when rarer ones are enough to find
    passages by, and when even the rarest one is frequent it is looked for together with another one.
    """
    chosen: list[Sought] = []
    read = 0
    for number, words in enumerate(sought):
        if chosen and read + words.passages > MAX_READ_PASSAGES:
            rare = _terms(chosen)
            return (rare, _terms(sought[number:])) if read > MAX_READ_PASSAGES else (rare,)
        chosen.append(words)
        read += words.passages
    return (_terms(chosen),) if chosen else ()


def _terms(sought: Iterable[Sought]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for words in sought for term in words.terms))
