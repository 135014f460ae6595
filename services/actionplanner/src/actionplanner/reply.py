"""What a template has to say about a step."""

from dataclasses import dataclass, replace

from contracts.actions import MapAction
from contracts.items import Item
from contracts.status import Status


@dataclass(frozen=True)
class Reply:
    """A message with the actions that go with it, or with the items to choose from."""

    message: str
    actions: tuple[MapAction, ...] = ()
    status: Status = Status.OK
    options: tuple[Item, ...] = ()
    told_there: str = ""
    """The message for who has been told already where that is; empty when it is the same."""
    again: bool = False
    """The one option is to try once more what led to it."""
    items: tuple[Item, ...] = ()
    """What it is about."""


def ask(message: str) -> Reply:
    """The user has to say more."""
    return Reply(message, status=Status.NEEDS_CLARIFICATION)


def fail(message: str) -> Reply:
    return Reply(message, status=Status.ERROR)


def retriable(reply: Reply, item: Item) -> Reply:
    """What there is, and the offer to try again for what is missing."""
    return replace(reply, status=Status.NEEDS_USER_CHOICE, options=(item,), again=True)


def choose(message: str, options: tuple[Item, ...]) -> Reply:
    """The user has to choose an item, or to confirm the only one."""
    return Reply(message, status=Status.NEEDS_USER_CHOICE, options=options)
