"""What one intent is: all that planners, action planner, help and page have to know of it."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any

from contracts.base import Contract
from contracts.languages import LANGUAGES, Worded, said_in
from pydantic import model_validator

Chain = tuple[str, ...]
"""Capabilities in the order of the calls. The first gets what the message says, the others what is found."""

GEOCODE = "geolocation.geocode"
MUNICIPALITY = "geolocation.municipality"
PLACE = "geolocation.place"
BY_NUMBER = "parcels.by_number"
BY_EGRID = "parcels.by_egrid"
BY_XY = "parcels.by_xy"
EGRID_BY_XY = "oereb.egrid_by_xy"


class Target(StrEnum):
    """What a wish can be about."""

    ADDRESS = "address"
    MUNICIPALITY = "municipality"
    PLACE = "place"
    """A locality, or a name that nobody has told us about."""
    PARCEL = "parcel"
    EGRID = "egrid"
    COORDINATE = "coordinate"
    CURRENT_PARCEL = "current parcel"
    CURRENT_POINT = "current point"
    """What the session has selected; it fills the arguments by itself."""
    NOTHING = "nothing"


class Need(StrEnum):
    """What has to be known before the goal can be called."""

    NOTHING = "nothing"
    AREA = "area"
    """A point; that of a municipality will do."""
    POINT = "point"
    PARCEL = "parcel"
    EGRID = "egrid"


_TO_PARCEL: Mapping[Target, tuple[Chain, ...]] = {
    Target.COORDINATE: ((BY_XY,), (EGRID_BY_XY,)),
    Target.ADDRESS: ((GEOCODE, BY_XY), (GEOCODE, EGRID_BY_XY)),
    Target.PARCEL: ((BY_NUMBER,),),
    Target.EGRID: ((BY_EGRID,), ()),
    Target.CURRENT_PARCEL: ((),),
    Target.CURRENT_POINT: ((BY_XY,), (EGRID_BY_XY,)),
    Target.NOTHING: ((BY_XY,), (EGRID_BY_XY,)),
}
_TO_POINT: Mapping[Target, tuple[Chain, ...]] = {
    Target.COORDINATE: ((),),
    Target.ADDRESS: ((GEOCODE,),),
    Target.PLACE: ((PLACE,), (GEOCODE,)),
    Target.PARCEL: ((BY_NUMBER,),),
    Target.EGRID: ((BY_EGRID,),),
    Target.CURRENT_POINT: ((),),
    Target.CURRENT_PARCEL: ((),),
    Target.NOTHING: ((),),
}
WAYS: Mapping[Need, Mapping[Target, tuple[Chain, ...]]] = {
    Need.NOTHING: {Target.NOTHING: ((),)},
    Need.AREA: {**_TO_POINT, Target.MUNICIPALITY: _TO_POINT[Target.PLACE]},
    Need.POINT: _TO_POINT,
    Need.PARCEL: _TO_PARCEL,
    Need.EGRID: {
        **{target: tuple(reversed(chains)) for target, chains in _TO_PARCEL.items()},
        Target.EGRID: ((),),
    },
}
"""By what is needed and what is given the chains that lead there, the best first."""


class IntentSpec(Contract):
    """One thing that a user can want.

    Its `goal` is called at the end of a chain that finds what it needs. `chains` says more where that is not
    enough. Neither: the plan's own arguments or message are the answer.
    """

    intent: str
    meaning: str
    """For a language model: what is wanted, and the arguments if it has no goal."""
    needs: Need = Need.NOTHING
    goal: str | None = None
    chains: Mapping[Target, tuple[Chain, ...]] = {}
    """Instead of the chains that `needs` leads to, by target."""
    title: Worded = {}
    """As a list of abilities names it; empty: none of them."""
    example: Worded = {}
    """A sentence that can be said, about a `{subject}` that sources name."""
    subject: Worded = {}
    """What stands for it where no source names one."""
    nothing_found: Worded = {}
    """With `{about}` for what was looked for. Empty: it can end without an item."""
    explained: Worded = {}
    """What it is, for who asks."""
    words: Worded = {}
    """Everyday nouns that mean it, folded: `plan_cadastral` for two words, `geotherm*` for compounds."""

    @model_validator(mode="after")
    def _speaks_every_language(self) -> "IntentSpec":
        for worded in (self.title, self.example, self.nothing_found, self.explained, self.words):
            if worded and set(worded) != set(LANGUAGES):
                raise ValueError(f"{self.intent}: a text is not in every language")
        return self

    def ways(self, target: Target) -> tuple[Chain, ...]:
        """The chains for a target, the best first; none when it cannot be fulfilled for it."""
        if target in self.chains:
            return self.chains[target]
        if self.goal is None and self.needs is Need.NOTHING:
            return ()
        goal = () if self.goal is None else (self.goal,)
        return tuple((*way, *goal) for way in WAYS[self.needs].get(target, ()))

    @property
    def all_chains(self) -> tuple[Chain, ...]:
        """Each once; the shortest first."""
        every = dict.fromkeys(chain for target in Target for chain in self.ways(target))
        return tuple(sorted(every, key=len))

    @property
    def needs_place(self) -> bool:
        """Whether it cannot be fulfilled without knowing where."""
        return self.needs is not Need.NOTHING

    def is_possible(self, alive: Collection[str]) -> bool:
        """Whether the tools alive can fulfil it for somebody who names what it is about."""
        told = set(Target) - _NOT_NAMED if self.needs_place else set(Target)
        chains = [chain for target in told for chain in self.ways(target)]
        return any(set(chain) <= set(alive) for chain in chains) if self.all_chains else True

    def sentence(self, language: str, subject: str = "") -> str:
        """A sentence to try, about what a source names."""
        named = subject or (said_in(self.subject, language) if self.subject else "")
        return said_in(self.example, language).format(subject=named)


_NOT_NAMED = {Target.NOTHING, Target.CURRENT_PARCEL, Target.CURRENT_POINT}


def spec_of_tool(capability: str, parameters: Mapping[str, Any], meaning: str) -> IntentSpec:
    """The intent of a tool that no known one uses, by what it asks for: an EGRID, a point, or neither."""
    required = set(map(str, parameters.get("required") or ()))
    intent = capability.replace(".", "_")
    if "egrid" in required:
        return IntentSpec(intent=intent, meaning=meaning, needs=Need.EGRID, goal=capability)
    if {"x", "y"} <= required:
        return IntentSpec(intent=intent, meaning=meaning, needs=Need.AREA, goal=capability)
    properties = parameters.get("properties")
    located = isinstance(properties, Mapping) and {"x", "y"} <= properties.keys()
    chains: dict[Target, tuple[Chain, ...]] = dict.fromkeys(Target, ((capability,),))
    if located:
        chains[Target.ADDRESS] = ((GEOCODE, capability),)
    return IntentSpec(intent=intent, meaning=meaning, goal=capability, chains=chains)


def claimed_by(specs: Iterable[IntentSpec]) -> frozenset[str]:
    """Every capability that some of the intents call."""
    return frozenset(capability for spec in specs for chain in spec.all_chains for capability in chain)
