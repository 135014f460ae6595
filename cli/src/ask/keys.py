"""`ask keys`: make, list, renew and revoke API keys."""

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text
from servicekit.apikeys import ApiKey, ApiKeys, Scope, new_key

from ask.errors import AskError, Exit
from ask.folder import write_private
from ask.texts import text

NEVER = "never"
SCOPES: tuple[Scope, ...] = get_args(Scope)
_SPAN = re.compile(r"([1-9]\d{0,3})([hd])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1)}


def span(given: str) -> timedelta | None:
    """Of `90d` or `12h`; None for `never`. Raises `AskError`."""
    if given == NEVER:
        return None
    parts = _SPAN.fullmatch(given)
    if parts is None:
        raise AskError(text("keys_bad_span", given=given), Exit.MISUSED)
    return int(parts[1]) * _UNITS[parts[2]]


def scopes_of(given: str) -> tuple[Scope, ...]:
    """Of a list with commas. Raises `AskError`."""
    wanted = {part.strip() for part in given.split(",") if part.strip()}
    if not wanted or not wanted <= set(SCOPES):
        raise AskError(text("keys_bad_scopes", given=given, known=", ".join(SCOPES)), Exit.MISUSED)
    return tuple(scope for scope in SCOPES if scope in wanted)


class Made(NamedTuple):
    """A new key, which nobody can be told again, and what is kept of it."""

    entry: ApiKey
    key: str


class KeysFile:
    """The file with the hashes. Every method raises `AskError` when it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> ApiKeys:
        try:
            return ApiKeys.from_json(self.path.read_bytes())
        except FileNotFoundError:
            return ApiKeys()
        except OSError as error:
            raise AskError(text("keys_unreadable", file=self.path, reason=error.strerror)) from None
        except ValidationError as error:
            reason = text("keys_malformed", where=".".join(map(str, error.errors()[0]["loc"])) or "-")
            raise AskError(text("keys_unreadable", file=self.path, reason=reason)) from None

    def create(self, name: str, scopes: tuple[Scope, ...], lifetime: timedelta | None) -> Made:
        with self._changing() as keys:
            if any(key.name == name for key in keys):
                raise AskError(text("keys_exists", name=name))
            return self._add(keys, name, scopes, lifetime)

    def rotate(self, name: str, overlap: timedelta) -> Made:
        """A new key with the scopes and the lifetime of the newest; the old ones end after `overlap`."""
        with self._changing() as keys:
            old = [key for key in keys if key.name == name]
            if not old:
                raise AskError(text("keys_unknown_name", name=name))
            newest = max(old, key=lambda key: key.created_at)
            end = _now() + overlap
            keys[:] = [key if key.name != name else _ended_by(key, end) for key in keys]
            lifetime = newest.expires_at - newest.created_at if newest.expires_at else None
            return self._add(keys, name, newest.scopes, lifetime)

    def revoke(self, identifier: str) -> ApiKey:
        """The entry that was removed."""
        with self._changing() as keys:
            found = next((key for key in keys if key.id == identifier), None)
            if found is None:
                raise AskError(text("keys_unknown_id", id=identifier))
            keys.remove(found)
            return found

    @contextmanager
    def _changing(self) -> Iterator[list[ApiKey]]:
        """The entries, written back at the end; two commands at the same time wait for each other."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError as error:
            raise AskError(text("keys_unwritable", file=self.path, reason=error.strerror)) from None
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            keys = list(self.read().keys)
            yield keys
            write_private(self.path, ApiKeys(keys=tuple(keys)).model_dump_json(indent=2) + "\n")
        except OSError as error:
            raise AskError(text("keys_unwritable", file=self.path, reason=error.strerror)) from None
        finally:
            os.close(folder)

    @staticmethod
    def _add(keys: list[ApiKey], name: str, scopes: tuple[Scope, ...], lifetime: timedelta | None) -> Made:
        now = _now()
        try:
            entry, key = new_key(name, scopes, now, now + lifetime if lifetime else None)
        except ValidationError:
            raise AskError(text("keys_bad_name", name=name), Exit.MISUSED) from None
        keys.append(entry)
        return Made(entry, key)


def create(path: Path, name: str, scopes: str, expires: str, *, as_json: bool = False) -> None:
    """Print a new key. Raises `AskError`."""
    made = KeysFile(path).create(name.strip(), scopes_of(scopes), span(expires))
    _show(made, text("keys_created", name=name.strip()), as_json=as_json)


def rotate(path: Path, name: str, overlap: str, *, as_json: bool = False) -> None:
    """Print the key that follows. Raises `AskError`."""
    patience = span(overlap)
    if patience is None:
        raise AskError(text("keys_bad_span", given=overlap), Exit.MISUSED)
    made = KeysFile(path).rotate(name, patience)
    _show(made, text("keys_rotated", name=name, until=_shown(_now() + patience)), as_json=as_json)


def revoke(path: Path, identifier: str, *, as_json: bool = False) -> None:
    """Raises `AskError`."""
    gone = KeysFile(path).revoke(identifier)
    typer.echo(_document(gone) if as_json else text("keys_revoked", name=gone.name, id=gone.id))


def named(path: Path, part: Literal["id", "name"]) -> list[str]:
    """What a command line may name; nothing where the file cannot be read."""
    try:
        return sorted({getattr(key, part) for key in KeysFile(path).read().keys})
    except AskError:
        return []


def show_list(path: Path, *, as_json: bool) -> None:
    """Raises `AskError`."""
    keys = KeysFile(path).read().keys
    if as_json:
        for key in keys:
            typer.echo(_document(key))
        return
    console = Console(highlight=False)
    if not keys:
        console.print(text("keys_none", file=path), markup=False, soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("id", "name", "scopes", "created", "expires"):
        table.add_column(text(f"column_{column}"), overflow="fold")
    for key in keys:
        cells = (key.id, key.name, ", ".join(key.scopes), _shown(key.created_at), _end_of(key))
        table.add_row(*map(Text, cells))
    console.print(table)


def _show(made: Made, what: str, *, as_json: bool) -> None:
    """The key alone goes to standard output, for programs; what it is, to the person beside."""
    if as_json:
        typer.echo(json.dumps(json.loads(_document(made.entry)) | {"key": made.key}))
        return
    typer.echo(what, err=True)
    typer.echo(made.key)


def _document(key: ApiKey) -> str:
    return key.model_dump_json(exclude={"hash"})


def _ended_by(key: ApiKey, end: datetime) -> ApiKey:
    if key.expires_at is not None and key.expires_at <= end:
        return key
    return key.model_copy(update={"expires_at": end})


def _end_of(key: ApiKey) -> str:
    if key.expires_at is None:
        return text("keys_never")
    if key.expires_at <= _now():
        return text("keys_expired", time=_shown(key.expires_at))
    return _shown(key.expires_at)


def _shown(at: datetime) -> str:
    return at.astimezone().strftime("%d.%m.%Y %H:%M")


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
