"""The models of this service. Who has no key for one does not load the SDK (15 MB)."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from e5.wheel import MODEL, weights

from tools_docs.embedding.local import LocalEncoder
from tools_docs.embedding.roles import Encoder, RoleEmbedder
from tools_docs.gateways import Embedder, Judge
from tools_docs.settings import Settings

if TYPE_CHECKING:
    from servicekit.completions import LanguageModel

NO_MODEL = "none"

log = logging.getLogger("ask.documents")


@dataclass(frozen=True, slots=True)
class Models:
    """The one that judges, and the one that compares meanings."""

    judge: Judge | None = None
    embedder: Embedder | None = None
    model: "LanguageModel | None" = None

    async def close(self) -> None:
        if self.model is not None:
            await self.model.close()
        if self.embedder is not None:
            await self.embedder.close()


def models(settings: Settings) -> Models:
    embedder = _embedder(settings)
    if settings.openai_api_key is None:
        return Models(embedder=embedder)
    from servicekit.completions import LanguageModel

    from tools_docs.judging.model import ModelJudge

    model = LanguageModel(settings, settings.judge_model)
    return Models(ModelJudge(model, settings), embedder, model)


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
        from servicekit.llm import openai_client

        from tools_docs.embedding.endpoint import EndpointEncoder

        # A local server wants no key, the SDK any word.
        client = openai_client(settings, key.get_secret_value() if key else "none", url)
        return EndpointEncoder(client, name, settings.embedding_timeout_s)
    path = weights() if name == MODEL else None
    if path is None:
        log.warning("no embedding model: documents are found by their words only", extra={"model": name})
        return None
    return LocalEncoder(path)
