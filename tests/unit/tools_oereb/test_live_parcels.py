"""GetEGRID over HTTP: how it is asked, and every form that answers have."""

from datetime import UTC, datetime, timedelta

import pytest
from contracts.items import Parcel
from misbehaving import MisbehavingServer, healthy, status
from oereb_kit import MakeLive, MakeOutbound
from recorded.oereb_data import BALM_168, BIBERIST_2084, MESSEN_198, MESSEN_531
from recorded.oereb_xml import JAXB, JAXB_RENUMBERED, PYRAMID_AT_FIRST, UNPREFIXED, Dialect
from recorded.server import RecordedServer
from swissgeo.outlines import contains, polygons_of

from tools_oereb import embedded
from tools_oereb.gateways import CadastreGateway
from tools_oereb.live import queries
from tools_oereb.live.queries import Query
from tools_oereb.live.service import FormatName, OerebService
from tools_oereb.settings import Settings

KNOWN_POINT = (2600513, 1215519)
EXTRACT_NAMESPACE = "http://schemas.geo.admin.ch/V_D/OeREB/2.0/Extract"
DATA_NAMESPACE = "http://schemas.geo.admin.ch/V_D/OeREB/2.0/ExtractData"
GEOMETRY_NAMESPACE = "http://www.interlis.ch/geometry/1.0"


def answer(records: str) -> str:
    return (
        f'<e:GetEGRIDResponse xmlns:e="{EXTRACT_NAMESPACE}" xmlns:d="{DATA_NAMESPACE}" '
        f'xmlns:g="{GEOMETRY_NAMESPACE}">{records}</e:GetEGRIDResponse>'
    )


def record(egrid: str = MESSEN_198, code: str = "RealEstate", text: str = "", limit: str = "") -> str:
    words = f"<d:Text>{text}</d:Text>" if text else ""
    return (
        f"<e:egrid>{egrid}</e:egrid><e:number>198</e:number><e:identDN>SO0200002457</e:identDN>"
        f"<e:type><d:Code>{code}</d:Code>{words}</e:type>{limit}"
    )


def localised(language: str, text: str) -> str:
    return f"<d:LocalisedText><d:Language>{language}</d:Language><d:Text>{text}</d:Text></d:LocalisedText>"


def square(name: str, east: float, north: float, side_m: float) -> str:
    corners = [(0, 0), (side_m, 0), (side_m, side_m), (0, side_m), (0, 0)]
    coordinates = "".join(
        f"<g:coord><g:c1>{east + e}</g:c1><g:c2>{north + n}</g:c2></g:coord>" for e, n in corners
    )
    return f"<g:{name}><g:polyline>{coordinates}</g:polyline></g:{name}>"


async def parcels_in(
    broken: MisbehavingServer, make_live: MakeLive, body: str, content_type: str = "application/xml"
) -> tuple[Parcel, ...]:
    broken.behave(healthy(body.encode(), content_type))
    format_name = "json" if "json" in content_type else "xml"
    return await make_live(broken.url, oereb_format=format_name).parcels_at(2600550, 1215500)


# -- what is asked --------------------------------------------------------------------------------


