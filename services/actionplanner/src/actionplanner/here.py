"""Where "here" was, said before the answer."""

from contracts.items import ItemBase
from contracts.messages import ActionPlanRequested
from contracts.status import Status
from servicekit.wording import Say

from actionplanner.places import extent_of, is_in_sight
from actionplanner.reply import Reply

_WHERE = ("point", "center", "selection")
_NAMED = {"address", "parcel", "oereb_extract"}
"""Types of items that an answer calls by their names."""
_MEASURED = "distance"
"""It says itself where it begins."""


def told_where(reply: Reply, request: ActionPlanRequested, say: Say) -> str:
    """The message, after what was taken for "here".

    Of what is selected only where the answer does not name it.
    """
    where = place(request)
    if not where or reply.status not in (Status.OK, Status.NEEDS_USER_CHOICE):
        return reply.message
    types = {item.type for item in request.outcome.items}
    if _MEASURED in types or (where == "selection" and types & _NAMED):
        return reply.message
    key = "from_here" if request.args.get("everywhere") else "here"
    return say(f"{key}_{where}", told=reply.told_there or reply.message)


def stays(item: ItemBase, request: ActionPlanRequested) -> bool:
    """Whether the map need not move: what is told is a point that its user has pointed at."""
    return bool(place(request)) and extent_of(item) is None and is_in_sight(item, request.view)


def place(request: ActionPlanRequested) -> str:
    """What the planner took for "here"; empty when it did not have to."""
    where = request.args.get("here")
    return where if where in _WHERE else ""
