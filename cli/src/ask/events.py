"""What a stack tells whoever watches it."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ask.texts import text


@dataclass(frozen=True)
class Ready:
    """A process can work, for the first time or again."""

    name: str
    again: bool


@dataclass(frozen=True)
class Crashed:
    """A process has ended by itself and will be started again."""

    name: str
    exit_code: int
    """Negative: the number of the signal that ended it."""
    restart_in_s: float
    log: Path


Event = Ready | Crashed
Watcher = Callable[[Event], None]


def ignore(event: Event) -> None:
    """For whoever is not interested."""


def how_it_ended(exit_code: int) -> str:
    """The end of a process in words; a negative code is the number of a signal."""
    if exit_code >= 0:
        return text("exit_code", code=exit_code)
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = str(-exit_code)
    return text("exit_signal", name=name)
