"""Passwords of the servers that `ask up` starts, and the secret of its edge: made once for a data folder."""

import secrets
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from ask import folder
from ask.permissions import ADMIN, users

_FILE = "credentials.json"


def _fresh() -> str:
    # A letter first: nats-server reads what is in its environment as a part of its configuration.
    return f"s{secrets.token_hex(24)}"


class Credentials(BaseModel):
    """`credentials.json`, readable for its owner only."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)

    edge_secret: str = Field(default_factory=_fresh)
    redis: str = Field(default_factory=_fresh)
    nats: dict[str, str] = {}
    """By user."""


def load(data_dir: Path) -> Credentials:
    """Those of last time, and new ones for whoever has none. Raises `OSError`."""
    file = data_dir / _FILE
    try:
        found = Credentials.model_validate_json(file.read_bytes())
    except (FileNotFoundError, ValidationError):
        found = Credentials()
    names = [ADMIN.name, *(user.name for user in users())]
    found.nats = {name: found.nats.get(name) or _fresh() for name in names}
    folder.write_private(file, found.model_dump_json(indent=2) + "\n")
    return found
