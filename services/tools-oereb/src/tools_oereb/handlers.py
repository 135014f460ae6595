"""The tools of this service: arguments in, outcome out."""

from contracts.items import OerebExtract, Parcel
from contracts.messages import Outcome
from servicekit.bus import Bus
from servicekit.tools import Toolbox

from tools_oereb import answers
from tools_oereb.arguments import EgridByXyArgs, ExtractByIdArgs
from tools_oereb.embedded import Entry
from tools_oereb.gateways import CadastreGateway
from tools_oereb.vocabulary import point_in
from tools_oereb.words import TOPICS


def register(bus: Bus, cadastre: CadastreGateway, example: Entry | None = None) -> Toolbox:
    """Declare the tools on a bus. `example` is a parcel to name."""
    toolbox = Toolbox(bus)
    east, north = point_in(example) if example else (None, None)

    @toolbox.tool(
        "oereb.egrid_by_xy",
        returns=(Parcel,),
        phrases=("öreb an der koordinate", "öreb hier"),
        examples={"x": east, "y": north},
    )
    async def egrid_by_xy(args: EgridByXyArgs) -> Outcome:
        """Find the parcel of land, and the building rights on it, at a coordinate, to get an extract of it.

        Call it before oereb.extract_by_id when the EGRID is not known.
        """
        parcels = await cadastre.parcels_at(args.x, args.y)
        return answers.about_parcels(parcels, args.x, args.y, is_sample=cadastre.is_sample)

    @toolbox.tool(
        "oereb.extract_by_id",
        returns=(OerebExtract,),
        phrases=(
            "öreb-auszug",
            "auszug aus dem öreb-kataster",
            "eigentumsbeschränkungen",
            "extrait rdppf",
            "estratto rdpp",
            "plr extract",
        ),
        topics=TOPICS,
        examples={"egrid": example.egrid if example else None},
    )
    async def extract_by_id(args: ExtractByIdArgs) -> Outcome:
        """Get the ÖREB-Auszug of a parcel: the extract of the public-law restrictions on landownership.

        It also answers a question about the parcel from the extract: zone, restrictions and their share,
        polluted sites, laws, what is planned, who is responsible, what is without data.
        """
        extract = await cadastre.extract(args.egrid)
        return answers.about_extract(extract, args.egrid, args.question)

    return toolbox
