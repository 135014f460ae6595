"""The models of this service. Who has no key for one does not load the SDK (15 MB)."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from servicekit.settings import OpenAiSettings

from tools_docs.embedding.local import MODEL, LocalEncoder, local_model
from tools_docs.embedding.roles import Encoder, RoleEmbedder
from tools_docs.gateways import Embedder, Judge
from tools_docs.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_MODEL = "none"

log = logging.getLogger("ask.documents")


@dataclass(frozen=True, slots=True)
class Models:
    """The one that judges, and the one that compares meanings."""

    judge: Judge | None = None
    embedder: Embedder | None = None
    client: "AsyncOpenAI | None" = None

    async def close(self) -> None:
        if self.client is not None:
            await self.client.close()
        if self.embedder is not None:
            await self.embedder.close()


def models(settings: Settings) -> Models:
    embedder = _embedder(settings)
    if settings.openai_api_key is None:
        return Models(embedder=embedder)
    from tools_docs.judging.model import ModelJudge

    client = _client(settings, settings.openai_api_key.get_secret_value(), settings.openai_base_url)
    return Models(ModelJudge(client, settings), embedder, client)


def _embedder(settings: Settings) -> Embedder | None:
    encoder = _encoder(settings)
    if encoder is None:
        return None
    return RoleEmbedder(encoder, settings.embedding_query_prefix, settings.embedding_passage_prefix)


def _encoder(settings: Settings) -> Encoder | None:
    """None where documents are found by their words only."""
    name, url, key = settings.embedding_model, settings.embedding_base_url, settings.embedding_api_key
    if name == NO_MODEL:
        return None
    if url or key:
        from tools_docs.embedding.endpoint import EndpointEncoder

        # A local server wants no key, the SDK any word.
        client = _client(settings, key.get_secret_value() if key else "none", url)
        return EndpointEncoder(client, name, settings.embedding_timeout_s)
    path = local_model() if name == MODEL else None
    if path is None:
        log.warning("no embedding model: documents are found by their words only", extra={"model": name})
        return None
    return LocalEncoder(path)


def _client(settings: OpenAiSettings, api_key: str, base_url: str | None) -> "AsyncOpenAI":
    from servicekit.llm import openai_client

    return openai_client(
        api_key=api_key,
        base_url=base_url,
        timeout_s=settings.openai_timeout_s,
        max_retries=settings.openai_max_retries,
        max_retry_pause_s=settings.openai_max_retry_pause_s,
    )
