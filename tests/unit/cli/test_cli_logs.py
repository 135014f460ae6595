"""The log files of the processes."""

from pathlib import Path

import pytest

from ask import logs


def test_the_log_of_the_last_run_is_kept_and_the_one_before_is_not(tmp_path: Path) -> None:
    log = tmp_path / "planner.log"
    for run in ("first", "second"):
        log.write_text(run)
        logs.set_aside(log)
    assert not log.exists()
    assert logs.previous(log).read_text() == "second"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_log_that_grows_too_large_starts_again_for_the_same_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 10)
    log = tmp_path / "planner.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"much too much\n")
        logs.shorten(log)
        writer.write(b"more\n")
        logs.shorten(log)
    assert log.read_bytes() == b"more\n"
    assert logs.previous(log).read_bytes() == b"much too much\n"


def test_the_last_line_is_the_last_that_says_something(tmp_path: Path) -> None:
    log = tmp_path / "planner.log"
    log.write_text("Traceback\n  deep inside\nValueError: no\n\n  \n")
    assert logs.last_line(log) == "ValueError: no"
    assert logs.last_line(log, max_chars=5) == "Value"


def test_of_a_line_of_a_service_what_has_happened_and_why(tmp_path: Path) -> None:
    log = tmp_path / "planner.log"
    log.write_text('{"time": "…", "level": "critical", "event": "given up", "reason": "NATS is away"}\n')
    assert logs.last_line(log) == "given up: NATS is away"
    for other in ('{"event": "stopped"}', '["event", "reason"]', "7"):
        log.write_text(other)
        assert logs.last_line(log) == other


def test_a_log_without_a_word_has_no_last_line(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    assert logs.last_line(tmp_path / "empty.log") == ""
    assert logs.last_line(tmp_path / "missing.log") == ""
