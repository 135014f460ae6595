"""Calls of models, as they are counted."""

import asyncio

import pytest
from otlp_receiver import spans_of
from prometheus_client import REGISTRY
from servicekit import spans
from servicekit.asking import asking
from servicekit.llm import LlmUnavailable
from servicekit.spans import Kind, Recorded


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def calls(model: str) -> dict[str, float]:
    results = ("ok", "timeout", "rate_limit", "cancelled", "error")
    found = {r: counted("ask_model_calls_total", model=model, operation="chat", result=r) for r in results}
    return {result: n for result, n in found.items() if n}


def test_tokens_are_counted_by_model_and_direction() -> None:
    with asking("counting") as call:
        call.used(120, 30)
    with asking("counting") as call:
        call.used(1, -5)
        call.used(None)
    assert counted("ask_model_tokens_total", model="counting", direction="input") == 121
    assert counted("ask_model_tokens_total", model="counting", direction="output") == 30
    assert counted("ask_model_call_seconds_count", model="counting", operation="chat") == 2


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (LlmUnavailable("rate_limit", 429), "rate_limit"),
        (TimeoutError(), "timeout"),
        (ValueError("geheim"), "error"),
        (asyncio.CancelledError(), "cancelled"),
    ],
)
def test_a_call_is_counted_by_how_it_ended(error: BaseException, result: str) -> None:
    model = f"ending-{result}"
    with pytest.raises(type(error)), asking(model):
        raise error
    assert calls(model) == {result: 1}


class Taken:
    def __init__(self) -> None:
        self.spans: list[spans.Entry] = []

    def take(self, span: bytes) -> None:
        self.spans.append((spans.resource({"service.name": "x"}), span))


@pytest.mark.parametrize("capture", [False, True])
def test_what_is_said_is_told_only_where_that_is_switched_on_and_cut(*, capture: bool) -> None:
    here = Taken()
    with (
        Recorded(here, None, "above", Kind.CONSUMER, {}),
        asking("m", operation="embeddings", capture=capture) as call,
    ):
        call.said("input", [{"role": "user", "content": "geheim"}])
        call.said("output", [{"role": "assistant", "content": "x" * 50_000}])
    called, _ = spans_of(spans.request(here.spans))
    told = called.attributes
    assert (b"geheim" in spans.request(here.spans)) is capture
    assert ("gen_ai.output.messages" in told) is capture
    assert len(str(told.get("gen_ai.output.messages", ""))) <= 20_000
    assert called.name == "embeddings m"
