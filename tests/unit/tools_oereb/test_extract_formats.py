"""Whole extracts, from XML and from JSON: what is read, and what makes all of one unreadable."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from contracts.oereb import (
    DocumentKind,
    ExtractContent,
    LawStatus,
    LegalDocument,
    Notice,
    Office,
    Restriction,
    RestrictionMap,
    Theme,
)
from extracts import contents
from hypothesis import assume, given
from recorded import oereb_xml
from recorded.oereb_data import MESSEN_198, of_egrid
from recorded.oereb_extracts import Tree, Writer
from recorded.oereb_xml import JAXB, JAXB_RENUMBERED, PYRAMID, UNPREFIXED, Dialect
from servicekit.errors import SourceError, SourceErrorKind

from tools_oereb import embedded
from tools_oereb.formats import json_answers, xml_answers
from tools_oereb.formats.extracts import ReadExtract

ZONES = Theme(code="ch.Nutzungsplanung", title="Nutzungsplanung")
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 40).decode()
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + b"\0" * 40).decode()
GIF = base64.b64encode(b"GIF89a" + b"\0" * 40).decode()
SVG = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg'/>").decode()
WHOLE = ExtractContent(
    concerned=(ZONES,),
    restrictions=(
        Restriction(
            theme=ZONES,
            text="Wohnzone W2",
            law_status=LawStatus.IN_FORCE,
            area_m2=600,
            percent=97.5,
            map=RestrictionMap(wms_url="https://wms.example/?LAYERS=a&WIDTH=9", opacity=0.7),
            office=Office(name="Gemeinde"),
            documents=(0, 1),
        ),
    ),
    documents=tuple(
        LegalDocument(kind=DocumentKind.LAW, title=title, law_status=LawStatus.IN_FORCE)
        for title in ("Zonenreglement", "Planungs- und Baugesetz")
    ),
    glossary=(Notice(title="ÖREB", text="Eine Regel"),),
)


def tree(content: ExtractContent = WHOLE, language: str = "de") -> Tree:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    return Writer(language).extract(estate, content, geometry=True)


def from_json(written: Tree, *languages: str) -> ReadExtract:
    body = json.dumps({"GetExtractByIdResponse": {"extract": written}}).encode()
    return json_answers.extract(body, "Der Dienst", *(languages or ("de",)))


def from_xml(content: ExtractContent, dialect: Dialect = JAXB, old: str = "", new: str = "") -> ReadExtract:
    """With a text of the document, which has to be there, changed into another one."""
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    document = oereb_xml.extract(estate, content, dialect, geometry=True)
    assert old in document
    changed = document.replace(old, new) if old else document
    return xml_answers.extract(changed.encode(), "Der Dienst", "de")


def restriction_of(read: ReadExtract) -> Restriction:
    (restriction,) = read.content.restrictions
    return restriction


# -- everything there is ---------------------------------------------------------------------------


@given(content=contents())
def test_what_a_service_writes_is_read_as_it_was_written(content: ExtractContent) -> None:
    assume(content.concerned or content.not_concerned or content.without_data)
    # A general information has no title.
    information = tuple(Notice(text=notice.text) for notice in content.information)
    expected = content.model_copy(update={"information": information})
    for dialect in (JAXB, UNPREFIXED, PYRAMID):
        assert from_xml(expected, dialect).content == expected
    assert from_json(tree(expected)).content == expected


@pytest.mark.parametrize("dialect", [JAXB, JAXB_RENUMBERED, UNPREFIXED, PYRAMID])
def test_the_parcel_is_read_with_its_outline(dialect: Dialect) -> None:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    packaged = next(entry for entry in embedded.read() if entry.egrid == MESSEN_198)
    for read in (from_xml(WHOLE, dialect), from_json(tree())):
        assert (read.egrid, read.number, read.ident_dn) == (MESSEN_198, "198", "SO0200002457")
        assert (read.code, read.kind, read.municipality) == ("RealEstate", "Liegenschaft", "Messen")
        assert (read.area_m2, read.geometry) == (estate.area_m2, packaged.geometry)


def test_every_packaged_extract_is_that_of_its_parcel() -> None:
    files = sorted((embedded.PACKAGED.parent / "extracts").glob("*.xml"))
    assert len(files) >= 10
    for file in files:
        read = xml_answers.extract(file.read_bytes(), file.name, "de")
        assert read.egrid == file.stem
        assert read.geometry is not None and read.content.disclaimers


# -- languages -------------------------------------------------------------------------------------


def test_a_text_is_taken_in_the_language_asked_for_else_in_the_first_one() -> None:
    said = [{"Language": "fr", "Text": "Zone"}, {"Language": "de", "Text": "Wohnzone"}]
    written = tree()
    written["RealEstate"]["RestrictionOnLandownership"][0]["LegendText"] = said
    for languages, text in (
        (("de",), "Wohnzone"),
        (("fr", "de"), "Zone"),
        (("it", "de"), "Wohnzone"),
        (("it",), "Zone"),
    ):
        assert restriction_of(from_json(written, *languages)).text == text


def test_general_information_may_be_several_texts_or_one_in_several_languages() -> None:
    one = [{"Language": "fr", "Text": "B"}, {"Language": "de", "Text": "A"}]
    for written, texts in (([one, one], ["A", "A"]), (one, ["A"])):
        read = from_json(tree() | {"GeneralInformation": written})
        assert [notice.text for notice in read.content.information] == texts


# -- symbols and documents -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        (PNG, f"data:image/png;base64,{PNG}"),
        (JPEG, f"data:image/jpeg;base64,{JPEG}"),
        (GIF, f"data:image/gif;base64,{GIF}"),
        (f"{PNG[:20]}\n  {PNG[20:]}", f"data:image/png;base64,{PNG}"),
        (SVG, None),
        ("https://geo.so.ch/a.png", None),
        (PNG + "A" * 9_000, None),
        (f"{PNG}<", None),
    ],
    ids=["PNG", "JPEG", "GIF", "broken into lines", "a drawing", "an address", "large", "no Base64"],
)
def test_pixels_become_an_address_that_holds_them(symbol: str, shown: str | None) -> None:
    written = tree()
    written["RealEstate"]["RestrictionOnLandownership"][0]["Symbol"] = symbol
    assert restriction_of(from_json(written)).symbol == shown


@pytest.mark.parametrize(
    "written", ["https://geo.so.ch/a.png", [{"Language": "de", "Text": "https://geo.so.ch/a.png"}]]
)
def test_a_symbol_may_be_an_address_also_one_of_a_language(written: object) -> None:
    extract = tree()
    extract["RealEstate"]["RestrictionOnLandownership"][0]["SymbolRef"] = written
    assert restriction_of(from_json(extract)).symbol == "https://geo.so.ch/a.png"


@pytest.mark.parametrize(
    ("count", "picture", "map_url", "shown"),
    [
        (100, 4_000, 300, {"symbol", "map"}),
        (200, 4_000, 300, {"map"}),
        (1_000, 300, 300, {"map"}),
        (1_000, 300, 1_500, set()),
    ],
)
def test_a_large_extract_travels_without_pictures_and_maps(
    count: int, picture: int, map_url: int, shown: set[str]
) -> None:
    drawn = RestrictionMap(wms_url="https://wms.example/?LAYERS=".ljust(map_url, "a"), opacity=0.7)
    symbol = f"data:image/png;base64,{PNG + 'A' * picture}"
    each = WHOLE.restrictions[0].model_copy(update={"symbol": symbol, "map": drawn})
    read = from_xml(WHOLE.model_copy(update={"restrictions": (each,) * count})).content
    assert len(read.restrictions) == count and len(read.to_json()) < 600_000
    assert {name for name in ("symbol", "map") for each in read.restrictions if getattr(each, name)} == shown
    assert read.restrictions[-1].documents == each.documents and read.documents == WHOLE.documents


def test_what_cannot_travel_at_all_is_unreadable() -> None:
    said = WHOLE.restrictions[0].model_copy(update={"text": "Wohnen " * 300})
    with pytest.raises(SourceError):
        from_xml(WHOLE.model_copy(update={"restrictions": (said,) * 1_000}))


def test_a_document_of_several_restrictions_is_there_once_and_in_the_order_of_the_index() -> None:
    second = WHOLE.restrictions[0].model_copy(update={"documents": (1,), "text": "Andere"})
    content = WHOLE.model_copy(update={"restrictions": (*WHOLE.restrictions, second)})
    read = from_xml(content).content
    assert [document.title for document in read.documents] == ["Zonenreglement", "Planungs- und Baugesetz"]
    assert [restriction.documents for restriction in read.restrictions] == [(0, 1), (1,)]


def test_a_document_of_an_unknown_kind_has_none_and_one_without_a_name_is_left_out() -> None:
    assert from_xml(WHOLE, JAXB, ">Law<", ">Other<").content.documents[0].kind is None
    written = tree()
    first, _ = written["RealEstate"]["RestrictionOnLandownership"][0]["LegalProvisions"]
    del first["Title"]
    read = from_json(written)
    assert len(read.content.documents) == 1 and restriction_of(read).documents == (0,)


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("https://bgs.so.ch/Planungs und Baugesetz.pdf", "https://bgs.so.ch/Planungs%20und%20Baugesetz.pdf"),
        (" https://x.ch/a?b=<c>&d=%20 ", "https://x.ch/a?b=%3Cc%3E&d=%20"),
        ("https://x.ch/Zonenplan_Ä.pdf", "https://x.ch/Zonenplan_Ä.pdf"),
        ("javascript:alert('a b')", None),
    ],
)
def test_what_no_address_may_have_is_encoded(written: str, url: str | None) -> None:
    said = [{"Language": "de", "Text": written}]
    extract = tree()
    restriction = extract["RealEstate"]["RestrictionOnLandownership"][0]
    restriction["LegalProvisions"][0]["TextAtWeb"] = said
    restriction["ResponsibleOffice"]["OfficeAtWeb"] = said
    restriction["Map"] |= {"ReferenceWMS": said, "LegendAtWeb": said}
    restriction["SymbolRef"] = written
    read = from_json(extract)
    shown = restriction_of(read)
    assert shown.office is not None and shown.map is not None
    addresses = (shown.office.url, shown.map.wms_url, shown.map.legend_url, shown.symbol)
    assert {read.content.documents[-1].url, *addresses} == {url}


# -- what cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize("amount", ["-1", "NaN", "INF", "1e999", "viel", "", True, [], {}])
@pytest.mark.parametrize("name", ["AreaShare", "LengthShare", "NrOfPoints", "PartInPercent"])
def test_an_amount_that_cannot_be_is_none(name: str, amount: Any) -> None:
    written = tree()
    written["RealEstate"]["RestrictionOnLandownership"][0][name] = amount
    restriction = restriction_of(from_json(written))
    field = {
        "AreaShare": "area_m2",
        "LengthShare": "length_m",
        "NrOfPoints": "points",
        "PartInPercent": "percent",
    }
    assert getattr(restriction, field[name]) is None
    assert restriction.text == "Wohnzone W2"


@pytest.mark.parametrize(("said", "percent"), [("100.0", 100), ("100.1", 100.1), ("250", None)])
def test_a_share_may_be_of_more_than_the_parcel_has_in_the_land_register(
    said: str, percent: float | None
) -> None:
    assert restriction_of(from_xml(WHOLE, JAXB, ">97.5<", f">{said}<")).percent == percent


@pytest.mark.parametrize("code", ["repealed", "", "IN_FORCE"])
def test_a_law_status_that_is_not_known_is_none(code: str) -> None:
    assert restriction_of(from_xml(WHOLE, JAXB, ">inForce<", f">{code}<")).law_status is None


@pytest.mark.parametrize(
    "name", ["Map", "ResponsibleOffice", "Lawstatus", "TypeCode", "Symbol", "LegendText"]
)
def test_a_part_of_a_restriction_that_is_broken_costs_itself(name: str) -> None:
    written = tree()
    written["RealEstate"]["RestrictionOnLandownership"][0][name] = True
    assert restriction_of(from_json(written)).area_m2 == 600


@pytest.mark.parametrize("name", ["Glossary", "Disclaimer", "GeneralInformation", "PLRCadastreAuthority"])
def test_a_notice_that_is_broken_costs_itself(name: str) -> None:
    read = from_json(tree() | {name: "?"})
    assert read.content.restrictions and not read.content.disclaimers


def test_of_notices_without_end_the_first_are_taken() -> None:
    read = from_xml(WHOLE.model_copy(update={"glossary": WHOLE.glossary * 1_000}))
    assert 50 < len(read.content.glossary) < 500 and read.content.restrictions


def test_an_outline_that_is_broken_costs_itself() -> None:
    read = from_xml(WHOLE, JAXB, "coord>", "spline>")
    assert read.geometry is None and read.content.restrictions


# -- what would be a smaller truth -----------------------------------------------------------------


def _without(*path: Any) -> Callable[[Tree], None]:
    def change(written: Any) -> None:
        for name in path[:-1]:
            written = written[name]
        del written[path[-1]]

    return change


def _with(value: Any, *path: Any) -> Callable[[Tree], None]:
    def change(written: Any) -> None:
        for name in path[:-1]:
            written = written[name]
        written[path[-1]] = value

    return change


RESTRICTIONS = ("RealEstate", "RestrictionOnLandownership")
SMALLER = {
    "no themes at all": _without("ConcernedTheme"),
    "a list of themes that is none": _with("?", "NotConcernedTheme"),
    "a theme that is none": _with([*tree()["ConcernedTheme"], "?"], "ConcernedTheme"),
    "a theme without code": _without("ConcernedTheme", 0, "Code"),
    "too many themes": _with([{"Code": "a"}] * 1_000, "ThemeWithoutData"),
    "restrictions that are none": _with("?", *RESTRICTIONS),
    "a restriction that is none": _with([1], *RESTRICTIONS),
    "a restriction without theme": _without(*RESTRICTIONS, 0, "Theme"),
    "too many restrictions": _with(tree()["RealEstate"]["RestrictionOnLandownership"] * 1_001, *RESTRICTIONS),
    "documents that are none": _with("?", *RESTRICTIONS, 0, "LegalProvisions"),
    "too many documents": _with(
        [{"Title": [{"Text": str(n)}]} for n in range(1_000)], *RESTRICTIONS, 0, "LegalProvisions"
    ),
    "too many documents in all": _with(
        [
            tree()["RealEstate"]["RestrictionOnLandownership"][0]
            | {"LegalProvisions": [{"Title": [{"Text": f"{n}/{m}"}]} for m in range(100)]}
            for n in range(10)
        ],
        *RESTRICTIONS,
    ),
    "no parcel": _without("RealEstate"),
    "no EGRID": _with("CH12", "RealEstate", "EGRID"),
}


@pytest.mark.parametrize("change", SMALLER)
def test_what_could_look_complete_without_being_so_is_unreadable(change: str) -> None:
    written = tree()
    SMALLER[change](written)
    with pytest.raises(SourceError) as caught:
        from_json(written)
    assert (caught.value.kind, caught.value.source) == (SourceErrorKind.UNREADABLE, "Der Dienst")


EMPTY = '<GetExtractByIdResponse xmlns="http://schemas.geo.admin.ch/V_D/OeREB/{version}/Extract"/>'


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (json_answers.extract, '{"GetExtractByIdResponse": 1}'),
        (json_answers.extract, '{"GetExtractByIdResponse": {"extract": []}}'),
        (json_answers.extract, "[]"),
        (xml_answers.extract, "<html/>"),
        (xml_answers.extract, EMPTY.format(version="2.0")),
        (xml_answers.extract, EMPTY.format(version="1.0")),
    ],
)
def test_another_document_is_unreadable(read: Callable[[bytes, str, str], ReadExtract], body: str) -> None:
    with pytest.raises(SourceError):
        read(body.encode(), "Der Dienst", "de")


def test_long_texts_are_cut() -> None:
    theme = WHOLE.restrictions[0].model_copy(update={"text": "Wohnen " * 10_000})
    text = restriction_of(from_xml(WHOLE.model_copy(update={"restrictions": (theme,)}))).text
    assert len(text) < 5_000 and text.endswith("…")
