"""The tools of this service: arguments in, outcome out."""

from contracts import subjects
from contracts.items import (
    Address,
    CadastralPlan,
    Coord,
    Coordinates,
    Distance,
    Feature,
    FeatureSet,
    GeothermalAssessment,
    Height,
    Layer,
    LayerGroup,
    Municipality,
    Parcel,
    Place,
)
from contracts.messages import Outcome
from contracts.suggest import Suggested, SuggestRequested
from servicekit.bus import Bus
from servicekit.tools import Toolbox

from tools_geo import feature_answers
from tools_geo.answers import Answers
from tools_geo.arguments import (
    DistanceArgs,
    FeatureQueryArgs,
    GeocodeArgs,
    IdentifyArgs,
    LayerArgs,
    MunicipalityArgs,
    ParcelByEgridArgs,
    ParcelByNumberArgs,
    PlaceArgs,
    PlanArgs,
    PointArgs,
)
from tools_geo.asking import AskBack
from tools_geo.coordinates import coordinate_of, place_at
from tools_geo.distances import distance
from tools_geo.features.areas import area_of
from tools_geo.features.attributes import UnknownAttribute
from tools_geo.features.query import Condition, NotComparable, Query, select
from tools_geo.gateways import Found, Gateways, either
from tools_geo.identify import identify
from tools_geo.outlines import Outlines
from tools_geo.plans import plan_of
from tools_geo.suggesting import Suggesting
from tools_geo.vocabulary import Samples


