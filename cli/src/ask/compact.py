"""Several services in one process: `python -m ask.compact orchestrator planner tools-geo ...`.

Each is the service that it is by itself, and a user of NATS of its own: the password is in
`NATS_PASSWORD_<SERVICE>`.
"""

import importlib
import os
import sys
from collections.abc import Iterable

from servicekit.service import Service, run

from ask.permissions import password_variable
from ask.services import COMPACT


def build(name: str) -> Service:
    """The service of that name, as its own entry point makes it."""
    password = os.environ.get(password_variable(name))
    if password is not None:
        os.environ |= {"NATS_USER": name, "NATS_PASSWORD": password}
    made = importlib.import_module(f"{name.replace('-', '_')}.app").build()
    service: Service = getattr(made, "service", made)
    return service


def main(names: Iterable[str]) -> None:
    run(COMPACT, *map(build, names))


if __name__ == "__main__":
    main(sys.argv[1:])
