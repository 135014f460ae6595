"""The command among other commands: pipes that close, Ctrl-C, and what a shell completes."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from ask.keys import KeysFile

ASK = Path(sys.executable).with_name("ask")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ASK_URL", "ASK_DATA_DIR", "API_KEYS_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")


def _bash(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"PATH": f"{ASK.parent}:{os.environ['PATH']}"},
    )


def test_a_pipe_that_is_closed_early_ends_a_command_quietly() -> None:
    done = _bash("ask bus asyncapi | head -1")
    assert (done.stdout, done.stderr) == ("info:\n", "")


def test_closed_input_says_nothing() -> None:
    done = _bash("ask chat <&-")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def _interrupted(process: subprocess.Popen[str], patience_s: float = 10.0) -> tuple[str, str]:
    """Pressed again where nothing happens: a signal that comes just before a process begins to wait is only
    looked at when it has waited.
    """
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=patience_s)
    process.kill()
    return process.communicate()


@pytest.mark.parametrize("form", ["--json", "--json-lines"])
def test_ctrl_c_ends_a_command_quietly(form: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        command = [str(ASK), "chat", form, "Hallo", "--url", url]
        # A shell lets what it starts in the background ignore Ctrl-C, and that is handed down.
        ignored = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            asking = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=-1, stderr=-1, text=True)
        finally:
            signal.signal(signal.SIGINT, ignored)
        # It has begun to ask.
        connection, _ = silent.accept()
        with connection:
            assert connection.recv(1)
            out, err = _interrupted(asking)
    assert (asking.returncode, out, err) == (130, "", "")


# -- completion ------------------------------------------------------------------------------------


def _completed(shell: str, *words: str) -> list[str]:
    """What is offered for the last word, by the protocol of the shell."""
    variables = {
        "_ASK_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "\n".join(("ask", *words)),
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_ARGS": " ".join(("ask", *words)),
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(
        [str(ASK)], capture_output=True, text=True, timeout=60, check=True, env=os.environ | variables
    )
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("ch",), ["chat"]),
        (("dead", "re"), ["replay"]),
        (("chat", "--lang"), ["--language"]),
        (("chat", "--language", ""), ["de", "fr", "it", "en"]),
        (("chat", "--json"), ["--json", "--json-lines"]),
        (("bus", "asyncapi", "ed"), ["edge"]),
        (("keys", "revoke", ""), []),
    ],
)
def test_bash_is_offered_what_fits(words: tuple[str, ...], offered: list[str]) -> None:
    assert _completed("bash", *words) == offered


def test_names_and_ids_of_keys_are_offered(tmp_path: Path) -> None:
    made = KeysFile(tmp_path / ".data" / "api-keys.json").create("berichte", ("chat",), None)
    assert _completed("bash", "keys", "rotate", "be") == ["berichte"]
    assert _completed("bash", "keys", "revoke", "") == [made.entry.id]
    assert _completed("bash", "keys", "revoke", "", "--file", "elsewhere") == []


def test_zsh_and_fish_are_told_what_each_is() -> None:
    assert '"tools":"' in _completed("zsh", "to")[0]
    assert _completed("fish", "to")[0].startswith("tools\t")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_can_be_told(shell: str) -> None:
    shown = _bash(f"_ASK_COMPLETE=source_{shell} ask")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"complete_{shell}" in shown.stdout


def test_a_real_bash_completes() -> None:
    done = _bash(
        'eval "$(ask --show-completion bash)"; COMP_WORDS=(ask chat --language f); COMP_CWORD=3; '
        '"$(complete -p ask | sed "s/.*-F \\([^ ]*\\) .*/\\1/")" ask; echo "${COMPREPLY[@]}"'
    )
    assert (done.stdout, done.stderr) == ("fr\n", "")
