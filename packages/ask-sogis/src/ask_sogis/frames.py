"""Server-sent events, cut out of bytes that come in any pieces. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """One event; what its line does not say is empty."""

    event: str = ""
    data: str = ""
    id: str = ""


class Frames:
    """Of one connection. What has not come to its blank line is no event yet: it will come again."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._lines: list[tuple[str, str]] = []

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that end in these bytes."""
        *lines, rest = chunk.split(b"\n")
        if lines:
            # Only here: a long line comes in many pieces.
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest.clear()
        self._rest.append(rest)
        taken = (self._take(line.decode(errors="replace").removesuffix("\r")) for line in lines)
        return [frame for frame in taken if frame is not None]

    def _take(self, line: str) -> Frame | None:
        if line:
            name, _, value = line.partition(":")
            self._lines.append((name, value.removeprefix(" ")))
            return None
        said, self._lines = self._lines, []
        data = "\n".join(value for name, value in said if name == "data")
        fields = {name: value for name, value in said if name in ("event", "id")}
        return Frame(data=data, **fields) if data else None
