"""A call of a language model, as traces and metrics tell it; by the GenAI conventions of OpenTelemetry."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Literal

from pydantic_core import to_json
from servicekit.errors import ServiceKitError
from servicekit.telemetry import MODEL_CALLS, MODEL_SECONDS, MODEL_TOKENS, observe
from servicekit.tracing import Kind, Span, span

_MAX_CAPTURED_CHARS = 20_000


class Asking:
    """One call, while it runs."""

    def __init__(self, span: Span, model: str, *, capture: bool) -> None:
        self._span = span
        self._model = model
        self._capture = capture

    def used(self, input_tokens: Any, output_tokens: Any = None) -> None:
        """What the endpoint says that it has cost; some say nothing, or nonsense."""
        for direction, tokens in (("input", input_tokens), ("output", output_tokens)):
            if isinstance(tokens, int) and tokens >= 0:
                MODEL_TOKENS.labels(self._model, direction).inc(tokens)
                self._span.set(f"gen_ai.usage.{direction}_tokens", tokens)

    def ended(self, reason: str | None) -> None:
        """Why the model stopped."""
        if reason:
            self._span.set("gen_ai.response.finish_reasons", (reason,))

    def said(self, direction: Literal["input", "output"], messages: Any) -> None:
        """What was asked or answered. Told only where that is switched on."""
        if self._capture:
            text = to_json(messages, fallback=str).decode()[:_MAX_CAPTURED_CHARS]
            self._span.set(f"gen_ai.{direction}.messages", text)


@contextmanager
def asking(
    model: str, *, operation: Literal["chat", "embeddings"] = "chat", capture: bool = False
) -> Iterator[Asking]:
    """Around a call. What it raises is its result, by the reason if it has one.

    `cancelled`: nobody waited for it any more, or it was cut off by a deadline outside of it.
    """
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
    }
    started, result = perf_counter(), "cancelled"
    with span(f"{operation} {model}", attributes, Kind.CLIENT) as called:
        try:
            yield Asking(called, model, capture=capture)
            result = "ok"
        except ServiceKitError as error:
            result = str(getattr(error, "reason", error.code))
            called.fail(result)
            raise
        except TimeoutError:
            result = "timeout"
            called.fail(result)
            raise
        except Exception:
            result = "error"
            raise
        finally:
            MODEL_CALLS.labels(model, operation, result).inc()
            observe(MODEL_SECONDS.labels(model, operation), perf_counter() - started)
