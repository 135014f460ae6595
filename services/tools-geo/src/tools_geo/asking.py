"""A question back in the place of an answer."""


class AskBack(Exception):
    """Only the user can say how to go on; the message asks for it, in the language of the answer."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
