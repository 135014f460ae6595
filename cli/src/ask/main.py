"""The entry point: commands, their options, and what they call.

Each command imports what it needs when it runs: `ask up` has no use for an HTTP client, `ask chat` for a bus.
"""

import logging
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from contracts.languages import Language
from typer.core import TyperOption

from ask import completing, folder, settings, texts
from ask.errors import AskError, Exit
from ask.texts import text

# Frames and colours are for terminals.
LOOK: Literal["rich"] | None = "rich" if sys.stdout.isatty() and sys.stderr.isatty() else None

app = typer.Typer(
    help=text("help"), no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=LOOK
)
dead_app = typer.Typer(help=text("help_dead"), no_args_is_help=True)
app.add_typer(dead_app, name="dead")
bus_app = typer.Typer(help=text("help_bus"), no_args_is_help=True)
app.add_typer(bus_app, name="bus")
docs_app = typer.Typer(help=text("help_docs"), no_args_is_help=True)
app.add_typer(docs_app, name="docs")
keys_app = typer.Typer(help=text("help_keys"), no_args_is_help=True)
app.add_typer(keys_app, name="keys")

Url = Annotated[str | None, typer.Option("--url", help=text("help_url"))]
NatsUrl = Annotated[str | None, typer.Option("--nats", help=text("help_nats"))]
RedisUrl = Annotated[str | None, typer.Option("--redis", help=text("help_redis"))]
Sentence = Annotated[list[str] | None, typer.Argument(help=text("help_sentence"), show_default=False)]
Families = Annotated[list[str] | None, typer.Option("--tools", help=text("help_families"))]
Index = Annotated[str | None, typer.Option("--index", help=text("help_index"))]
TokenFile = Annotated[Path | None, typer.Option("--token-file", help=text("help_token_file"))]
KeysPath = Annotated[Path | None, typer.Option("--file", help=text("help_keys_file"))]
DeadEntry = Annotated[int | None, typer.Argument(help=text("help_entry"), min=1, show_default=False)]
Everything = Annotated[bool, typer.Option("--all", help=text("help_all"))]
AsJson = Annotated[bool, typer.Option("--json", help=text("help_json"))]


def edge_url(given: str | None) -> str:
    """The option, else the variable, else the stack of this folder, else the default."""
    known = settings.load()
    running = folder.running(known.ask_data_dir)
    return given or known.ask_url or (running.url if running else None) or "http://127.0.0.1:8080"


def nats_url(given: str | None) -> str:
    """The option, else the variable, else the stack of this folder, else the default."""
    known = settings.load()
    running = folder.running(known.ask_data_dir)
    return given or known.nats_url or (running.nats_url if running else None) or "nats://127.0.0.1:4222"


def redis_url(given: str | None) -> str:
    """The option, else the variable, else the stack of this folder, else the default."""
    known = settings.load()
    running = folder.running(known.ask_data_dir)
    return given or known.redis_url or (running.redis_url if running else None) or "redis://127.0.0.1:6379/0"


def token(token_file: Path | None) -> str | None:
    """The option, else the variable; without either an edge may hand one out by itself."""
    from ask.access import given_token

    variable = settings.load().ask_token
    return given_token(token_file, variable.get_secret_value() if variable else None)


@app.command(help=text("help_up"))
def up() -> None:
    from ask import up as command

    command.main(settings.load())


@app.command(help=text("help_chat"))
def chat(
    sentence: Sentence = None,
    url: Url = None,
    choice: Annotated[str | None, typer.Option("--choice", help=text("help_choice"))] = None,
    session: Annotated[str | None, typer.Option("--session", help=text("help_session"))] = None,
    new: Annotated[bool, typer.Option("--new", help=text("help_new"))] = False,
    language: Annotated[Language | None, typer.Option("--language", help=text("help_language"))] = None,
    token_file: TokenFile = None,
    as_json: AsJson = False,
    as_lines: Annotated[bool, typer.Option("--json-lines", help=text("help_json_lines"))] = False,
) -> None:
    from ask import chat as command
    from ask import edge, sessions

    if language is not None:
        texts.speak(language)
    if as_json and as_lines:
        raise AskError(text("not_both", one="--json", other="--json-lines"), Exit.MISUSED)
    session_id = session or sessions.current(sessions.state_dir(), new=new)
    message = " ".join(sentence) if sentence else None
    form: command.Form = "lines" if as_lines else "json" if as_json else "text"
    with edge.client(edge_url(url), token(token_file), session_id) as client:
        end = command.run(client, message=message, choice_id=choice, form=form)
    raise typer.Exit(end)


