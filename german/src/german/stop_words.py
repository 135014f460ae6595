"""Words that say nothing, or little, about what is asked for; as `bare` spells them."""

from functools import lru_cache
from importlib.resources import files

from german.fold import bare
from german.stems import stem


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    return listed("german", "stop_words.txt")


@lru_cache(maxsize=1)
def light_verbs() -> frozenset[str]:
    """`gelten`, `bleiben`: they find no document, but help to find the sentence."""
    return listed("german", "light_verbs.txt")


@lru_cache(maxsize=1)
def stop_stems() -> frozenset[str]:
    """Of both."""
    return frozenset(map(stem, stop_words() | light_verbs()))


def listed(package: str, name: str) -> frozenset[str]:
    """The words of a file among the data of a package, as `bare` spells them; # begins a comment."""
    text = files(package).joinpath(f"data/{name}").read_text(encoding="utf-8")
    return frozenset(bare(word) for line in text.splitlines() for word in line.partition("#")[0].split())
