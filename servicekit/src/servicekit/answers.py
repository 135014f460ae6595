"""What came back over HTTP, and whether it is of the type that was asked for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json
from servicekit.errors import SourceError, SourceErrorKind

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, read to its end."""

    status: int
    content_type: str
    """Lower case and without parameters; empty when the server names none."""
    body: bytes
    headers: Mapping[str, str]
    """Looked up in any case."""
    source: str
    """The German name of the source, for its errors."""
    charset: str = "utf-8"

    def json(self) -> Any:
        """The parsed body. Raises `SourceError` (UNREADABLE)."""
        return parse_json(self.body, self.source)

    def text(self) -> str:
        """The body as text; what does not fit the encoding becomes a replacement character."""
        try:
            return self.body.decode(self.charset, "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")


def parse_json(body: bytes, source: str) -> Any:
    """The value of a document. `source` is the German name of where it is from.

    Raises `SourceError` (UNREADABLE), also for NaN, which is no JSON.
    """
    try:
        return from_json(body.removeprefix(_BOM), allow_inf_nan=False)
    except ValueError:
        raise SourceError(SourceErrorKind.UNREADABLE, source) from None


def is_acceptable(content_type: str, accept: Collection[str]) -> bool:
    """Whether a bare content type is one of `accept`, or of the same family (JSON, XML). None given: any."""
    if not accept or content_type in accept:
        return True
    family = _family(content_type)
    return family is not None and family in {_family(wanted) for wanted in accept}


def _family(content_type: str) -> str | None:
    if content_type in ("application/json", "text/json") or content_type.endswith("+json"):
        return "json"
    # XHTML is a page for people, whatever its syntax.
    if content_type == "application/xhtml+xml":
        return None
    if content_type in ("application/xml", "text/xml") or content_type.endswith("+xml"):
        return "xml"
    return None
