"""The permits of a subscriber: one for each message that it may still get, and for each that it has."""

import pytest
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig
from prometheus_client import REGISTRY
from servicekit.consumer import Flow


async def receive(_: Msg) -> None:
    raise AssertionError("nothing is received here")


@pytest.mark.parametrize(
    ("requested", "held", "free"),
    [(0, 0, 8), (8, 0, 0), (0, 8, 0), (3, 0, 5), (0, 3, 5), (3, 4, 1), (1, 7, 0)],
)
def test_what_is_requested_or_held_is_not_free(requested: int, held: int, free: int) -> None:
    flow = Flow(ConsumerConfig(durable_name="a-service"), receive, permits=8, max_handling_s=1)
    flow.requested = requested
    flow.held = dict.fromkeys(range(held), (None, 0.0))  # type: ignore[arg-type]
    assert flow.free == free
    assert REGISTRY.get_sample_value("ask_messages_in_flight", {"consumer": "a-service"}) == held
