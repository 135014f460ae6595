"""For tests of the live cadastre: what servers answer, and the types of the fixtures."""

from collections.abc import Callable

from misbehaving import Behaviour, Exchange, healthy
from recorded.oereb_data import content_of, of_egrid
from recorded.oereb_xml import JAXB, extract
from servicekit.outbound import Outbound

from tools_oereb.gateways import CadastreGateway
from tools_oereb.settings import Settings

MakeOutbound = Callable[[Settings], Outbound]
MakeLive = Callable[..., CadastreGateway]


def by_path(**behaviours: Behaviour) -> Behaviour:
    """Another behaviour for each path: the key is a part of it (`url`, `xml`, `getegrid`)."""

    async def behave(exchange: Exchange) -> None:
        path = exchange.request.path
        await next(behaviour for part, behaviour in behaviours.items() if part in path)(exchange)

    return behave


def extract_document(egrid: str) -> Behaviour:
    """The extract of a recorded parcel, as geo.so.ch sends it."""
    estate = of_egrid(egrid)
    assert estate is not None
    return healthy(extract(estate, content_of(estate), JAXB, geometry=False).encode(), "application/xml")
