"""The settings that all services share, read from the environment."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ServiceSettings(BaseSettings):
    """Environment variables have the same names in upper case, e.g. `NATS_URL`."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    nats_url: str = "nats://127.0.0.1:4222"
    """The port that nats-server takes by itself."""
    redis_url: str = "redis://127.0.0.1:6379/0"
    """The port that redis-server takes by itself."""
    health_host: str = "127.0.0.1"
    """Local by default; a container sets 0.0.0.0."""
    health_port: Annotated[int, Field(ge=0, le=65535)] = 0
    """0 takes a free port: several workers on one machine need no configuration."""
    log_level: str = "INFO"
    """INFO writes one line per message handled."""
    otel_enabled: bool = False
    """Tracing costs throughput; who wants it has a collector (OTEL_EXPORTER_OTLP_ENDPOINT)."""
    otel_sample_ratio: Annotated[float, Field(ge=0, le=1)] = 0.01
    """One turn in a hundred shows the shape of the traffic at a fraction of the cost."""

    max_concurrency: Annotated[int, Field(ge=1)] = 64
    """Messages handled at the same time by one process; handlers mostly wait for others."""
    ack_wait_s: Annotated[float, Field(gt=0)] = 10.0
    """How long the work of a dead worker lies still. Living ones extend it with a heartbeat."""
    max_deliver: Annotated[int, Field(ge=2)] = 12
    """With the back-off below this is about a minute of trying before a message is given up."""
    max_handling_s: Annotated[float, Field(gt=0)] = 120.0
    """A handler that hangs loses its message to another worker after this."""
    publish_timeout_s: Annotated[float, Field(gt=0)] = 4.0
    """JetStream acks in a millisecond; a restart of the server takes a few seconds."""
    graceful_timeout_s: Annotated[float, Field(gt=0)] = 8.0
    """Running handlers may finish at shutdown; below the usual 10 s before a SIGKILL."""
