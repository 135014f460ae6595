"""What a tool service knows by name: how planners, page and checks know a region only through its sources."""

import re
from collections.abc import Collection
from typing import Annotated, Literal

from contracts.base import Contract
from contracts.intents import spec_of
from contracts.items import Coord, Extent
from contracts.languages import DEFAULT_LANGUAGE, Worded, said_in
from contracts.markdown import Words
from pydantic import Field

MAX_VOCABULARY_BYTES = 131_072
"""It is announced again and again; a canton with all its names, in four languages, has half of this."""
MAX_PARCEL_FORMS = 20

PlaceKind = Literal["municipality", "locality", "district", "canton"]

_DIGITS = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[^\W\d_]")
_FORM = r"^(?:A{1,3}[-./]?)?9(?:[-./]?(?:9|A)){0,3}$"


class PlaceName(Contract):
    """A place and what it is called: officially (`Biel/Bienne`, `Büren (SO)`), and otherwise."""

    name: Words
    kind: PlaceKind
    also: tuple[Words, ...] = ()
    """Further names; of a canton its abbreviation."""
    coord: Coord | None = None


class LayerName(Contract):
    """A layer, or a group of them, and what it is called: by its title, and otherwise.

    Further names are those that mean this one alone, in any language: `protection des eaux`.
    """

    id: Words
    name: Words
    also: tuple[Words, ...] = ()


class Example(Contract):
    """A sentence that this source can answer."""

    intent: str
    text: Words = ""
    """Empty: that of the intent, about the subject."""
    subject: Words = ""
    """What of it the data have named: `Hauptgasse 3a, Aubonnes`."""
    subjects: Worded = {}
    """The same in other languages, where that is something else."""
    needs: tuple[str, ...] = ()
    """Capabilities of other services without which the sentence would not work."""

    def sentence(self, language: str = DEFAULT_LANGUAGE) -> str:
        """What to say, in a language if the intent is a known one."""
        spec = spec_of(self.intent)
        if spec is None or not spec.example:
            return self.text
        is_own = language == DEFAULT_LANGUAGE and self.text
        return self.text if is_own else spec.sentence(language, self._named(language))

    def worded(self, language: str) -> "Example":
        """The same in one language alone."""
        said = {"text": self.sentence(language), "subject": self._named(language), "subjects": {}}
        return self.model_copy(update=said)

    def _named(self, language: str) -> str:
        return said_in({DEFAULT_LANGUAGE: self.subject, **self.subjects}, language)


class Vocabulary(Contract):
    """What one tool service announces beside its tools. All may be missing: then nothing has a name."""

    places: tuple[PlaceName, ...] = ()
    """The important ones first: what is too much is cut off at the end."""
    layers: tuple[LayerName, ...] = ()
    """The important ones first, too."""
    postal_codes: tuple[Annotated[str, Field(max_length=10)], ...] = ()
    parcel_numbers: Annotated[
        tuple[Annotated[str, Field(pattern=_FORM)], ...], Field(max_length=MAX_PARCEL_FORMS)
    ] = ()
    """Forms of the numbers of parcels, see `form_of`."""
    examples: Annotated[tuple[Example, ...], Field(max_length=50)] = ()
    extent: Extent | None = None
    """What a map shows at first."""

    def example(self, intent: str, alive: Collection[str]) -> Example | None:
        """The first sentence for an intent that works with the capabilities alive."""
        return next((e for e in self.examples_with(alive) if e.intent == intent), None)

    def examples_with(self, alive: Collection[str]) -> tuple[Example, ...]:
        """The sentences that work with the capabilities alive."""
        return tuple(example for example in self.examples if set(example.needs) <= set(alive))

    def bounded(self) -> "Vocabulary":
        """With as many of the places and layers as there is room for."""
        fitting, size = self, len(self.to_json())
        while size > MAX_VOCABULARY_BYTES and (fitting.places or fitting.layers or fitting.postal_codes):
            named = bool(fitting.places or fitting.layers)
            kept = {
                "places": fitting.places[: len(fitting.places) * 3 // 4],
                "layers": fitting.layers[: len(fitting.layers) * 3 // 4],
                "postal_codes": fitting.postal_codes if named else (),
            }
            fitting = fitting.model_copy(update=kept)
            size = len(fitting.to_json())
        return fitting


def form_of(number: str) -> str:
    """How the number of a parcel is built: `9` for some digits, `A` for a letter; `D7001` -> `A9`.

    A form says what else is a number without being a pattern that anybody could announce and all run.
    """
    return _DIGITS.sub("9", _LETTER.sub("A", number))


def is_form(form: str) -> bool:
    """Whether a form is one that can be announced."""
    return re.fullmatch(_FORM, form) is not None


def merged(vocabularies: tuple[Vocabulary, ...]) -> Vocabulary:
    """What several services know, as one."""
    forms = dict.fromkeys(form for each in vocabularies for form in each.parcel_numbers)
    return Vocabulary(
        places=tuple(place for each in vocabularies for place in each.places),
        layers=tuple(layer for each in vocabularies for layer in each.layers),
        postal_codes=tuple(dict.fromkeys(code for each in vocabularies for code in each.postal_codes)),
        parcel_numbers=tuple(forms)[:MAX_PARCEL_FORMS],
        examples=tuple(example for each in vocabularies for example in each.examples)[:50],
        extent=next((each.extent for each in vocabularies if each.extent), None),
    )
