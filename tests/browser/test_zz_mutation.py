import pytest
from .screen import Screen
pytestmark = pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("by", [(12,0),(0,12),(-12,0),(0,-25),(0,0)])
async def test_m(screen: Screen, by) -> None:
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.map_shows(center=(2605899, 1229278), resolution=1.0)
    await screen.pin_stands_at((2605899+by[0], 1229278+by[1]))
