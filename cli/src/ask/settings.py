"""The settings of the `ask` command, read from the environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ask.errors import AskError, Exit
from ask.servers import Durability
from ask.texts import text

DOCUMENTS = "documents.sqlite"
"""The index of documents in the data folder."""
API_KEYS = "api-keys.json"
"""The hashes of API keys in the data folder."""


class Settings(BaseSettings):
    """Environment variables have the same names in upper case, e.g. `PORT`."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    host: str = "127.0.0.1"
    """Local by default: whoever wants visitors says so."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """The usual port of a web service in development; 0 takes a free one."""
    ask_data_dir: Path = Path(".data")
    """Beside the sources, so that deleting a clone deletes its data."""
    nats_url: str | None = None
    """Without it `ask up` starts a nats-server of its own."""
    redis_url: str | None = None
    """Without it `ask up` starts a redis-server of its own."""
    prints_url: str | None = None
    """Without it plans are kept in ASK_DATA_DIR, and so survive a restart."""
    docs_index: str | None = None
    """Without it the documents are in ASK_DATA_DIR, where the running system and `ask docs` find them."""
    api_keys_file: Path | None = None
    """Without it the API keys are in ASK_DATA_DIR, where the running edge and `ask keys` find them."""
    edge_secret: SecretStr | None = None
    """Without it `ask up` makes one for ASK_DATA_DIR and keeps it there."""
    client_dir: Path = Path("client/dist")
    """Where `make client` puts the page with the map; until it is there the system runs without."""
    ask_url: str | None = None
    """Without it the commands talk to the `ask up` of this folder."""
    ask_token: SecretStr | None = None
    """An API key or another token. Where visitors need none, the commands get one by themselves."""
    durability: Durability = "process"
    """Of the servers that `ask up` starts. `power` syncs each write, which one's own machine rarely needs."""
    ask_compact: bool = False
    """One process for all but the edge suits a small machine; services that scale one by one are the rule."""
    ask_start_timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """A start takes seconds; a minute also covers a busy machine that compiles Python files first."""
    ask_stop_grace_s: Annotated[float, Field(ge=0)] = 10.0
    """Services finish what they are doing within 8 s; after 10 s they are killed."""

    def where_the_page_is(self) -> Path | None:
        """The built client, if there is one."""
        return self.client_dir.absolute() if (self.client_dir / "index.html").is_file() else None

    def where_documents_are(self) -> str:
        """The index of documents: a file, or the URL of a database."""
        return self.docs_index or str(self.ask_data_dir / DOCUMENTS)

    def where_left_out_is(self, index: str) -> Path:
        """What the last ingest into an index left out: beside its file, else in the data folder."""
        place = self.ask_data_dir / DOCUMENTS if "://" in index else Path(index)
        return place.with_name(f"{place.stem}-left-out.jsonl")

    def where_keys_are(self) -> Path:
        """The file with the hashes of the API keys."""
        return (self.api_keys_file or self.ask_data_dir / API_KEYS).absolute()


def load() -> Settings:
    """The settings. Raises `AskError` that names the variable that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).upper() if first["loc"] else "?"
        raise AskError(text("bad_setting", name=name, value=first["input"]), Exit.MISUSED) from None


def worker_counts(environment: Mapping[str, str], services: Mapping[str, bool]) -> dict[str, int]:
    """Service -> number of processes, from variables such as `TOOLS_GEO_WORKERS`; 1 without one.

    `services` says of each service whether it can run more than once. Raises `AskError`.
    """
    counts = {}
    for service, scalable in services.items():
        name = f"{service.upper().replace('-', '_')}_WORKERS"
        value = environment.get(name, "").strip() or "1"
        if not (value.isascii() and value.isdigit() and 1 <= int(value) <= 64):
            raise AskError(text("bad_workers", name=name, value=value), Exit.MISUSED)
        if int(value) > 1 and not scalable:
            raise AskError(text("one_worker", name=name, service=service), Exit.MISUSED)
        counts[service] = int(value)
    return counts
