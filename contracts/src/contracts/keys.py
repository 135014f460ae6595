"""The keys in Redis. Every key has a TTL, every session list a cap."""

from datetime import date

TURN_TTL_S = 86_400
SESSION_TTL_S = 86_400
BEGUN_TTL_S = 3_600
"""As long as the bus keeps the request of a turn."""
SPENT_TTL_S = 2 * 86_400
"""A day, however long, and the clocks of all replicas."""
MAX_HISTORY = 12
MAX_LAYERS = 50
MAX_OPEN_CHOICES = 16
MAX_RESULTS = 5
MAX_TURNS = 200
MAX_IDEMPOTENCY_KEYS = 200
MAX_FEEDBACK = 5_000
"""Of all sessions; with long messages and comments some 25 MB."""


def turn(request_id: str) -> str:
    """Hash: `version`, `state` (the orchestrator's), `view` (a `TurnView`).

    Before the first `state` there is what it is made of: `arrival` and `session`.
    """
    return f"turn:{request_id}"


def journal(request_id: str) -> str:
    """List: the stored messages of its log, as far as the orchestrator tells it."""
    return f"turn:{request_id}:journal"


def of_turn(request_id: str) -> tuple[str, ...]:
    """All that there is of one turn, but `begun`."""
    return turn(request_id), journal(request_id), accepted(request_id)


def history(session_id: str) -> str:
    """List of `HistoryEntry`, oldest first."""
    return f"session:{session_id}:history"


def selection(session_id: str) -> str:
    """Hash: item family -> `Item`."""
    return f"session:{session_id}:selection"


def layers(session_id: str) -> str:
    """Hash: layer id -> id, label and `n`, which grows with every loading."""
    return f"session:{session_id}:layers"


def choices(session_id: str) -> str:
    """List of `OpenChoice`, newest first."""
    return f"session:{session_id}:choices"


def results(session_id: str) -> str:
    """List of `StepResult`, oldest first."""
    return f"session:{session_id}:results"


def turns(session_id: str) -> str:
    """List of request ids, newest first; so that deleting a session finds its turns."""
    return f"session:{session_id}:turns"


def begun(request_id: str) -> str:
    """String: nothing. Outlives a deleted turn: a late delivery of its request must not bring it back."""
    return f"begun:{request_id}"


def accepted(request_id: str) -> str:
    """String: session id of a turn that an edge has submitted and nobody has begun yet."""
    return f"accepted:{request_id}"


def idempotency(session_id: str, key: str) -> str:
    """String: fingerprint and request id of the request that first used the key.

    `key` is a hash of what the client sent: never a name that another key of a session ends with.
    """
    return f"session:{session_id}:idempotency:{key}"


def idempotency_index(session_id: str) -> str:
    """List of the `idempotency` keys of a session, newest first; so that deleting the session finds them."""
    return f"session:{session_id}:idempotency"


def feedback(session_id: str) -> str:
    """Hash: request id -> `Feedback`."""
    return f"session:{session_id}:feedback"


def feedback_index() -> str:
    """Sorted set: the `feedback_entry` of all feedback, by the moment (ms) at which it was given."""
    return "feedback"


def feedback_entry(session_id: str, request_id: str) -> str:
    """Where a feedback is: its field, and the hash that has it."""
    return f"{request_id} {feedback(session_id)}"


def of_session(session_id: str) -> tuple[str, ...]:
    """All fixed keys of a session."""
    made = (history, selection, layers, choices, results, turns, idempotency_index, feedback)
    return tuple(make(session_id) for make in made)


def conversation(session_id: str) -> str:
    """String: a `Conversation`, as its page keeps it."""
    return f"conversation:{session_id}"


def conversations(owner: str) -> str:
    """Hash: session id -> what a list shows of its conversation, of all that an account keeps."""
    return f"conversations:{owner}"


def share(share_id: str) -> str:
    """String: a `SharedMap`."""
    return f"share:{share_id}"


def shares() -> str:
    """Sorted set: `<id>:<bytes>` of the shares that are kept, by the moment (ms) at which they expire."""
    return "shares"


def shares_bytes() -> str:
    """Number: how large the shares that are kept are together."""
    return "shares:bytes"


def rate(what: str, whose: str, who: str) -> str:
    """Hash: `window`, `count`, `before`; how much of `what` there was in this minute and the one before."""
    return f"rate:{what}:{whose}:{who}"


def at_work(whose: str, who: str) -> str:
    """Sorted set: the turns at work, by the moment (ms) at which they are so no longer in any case."""
    return f"atwork:{whose}:{who}"


def spent(owner: str, day: date) -> str:
    """Number: tokens of language models that an owner has used on a day in Zurich."""
    return f"spent:{day.isoformat()}:{owner}"


def spent_by_all(day: date) -> str:
    """Number: tokens of language models that were used on a day in Zurich."""
    return f"spent:{day.isoformat()}"
