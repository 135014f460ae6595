"""nats-server and redis-server: which program, with which files."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ask.children import Program
from ask.errors import AskError
from ask.folder import write_private
from ask.permissions import ADMIN, configuration, password_variable
from ask.probes import nats_ready, redis_ready
from ask.texts import text

MAX_FILE_BYTES = 2 * 1_024**3
"""All streams fit in (docs/bus.md), and some room."""
MAX_MEMORY_BYTES = 384 * 1_024**2
"""Some 50,000 turns. New ones are refused before it is full."""
Durability = Literal["process", "power"]
"""What is stored is still there when processes die, or also when the power goes: docs/turn.md."""
_SYNC_INTERVAL = {"process": "1s", "power": "always"}
_APPENDFSYNC = {"process": "everysec", "power": "always"}
_PINGS = 'ping_interval: "2s"\nping_max: 2\n'
"""A client that has gone without a word is known after six seconds; what is delivered to it lies still."""
NATS = "nats-server"
REDIS = "redis-server"


def find_nats() -> Path:
    """From PATH, else beside this Python, where its wheel puts it. Raises `AskError`."""
    return _first(NATS) or _missing(NATS, "NATS_URL")


def find_redis() -> Path:
    """From PATH, else beside this Python. Raises `AskError`.

    Valkey is as good: it speaks the same protocol, and comes as a wheel for all platforms.
    """
    return _first(REDIS, "valkey-server") or _missing(REDIS, "REDIS_URL")


def _first(*names: str) -> Path | None:
    for folder in (None, str(Path(sys.executable).parent)):
        for name in names:
            found = shutil.which(name, path=folder)
            if found is not None:
                return Path(found).absolute()
    return None


def _missing(program: str, variable: str) -> Path:
    package = {NATS: "nats-server", REDIS: "redis-server"}[program]
    brew = {NATS: "nats-server", REDIS: "redis"}[program]
    raise AskError(text("missing_binary", program=program, variable=variable, package=package, brew=brew))


def nats_config(port: int, store: Path, durability: Durability) -> str:
    """Local only, without the monitoring port. By itself the server would sync every two minutes.

    Every service is a user with the rights that the table of the bus gives it, as in a deployment.
    """
    synced = f"sync_interval: {_SYNC_INTERVAL[durability]}"
    store_of = f"store_dir: {_quoted(store)}, max_file_store: {MAX_FILE_BYTES}, {synced}"
    listen = f'server_name: "ask-local"\nlisten: "127.0.0.1:{port}"\njetstream {{ {store_of} }}\n'
    return listen + _PINGS + configuration(further=(ADMIN,))


def nats_program(
    binary: Path, port: int, data_dir: Path, passwords: Mapping[str, str], durability: Durability = "process"
) -> Program:
    """Writes the configuration file into `data_dir`; the passwords of its users are not in it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    config = data_dir / "nats-server.conf"
    write_private(config, nats_config(port, data_dir / "store", durability))
    variables = {password_variable(user): password for user, password in passwords.items()}
    return Program(NATS, (str(binary), "-c", str(config)), nats_ready(port), variables)


def redis_program(
    binary: Path, port: int, data_dir: Path, password: str, durability: Durability = "process"
) -> Program:
    """Every write goes to the append-only file, which reaches the disk every second, or before the answer."""
    data_dir.mkdir(parents=True, exist_ok=True)
    options = {
        "port": str(port),
        "bind": "127.0.0.1",
        "dir": _quoted(data_dir),
        "appendonly": "yes",
        "appendfsync": _APPENDFSYNC[durability],
        "save": '""',
        "maxmemory": str(MAX_MEMORY_BYTES),
        # A full memory is an error, not a forgotten turn.
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "requirepass": password,
    }
    # In a file: everybody on this machine can read the arguments of a process.
    config = data_dir / "redis.conf"
    write_private(config, "".join(f"{name} {value}\n" for name, value in options.items()))
    return Program(REDIS, (str(binary), str(config)), redis_ready(port, password))


def _quoted(path: Path) -> str:
    """As both servers read it."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
