"""What a question and the wire say to each other. Pure: who sends, waits and reads is elsewhere."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ask_sogis.errors import Invalid
from ask_sogis.events import Event

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0


def as_header(name: str, value: str | None) -> str | None:
    """The value, if it can be sent. Raises `Invalid`."""
    if value is not None and not (value.isascii() and value.isprintable() and value == value.strip()):
        raise Invalid(f"{name}: printable ASCII characters only, and no blanks around them.")
    return value


@dataclass(frozen=True)
class Call:
    """A request to send. The answer to one that `streams` is read piece by piece, if it is events."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str | int] = field(default_factory=dict)
    streams: bool = False


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Read:
    """The next piece of what streams; empty at its end."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """With names in lower case."""
    content: bytes = b""
    after_s: float = 0.0

    def seconds(self) -> float | None:
        """When it is worth asking again, if it says so."""
        said = self.headers.get("retry-after", "")
        return float(said) if said.isascii() and said.isdigit() else None


@dataclass(frozen=True)
class Lost:
    """The connection broke after so many seconds, or never came about."""

    after_s: float = 0.0
    connected: bool = True


Do = Call | Pause | Read | Event
Heard = Reply | Lost | bytes | None
_T = TypeVar("_T")
Flow = Generator[Do, Heard, _T]
"""Yields what is to be done, is sent what was heard, and returns the answer."""


@dataclass
class Patience:
    """The seconds that may still be lost: with pauses, busy answers, and connections that broke."""

    left_s: float
    pause_s: float = _FIRST_PAUSE_S

    def wait(self, seconds: float | None = None) -> Flow[bool]:
        """A pause, of growing length unless said; without one, false, when there is no time for it."""
        if seconds is None:
            seconds, self.pause_s = self.pause_s, min(2 * self.pause_s, _LONGEST_PAUSE_S)
        self.left_s -= seconds
        if self.left_s < 0:
            return False
        yield Pause(seconds)
        return True
