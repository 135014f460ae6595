"""Free TCP ports on this machine."""

import errno
import random
import socket
from ipaddress import ip_address

# Below the range from which the kernel gives ports to outgoing connections (32768 on Linux, 49152 on macOS):
# a client that knocks at a port while its server restarts could otherwise be given that very port.
FIRST = 20_000
LAST = 31_999


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a server could listen there now. Raises `OSError` when that is not allowed to anybody."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
    return True


def is_local(host: str) -> bool:
    """Whether only this machine reaches a server there. A name may mean any address, but for localhost."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Ports:
    """Hands out free ports, no port twice."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._given: set[int] = set()

    def take(self, preferred: int | None = None) -> int:
        """A free port; the preferred one if it is free. Raises `OSError` when there is none."""
        if preferred is not None and preferred not in self._given and is_free(preferred):
            self._given.add(preferred)
            return preferred
        for _ in range(1_000):
            port = self._random.randint(FIRST, LAST)
            if port not in self._given and is_free(port):
                self._given.add(port)
                return port
        raise OSError("no free port")
