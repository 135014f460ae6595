"""What a cosine similarity means: every model has a scale of its own, and few are known. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Cosine similarities of a question and a passage."""

    floor: float
    """Below it they have nothing in common."""
    close: float
    """From here on they are about the same, if no other passage is nearer by more than `margin`."""
    margin: float
    margin_with_words: float
    """What answers by its words too may be this much farther than the nearest."""
    very_close: float
    """Words of the question that the index hardly knows may be missing."""
    quotable: float
    """From here on a sentence may answer, words in common added (see `quoting`)."""

    def confidence(self, nearness: float) -> float:
        """From 0 to 1."""
        return max(0.0, min(1.0, (nearness - self.floor) / (self.very_close - self.floor)))


_E5 = Scale(floor=0.82, close=0.85, margin=0.015, margin_with_words=0.035, very_close=0.87, quotable=0.895)
"""Of multilingual-e5-small and its sisters, which use the uppermost fifth of the scale only. Measured on
questions about the sample and by `make eval-documents`."""


def scale_of(model: str | None) -> Scale | None:
    """None of a model that nobody has measured: its vectors order documents, and words judge them."""
    return _E5 if model is not None and "e5" in model.lower() else None
