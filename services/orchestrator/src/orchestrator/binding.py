"""Fills the missing arguments of a tool call from typed selections. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from contracts.items import Item, binds_of
from contracts.tools import CalledTool
from jsonschema import Draft202012Validator


def missing(descriptor: CalledTool, args: Mapping[str, Any]) -> tuple[frozenset[str], ...]:
    """What `args` lacks: the alternative sets of parameters, one of which has to be filled.

    One empty set means that nothing is missing. A schema with `anyOf: [{required: [...]}, ...]` has several
    alternatives, e.g. a plan needs a geometry or an EGRID.
    """
    schema = descriptor.parameters
    always = set(schema.get("required", ()))
    branches = [set(branch.get("required", ())) for branch in schema.get("anyOf", ())] or [set()]
    gaps = {frozenset((always | branch) - args.keys()) for branch in branches}
    return tuple(sorted(gaps, key=lambda gap: (len(gap), sorted(gap))))


def fields_of(descriptor: CalledTool, parameter: str) -> frozenset[str]:
    """What a parameter takes of an object; empty where its schema does not say."""
    schema = descriptor.parameters.get("properties", {}).get(parameter, {})
    named = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    return frozenset(descriptor.parameters.get("$defs", {}).get(named, schema).get("properties", ()))


def complete(descriptor: CalledTool, args: Mapping[str, Any]) -> bool:
    """Whether a call can be made as it is."""
    return missing(descriptor, args)[0] == frozenset()


def could_bind(item_types: Iterable[str], gaps: Sequence[frozenset[str]]) -> bool:
    """Whether items of one of these types can fill one of the gaps."""
    return any(gap <= binds_of(item_type) for item_type in item_types for gap in gaps)


def bind(descriptor: CalledTool, args: Mapping[str, Any], sources: Iterable[Item]) -> dict[str, Any] | None:
    """The arguments with one gap filled from the first source that can, or None.

    Given arguments are never replaced. A value has to fit the parameter's own schema: an id is no EGRID.
    """
    gaps = missing(descriptor, args)
    if frozenset() in gaps:
        return dict(args)
    properties = descriptor.parameters.get("properties", {})
    definitions = {k: v for k, v in descriptor.parameters.items() if k in ("$defs", "definitions")}
    for source in sources:
        offered = source.bindings()
        for gap in gaps:
            if gap <= offered.keys() and all(
                Draft202012Validator({**properties.get(name, {}), **definitions}).is_valid(offered[name])
                for name in gap
            ):
                return {**args, **{name: offered[name] for name in gap}}
    return None
