"""Everything that a client can be told is wrong. The docstring is the title, the code is stable.

What the user reads (`detail`) is in `edge.texts` under the code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with one part of a request; the sentence is in `edge.texts` under the key."""

    pointer: str
    key: str
    values: Mapping[str, object] = field(default_factory=dict)


class EdgeError(Exception):
    """The request could not be answered."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal_error"
    retry_after_s: int | None = None
    """The usual for the kind; an error may know better."""
    always: ClassVar[dict[str, str]] = {}
    """Headers that belong to every error of the kind."""
    pollable: ClassVar[bool] = False
    """The turn goes on: the answer says where its result will be."""

    def __init__(
        self,
        *,
        request_id: str | None = None,
        errors: tuple[Finding, ...] = (),
        headers: dict[str, str] | None = None,
        retry_after_s: int | None = None,
        **values: object,
    ) -> None:
        super().__init__(self.title())
        self.request_id = request_id
        self.errors = errors
        self.headers = {**self.always, **(headers or {})}
        if retry_after_s is not None:
            self.retry_after_s = retry_after_s
        self.values = values
        """For the placeholders in the text."""

    @classmethod
    def title(cls) -> str:
        return (cls.__doc__ or "").strip()


class InternalError(EdgeError):
    """Something unexpected went wrong."""


class MalformedJson(EdgeError):
    """The body is not JSON."""

    status = 400
    code = "malformed_json"


class InvalidIdempotencyKey(EdgeError):
    """The Idempotency-Key is empty, too long or not printable ASCII."""

    status = 400
    code = "idempotency_key_invalid"


class InvalidEventId(EdgeError):
    """The id of the last event is none of a stream."""

    status = 400
    code = "event_id_invalid"


class HostInvalid(EdgeError):
    """The request needs one Host header with a name or an address."""

    status = 400
    code = "host_invalid"


class OriginRefused(EdgeError):
    """Web pages of this origin may not call this address."""

    status = 403
    code = "origin_refused"


class SignInFailed(EdgeError):
    """The provider has not signed anybody in, or not for this browser."""

    status = 400
    code = "sign_in_failed"


class Unauthenticated(EdgeError):
    """Nobody has said who asks."""

    status = 401
    code = "unauthenticated"
    always = {"WWW-Authenticate": "Bearer"}


class InvalidToken(EdgeError):
    """The token is none of ours, or it has expired."""

    status = 401
    code = "invalid_token"
    always = {"WWW-Authenticate": 'Bearer error="invalid_token"'}


class Forbidden(EdgeError):
    """Whoever asks may not do this."""

    status = 403
    code = "forbidden"


class NotFound(EdgeError):
    """There is nothing at this address."""

    status = 404
    code = "not_found"


class TurnNotFound(EdgeError):
    """No such turn, or no longer."""

    status = 404
    code = "turn_not_found"


class PrintNotFound(EdgeError):
    """No such file, or no longer."""

    status = 404
    code = "print_not_found"


class PictureNotFound(EdgeError):
    """There is no picture of this file."""

    status = 404
    code = "picture_not_found"


class ShareNotFound(EdgeError):
    """No such shared map, or no longer."""

    status = 404
    code = "share_not_found"


class ConversationNotFound(EdgeError):
    """The account keeps no such conversation, or no longer."""

    status = 404
    code = "conversation_not_found"


class AccountRequired(EdgeError):
    """Only who is signed in as somebody can keep conversations here."""

    status = 403
    code = "account_required"


class SharesOff(EdgeError):
    """This server keeps no shared maps."""

    status = 404
    code = "shares_off"


class FeedbackOff(EdgeError):
    """This server keeps no feedback."""

    status = 404
    code = "feedback_off"


class LayerNotFound(EdgeError):
    """The catalogue has no layer of this id."""

    status = 404
    code = "layer_not_found"


class MethodNotAllowed(EdgeError):
    """This address does not take this method."""

    status = 405
    code = "method_not_allowed"


class SessionDeleted(EdgeError):
    """The session was deleted while its turn was running."""

    status = 410
    code = "session_deleted"


class BodyTooLarge(EdgeError):
    """The body is larger than the edge takes."""

    status = 413
    code = "body_too_large"


class UnsupportedMediaType(EdgeError):
    """The body must be application/json."""

    status = 415
    code = "unsupported_media_type"


class MisdirectedRequest(EdgeError):
    """This server does not answer to that name."""

    status = 421
    code = "misdirected_request"


class InvalidRequest(EdgeError):
    """The request can be read, but is not valid."""

    status = 422
    code = "invalid_request"


class IdempotencyKeyReused(EdgeError):
    """The Idempotency-Key was used before with another body."""

    status = 422
    code = "idempotency_key_reused"


class TooManyTurns(EdgeError):
    """As many turns are at work as there is room for, for everybody or for you."""

    status = 429
    code = "too_many_turns"
    retry_after_s = 1


class RateLimited(EdgeError):
    """More turns or bytes in a minute, or shared maps in a day, than one may send."""

    status = 429
    code = "rate_limited"
    retry_after_s = 10


class TooManyStreams(EdgeError):
    """As many streams are open as there is room for, for everybody or for you."""

    status = 429
    code = "too_many_streams"
    retry_after_s = 5


class QuotaSpent(EdgeError):
    """The tokens of language models that one may use in a day are spent."""

    status = 429
    code = "quota_spent"
    retry_after_s = 3_600


class BudgetSpent(EdgeError):
    """The tokens of language models that all may use in a day are spent."""

    status = 429
    code = "budget_spent"
    retry_after_s = 3_600


class QueueFull(EdgeError):
    """The queue of turns is full."""

    status = 429
    code = "queue_full"
    retry_after_s = 5


class BusUnavailable(EdgeError):
    """The message bus does not take the turn."""

    status = 503
    code = "bus_unavailable"
    retry_after_s = 2


class StateUnavailable(EdgeError):
    """The state store does not answer."""

    status = 503
    code = "state_unavailable"
    retry_after_s = 2


class ToolUnavailable(EdgeError):
    """Nobody offers the tool at this moment."""

    status = 503
    code = "tool_unavailable"
    retry_after_s = 5


class NoRoom(EdgeError):
    """This replica holds as much of large requests as it can."""

    status = 503
    code = "no_room"
    retry_after_s = 1


class StoreFull(EdgeError):
    """A store is full; what began now might not be finished."""

    status = 503
    code = "store_full"
    retry_after_s = 5


class PrintsUnavailable(EdgeError):
    """The store of files does not answer."""

    status = 503
    code = "prints_unavailable"
    retry_after_s = 2


class ProviderUnavailable(EdgeError):
    """The provider of the sign-in does not answer."""

    status = 503
    code = "provider_unavailable"
    retry_after_s = 5


class ShuttingDown(EdgeError):
    """This replica is stopping; the turn goes on elsewhere."""

    status = 503
    code = "shutting_down"
    retry_after_s = 1
    pollable = True


class TurnTimeout(EdgeError):
    """The turn did not end in time."""

    status = 504
    code = "turn_timeout"
    pollable = True
