"""The settings that all services share, read from the environment."""

import re
from typing import Annotated, Literal

from contracts.markdown import DEFAULT_HOSTS
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from servicekit.access import NatsAccess

_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+")
_PRINTS_URL = r"^(s3://[^/]+(/.*)?|file:.+|[^:]+)$"
"""Another scheme is a mistake, not a folder with a colon in its name."""


class ServiceSettings(NatsAccess):
    """Environment variables have the same names in upper case, e.g. `NATS_URL`."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    nats_url: str = "nats://127.0.0.1:4222"
    """The port that nats-server takes by itself. Several servers of a cluster are separated by commas."""
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

    link_hosts: Annotated[tuple[str, ...], NoDecode] = DEFAULT_HOSTS
    """Comma separated. Texts may link to these hosts and those below them, over https: the canton and the
    federation, whose data the answers are about. With `none` only to the sources of an answer."""

    max_concurrency: Annotated[int, Field(ge=1)] = 64
    """Messages handled at the same time by one process; handlers mostly wait for others."""
    ack_wait_s: Annotated[float, Field(gt=0)] = 2.0
    """How long the work of a dead worker lies still. Living ones extend it with a heartbeat."""
    max_deliver: Annotated[int, Field(ge=2)] = 12
    """With the back-off below this is about a minute of trying before a message is given up."""
    max_handling_s: Annotated[float, Field(gt=0)] = 120.0
    """A handler that hangs loses its message to another worker after this."""
    publish_timeout_s: Annotated[float, Field(gt=0)] = 4.0
    """JetStream acks in a millisecond; a restart of the server takes a few seconds."""
    graceful_timeout_s: Annotated[float, Field(gt=0)] = 8.0
    """Running handlers may finish at shutdown; below the usual 10 s before a SIGKILL."""

    @field_validator("link_hosts", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        names = tuple(filter(None, (name.strip().lower() for name in value.split(","))))
        if names == ("none",):
            return ()
        for name in names:
            if not _HOST.fullmatch(name):
                raise ValueError(f"no name of a host: {name!r}")
        return names


class OutboundSettings(BaseSettings):
    """Mixed into the settings of a service that calls others over HTTP."""

    model_config = ServiceSettings.model_config

    outbound_connect_timeout_s: Annotated[float, Field(gt=0)] = 2.0
    """A server in the same country accepts in milliseconds; two seconds mean that it is gone."""
    outbound_read_timeout_s: Annotated[float, Field(gt=0)] = 5.0
    """Between two bytes. Search and cadastre answer in less than a second on a bad day."""
    outbound_total_timeout_s: Annotated[float, Field(gt=0)] = 8.0
    """A whole call with its retries; a turn has room for three of them one after the other."""
    outbound_max_retries: Annotated[int, Field(ge=0)] = 2
    """Two hide a lost connection and a restart behind a load balancer; more only add load."""
    outbound_max_retry_after_s: Annotated[float, Field(ge=0)] = 2.0
    """A user waits: a server that asks for a longer pause counts as overloaded."""
    outbound_max_body_bytes: Annotated[int, Field(ge=1)] = 5_000_000
    """A search result has some kilobytes, a plan as PDF a few megabytes; counted unpacked."""
    outbound_max_connections: Annotated[int, Field(ge=1)] = 64
    """As many as a worker handles messages at the same time."""
    outbound_breaker_share: Annotated[float, Field(gt=0, le=1)] = 0.5
    """When half of what it is asked times out, breaks off or gets 502 to 504, a source is left alone."""
    outbound_breaker_min_questions: Annotated[int, Field(ge=1, le=40)] = 5
    """Fewer different questions may be bad luck; the same one asked again and again counts once."""
    outbound_breaker_window_s: Annotated[float, Field(gt=0)] = 60.0
    """Five calls that time out one after the other fit into it; what was before says nothing of now."""
    outbound_breaker_pause_s: Annotated[float, Field(gt=0)] = 15.0
    """Long enough to restart behind it, short enough that users hardly notice that it is back."""
    outbound_probe_interval_s: Annotated[float, Field(ge=0)] = 900.0
    """Some ten small questions, whether sources still have what is configured; 0 for never."""


class PrintsSettings(BaseSettings):
    """Mixed into the settings of a service that makes files for users, or hands them out."""

    model_config = ServiceSettings.model_config

    prints_url: Annotated[str, Field(pattern=_PRINTS_URL)] = ".data/prints"
    """A folder, or `s3://bucket/prefix` with the usual AWS_* variables; beside the other data by default."""
    prints_ttl_s: Annotated[float, Field(gt=0)] = 3_600.0
    """An hour is enough to read and save a plan; after it the land register may say something else."""


class OpenAiSettings(BaseSettings):
    """Mixed into the settings of a service that can ask a language model."""

    model_config = ServiceSettings.model_config

    openai_api_key: SecretStr | None = None
    """Without a key no model is asked: rules plan, words are compared, answers are quoted. A local server
    that wants none takes any word."""
    openai_base_url: str | None = None
    """OpenAI itself, unless another server that speaks its protocol is named."""
    openai_model: str = "gpt-5-mini"
    """Small models plan well enough when the answer's shape is enforced, and they are fast."""
    openai_structured_output: Literal["strict", "json_object", "none"] = "strict"
    """The endpoint enforces the answer's shape; `json_object` or `none` for servers that cannot."""
    openai_token_limit: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """The name that OpenAI's present models insist on; some older servers only know `max_tokens`."""
    openai_reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    """Not sent: servers without reasoning models may reject it. `minimal` or `low` answers sooner."""
    openai_max_output_tokens: Annotated[int, Field(ge=256)] = 4_000
    """A plan or an answer needs some hundred tokens; the rest is room for reasoning."""
    openai_timeout_s: Annotated[float, Field(gt=0)] = 20.0
    """Longer than a slow plan takes, shorter than a user's patience; the deadline bounds it further."""
    openai_max_retries: Annotated[int, Field(ge=0, le=1)] = 1
    """One retry hides a lost connection; more would multiply with the redelivery of messages."""
    openai_max_retry_pause_s: Annotated[float, Field(ge=0)] = 5.0
    """A user waits: an endpoint that asks for a longer pause counts as unreachable."""
    openai_reserve_s: Annotated[float, Field(ge=0)] = 1.0
    """Left of the message's deadline for the way back."""
    log_prompts: bool = False
    """Prompts and answers hold what users write; only switched on to debug with made-up messages."""
    otel_capture_messages: bool = False
    """The same for traces, by a switch of its own: they may be kept by somebody else than the logs."""
