"""What can be set about the edge."""

from pathlib import Path
from typing import Annotated, Literal, Self

from contracts.keys import TURN_TTL_S
from contracts.subjects import COMMANDS
from pydantic import Field, field_validator, model_validator
from pydantic_settings import NoDecode
from servicekit.settings import OutboundSettings, PrintsSettings, ServiceSettings

from edge.auth.settings import AuthSettings, refusal
from edge.limit_settings import LimitSettings

IDEMPOTENCY_TTL_S = TURN_TTL_S
"""As long as the turn that an idempotency key leads to."""
ACCEPTED_TTL_S = int(COMMANDS.max_age_s)
"""As long as a turn that nobody has begun yet can still begin."""

Origin = Annotated[str, Field(pattern=r"^https?://(\*\.)?[A-Za-z0-9.-]+(:\d+)?$")]
"""Scheme, host and port; more would not stay within its part of a policy."""
Host = Annotated[str, Field(pattern=r"^((\*\.)?[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$")]
"""A name or an address without a port, as in a `Host` header."""


class EdgeSettings(ServiceSettings, PrintsSettings, OutboundSettings, AuthSettings, LimitSettings):
    """Environment variables have the same names in upper case, e.g. `PORT`."""

    http_host: str = "127.0.0.1"
    """Local by default; a container sets 0.0.0.0."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """The usual port of a web application that is not root; 0 takes a free one."""
    cell: Annotated[int, Field(ge=0, le=255)] | None = None
    """The number of this system among several that share the sessions. Request ids then begin with it, in two
    hexadecimal digits, so that whoever divides the requests finds a turn by its id."""
    turn_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """A language model and a slow map service fit in; a user's patience does not reach further."""
    wait_timeout_s: Annotated[float, Field(gt=0)] = 32.0
    """Longer than a turn may take, so that its own account of the timeout arrives first."""
    max_waiting_turns: Annotated[int, Field(ge=1)] = 512
    """Turns at work, and those that wait for a place at work. More than one replica can work off in a second;
    who comes later is better told at once."""
    max_body_bytes: Annotated[int, Field(ge=1)] = 65_536
    """A message of 4,000 characters fits several times, whatever its encoding."""
    max_run_input_bytes: Annotated[int, Field(ge=1)] = 524_288
    """AG-UI clients send the whole conversation and its state with every run: some hundred messages."""
    max_bodies_bytes: Annotated[int, Field(ge=1)] = 8_388_608
    """Of the large bodies in work together; in memory they take up to ten times as much. A quarter for one
    address."""
    max_connections: Annotated[int, Field(ge=1)] = 2_048
    """Four times as many as turns that wait, some kilobytes each. When all are taken, who waits goes."""
    max_connections_per_address: Annotated[int, Field(ge=1)] = 512
    """A quarter: no single address takes all. Trusted proxies may have all."""
    head_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    """Headers come in one packet, on a bad line in a few seconds."""
    body_timeout_s: Annotated[float, Field(gt=0)] = 20.0
    """A message comes at once; the largest conversation needs 200 kbit/s."""
    look_period_s: Annotated[float, Field(gt=0)] = 2.0
    """A reply can be lost when NATS restarts: a lost one costs at most this much."""
    ping_period_s: Annotated[float, Field(gt=0)] = 10.0
    """Proxies cut connections that are silent for 30 s to 60 s."""
    send_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """A client that takes nothing for so long is gone, or can resume its stream later."""
    trust_traceparent: bool = False
    """A stranger could have each of his turns traced: traces begin here, with a link to that of the caller.
    True goes on with them, for an edge behind a gateway that makes the header itself."""
    redis_timeout_s: Annotated[float, Field(gt=0)] = 1.0
    """Redis answers in under a millisecond; a second means that it is gone."""
    drain_timeout_s: Annotated[float, Field(ge=0)] = 4.0
    """At shutdown waiting turns may still end; shorter than the server waits for its connections (5 s)."""
    outline: str = "outline.geojson"
    """Address of the outline that the page draws at the start, GeoJSON in LV95; by default the canton of
    Solothurn beside the page. Empty: none."""
    conversation_days: Annotated[int, Field(ge=1, le=366)] = 90
    """Conversations stay with an account so long after they went on last."""
    max_conversations_bytes: Annotated[int, Field(ge=1)] = 4_194_304
    """What one account may keep of conversations; the oldest go first."""
    share_days: Annotated[int, Field(ge=0, le=366)] = 30
    """Short links to maps hold so long: a project meeting, and the one after it. 0: none are made."""
    max_shares_bytes: Annotated[int, Field(ge=1)] = 33_554_432
    """Of all maps that are kept for links, in Redis: some ten thousand usual ones, a tenth of its memory."""
    feedback_days: Annotated[int, Field(ge=0, le=366)] = 90
    """What users think of answers is kept so long, with what they asked. 0: nobody is asked."""
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Web pages of other origins that may call the API, comma separated; none by default."""
    allowed_hosts: Annotated[tuple[Host, ...], NoDecode] = ("127.0.0.1", "localhost", "[::1]")
    """Names under which the API is reached, comma separated, with any port; `*.example.ch` is all below
    `example.ch`. Local by default: a page whose own name is made to point here gets no answer."""

    client_dir: Path | None = None
    """The folder of the built map client. Without one browsers are told how to get it; the API is there."""
    map_hosts: Annotated[tuple[Origin, ...], NoDecode] = (
        "https://geo.so.ch",
        "https://wmts.geo.admin.ch",
        "https://wms.geo.admin.ch",
    )
    """Where the page may load maps, legends and symbols of extracts from, comma separated: the canton and the
    Confederation by default."""
    background_maps: Literal["canton", "federal"] = "canton"
    """Whose maps lie below the layers. Those of the canton are more detailed; they end at its border."""
    frame_ancestors: Annotated[tuple[Origin, ...], NoDecode] = ()
    """Web pages that may show the page in a frame, comma separated; none by default."""

    @field_validator("client_dir")
    @classmethod
    def _is_built(cls, value: Path | None) -> Path | None:
        if value is not None and not (value / "index.html").is_file():
            raise ValueError(f"{value} has no index.html")
        return value

    @field_validator("allowed_origins", "allowed_hosts", "map_hosts", "frame_ancestors", mode="before")
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @model_validator(mode="after")
    def _lets_nobody_in_by_mistake(self) -> Self:
        if (problem := refusal(self, self.http_host)) is not None:
            raise ValueError(problem)
        return self
