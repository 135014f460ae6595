"""A plan of another planner than the one that was asked."""

from contracts.plan import Plan


class StandInPlan(Plan):
    """On the bus it is a plan like any other; `planner` goes beside it, for the audit."""

    planner: str
