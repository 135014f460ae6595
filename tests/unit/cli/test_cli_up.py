"""`ask up` as a process: what a person sees, and what is left."""

import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from ask.events import how_it_ended
from ask.up import banner

Start = Callable[..., Any]


def geo_of(family: list[psutil.Process]) -> psutil.Process:
    """The process of the fake service `geo`; the supervisor, which comes first, has its name too."""
    return next(process for process in family[1:] if process.cmdline()[-1] == "geo")


def test_the_banner_says_where_what_to_try_where_to_look_and_how_to_stop() -> None:
    shown = banner("http://127.0.0.1:8080", ".data/logs/", 2.34, "ask", ("A", "B", "C"))
    assert shown.startswith("ask.sogis läuft auf http://127.0.0.1:8080  (bereit nach 2.3 s)")
    assert shown.count('  ask chat "') == 3
    assert "curl -s http://127.0.0.1:8080/api/chat " in shown
    assert ".data/logs/" in shown
    assert "Ctrl-C" in shown


@pytest.mark.parametrize(
    ("code", "words"), [(0, "Exit-Code 0"), (1, "Exit-Code 1"), (-9, "Signal SIGKILL"), (-250, "Signal 250")]
)
def test_the_end_of_a_process_in_words(code: int, words: str) -> None:
    assert how_it_ended(code) == words


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(
    start_up: Start, nothing_left: Callable[..., None], number: signal.Signals
) -> None:
    up = start_up("geo", "edge")
    shown = up.wait_for("Beenden:")
    assert shown.count("ask.sogis läuft auf") == 1
    family = up.family()
    # Itself, the guardian, the fork server, two servers, two services.
    assert len(family) == (7 if sys.platform == "linux" else 6)
    up.process.send_signal(number)
    assert up.wait() == 0
    assert "Beendet." in up.output()
    nothing_left(family, timeout_s=0)


def test_under_nohup_the_end_of_the_terminal_ends_nothing(start_up: Start) -> None:
    up = start_up("geo", HANGUP="SIG_IGN")
    up.wait_for("Beenden:")
    family = up.family()
    for process in family:
        process.send_signal(signal.SIGHUP)
    geo_of(family).kill()
    shown = up.wait_for("geo läuft wieder.")
    assert shown.count("abgestürzt") == 1
    assert "Alles wird beendet" not in shown


def test_nothing_is_left_when_the_supervisor_itself_is_killed(
    start_up: Start, nothing_left: Callable[..., None]
) -> None:
    up = start_up("geo", "stubborn")
    up.wait_for("Beenden:")
    family = up.family()
    up.process.kill()
    up.wait()
    nothing_left(family)


def test_a_killed_supervisor_can_be_started_again_at_once(start_up: Start) -> None:
    first = start_up("geo")
    first.wait_for("Beenden:")
    first.process.kill()
    first.wait()
    start_up("geo").wait_for("Beenden:")


def test_a_second_signal_does_not_wait_for_a_stubborn_service(
    start_up: Start, nothing_left: Callable[..., None]
) -> None:
    up = start_up("stubborn", ASK_STOP_GRACE_S="60")
    up.wait_for("Beenden:")
    family = up.family()
    up.process.send_signal(signal.SIGINT)
    up.wait_for("Alles wird beendet")
    up.process.send_signal(signal.SIGINT)
    assert up.wait() == 0
    nothing_left(family, timeout_s=0)


def test_a_signal_during_the_start_ends_everything(
    start_up: Start, nothing_left: Callable[..., None], tmp_path: Path
) -> None:
    up = start_up("geo")
    while not (tmp_path / "data" / "logs" / "nats-server.log").exists():
        assert up.process.poll() is None
    family = up.family()
    up.process.send_signal(signal.SIGINT)
    assert up.wait() == 0
    nothing_left(family, timeout_s=0)


def test_a_crash_is_one_line_and_so_is_the_recovery(start_up: Start) -> None:
    up = start_up("geo")
    up.wait_for("Beenden:")
    geo_of(up.family()).kill()
    shown = up.wait_for("geo läuft wieder.")
    crashes = [line for line in shown.splitlines() if "abgestürzt" in line]
    assert len(crashes) == 1
    assert crashes[0].startswith("geo ist abgestürzt (Signal SIGKILL). Neustart in 0.2 s. Log: ")
    assert crashes[0].endswith("geo.log")


def test_a_service_that_gives_up_is_shown_with_its_reason(start_up: Start) -> None:
    up = start_up("geo")
    up.wait_for("Beenden:")
    geo_of(up.family()).send_signal(signal.SIGUSR1)
    shown = up.wait_for("geo läuft wieder.")
    assert "geo ist abgestürzt (Exit-Code 1: given up: nobody lets it in). Neustart in 0.2 s." in shown


def test_a_taken_port_is_one_line_and_exit_code_1(start_up: Start) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        up = start_up("geo", PORT=str(port))
        assert up.wait() == 1
    said = up.output().splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"Der Port {port} ist belegt.")
    assert said[0].endswith(f"PORT={port + 1} make run")


def test_a_second_start_in_the_same_folder_is_refused_and_the_first_goes_on(start_up: Start) -> None:
    first = start_up("geo")
    first.wait_for("Beenden:")
    second = start_up("geo")
    assert second.wait() == 1
    assert f"PID {first.process.pid}" in second.output()
    assert len(second.output().splitlines()) == 1
    assert all(process.is_running() for process in first.family())


def test_a_service_that_cannot_start_is_one_line_and_nothing_is_left(
    start_up: Start, remaining: Callable[[], list[int]]
) -> None:
    up = start_up("geo", "broken")
    assert up.wait() == 1
    assert up.output().startswith("broken startet nicht (Exit-Code 1): this cannot work")
    assert len(up.output().splitlines()) == 1
    assert remaining() == []
    assert "Beendet" not in up.output()


@pytest.mark.parametrize("auth", ["", "none"])
def test_a_host_for_others_needs_somebody_to_ask_who_they_are(start_up: Start, auth: str) -> None:
    up = start_up("geo", HOST="0.0.0.0", AUTH=auth)
    assert up.wait() == 1
    assert "AUTH=anonymous" in up.output()
    assert up.output().count("\n") == 1


def test_with_a_way_to_ask_others_are_let_in(start_up: Start) -> None:
    start_up("geo", HOST="0.0.0.0", AUTH="anonymous").wait_for("Beenden:")