def register(
    bus: Bus, gateways: Gateways, samples: Samples | None = None, outlines: Outlines | None = None
) -> Toolbox:
    """Declare the tools on a bus. `samples` are named as examples, `outlines` drawn."""
    samples, outlines = samples or Samples(), outlines or Outlines()
    toolbox, answers = Toolbox(bus), Answers(samples)
    parcel = {"number": samples.number, "municipality": samples.in_municipality}
    egrid = {"egrid": samples.egrid}

    @toolbox.tool(
        "geolocation.geocode",
        returns=(Address,),
        phrases=("gehe zur adresse", "wo ist die adresse", "suche die adresse"),
        examples={"q": samples.address},
    )
    async def geocode(args: GeocodeArgs) -> Outcome:
        """Find a postal address (street and house number), first of all in the canton.

        Use it only when a street is named; for municipalities and villages there are other tools.
        A street without a number gives all its addresses to choose from.
        """
        return answers.about_addresses(await gateways.addresses.addresses(args.q), args.q)

    @toolbox.tool(
        "geolocation.municipality",
        returns=(Municipality, Place),
        phrases=("gehe zur gemeinde", "zeige die gemeinde", "wo ist die gemeinde"),
        examples={"q": samples.municipality},
    )
    async def municipality(args: MunicipalityArgs) -> Outcome:
        """Find a municipality by name, first of all in the canton.

        The name of a village or of a former municipality gives that place instead.
        """
        found = await gateways.places.municipalities(args.q)
        return answers.about_municipalities(outlines.drawn(found), args.q)

    @toolbox.tool(
        "geolocation.place",
        returns=(Place,),
        phrases=("gehe zum ort", "zeige das dorf", "wo liegt der ort"),
        examples={"q": samples.place},
    )
    async def place(args: PlaceArgs) -> Outcome:
        """Find a locality, village, former municipality or named spot, first in the canton.

        Also the way to show a bare coordinate, a district ("Bezirk …"), and the canton as a whole.
        """
        point = coordinate_of(args.q)
        if point is not None:
            return answers.about_places(Found((place_at(point),)), args.q)
        return answers.about_places(await gateways.places.places(args.q), args.q)

    @toolbox.tool(
        "layers.search",
        returns=(Layer, LayerGroup),
        phrases=(
            "lade den layer",
            "zeige die karte zum thema",
            "blende die ebene ein",
            "welche karten gibt es",
        ),
        examples={"query": samples.layer, "among": (samples.layer,)},
    )
    async def layers(args: LayerArgs) -> Outcome:
        """Find map layers of the canton, by title, topic or everyday words, to load them.

        A topic with several layers gives the best of them to choose from.
        """
        found = [await gateways.layers.layers(query) for query in args.among or (args.query,)]
        return answers.about_layers(either(found) if args.among else found[0], args.query)

    @toolbox.tool(
        "parcels.by_number",
        returns=(Parcel,),
        phrases=("zeige das grundstück", "zeige die parzelle", "gb-nr"),
        examples=parcel,
    )
    async def parcel_by_number(args: ParcelByNumberArgs) -> Outcome:
        """Find a parcel of land by its number and municipality; the way to its EGRID and geometry.

        A number can exist in several land registers of one municipality: then all are returned.
        """
        found = await gateways.parcels.by_number(args.number, args.municipality)
        return answers.about_parcels_by_number(found, args.number, args.municipality)

    @toolbox.tool(
        "parcels.by_egrid",
        returns=(Parcel,),
        phrases=("zeige das grundstück mit der egrid", "egrid"),
        examples=egrid,
    )
    async def parcel_by_egrid(args: ParcelByEgridArgs) -> Outcome:
        """Find a parcel of land by its federal identifier (EGRID)."""
        return answers.about_parcels_by_egrid(await gateways.parcels.by_egrid(args.egrid), args.egrid)

    @toolbox.tool(
        "parcels.by_xy",
        returns=(Parcel,),
        phrases=("welches grundstück liegt hier", "welche parzelle liegt an der koordinate"),
        examples=_point(samples.at_parcel),
    )
    async def parcel_by_xy(args: PointArgs) -> Outcome:
        """Find the parcel of land, and the building rights on it, at a coordinate."""
        return answers.about_parcels_by_xy(await gateways.parcels.by_xy(args.x, args.y), args.x, args.y)

    @toolbox.tool(
        "terrain.height_by_xy",
        returns=(Height,),
        phrases=("wie hoch liegt", "höhe über meer", "wie viele meter über meer"),
        examples=_point(samples.height),
    )
    async def height(args: PointArgs) -> Outcome:
        """Tell the height above sea level at a coordinate."""
        return answers.about_height(await gateways.heights.height(args.x, args.y), args.x, args.y)

    @toolbox.tool(
        "geolocation.coordinates_by_xy",
        returns=(Coordinates,),
        phrases=("welche koordinaten hat", "koordinaten von"),
        examples=_point(samples.height),
    )
    async def coordinates(args: PointArgs) -> Outcome:
        """Tell the coordinates of a point in LV95, LV03 and WGS84."""
        return answers.about_coordinates((args.x, args.y))

    @toolbox.tool(
        "geothermal.assess_by_xy",
        returns=(GeothermalAssessment,),
        phrases=("kann ich eine erdwärmesonde bohren", "wie tief darf ich bohren", "erdsonde"),
        examples=_point(samples.geothermal),
    )
    async def geothermal(args: PointArgs) -> Outcome:
        """Tell whether, and how deep, a geothermal probe may be drilled at a coordinate."""
        found = await gateways.geothermal.assessment(args.x, args.y)
        return answers.about_geothermal(found, args.x, args.y)

    @toolbox.tool(
        "cadastral.plan_by_geometry",
        returns=(CadastralPlan,),
        phrases=("mache einen grundbuchplan", "katasterplan", "situationsplan"),
        examples={**egrid, "geometry": samples.outline},
    )
    async def plan(args: PlanArgs) -> Outcome:
        """Make a cadastral plan (Grundbuchplan) as PDF, of a parcel by its EGRID or of an outline.

        The PDF can be downloaded for a while.
        """
        return answers.about_plan(await plan_of(gateways, args.egrid, args.geometry))

    @toolbox.tool(
        "features.identify",
        returns=(Address, Parcel, Height, Feature),
        phrases=("was ist hier", "was ist an dieser stelle", "was liegt an der koordinate"),
        selects=False,
        examples=_point(samples.at_parcel) | {"layers": samples.askable[:2]},
    )
    async def identified(args: IdentifyArgs) -> Outcome:
        """Tell what is at a coordinate: address, parcel, height, and what some layers have there."""
        point = args.x, args.y
        found = await identify(gateways, point, args.layers, args.tolerance, place=args.place)
        return feature_answers.about_point(found, samples.titles, args.layers)

    @toolbox.tool(
        "features.query",
        returns=(FeatureSet,),
        phrases=("wie viele gibt es in", "welche liegen in", "welches ist das grösste"),
        selects=False,
        examples={
            "layer": samples.things,
            "municipality": samples.thing_place,
            **egrid,
            **_point(samples.at_parcel),
            "extent": _around(samples.at_parcel),
        },
    )
    async def features(args: FeatureQueryArgs) -> Outcome:
        """Count, list, compare or add up the features of a layer: contaminated sites, nature reserves, ….

        In a municipality, in the visible part of the map, on a parcel, around a point, or everywhere.
        """
        try:
            area = await area_of(args, gateways)
        except AskBack as question:
            return feature_answers.asked_back(question.message)
        found = await gateways.features.within(args.layer, area)
        if not found.items:
            return feature_answers.about_layer(found, args.layer, gateways.features.names())
        (layer,) = found.items
        try:
            chosen = select(layer.features, _query(args), area.centre)
        except (UnknownAttribute, NotComparable) as problem:
            return feature_answers.about_attribute(problem, layer)
        return feature_answers.about_features(layer, area, chosen, args.limit)

    @toolbox.tool(
        "geolocation.distance",
        returns=(Distance,),
        phrases=("wie weit ist es von", "distanz zwischen", "wie weit ist es bis"),
        selects=False,
        examples={"start": samples.municipality, "end": samples.thing_place, **_point(samples.height)},
    )
    async def far(args: DistanceArgs) -> Outcome:
        """Tell how far it is between two places as the crow flies; from a coordinate or a named place."""
        try:
            found = await distance(gateways, args.start or (args.x or 0, args.y or 0), args.end)
        except AskBack as question:
            return feature_answers.asked_back(question.message)
        return feature_answers.about_distance(found)

    return toolbox


def suggest(bus: Bus, suggesting: Suggesting) -> None:
    """Answer what an unfinished message may become."""

    async def on_suggest(request: SuggestRequested) -> None:
        found = suggesting.of(request.q, request.limit, request.language)
        await bus.send(
            subjects.suggested(request.edge_id), Suggested(exchange=request.exchange, suggestions=found)
        )

    bus.listen(subjects.SUGGEST_REQUESTED, on_suggest, SuggestRequested, shared=True)


def _around(coord: Coord | None) -> list[float]:
    return [coord[0] - 500, coord[1] - 500, coord[0] + 500, coord[1] + 500] if coord else []


def _query(args: FeatureQueryArgs) -> Query:
    return Query(
        where=tuple(Condition(each.attribute, each.operator, each.value) for each in args.where),
        order=args.order or "",
        function=args.function,
        attribute=args.attribute or "",
    )


def _point(coord: Coord | None) -> dict[str, float]:
    return {"x": coord[0], "y": coord[1]} if coord else {}