async def test_a_point_is_asked_for_by_its_lv95_coordinate_in_upper_case_parameters(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    await solothurn.parcels_at(*KNOWN_POINT)
    (seen,) = recorded.seen
    assert (seen.method, seen.path) == ("GET", "/api/oereb/getegrid/xml/")
    assert seen.query == {"EN": "2600513,1215519", "GEOMETRY": "true"}


@pytest.mark.parametrize(
    ("east", "north", "sent"),
    [
        (2600513.123456, 1215519.00004, "2600513.1235,1215519"),
        (2600513.5, 1215519.25, "2600513.5,1215519.25"),
        (2600000.0, 1200000.0, "2600000,1200000"),
    ],
)
async def test_a_coordinate_has_four_decimals_at_most(east: float, north: float, sent: str) -> None:
    assert queries.at_point(east, north) == {"EN": sent}


async def test_neither_angles_nor_topics_are_ever_sent(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    """Services disagree on the order of the one and on the separator of the other."""
    await solothurn.parcels_at(*KNOWN_POINT)
    await solothurn.extract(MESSEN_198)
    assert {name for seen in recorded.seen for name in seen.query} == {"EN", "GEOMETRY", "EGRID", "LANG"}


async def test_json_is_never_accepted_where_only_xml_is_spoken(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    """geo.so.ch answers 406 to who wants JSON of an extract."""
    await solothurn.parcels_at(*KNOWN_POINT)
    await solothurn.extract(MESSEN_198)
    assert len(recorded.seen) >= 3
    assert not any("json" in seen.headers["accept"] or "json" in seen.path for seen in recorded.seen)


async def test_the_former_name_of_the_coordinate_can_be_configured(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    broken.behave(status(204))
    live = make_live(broken.url, oereb_coordinate_parameter="XY")
    assert await live.parcels_at(*KNOWN_POINT) == ()
    assert broken.requests[0].query["XY"] == ["2600513,1215519"]


@pytest.mark.parametrize(
    ("query", "egrids"),
    [
        (queries.of_number("SO0200002457", "198"), [MESSEN_198]),
        (queries.of_number("SO0200002442", "168"), [BALM_168]),
        (queries.of_number("SO0200002457", "0"), []),
    ],
)
@pytest.mark.parametrize(("path", "format_name"), [("api", "xml"), ("json-canton", "json")])
async def test_a_parcel_is_found_by_number(
    recorded: RecordedServer,
    make_outbound: MakeOutbound,
    query: Query,
    egrids: list[str],
    path: str,
    format_name: FormatName,
) -> None:
    url = f"{recorded.url}/{path}/oereb"
    service = OerebService(make_outbound(Settings(oereb_url=url)), url, format_name)
    assert [estate.egrid for estate in await service.find(query)] == egrids


# -- what is understood ---------------------------------------------------------------------------


def assert_is_the_known_pair(parcels: tuple[Parcel, ...]) -> None:
    parcel, right = parcels
    assert (parcel.egrid, parcel.number, parcel.kind) == (MESSEN_198, "198", "Liegenschaft")
    assert (right.egrid, right.number, right.kind) == (MESSEN_531, "531", "Baurecht")
    assert (parcel.confidence, right.confidence) == (0.9, 0.75)
    assert parcel.label == "CH955832730623 – Liegenschaft (198)"


@pytest.mark.parametrize(
    "dialect",
    [JAXB, JAXB_RENUMBERED, UNPREFIXED, PYRAMID_AT_FIRST],
    ids=["ns5", "ns2", "no prefix", "type as text"],
)
async def test_two_hits_in_one_flat_sequence_are_two_parcels_whatever_the_prefixes(
    solothurn: CadastreGateway, recorded: RecordedServer, dialect: Dialect
) -> None:
    recorded.options.oereb.dialect = dialect
    assert_is_the_known_pair(await solothurn.parcels_at(*KNOWN_POINT))


async def test_another_canton_answers_the_same_in_its_own_xml_and_in_json(
    json_canton: CadastreGateway,
) -> None:
    """Its XML has all surfaces in one."""
    assert_is_the_known_pair(await json_canton.parcels_at(*KNOWN_POINT))


@pytest.mark.parametrize("xml_type", ["application/xml", "text/xml", "application/xml;charset=UTF-8"])
async def test_xml_comes_under_several_content_types(
    solothurn: CadastreGateway, recorded: RecordedServer, xml_type: str
) -> None:
    recorded.options.oereb.xml_type = xml_type
    assert len(await solothurn.parcels_at(*KNOWN_POINT)) == 2


async def test_names_in_another_namespace_are_other_names(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    foreign = record("CH000000000009").replace("e:", "f:")
    body = answer(f'{record()}<x xmlns:f="urn:other">{foreign}</x><f:egrid xmlns:f="urn:other">X</f:egrid>')
    (parcel,) = await parcels_in(broken, make_live, body)
    assert parcel.egrid == MESSEN_198


async def test_no_content_means_no_parcel(solothurn: CadastreGateway, json_canton: CadastreGateway) -> None:
    assert await solothurn.parcels_at(2700000, 1200000) == ()
    assert await json_canton.parcels_at(2700000, 1200000) == ()


async def test_an_empty_list_means_no_parcel_too(broken: MisbehavingServer, make_live: MakeLive) -> None:
    assert await parcels_in(broken, make_live, answer("")) == ()
    assert await parcels_in(broken, make_live, '{"GetEGRIDResponse": []}', "application/json") == ()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("RealEstate", "Liegenschaft"),
        ("Distinct_and_permanent_rights.BuildingRight", "Baurecht"),
        ("Distinct_and_permanent_rights.right_to_spring_water", "Quellenrecht"),
        ("Distinct_and_permanent_rights.concession", "Konzessionsrecht"),
        ("Distinct_and_permanent_rights.other", "weiteres selbständiges und dauerndes Recht"),
        ("Mineral_rights", "Bergwerk"),
        ("Liegenschaft", "Liegenschaft"),
        ("SelbstRecht.Baurecht", "Baurecht"),
        ("SelbstRecht.Quellenrecht", "Quellenrecht"),
        ("SelbstRecht.Konzessionsrecht", "Konzessionsrecht"),
        ("SelbstRecht.weitere", "weiteres selbständiges und dauerndes Recht"),
        ("Bergwerk", "Bergwerk"),
        ("Something.new", "Grundstück"),
        ("", "Grundstück"),
    ],
)
async def test_type_codes_become_german_words(
    broken: MisbehavingServer, make_live: MakeLive, code: str, kind: str
) -> None:
    (parcel,) = await parcels_in(broken, make_live, answer(record(code=code)))
    assert parcel.kind == kind
    document = f'{{"GetEGRIDResponse": [{{"egrid": "{MESSEN_198}", "type": {{"Code": "{code}"}}}}]}}'
    (parcel,) = await parcels_in(broken, make_live, document, "application/json")
    assert parcel.kind == kind


async def test_a_type_that_is_not_known_is_called_as_the_service_calls_it(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    words = localised("fr", "Nouveau droit") + localised("de", "Neues Recht")
    (parcel,) = await parcels_in(broken, make_live, answer(record(code="New", text=words)))
    assert parcel.kind == "Neues Recht"
    only_french = localised("fr", "Nouveau droit")
    (parcel,) = await parcels_in(broken, make_live, answer(record(code="New", text=only_french)))
    assert parcel.kind == "Nouveau droit"


async def test_the_parcel_comes_before_the_rights_on_it(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    right = record(MESSEN_531, "Distinct_and_permanent_rights.BuildingRight")
    parcels = await parcels_in(broken, make_live, answer(right + record()))
    assert [parcel.egrid for parcel in parcels] == [MESSEN_198, MESSEN_531]


async def test_numbers_as_json_numbers_and_a_printed_egrid_are_understood(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    document = '{"GetEGRIDResponse": [{"egrid": "CH 9558 3273 0623", "number": 198, "type": null}]}'
    (parcel,) = await parcels_in(broken, make_live, document, "application/json; charset=UTF-8")
    assert (parcel.egrid, parcel.number) == (MESSEN_198, "198")


async def test_a_parcel_without_egrid_leaves_its_outline_to_nobody_else(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    near, far = (
        f"<e:limit><g:surface>{square('exterior', east, 1215490, 20)}</g:surface></e:limit>"
        for east in (2600540, 2601540)
    )
    unnamed = record(limit=far).partition("</e:egrid>")[2]
    (parcel,) = await parcels_in(broken, make_live, answer(record(limit=near) + unnamed))
    assert parcel.geometry is not None and parcel.geometry["type"] == "Polygon"


async def test_a_parcel_without_a_valid_egrid_is_left_out(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    (parcel,) = await parcels_in(broken, make_live, answer(record("") + record("CH12") + record()))
    assert parcel.egrid == MESSEN_198


# -- where it is ----------------------------------------------------------------------------------


async def test_the_outline_is_that_of_the_survey(solothurn: CadastreGateway) -> None:
    packaged = {entry.egrid: entry.geometry for entry in embedded.read()}
    parcel, right = await solothurn.parcels_at(*KNOWN_POINT)
    assert parcel.geometry == packaged[MESSEN_198]
    assert right.geometry == packaged[MESSEN_531]


async def test_the_coordinate_is_inside_and_no_mean_of_vertices(solothurn: CadastreGateway) -> None:
    """Biberist 2084 has most of its vertices on the arcs in the west: their mean is metres off."""
    (parcel,) = await solothurn.parcels_at(2609060, 1226280)
    assert parcel.egrid == BIBERIST_2084
    assert parcel.geometry is not None and parcel.coord is not None
    polygons = polygons_of(parcel.geometry)
    assert contains(polygons, parcel.coord)
    assert parcel.coord == pytest.approx((2609060.66, 1226281.25), abs=0.05)
    ring = polygons[0][0]
    mean = sum(e for e, _ in ring) / len(ring), sum(n for _, n in ring) / len(ring)
    assert abs(mean[0] - parcel.coord[0]) > 3


async def test_holes_and_parts_are_kept(broken: MisbehavingServer, make_live: MakeLive) -> None:
    with_hole = square("exterior", 2600500, 1215400, 200) + square("interior", 2600540, 1215490, 20)
    other_part = square("exterior", 2600900, 1215400, 10)
    limit = f"<e:limit><g:surface>{with_hole}</g:surface><g:surface>{other_part}</g:surface></e:limit>"
    (parcel,) = await parcels_in(broken, make_live, answer(record(limit=limit)))
    assert parcel.geometry is not None
    assert parcel.geometry["type"] == "MultiPolygon"
    polygons = polygons_of(parcel.geometry)
    assert [len(polygon) for polygon in polygons] == [2, 1]
    assert parcel.coord is not None and contains(polygons, parcel.coord)
    assert parcel.extent == (2600500, 1215400, 2600910, 1215600)
    # The point that was asked for lies in the hole.
    assert (parcel.confidence, parcel.provenance and parcel.provenance.match) == (0.6, "fuzzy")


async def test_several_outer_rings_in_one_surface_are_several_parts(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    rings = square("exterior", 2600500, 1215400, 200) + square("exterior", 2600900, 1215400, 10)
    limit = f"<e:limit><g:surface>{rings}</g:surface></e:limit>"
    (parcel,) = await parcels_in(broken, make_live, answer(record(limit=limit)))
    assert parcel.geometry is not None
    assert [len(polygon) for polygon in polygons_of(parcel.geometry)] == [1, 1]


BAD_LIMITS = {
    "absent": "",
    "empty": "<e:limit/>",
    "no number": square("exterior", 2600500, 1215400, 9).replace("2600500", "east"),
    "not a number": square("exterior", 2600500, 1215400, 9).replace("2600500", "NaN"),
    "infinite": square("exterior", 2600500, 1215400, 9).replace("2600500", "INF"),
    "LV03": square("exterior", 600500, 215400, 200),
    "a line": square("exterior", 2600500, 1215400, 0),
    "hole only": square("interior", 2600500, 1215400, 9),
    "unknown curve": square("exterior", 2600500, 1215400, 9).replace("g:coord", "g:spline"),
    "begins with an arc": "<g:exterior><g:polyline><g:arc/></g:polyline></g:exterior>",
    "endless": "<g:exterior><g:polyline>"
    + "".join(f"<g:coord><g:c1>{2600500 + n % 9}</g:c1><g:c2>1215400</g:c2></g:coord>" for n in range(11_000))
    + "</g:polyline></g:exterior>",
}


@pytest.mark.parametrize("limit", BAD_LIMITS)
async def test_an_outline_that_cannot_be_read_costs_the_outline_and_not_the_parcel(
    broken: MisbehavingServer, make_live: MakeLive, limit: str
) -> None:
    written = BAD_LIMITS[limit]
    if written and not written.startswith("<e:limit"):
        written = f"<e:limit><g:surface>{written}</g:surface></e:limit>"
    (parcel,) = await parcels_in(broken, make_live, answer(record(limit=written)))
    assert (parcel.egrid, parcel.geometry, parcel.extent) == (MESSEN_198, None, None)
    assert parcel.coord == (2600550, 1215500), "where it was asked for"
    assert parcel.confidence == 1.0


@pytest.mark.parametrize(
    "limit",
    [
        '{"type": "MultiPolygon", "coordinates": [[[[7.5, 47.2], [7.6, 47.2], [7.6, 47.3], [7.5, 47.2]]]]}',
        '{"type": "Polygon", "coordinates": [[[2600500, 1215400], [2600700, 1215400], [2600700, 1215600]]], '
        '"crs": "EPSG:4326"}',
        '{"type": "Point", "coordinates": [2600500, 1215400]}',
        '{"type": "Polygon", "coordinates": [[null]]}',
        '{"type": "Polygon", "coordinates": "?"}',
        "null",
    ],
)
async def test_a_json_outline_that_cannot_be_read_costs_the_outline_and_not_the_parcel(
    broken: MisbehavingServer, make_live: MakeLive, limit: str
) -> None:
    document = f'{{"GetEGRIDResponse": [{{"egrid": "{MESSEN_198}", "number": "198", "limit": {limit}}}]}}'
    (parcel,) = await parcels_in(broken, make_live, document, "application/json")
    assert (parcel.egrid, parcel.geometry) == (MESSEN_198, None)


async def test_parcels_next_to_the_point_count_only_when_none_contains_it(
    solothurn: CadastreGateway, broken: MisbehavingServer, make_live: MakeLive
) -> None:
    """The service answers within a metre; a boundary has a neighbour on its other side."""
    (beside,) = await solothurn.parcels_at(2609046.0, 1226282.19)
    assert (beside.egrid, beside.confidence) == (BIBERIST_2084, 0.6)
    assert beside.provenance is not None and beside.provenance.match == "fuzzy"
    here, there = (
        f"<e:limit><g:surface>{square('exterior', east, 1215400, 100)}</g:surface></e:limit>"
        for east in (2600500, 2600600)
    )
    body = answer(record("CH000000000008", limit=there) + record(limit=here))
    broken.behave(healthy(body.encode(), "application/xml"))
    (parcel,) = await make_live(broken.url).parcels_at(2600599.5, 1215450)
    assert (parcel.egrid, parcel.confidence) == (MESSEN_198, 1.0)


# -- where it comes from --------------------------------------------------------------------------


async def test_every_parcel_says_whose_it_is_and_when_it_was_fetched(
    recorded: RecordedServer, make_live: MakeLive
) -> None:
    live = make_live(f"{recorded.url}/api/oereb", oereb_source_name="ÖREB Musterkanton", oereb_license="CC0")
    for parcel in await live.parcels_at(*KNOWN_POINT):
        assert parcel.provenance is not None
        assert (parcel.provenance.source, parcel.provenance.license) == ("ÖREB Musterkanton", "CC0")
        assert (parcel.provenance.match, parcel.provenance.stale) == ("exact", False)
        assert datetime.now(UTC) - parcel.provenance.retrieved_at < timedelta(minutes=1)


async def test_the_same_question_is_asked_once(solothurn: CadastreGateway, recorded: RecordedServer) -> None:
    first = await solothurn.parcels_at(*KNOWN_POINT)
    assert await solothurn.parcels_at(2600513.00000001, 1215519.0) == first
    assert len(recorded.seen) == 1