@app.command(help=text("help_tools"))
def tools(url: Url = None, token_file: TokenFile = None, as_json: AsJson = False) -> None:
    from rich.console import Console

    from ask import edge
    from ask.rendering import show_tools

    with edge.client(edge_url(url), token(token_file)) as client:
        found = client.tools()
    if as_json:
        typer.echo(found.document)
    else:
        show_tools(Console(highlight=False), found)


@app.command(help=text("help_mcp"))
def mcp(
    url: Url = None,
    stdio: Annotated[bool, typer.Option("--stdio", help=text("help_stdio"))] = False,
    token_file: TokenFile = None,
    as_json: AsJson = False,
) -> None:
    import asyncio

    from ask import mcpbridge as command

    if stdio and as_json:
        raise AskError(text("not_both", one="--stdio", other="--json"), Exit.MISUSED)
    edge = edge_url(url).rstrip("/")
    if stdio:
        asyncio.run(command.serve(edge, token(token_file)))
    elif as_json:
        typer.echo(command.configuration(edge, token_file))
    else:
        typer.echo(command.how_to_connect(edge, token_file))


@app.command(help=text("help_turn"))
def turn(
    request_id: Annotated[str, typer.Argument(help=text("help_request_id"))],
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> None:
    from ask import turn as command

    command.run(nats_url(nats), request_id, as_json=as_json)


@app.command(help=text("help_top"))
def top(
    once: Annotated[bool, typer.Option("--once", help=text("help_once"))] = False,
    metrics: Annotated[list[str] | None, typer.Option("--metrics", help=text("help_metrics"))] = None,
    interval: Annotated[float, typer.Option("--interval", help=text("help_interval"), min=0.1)] = 2.0,
    as_json: AsJson = False,
) -> None:
    import asyncio

    from ask import top as command

    running = folder.running(settings.load().ask_data_dir)
    places = {url: url for url in metrics or ()} or (running.metrics if running else {})
    if not places:
        raise AskError(text("top_nowhere"), Exit.MISUSED)
    asyncio.run(command.run(places, once=once, as_json=as_json, interval_s=interval))


@app.command(help=text("help_feedback"))
def feedback(
    down: Annotated[bool, typer.Option("--down", help=text("help_down"))] = False,
    since: Annotated[str | None, typer.Option("--since", help=text("help_since"))] = None,
    limit: Annotated[int, typer.Option("--limit", help=text("help_feedback_limit"), min=1, max=5_000)] = 100,
    redis: RedisUrl = None,
    as_json: AsJson = False,
) -> None:
    from ask import feedback as command
    from ask import keys

    span = keys.span(since) if since else None
    command.run(redis_url(redis), only_down=down, since=span, limit=limit, as_json=as_json)


@dead_app.command("list", help=text("help_dead_list"))
def dead_list(nats: NatsUrl = None, as_json: AsJson = False) -> None:
    from ask import deadview

    deadview.show_list(nats_url(nats), as_json=as_json)


@dead_app.command("show", help=text("help_dead_show"))
def dead_show(
    entry: Annotated[int, typer.Argument(help=text("help_entry"), min=1)],
    nats: NatsUrl = None,
) -> None:
    from ask import deadview

    deadview.show(nats_url(nats), entry)


@dead_app.command("replay", help=text("help_dead_replay"))
def dead_replay(
    entry: DeadEntry = None,
    everything: Everything = False,
    wait: Annotated[float, typer.Option("--wait", help=text("help_wait"), min=0, max=3600)] = 60,
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> None:
    from ask import deadview

    if (entry is None) != everything:
        raise AskError(text("replay_what"), Exit.MISUSED)
    if not deadview.replay(nats_url(nats), entry, patience_s=wait, as_json=as_json):
        raise typer.Exit(Exit.FAILED)


@dead_app.command("drop", help=text("help_dead_drop"))
def dead_drop(
    entry: DeadEntry = None,
    everything: Everything = False,
    yes: Annotated[bool, typer.Option("--yes", help=text("help_yes"))] = False,
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> None:
    from ask import deadview

    if (entry is None) != everything:
        raise AskError(text("drop_what"), Exit.MISUSED)
    deadview.drop(nats_url(nats), entry, sure=yes, as_json=as_json)


@bus_app.command("apply", help=text("help_bus_apply"))
def bus_apply(
    nats: NatsUrl = None,
    replicas: Annotated[int, typer.Option("--replicas", help=text("help_replicas"), min=1, max=5)] = 1,
    check: Annotated[bool, typer.Option("--check", help=text("help_check"))] = False,
    tools: Families = None,
    as_json: AsJson = False,
) -> None:
    from ask import declaring

    families = declaring.families(tools or [])
    if not declaring.run(nats_url(nats), replicas, families, check=check, as_json=as_json):
        raise typer.Exit(Exit.FAILED)


@bus_app.command("permissions", help=text("help_bus_permissions"))
def bus_permissions(tools: Families = None) -> None:
    from ask import declaring, permissions

    typer.echo(permissions.configuration(declaring.families(tools or [])), nl=False)


@bus_app.command("asyncapi", help=text("help_bus_asyncapi"))
def bus_asyncapi(
    services: Annotated[
        list[str] | None, typer.Argument(help=text("help_services"), autocompletion=completing.services)
    ] = None,
    html: Annotated[bool, typer.Option("--html", help=text("help_html"))] = False,
) -> None:
    from ask import describing

    typer.echo(describing.bus(services or [], "html" if html else "yaml"), nl=False)


@keys_app.command("create", help=text("help_keys_create"))
def keys_create(
    name: Annotated[str, typer.Option("--name", help=text("help_key_name"))],
    scopes: Annotated[str, typer.Option("--scopes", help=text("help_scopes"))] = "chat,tools",
    expires: Annotated[str, typer.Option("--expires", help=text("help_expires"))] = "90d",
    file: KeysPath = None,
    as_json: AsJson = False,
) -> None:
    from ask import keys

    keys.create(file or settings.load().where_keys_are(), name, scopes, expires, as_json=as_json)


@keys_app.command("list", help=text("help_keys_list"))
def keys_list(file: KeysPath = None, as_json: AsJson = False) -> None:
    from ask import keys

    keys.show_list(file or settings.load().where_keys_are(), as_json=as_json)


@keys_app.command("rotate", help=text("help_keys_rotate"))
def keys_rotate(
    name: Annotated[str, typer.Argument(help=text("help_key_name"), autocompletion=completing.key_names)],
    overlap: Annotated[str, typer.Option("--overlap", help=text("help_overlap"))] = "7d",
    file: KeysPath = None,
    as_json: AsJson = False,
) -> None:
    from ask import keys

    keys.rotate(file or settings.load().where_keys_are(), name, overlap, as_json=as_json)


@keys_app.command("revoke", help=text("help_keys_revoke"))
def keys_revoke(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help=text("help_key_id"), autocompletion=completing.key_ids)
    ],
    file: KeysPath = None,
    as_json: AsJson = False,
) -> None:
    from ask import keys

    keys.revoke(file or settings.load().where_keys_are(), identifier, as_json=as_json)


@docs_app.command("ingest", help=text("help_docs_ingest"))
def docs_ingest(
    source: Annotated[str, typer.Argument(help=text("help_source"))],
    prune: Annotated[bool, typer.Option("--prune", help=text("help_prune"))] = False,
    base_url: Annotated[str | None, typer.Option("--base-url", help=text("help_base_url"))] = None,
    allow: Annotated[list[str] | None, typer.Option("--allow", help=text("help_allow"))] = None,
    full: Annotated[bool, typer.Option("--full", help=text("help_full"))] = False,
    report: Annotated[Path | None, typer.Option("--report", help=text("help_report"))] = None,
    index: Index = None,
    as_json: AsJson = False,
) -> None:
    from ask import docs
    from ask.ingesting import LeftOut

    known = settings.load()
    where = index or known.where_documents_are()
    left_out = LeftOut(report or known.where_left_out_is(where), is_asked_for=report is not None)
    if not docs.ingest(
        source,
        where,
        left_out,
        prune=prune,
        full=full,
        base_url=base_url,
        allowed=allow or [],
        as_json=as_json,
    ):
        raise typer.Exit(Exit.FAILED)


@docs_app.command("status", help=text("help_docs_status"))
def docs_status(index: Index = None, as_json: AsJson = False) -> None:
    from ask import docs

    docs.show_status(index or settings.load().where_documents_are(), as_json=as_json)


@docs_app.command("search", help=text("help_docs_search"))
def docs_search(
    question: Annotated[list[str], typer.Argument(help=text("help_question"))],
    limit: Annotated[int, typer.Option("--limit", help=text("help_limit"), min=1, max=20)] = 5,
    index: Index = None,
    as_json: AsJson = False,
) -> None:
    from ask import docs

    where = index or settings.load().where_documents_are()
    docs.search(where, " ".join(question), limit=limit, as_json=as_json)


def main() -> None:
    """One line on standard error when something is wrong that the user can change, and an exit code."""
    # Its errors arrive as exceptions; the log lines beside them are for programs that go on.
    logging.getLogger("nats").setLevel(logging.CRITICAL)
    try:
        command = typer.main.get_command(app)
        for option in command.params:
            if isinstance(option, TyperOption) and option.name in completing.HELP:
                option.help = text(completing.HELP[option.name])
        command()
    except AskError as error:
        typer.echo(str(error), err=True)
        sys.exit(error.code)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
