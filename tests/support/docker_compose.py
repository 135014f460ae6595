"""Docker and Compose, as a person would use them: through their commands."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pages

DEPLOY = pages.ROOT / "deploy"
SERVICES = tuple(sorted(path.parent.name for path in pages.ROOT.glob("services/*/pyproject.toml")))
IMAGES = (*SERVICES, "compact", "ask")
PREFIX = os.environ.get("IMAGE_PREFIX", "ask-sogis")
TAG = os.environ.get("IMAGE_TAG", "latest")
PATIENCE = {"TURN_TIMEOUT_S": "110", "WAIT_TIMEOUT_S": "112"}
"""Containers that were killed are started again while their turns wait, on machines of any speed."""


def image(name: str) -> str:
    return f"{PREFIX}/{name}:{TAG}"


def run(*command: str, environment: dict[str, str] | None = None) -> str:
    """What the command says; an error shows what it said."""
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **(environment or {})}, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def inspect(*names: str) -> list[dict[str, Any]]:
    """Of containers, or of images."""
    found: list[dict[str, Any]] = json.loads(run("docker", "inspect", *names))
    return found


def _command() -> list[str]:
    newer = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if newer.returncode == 0:
        return ["docker", "compose"]
    found = shutil.which("docker-compose")
    assert found is not None, "neither `docker compose` nor docker-compose is installed"
    return [found]


class Project:
    """One start of the Compose files, with secrets of its own and a free port."""

    def __init__(self, name: str, folder: Path, port: int, files: Sequence[str] = ("compose.yaml",)) -> None:
        self.name = name
        self.url = f"http://127.0.0.1:{port}"
        secrets = folder / "env"
        secrets.write_text(run(str(DEPLOY / "secrets.sh")), encoding="utf-8")
        # In the environment they win over a file that somebody has for the own system.
        lines = (line.partition("=") for line in secrets.read_text(encoding="utf-8").splitlines())
        self._variables = {key: value for key, _, value in lines} | {
            "COMPOSE_PROJECT_NAME": name,
            "PORT": str(port),
            "IMAGE_PREFIX": PREFIX,
            "IMAGE_TAG": TAG,
            "AUTH": "anonymous,keys",
            # The tests are one visitor with a hundred hands.
            "ANONYMOUS_TURNS_AT_ONCE": "100",
            "ANONYMOUS_TURNS_PER_MINUTE": "100000",
            "ADDRESS_TURNS_AT_ONCE": "100",
            "ADDRESS_TURNS_PER_MINUTE": "100000",
        }
        patience = folder / "patience.json"
        patience.write_text(json.dumps({"services": {"edge": {"environment": PATIENCE}}}), encoding="utf-8")
        paths = *(DEPLOY / file for file in files), patience
        self._base = [*_command(), *(part for path in paths for part in ("-f", str(path)))]

    def __call__(self, *arguments: str) -> str:
        return run(*self._base, *arguments, environment=self._variables)

    def containers(self, service: str = "", *, everything: bool = False) -> list[dict[str, Any]]:
        """Those that run, of one service or of all; with `everything` also those that have ended."""
        labels = [f"label=com.docker.compose.project={self.name}"]
        if service:
            labels.append(f"label=com.docker.compose.service={service}")
        filters = [part for label in labels for part in ("--filter", label)]
        ids = run("docker", "ps", "--quiet", *filters, *(["--all"] if everything else [])).split()
        return inspect(*ids) if ids else []

    def unhealthy(self) -> list[str]:
        """Names of containers that have a health check and are not healthy (yet)."""
        return [
            each["Name"]
            for each in self.containers()
            if each["State"].get("Health", {}).get("Status", "healthy") != "healthy"
        ]

    def kill(self, service: str, n: int = 0) -> str:
        """SIGKILL to one container; its id. Docker leaves alone what a person has killed."""
        victim: str = self.containers(service)[n]["Id"]
        run("docker", "kill", victim)
        return victim

    def logs(self, lines: int = 30) -> str:
        """The last words of everybody."""
        return self("logs", "--no-color", f"--tail={lines}")
