"""nats-server and redis-server: which program, with which files."""

import shutil
import sys
from pathlib import Path

from ask.errors import AskError
from ask.probes import nats_ready, redis_ready
from ask.process import Program
from ask.texts import text

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


def nats_config(port: int, store: Path) -> str:
    """Local only, without the monitoring port; durable by the server's own defaults."""
    quoted = str(store).replace("\\", "\\\\").replace('"', '\\"')
    return f'server_name: "ask-local"\nlisten: "127.0.0.1:{port}"\njetstream {{ store_dir: "{quoted}" }}\n'


def nats_program(binary: Path, port: int, data_dir: Path) -> Program:
    """Writes the configuration file into `data_dir`."""
    data_dir.mkdir(parents=True, exist_ok=True)
    config = data_dir / "nats-server.conf"
    config.write_text(nats_config(port, data_dir / "store"), encoding="utf-8")
    return Program(NATS, (str(binary), "-c", str(config)), nats_ready(port))


def redis_program(binary: Path, port: int, data_dir: Path) -> Program:
    """Every write goes to the append-only file, which reaches the disk every second."""
    data_dir.mkdir(parents=True, exist_ok=True)
    options = {
        "port": str(port),
        "bind": "127.0.0.1",
        "dir": str(data_dir),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "daemonize": "no",
    }
    argv = [str(binary)]
    for name, value in options.items():
        argv += [f"--{name}", value]
    return Program(REDIS, tuple(argv), redis_ready(port))
