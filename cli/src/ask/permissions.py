"""Who may say and hear what on NATS: the table of the bus, as configuration of nats-server.

Every service is a user of its own. It may publish the subjects that the table gives to its role, and ask
JetStream for what its own consumer needs; it may listen to its own inbox and to core messages of its role.
Consumers are made by `ask`: a service that may make one could choose what it reads.

JetStream answers to any subject that it is told to, and does not ask whether the user may publish there: with
`$JS.API.STREAM.DELETE.TURNS` as the place for the answer, whoever may ask for anything could delete
everything. So the services have an account without JetStream, into which comes only what they may ask for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from contracts import subjects
from contracts.subjects import (
    BUS_ACCOUNT,
    COMMANDS,
    CONSUMERS,
    DEAD,
    EVENTS,
    ROUTES,
    STREAMS,
    TOOL_FAMILIES,
    TURNS,
    Consumer,
    Route,
)
from pydantic import SecretStr
from servicekit.access import NatsAccess, inbox_prefix
from servicekit.streams import TOOLS_STREAM

OPERATOR = "ask"
"""The user of the `ask` command, and of the job that declares streams and consumers."""
_INSIDE = (OPERATOR, "orchestrator")
"""Who is in that account: who declares streams, and who erases from them."""
_CORE = "(core)"
_BUCKET = f"$KV.{subjects.TOOLS_BUCKET}.>"
_STREAMS = (*(stream.name for stream in STREAMS), TOOLS_STREAM)
_API = "$JS.API"
_ASKED = (f"{_API}.CONSUMER.INFO.", f"{_API}.STREAM.INFO.")


@dataclass(frozen=True)
class User:
    """What one user may do; patterns of subjects."""

    name: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


ADMIN = User("admin", (">",), (">",))
"""May do everything: whoever has started the servers on his own machine."""

Families = Mapping[str, tuple[str, ...]]
"""Of each tool service, the families of capabilities that it offers."""


def consumers(families: Families = TOOL_FAMILIES) -> tuple[Consumer, ...]:
    """The durable consumers of the table, and those of further tool services."""
    further = (
        Consumer(service, COMMANDS.name, tuple(map(subjects.tool_calls, offered)))
        for service, offered in families.items()
        if service not in TOOL_FAMILIES
    )
    return (*CONSUMERS, *further)


def users(families: Families = TOOL_FAMILIES) -> tuple[User, ...]:
    """All users, the operator first."""
    roles = {name for route in ROUTES for name in (*route.publishers, *route.consumers)}
    names = sorted(roles - {"tools", OPERATOR} | set(families))
    return (_operator(families), *(_service(name, families) for name in names))


def password_variable(user: str) -> str:
    """The environment variable with the password of a user, e.g. `NATS_PASSWORD_TOOLS_GEO`."""
    return f"NATS_PASSWORD_{user.upper().replace('-', '_')}"


def passwords(environment: Mapping[str, str]) -> dict[str, str]:
    """By user, what the environment holds."""
    found = {user.name: environment.get(password_variable(user.name), "") for user in users()}
    return {user: password for user, password in found.items() if password}


def access_of(given: Mapping[str, str], user: str = OPERATOR) -> NatsAccess:
    """As that user when its password is given, else as NATS_USER, or as nobody."""
    if user not in given:
        return NatsAccess()
    return NatsAccess(nats_user=user, nats_password=SecretStr(given[user]))


def publisher_of(subject: str, given: Mapping[str, str]) -> str | None:
    """Of the users in `given`, the first that may publish a subject."""
    return next((u.name for u in users() if u.name in given and _covers(u.publish, subject)), None)


def configuration(families: Families = TOOL_FAMILIES, further: tuple[User, ...] = ()) -> str:
    """The block `accounts` of nats-server; passwords come from its environment.

    Users that are given `further` are where the streams are.
    """
    everybody = users(families)
    inside = [user for user in everybody if user.name in _INSIDE]
    outside = [user for user in everybody if user.name not in _INSIDE]
    wanted = {pattern for user in outside for pattern in user.publish}
    heard = {p for user in outside for p in user.subscribe if not p.startswith(inbox_prefix(user.name))}
    asked = sorted(p for p in wanted - _among_services() if not p.startswith(subjects.BUS_API))
    said_inside = {pattern for user in inside for pattern in user.publish}
    told = [*sorted(heard & said_inside), _BUCKET]
    return "\n".join(
        (
            "# Made by `ask bus permissions`; a change here is lost.",
            "accounts {",
            f"  {BUS_ACCOUNT} {{",
            "    jetstream: enabled",
            *_list("users", map(_block, (*further, *inside))),
            *_list("exports", (*map(_answered, asked), *(f'{{ stream: "{p}" }}' for p in told))),
            "  }",
            "  SERVICES {",
            *_list("users", map(_block, outside)),
            *_list(
                "imports", (*(_import("service", p) for p in asked), *(_import("stream", p) for p in told))
            ),
            "  }",
            "}\n",
        )
    )


def _among_services() -> set[str]:
    """What the services say to one another, and nobody in the account of the streams hears."""
    among = (r for r in ROUTES if r.stream == _CORE and not {*_INSIDE} & {*r.publishers, *r.consumers})
    return {pattern for route in among for pattern in _patterns(route, "", ())}


def _list(name: str, entries: Iterable[str]) -> Iterator[str]:
    yield f"    {name}: ["
    yield from (f"      {entry}" for entry in entries)
    yield "    ]"


def _answered(pattern: str) -> str:
    """What the services may ask for; a fetch from a consumer or from a stream has many answers."""
    many = ", response_type: stream" if ".MSG.NEXT." in pattern or ".DIRECT.GET." in pattern else ""
    return f'{{ service: "{pattern}"{many} }}'


def _import(kind: str, pattern: str) -> str:
    # What else begins so, the server answers for the account of who asks, where nothing is.
    own = pattern.replace(_API, subjects.BUS_API, 1) if pattern.startswith(_ASKED) else pattern
    to = f', to: "{own}"' if own != pattern else ""
    if pattern == _BUCKET:
        # What the services announce themselves they hear without that.
        to = f', prefix: "{BUS_ACCOUNT}"'
    return f'{{ {kind}: {{ account: {BUS_ACCOUNT}, subject: "{pattern}" }}{to} }}'


def _service(name: str, families: Families) -> User:
    roles = {name, "tools"} if name in families else {name}
    publish = {
        pattern
        for route in ROUTES
        if roles & {*route.publishers}
        for pattern in _patterns(route, name, families.get(name, ()))
    }
    subscribe = {f"{inbox_prefix(name)}.>"}
    for route in ROUTES:
        if not roles & {*route.consumers}:
            continue
        if route.stream == _CORE:
            subscribe |= set(_patterns(route, name, ()))
        elif route.stream == TURNS.name:
            publish.add(f"{_API}.DIRECT.GET.{TURNS.name}")
            # An event is fetched from the stream; that there is one is heard at once.
            subscribe |= set(_patterns(route, name, ()))
        elif route.stream == TOOLS_STREAM:
            publish.add(f"{_API}.DIRECT.GET.{TOOLS_STREAM}")
            subscribe |= {_BUCKET, f"{BUS_ACCOUNT}.{_BUCKET}"}
    mine = (consumer.stream for consumer in consumers(families) if consumer.service == name)
    publish |= {pattern for stream in mine for pattern in _consuming(stream, name)}
    if name == "edge":
        # So it finds out whether there are streams, and nobody learns more from the answer.
        publish.add(f"{_API}.CONSUMER.INFO.{COMMANDS.name}.orchestrator")
        # And how full that one is: its subjects, which the answer may list, tell capabilities and no turn.
        publish.add(f"{_API}.STREAM.INFO.{COMMANDS.name}")
    if name == "orchestrator":
        # A user who deletes a session deletes what is stored of its turns.
        publish |= {f"{_API}.STREAM.PURGE.{stream}" for stream, _ in subjects.of_turn("*")}
        # Results that a turn refers to are read where they are kept.
        publish.add(f"{_API}.DIRECT.GET.{EVENTS.name}")
        # So is the log of a turn, before it is told once more.
        publish.add(f"{_API}.DIRECT.GET.{TURNS.name}")
        # It measures for all how much waits.
        publish |= {f"{_API}.CONSUMER.LIST.{stream.name}" for stream in (COMMANDS, EVENTS)}
    if name not in _INSIDE:
        publish |= {p.replace(_API, subjects.BUS_API, 1) for p in publish if p.startswith(_ASKED)}
    return User(name, tuple(sorted(publish)), tuple(sorted(subscribe)))


def _operator(families: Families) -> User:
    """May declare and look at everything and delete dead letters, but speak for no service."""
    publish = {f"{_API}.STREAM.{verb}.{name}" for verb in ("INFO", "CREATE", "UPDATE") for name in _STREAMS}
    publish |= {f"{_API}.STREAM.MSG.GET.{stream.name}" for stream in STREAMS}
    publish |= {f"{_API}.STREAM.MSG.DELETE.{stream.name}" for stream in (COMMANDS, DEAD)}
    for stream, service in ((c.stream, c.service) for c in consumers(families)):
        publish.add(f"{_API}.CONSUMER.INFO.{stream}.{service}")
        publish.add(f"{_API}.CONSUMER.DURABLE.CREATE.{stream}.{service}")
    return User(OPERATOR, tuple(sorted(publish)), (f"{inbox_prefix(OPERATOR)}.>",))


def _consuming(stream: str, durable: str) -> Iterator[str]:
    """What the owner of a durable pull consumer needs."""
    yield f"{_API}.CONSUMER.INFO.{stream}.{durable}"
    yield f"{_API}.CONSUMER.MSG.NEXT.{stream}.{durable}"
    yield f"$JS.ACK.{stream}.{durable}.>"


def _patterns(route: Route, name: str, families: tuple[str, ...]) -> Iterator[str]:
    """A subject of the table with its placeholders filled in as narrowly as possible."""
    subject = re.sub("<(requestId|edgeId)>", "*", route.subject.replace("<service>", name))
    fillings = [f"{family}.>" for family in families] or [">"]
    yield from dict.fromkeys(subject.replace("<capability>", filling) for filling in fillings)


def _covers(patterns: tuple[str, ...], subject: str) -> bool:
    return any(subjects.matches(pattern, subject) for pattern in patterns)


def _block(user: User) -> str:
    lines = [
        f'{{ user: "{user.name}", password: ${password_variable(user.name)}, permissions: {{',
        "    publish: { allow: [",
        *(f'      "{pattern}"' for pattern in user.publish),
        "    ] },",
        "    subscribe: { allow: [",
        *(f'      "{pattern}"' for pattern in user.subscribe),
        "    ] }",
        "} }",
    ]
    return "\n      ".join(lines)
