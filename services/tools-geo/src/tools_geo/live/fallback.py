"""The canton first; the Confederation when the canton has nothing, or is down."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from servicekit.outbound import SourceError

from tools_geo.gateways import Found, Remark

T = TypeVar("T")

Search = Callable[[], Awaitable[Found[T]]]


def has_any(found: Found[T]) -> bool:
    return bool(found.items)


def only_others(own: Found[T], others: Found[T]) -> Found[T]:
    """Why the canton has nothing, or may have more, is worth more than that the Confederation has nothing."""
    return own if (own.remark or not own.is_all) and not others.items else others


async def canton_first(
    canton: Search[T],
    beyond: Search[T],
    *,
    is_enough: Callable[[Found[T]], bool] = has_any,
    merge: Callable[[Found[T], Found[T]], Found[T]] = only_others,
) -> Found[T]:
    """What the canton has, if that is enough; else together with what the Confederation has.

    Raises the `SourceError` of the canton when it is down and the Confederation does not know more. When the
    canton has nothing and the Confederation is down, the remark says so.
    """
    own: Found[T] = Found()
    error: SourceError | None = None
    try:
        own = await canton()
    except SourceError as failed:
        error = failed
    if is_enough(own):
        return own
    try:
        others = await beyond()
    except SourceError:
        if error is not None:
            raise error from None
        return own if own.items or own.remark else replace(own, remark=Remark.BEYOND_UNAVAILABLE)
    if error is not None and not others.items:
        raise error
    return merge(own, others)
