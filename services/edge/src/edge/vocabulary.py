"""What the services alive know by name."""

from contracts.vocabulary import Example, Vocabulary
from servicekit.catalogue import ToolCatalogue


def vocabulary_of(catalogue: ToolCatalogue) -> Vocabulary:
    """With those examples only that work with the tools alive."""
    known = catalogue.vocabulary()
    alive = {tool.capability for tool in catalogue.tools()}
    return known.model_copy(update={"examples": known.examples_with(alive)})


def examples_of(catalogue: ToolCatalogue, language: str) -> tuple[Example, ...]:
    """Sentences that work with the tools alive, in a language."""
    return tuple(example.worded(language) for example in vocabulary_of(catalogue).examples)
