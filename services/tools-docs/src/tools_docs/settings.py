"""The settings of this service."""

from typing import Annotated

from pydantic import AliasChoices, Field, SecretStr
from servicekit.settings import OpenAiSettings, ServiceSettings


class Settings(ServiceSettings, OpenAiSettings):
    docs_index: str | None = None
    """A file, or `postgresql://…`. Without it the sample documents, in a temporary file of each process."""
    docs_pool_connections: Annotated[int, Field(ge=1)] = 4
    """Connections to PostgreSQL of one process: a search takes milliseconds and seldom waits for another."""
    judge_model: Annotated[
        str | None, Field(validation_alias=AliasChoices("judge_model", "docs_check_model"))
    ] = None
    """`OPENAI_MODEL`, unless another one is named to judge. The older name `DOCS_CHECK_MODEL` still holds."""
    docs_check_batch: Annotated[int, Field(ge=1, le=20)] = 1
    """Documents a call. With 1 no document is read beside another; more are cheaper, and as slow as the
    longest answer. What a worker is asked for within 20 ms goes together."""
    docs_check_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    """A judgement takes a second or two. Ends before the orchestrator does, so that the reason arrives."""
    docs_check_document_chars: Annotated[int, Field(ge=500)] = 10_000
    """What a model reads of a document: several pages, and ten of them do not cost a fortune."""
    embedding_model: str = "multilingual-e5-small"
    """Documents are found by their meaning too. This one comes with the package; `none`: by words only."""
    embedding_base_url: str | None = None
    """An endpoint that speaks OpenAI's protocol, in the place of the model that comes with the package."""
    embedding_api_key: SecretStr | None = None
    """Of that endpoint. With a key alone it is OpenAI's."""
    embedding_query_prefix: str | None = None
    """What a model wants to stand in front of a question; known of E5, nothing with others."""
    embedding_passage_prefix: str | None = None
    """What a model wants to stand in front of a passage."""
    embedding_timeout_s: Annotated[float, Field(gt=0)] = 3.0
    """Of an endpoint. Without a vector in time the words alone decide."""
