"""Many questions at the same time, each in a conversation of its own; one is cancelled."""

import asyncio
from contextlib import aclosing

from ask_sogis import AsyncClient, Refused

PLACES = ("Solothurn", "Olten", "Grenchen")


async def main() -> None:
    async with AsyncClient() as client:
        asked = (client.chat(f"Wie hoch liegt {place}?", session_id=f"heights-{place}") for place in PLACES)
        for answer in await asyncio.gather(*asked):
            print(answer.steps[0].message)

        async with aclosing(
            client.stream("Was kostet die Ausscheidung der Grundwasserschutzzonen?")
        ) as events:
            begun = await anext(events)
            await client.cancel(begun.request_id)

        await client.delete_session("heights-Olten")
        try:
            await client.turn("req-0123456789abcdef")
        except Refused as refused:
            print(f"{refused.status} {refused.code}")


asyncio.run(main())
