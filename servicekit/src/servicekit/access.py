"""How a process gets into NATS: where it is, as whom, and how the connection is protected."""

import ssl
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class NatsAccess(BaseSettings):
    """Mixed into the settings of whatever connects to NATS."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    nats_user: str | None = None
    """Without a user NATS has to let everybody in, as it does on a developer's machine."""
    nats_password: SecretStr | None = None
    """Of that user."""
    nats_ca_file: Path | None = None
    """Who has signed the certificate of the server; the usual authorities unless given."""
    nats_cert_file: Path | None = None
    """Only for servers that want a certificate of their clients too."""
    nats_key_file: Path | None = None
    """Belongs to NATS_CERT_FILE."""


def inbox_prefix(user: str | None) -> str:
    """Where answers to a user arrive; a user of our permissions can listen nowhere else."""
    return f"_INBOX.{user}" if user else "_INBOX"


def servers(url: str) -> list[str]:
    """The members of a cluster are separated by commas."""
    return [part.strip() for part in url.split(",") if part.strip()]


def tls(access: NatsAccess) -> ssl.SSLContext | None:
    """None leaves it to the URL (`tls://`) and the usual authorities. Raises `OSError` for bad files."""
    if access.nats_ca_file is None and access.nats_cert_file is None:
        return None
    context = ssl.create_default_context(cafile=access.nats_ca_file)
    if access.nats_cert_file is not None:
        context.load_cert_chain(access.nats_cert_file, access.nats_key_file)
    return context


def options(url: str, access: NatsAccess) -> dict[str, Any]:
    """Arguments of `nats.connect`. Raises `OSError` for unreadable files."""
    found: dict[str, Any] = {"servers": servers(url), "inbox_prefix": inbox_prefix(access.nats_user)}
    if access.nats_user is not None:
        password = access.nats_password.get_secret_value() if access.nats_password else ""
        found |= {"user": access.nats_user, "password": password}
    context = tls(access)
    return found if context is None else found | {"tls": context}
