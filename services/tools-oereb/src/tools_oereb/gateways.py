"""What the tools need from a cadastre, whichever service or file it is."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from contracts.items import OerebExtract, Parcel
from servicekit.errors import SourceError


class NoExtract(StrEnum):
    """Why there is no extract. Each is a key in `texts`."""

    UNKNOWN = "extract_hint"
    """The cadastre does not know the EGRID."""
    UNKNOWN_IN_SAMPLE = "extract_sample"
    """As above, but it holds a part of reality only."""
    NOT_RELEASED = "extract_not_released"
    """The parcel exists; its municipality is not in the cadastre yet."""
    NONE = "extract_none"
    """One of them: the service did not say which."""


@dataclass(frozen=True)
class Unread:
    """An extract of which nothing could be read: where it is, and what else is known of its parcel."""

    extract: OerebExtract
    """Without content."""
    reason: SourceError


class CadastreGateway(Protocol):
    @property
    def is_sample(self) -> bool:
        """Whether it holds a part of reality only, so that finding nothing proves nothing."""

    async def parcels_at(self, east: float, north: float) -> tuple[Parcel, ...]:
        """Everything at a point (LV95, metres): the parcel first, then the rights on it. Empty when none."""

    async def extract(self, egrid: str) -> OerebExtract | Unread | NoExtract:
        """The extract of a parcel (`CH` and 12 digits), or why there is none."""
