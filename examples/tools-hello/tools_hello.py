"""A whole tool service: finds the sheets of the Swiss national map 1:25 000."""

from contracts.items import Place
from contracts.messages import Outcome
from pydantic import BaseModel, Field
from servicekit.bus import Bus
from servicekit.service import Service
from servicekit.settings import ServiceSettings
from servicekit.tools import Toolbox


class SheetArgs(BaseModel):
    sheet: str = Field(max_length=20, description="Number of the sheet.", examples=["1127"])


def register(bus: Bus) -> Toolbox:
    toolbox = Toolbox(bus)

    @toolbox.tool("maps.sheet", returns=(Place,), phrases=("zeige das kartenblatt",))
    async def sheet(args: SheetArgs) -> Outcome:
        """Find a sheet of the Swiss national map 1:25 000 by its number."""
        number = int(args.sheet) if args.sheet.isdecimal() else 0
        if not 1_011 <= number <= 1_374:
            return Outcome()  # Nothing found is no error.
        row, column = divmod(number - 1_000, 20)
        west, north = 2_480_000 + column * 17_500, 1_302_000 - row * 12_000
        extent, centre = (west, north - 12_000, west + 17_500, north), (west + 8_750, north - 6_000)
        label = f"Kartenblatt {number}"
        place = Place(id=str(number), label=label, kind="Kartenblatt", coord=centre, extent=extent)
        return Outcome(items=(place,))

    return toolbox


if __name__ == "__main__":
    service = Service("tools-hello", ServiceSettings())
    service.on_stop(register(service.bus).stop)
    service.run()
