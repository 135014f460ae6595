"""What the tools need from a cadastre, whichever service or file it is."""

from typing import Protocol

from contracts.items import OerebExtract, Parcel


class CadastreGateway(Protocol):
    @property
    def is_sample(self) -> bool:
        """Whether it holds a part of reality only, so that finding nothing proves nothing."""

    async def parcels_at(self, east: float, north: float) -> tuple[Parcel, ...]:
        """Everything at a point (LV95, metres): the parcel first, then the rights on it. Empty when none."""

    async def extract(self, egrid: str) -> OerebExtract | None:
        """The extract of a parcel (`CH` and 12 digits); None for a parcel that the cadastre does not know."""
