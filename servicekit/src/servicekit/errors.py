"""What can go wrong between a service and its surroundings. The docstring is the message."""

from enum import StrEnum


class ServiceKitError(Exception):
    """Something in the service's surroundings failed."""

    code = "servicekit_error"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class BusUnavailable(ServiceKitError):
    """The message bus does not answer."""

    code = "bus_unavailable"


class BusFull(ServiceKitError):
    """The message bus takes no more work at the moment."""

    code = "bus_full"


class MessageTooLarge(ServiceKitError):
    """The message is larger than the bus takes (NATS: `max_payload`, 1 MiB unless configured)."""

    code = "message_too_large"


class Refused(ServiceKitError):
    """A server does not let the service in, and time does not change that."""

    code = "refused"


class DuplicateTool(ServiceKitError):
    """A capability is declared twice in one service."""

    code = "duplicate_tool"


class InvalidTool(ServiceKitError):
    """A tool is an async function with a docstring and one pydantic argument; `for_each` is a field of it."""

    code = "invalid_tool"


class SourceErrorKind(StrEnum):
    """In which way a source failed."""

    UNREACHABLE = "unreachable"
    """No connection, or it broke before there was an answer."""
    TIMEOUT = "timeout"
    """No answer, or not all of it, in the time there was."""
    OVERLOADED = "overloaded"
    """429 or 503, also after the retries."""
    FAILED = "failed"
    """Another HTTP status that is no success."""
    UNREADABLE = "unreadable"
    """The answer is of another type than expected, broken, or cut off."""
    TOO_LARGE = "too_large"
    """The answer is larger than the caller takes."""
    FORBIDDEN = "forbidden"
    """The URL, or where it redirects to, is not on the list of what may be called."""
    PAUSED = "paused"
    """Not asked: it has failed so often that it is left alone for a while."""


class SourceError(ServiceKitError):
    """A source of data does not answer as it should."""

    code = "source_error"

    def __init__(self, kind: SourceErrorKind, source: str, status: int | None = None) -> None:
        super().__init__(f"{source}: {kind}" + (f" (HTTP {status})" if status else ""))
        self.kind = kind
        self.source = source
        """Who it is, as a user may read it."""
        self.status = status
        """The HTTP status, where there was one."""
