"""What a shell offers for a half-written word, where only this machine can know."""

import typer

from ask import settings

HELP = {"install_completion": "help_install_completion", "show_completion": "help_show_completion"}
"""What the options say that typer brings along, in the language of the user."""


def services() -> list[str]:
    """Those that say something on the bus."""
    from ask.services import SERVICES

    return [service.name for service in SERVICES]


def key_names(ctx: typer.Context) -> list[str]:
    from ask import keys

    return keys.named(ctx.params.get("file") or settings.load().where_keys_are(), "name")


def key_ids(ctx: typer.Context) -> list[str]:
    from ask import keys

    return keys.named(ctx.params.get("file") or settings.load().where_keys_are(), "id")
