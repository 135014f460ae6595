"""What is kept of a message that nobody can handle, for a person to find."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from contracts import subjects
from contracts.messages import PlanRequested
from contracts.subjects import DeadReason, Header
from nats.aio.msg import Msg
from pydantic import ValidationError
from servicekit.cancelling import Cancellations
from servicekit.errors import BusUnavailable, MessageTooLarge
from servicekit.handler import Handler, Terms, Unreadable
from servicekit.publisher import Entry
from servicekit.tracing import OFF

NO = ValueError("no")
SENT = {Header.MESSAGE_ID: "req-1/plan", Header.SESSION_ID: "s-1"}


async def handle(request: PlanRequested) -> None:
    raise AssertionError("nothing is handled here")


class Dead:
    """A bus whose stream takes what it likes."""

    def __init__(self) -> None:
        self.kept: list[Entry] = []
        self.max_bytes = 1_000
        self.handler = Handler(
            handle,
            Terms(),
            service="planner",
            max_deliver=3,
            tracing=OFF,
            cancellations=Cancellations(),
            store=self._store,
        )

    async def _store(self, entries: Sequence[Entry]) -> None:
        if any(len(body) > self.max_bytes for _, body, _ in entries):
            raise MessageTooLarge
        self.kept += entries

    async def bury(self, headers: dict[str, str] | None, error: Exception = NO, data: bytes = b"?") -> Entry:
        reply = "$JS.ACK.COMMANDS.planner.3.17.5.1700000000000000000.0"
        raw: Any = Msg(None, subjects.PLAN_REQUESTED, reply, data, headers)  # type: ignore[arg-type]
        await self.handler._bury(raw, DeadReason.FAILED, error)
        [entry] = self.kept
        return entry


@pytest.fixture
def dead() -> Dead:
    return Dead()


async def test_a_dead_letter_has_all_that_came_with_it_its_origin_and_the_reason(dead: Dead) -> None:
    sent = dict(SENT)
    subject, body, headers = await dead.bury(sent, data=b"no json")
    assert (subject, body) == ("dead.planner.req-1", b"no json")
    assert headers == {
        Header.SESSION_ID: "s-1",
        Header.REQUEST_ID: "req-1",
        Header.MESSAGE_ID: "dead/COMMANDS/17/req-1/plan",
        Header.ORIGIN: subjects.PLAN_REQUESTED,
        Header.REASON: "failed",
        Header.ERROR: "ValueError: no",
        Header.DELIVERIES: "3",
    }
    assert sent == SENT


async def test_the_turn_that_it_says_comes_before_the_one_of_its_id(dead: Dead) -> None:
    subject, _, headers = await dead.bury(SENT | {Header.REQUEST_ID: "req-2"})
    assert (subject, headers[Header.REQUEST_ID]) == ("dead.planner.req-2", "req-2")


@pytest.mark.parametrize("said", ["a.b", "*", ">", "a b"])
async def test_what_is_no_request_id_is_told_and_is_no_part_of_the_subject(dead: Dead, said: str) -> None:
    subject, _, headers = await dead.bury({Header.REQUEST_ID: said})
    assert (subject, headers[Header.REQUEST_ID]) == ("dead.planner.unknown", said)


async def test_a_message_without_headers_is_told_by_its_place_in_the_stream(dead: Dead) -> None:
    subject, _, headers = await dead.bury(None)
    assert subject == "dead.planner.unknown"
    assert (headers[Header.REQUEST_ID], headers[Header.MESSAGE_ID]) == ("", "dead/COMMANDS/17/")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (" a\r\n\tb  c ", "a b c"),
        ("x" * 501, "x" * 488),
        ("\n" * 600 + "y", "y"),
        ("Zürich\x1b[2J", "Z\\xfcrich\x1b[2J"),
        ("nats://me:s3cret@host:4222 is gone", "nats://host:4222 is gone"),
        ("redis://:s3@cret@host/0 is gone", "redis://host/0 is gone"),
        ("401 for 'https://host/search?token=s3cret'", "401 for 'https://host/search?...'"),
        ("https://host/a#s3cret (2)", "https://host/a?... (2)"),
    ],
)
async def test_an_error_is_one_line_of_500_letters_and_tells_no_secret(
    dead: Dead, said: str, told: str
) -> None:
    _, _, headers = await dead.bury(SENT, ValueError(said))
    assert headers[Header.ERROR] == f"ValueError: {told}"
    assert len(headers[Header.ERROR]) <= 500


async def test_an_error_does_not_say_again_what_a_user_has_written(dead: Dead) -> None:
    message = {"kind": "plan.requested", "userMessage": "Wo wohnt Anna?", "args": [{"q": "Anna"}], "n": "ab"}
    data = json.dumps(message)
    said = "plan.requested: no place 'Anna' in 'Wo wohnt Anna?' about ab"
    _, body, headers = await dead.bury(SENT, LookupError(said), data.encode())
    assert headers[Header.ERROR] == "LookupError: plan.requested: no place '...' in '...' about ab"
    assert body == data.encode()


@pytest.mark.parametrize("data", [b"[" * 100_000, b"\xff\xfe", b"", b"7"])
async def test_whatever_the_message_is_its_error_is_told(dead: Dead, data: bytes) -> None:
    _, body, headers = await dead.bury(SENT, RecursionError("x" * 10_000_000), data[:900])
    assert (body, len(headers[Header.ERROR])) == (data[:900], 500)
    dead.kept.clear()
    dead.max_bytes = 1_000_000
    _, body, _ = await dead.bury(SENT, NO, data)
    assert body == data


async def test_a_document_that_is_wrong_is_told_without_what_it_says(dead: Dead) -> None:
    with pytest.raises(ValidationError) as caught:
        PlanRequested.from_json(b'{"userMessage": ["geheim"]}')
    _, _, headers = await dead.bury(SENT, caught.value)
    assert headers[Header.ERROR].startswith("ValidationError: 4 errors, first: ")
    assert "geheim" not in headers[Header.ERROR]
    with pytest.raises(Unreadable, match=r"^4 errors, first: requestId: Field required$"):
        dead.handler.read(b'{"userMessage": ["geheim"]}')


async def test_without_room_for_the_body_all_else_is_kept_with_its_length(dead: Dead) -> None:
    subject, body, headers = await dead.bury(SENT, data=b"x" * 1_001)
    assert (subject, body) == ("dead.planner.req-1", b"")
    assert headers[Header.ERROR] == "ValueError: no (1001 bytes were left out)"
    assert headers[Header.MESSAGE_ID] == "dead/COMMANDS/17/req-1/plan"


async def test_a_message_that_cannot_be_kept_at_all_is_no_dead_letter(
    dead: Dead, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(_: list[Entry]) -> None:
        raise BusUnavailable

    monkeypatch.setattr(dead.handler, "_store", unavailable)
    with pytest.raises(BusUnavailable):
        await dead.bury(SENT)
    dead.max_bytes = -1
    monkeypatch.setattr(dead.handler, "_store", dead._store)
    with pytest.raises(MessageTooLarge):
        await dead.bury(SENT)
