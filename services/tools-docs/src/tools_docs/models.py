"""The models of this service, if there is a key for them. Who has none does not load the SDK (15 MB)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools_docs.gateways import Embedder, Judge
from tools_docs.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class Models:
    judge: Judge | None = None
    embedder: Embedder | None = None
    client: "AsyncOpenAI | None" = None

    async def close(self) -> None:
        if self.client is not None:
            await self.client.close()


def models(settings: Settings) -> Models:
    """The one that judges, and the one that compares meanings."""
    if settings.openai_api_key is None:
        return Models()
    from servicekit.llm import openai_client

    from tools_docs.embedding import ModelEmbedder
    from tools_docs.judging.model import ModelJudge

    client = openai_client(
        api_key=settings.openai_api_key.get_secret_value(),
        base_url=settings.openai_base_url,
        timeout_s=settings.openai_timeout_s,
        max_retries=settings.openai_max_retries,
        max_retry_pause_s=settings.openai_max_retry_pause_s,
    )
    name = settings.docs_embedding_model
    embedder = ModelEmbedder(client, name, settings.docs_embedding_timeout_s) if name else None
    return Models(ModelJudge(client, settings), embedder, client)
