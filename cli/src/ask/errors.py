"""What the command tells its user instead of a traceback, and how it ends."""

from enum import IntEnum


class Exit(IntEnum):
    """What a script can tell from the end of a command."""

    DONE = 0
    FAILED = 1
    """Also: the answer is an error."""
    MISUSED = 2
    """As of a command line that makes no sense."""
    UNDECIDED = 3
    """The answer waits for a choice, or has not understood."""
    REFUSED = 4
    UNREACHABLE = 5
    """Or not in time, or somebody else is there."""


class AskError(Exception):
    """Something the user can do something about. The text is one line that says what."""

    def __init__(self, line: str, code: Exit = Exit.FAILED) -> None:
        super().__init__(line)
        self.code = code
