"""How the log of a turn becomes the bytes of a protocol; every protocol has an encoder."""

from typing import Protocol

from contracts.chat import ChatResponse
from contracts.turns import AnswerDelta, TurnEvent

from edge import errors


class Encoder(Protocol):
    """Encodes for one client. Every method gives the bytes to send, or None if there are none."""

    def begin(self, request_id: str) -> bytes | None:
        """A log is going to be read from its beginning; what was known of another one is void."""

    def take(self, position: int, entry: TurnEvent | AnswerDelta, is_new: bool = True) -> bytes | None:
        """The next entry; when it is not new, the client has heard of it."""

    def answer(self, response: ChatResponse) -> bytes | None:
        """An answer that belongs to no turn is in no log."""

    def end(self) -> bytes | None:
        """The client has all that it waits for."""

    def stop(self, request_id: str) -> bytes | None:
        """This replica ends its streams; the turn goes on."""

    def fail(self, error: errors.EdgeError) -> bytes | None:
        """There will be no more."""
