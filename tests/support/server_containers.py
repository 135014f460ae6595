"""NATS and Redis from their images instead of programs of this machine (`ASK_TEST_SERVERS=containers`).

The containers use the network of this machine and see the folders of the test under their own names, so that
a test cannot tell the difference. Needs Linux, and a Docker engine on it.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pages
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

# The process that removes forgotten containers is an image of its own. Here `wait` removes them, and
# tests/deploy/run.sh those of a run that was killed, by their names.
testcontainers_config.ryuk_disabled = True

_IMAGES = {
    "nats-server": os.environ.get("NATS_IMAGE") or "nats:2.15-alpine",
    "valkey-server": os.environ.get("REDIS_IMAGE") or "valkey/valkey:9.1-alpine",
}
_STOP_TIMEOUT_S = 10.0


class ServerContainer:
    """One server, started with its command; the interface of `subprocess.Popen`, as far as it is needed."""

    def __init__(self, command: Sequence[str], folder: Path, log: Path) -> None:
        program, *_ = command
        passwords = {name: value for name, value in os.environ.items() if name.startswith("NATS_PASSWORD_")}
        self._log = log
        self._container = (
            DockerContainer(_IMAGES[program])
            .with_name(f"ask-test-server-{uuid4().hex}")
            .with_command(list(command))
            .with_envs(**passwords)
            .with_kwargs(network_mode="host", user=f"{os.getuid()}:{os.getgid()}", read_only=True)
            .with_volume_mapping(str(folder), str(folder), "rw")
            .with_volume_mapping(str(pages.ROOT), str(pages.ROOT), "ro")
        )
        self._container.start()

    def poll(self) -> int | None:
        """The exit code of the server, or None while it runs."""
        self._wrapped.reload()
        state: dict[str, Any] = self._wrapped.attrs["State"]
        return None if state["Running"] else int(state["ExitCode"])

    def kill(self) -> None:
        """SIGKILL."""
        self._wrapped.reload()
        if self._wrapped.attrs["State"]["Running"]:
            self._wrapped.kill()

    def send_signal(self, number: int) -> None:
        self._wrapped.kill(signal=number)

    def wait(self) -> None:
        """Until it has ended; then nothing is left of it but its files and its log."""
        until = time.monotonic() + _STOP_TIMEOUT_S
        while self.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        out, err = self._container.get_logs()
        with self._log.open("ab") as log:
            log.write(out + err)
        self._container.stop()

    @property
    def _wrapped(self) -> Any:
        return self._container.get_wrapped_container()
