"""What the command tells its user instead of a traceback."""


class AskError(Exception):
    """Something the user can do something about. The text is one line that says what."""
