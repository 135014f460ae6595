"""The command line itself."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import commands
import pytest
import typer
from typer.core import TyperGroup

from ask import folder, main
from ask.folder import Note


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, without variables that say where ask.sogis is."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASK_URL", "NATS_URL", "ASK_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def _ask(*arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.ask(*arguments, environment=os.environ | {"COLUMNS": "200", "NO_COLOR": "1"})


def test_help_names_every_command() -> None:
    shown = _ask("--help").stdout
    for command in ("up", "chat", "tools", "turn", "dead"):
        assert re.search(rf"\b{command}\b", shown)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("chat", "Hallo", "--url", "http://127.0.0.1:9"), 5, "http://127.0.0.1:9 nicht erreichbar"),
        (("chat", "Hallo", "--json", "--url", "http://127.0.0.1:9"), 5, "http://127.0.0.1:9 nicht"),
        (("chat", "Hallo", "--json-lines", "--url", "http://127.0.0.1:9"), 5, "http://127.0.0.1:9 nicht"),
        (("tools", "--url", "http://127.0.0.1:9"), 5, "http://127.0.0.1:9 nicht erreichbar"),
        (("turn", "req-1", "--nats", "nats://127.0.0.1:9"), 5, "nats://127.0.0.1:9 ist nicht erreichbar"),
        (("dead", "list", "--nats", "nats://127.0.0.1:9"), 5, "nats://127.0.0.1:9 ist nicht erreichbar"),
        (("feedback", "--redis", "redis://127.0.0.1:9"), 5, "redis://127.0.0.1:9"),
        (("top", "--once", "--metrics", "http://127.0.0.1:9/metrics"), 5, "http://127.0.0.1:9/metrics"),
        (("chat",), 2, "Sag etwas"),
        (("chat", "Hallo", "--json", "--json-lines"), 2, "nicht beides"),
        (("mcp", "--stdio", "--json"), 2, "nicht beides"),
        (("tools", "--url", "http://[::1"), 2, "http://[::1"),
        (("tools", "--url", "http://me:secret@127.0.0.1:9"), 5, " http://127.0.0.1:9 nicht erreichbar"),
        (("top", "--once"), 2, "--metrics"),
        (("dead", "replay"), 2, "Was wiederholen"),
        (("dead", "drop"), 2, "Was löschen"),
        (("dead", "drop", "1", "--all"), 2, "Was löschen"),
        (("tools", "--token-file", "nowhere"), 2, "nowhere"),
        (("keys", "create", "--name", "a", "--scopes", "everything"), 2, "everything"),
        (("bus", "asyncapi", "nobody"), 2, "nobody"),
        (("keys", "revoke", "nobody"), 1, "nobody"),
    ],
)
def test_a_failure_is_one_line_and_an_exit_code(arguments: tuple[str, ...], code: int, words: str) -> None:
    result = _ask(*arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_variable_that_does_not_fit_is_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "http")
    result = _ask("chat", "Hallo")
    assert (result.returncode, result.stdout, "PORT" in result.stderr) == (2, "", True)


def test_a_wrong_command_line_is_exit_code_2_without_frames_and_colours() -> None:
    result = _ask("chat", "--nonsense")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.isascii() and "--nonsense" in result.stderr and "\x1b" not in result.stderr


def test_every_command_that_ends_can_answer_in_json() -> None:
    def without(group: TyperGroup, path: str = "") -> Iterator[str]:
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                yield from without(command, f"{path}{name} ")
            elif not any("--json" in option.opts for option in command.params):
                yield f"{path}{name}"

    command = typer.main.get_command(main.app)
    assert isinstance(command, TyperGroup)
    # What `dead show` prints is JSON in any case.
    assert set(without(command)) == {"up", "dead show", "bus permissions", "bus asyncapi"}


def test_commands_talk_to_the_stack_of_this_folder_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main.edge_url(None) == "http://127.0.0.1:8080"
    assert main.nats_url(None) == "nats://127.0.0.1:4222"
    Path(".data").mkdir()
    note = Note(pid=os.getpid(), url="http://127.0.0.1:8081", nats_url="nats://127.0.0.1:20001")
    folder.write(Path(".data"), note)
    assert main.edge_url(None) == "http://127.0.0.1:8081"
    assert main.nats_url(None) == "nats://127.0.0.1:20001"
    monkeypatch.setenv("ASK_URL", "http://variable")
    monkeypatch.setenv("NATS_URL", "nats://variable")
    assert main.edge_url(None) == "http://variable"
    assert main.nats_url(None) == "nats://variable"
    assert main.edge_url("http://option") == "http://option"
    assert main.nats_url("nats://option") == "nats://option"


def test_a_stack_that_has_died_is_not_asked() -> None:
    Path(".data").mkdir()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder.write(Path(".data"), Note(pid=dead.pid, url="http://127.0.0.1:8081"))
    assert main.edge_url(None) == "http://127.0.0.1:8080"
