"""What can go wrong between a service and its surroundings. The docstring is the message."""


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


class DuplicateTool(ServiceKitError):
    """A capability is declared twice in one service."""

    code = "duplicate_tool"


class InvalidTool(ServiceKitError):
    """A tool must be an async function with one pydantic argument and a docstring."""

    code = "invalid_tool"
