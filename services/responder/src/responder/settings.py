"""The settings of the responder, read from the environment (names in upper case, e.g. `ANSWER_MODEL`)."""

from typing import Annotated

from pydantic import Field
from servicekit.settings import OpenAiSettings, ServiceSettings


class Settings(ServiceSettings, OpenAiSettings):
    answer_model: str | None = None
    """`OPENAI_MODEL`, unless another one is named to write."""
    answer_temperature: Annotated[float | None, Field(ge=0, le=2)] = 0.3
    """Close to the sources without being wooden. Left out for models that accept only their own."""
    answer_history_entries: Annotated[int, Field(ge=0)] = 5
    """A question refers to what was said just before; more distracts."""
    answer_results: Annotated[int, Field(ge=0)] = 5
    """The last results are those that the answer is about."""
    answer_result_chars: Annotated[int, Field(ge=40)] = 4_000
    """Room for a whole result; a list of everything would push the question out of sight."""
    answer_document_chars: Annotated[int, Field(ge=200)] = 4_000
    """The best passages of a document; ten documents stay within any model's context."""
    delta_interval_s: Annotated[float, Field(ge=0)] = 0.04
    """Text that comes faster is stored in one piece; nobody reads faster."""
