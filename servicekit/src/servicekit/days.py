"""Days, as people in Zurich count them: quotas begin anew at midnight."""

from datetime import date, datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

ZURICH = ZoneInfo("Europe/Zurich")


def now_in_zurich() -> datetime:
    return datetime.now(ZURICH)


def day_in_zurich(moment: datetime) -> date:
    """The day of a moment that knows its time zone."""
    return moment.astimezone(ZURICH).date()


def seconds_until_midnight(now: datetime) -> int:
    """From a moment in Zurich; a day may have 23 or 25 hours. At least 1."""
    tomorrow = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), ZURICH)
    return max(1, ceil(tomorrow.timestamp() - now.timestamp()))
