"""A whole extract. What cannot be told without a false statement makes all of it unreadable."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

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
from contracts.urls import MAX_SYMBOL_CHARS
from servicekit.errors import SourceError, SourceErrorKind

from tools_oereb.formats.estates import outline, type_of
from tools_oereb.formats.parts import Broken, Part, compact_egrid
from tools_oereb.real_estate import RealEstate

log = logging.getLogger(__name__)

_MAX_THEMES = 200
_MAX_RESTRICTIONS = 1_000
"""A parcel of many hectares has hundreds, where a service sends one for each polygon."""
_MAX_DOCUMENTS = 500
"""In all. A parcel in a city has some ten restrictions, with some ten documents each."""
_MAX_NOTICES = 100
_MAX_BYTES = 600_000
"""Of a content: with the outline and what is said of it, it travels in messages of a megabyte."""
_MAX_PERCENT = 200
"""The survey and the land register do not agree on how large a parcel is: some shares are of more."""
_PICTURES = {
    "iVBORw0KGg": "image/png",
    "/9j/": "image/jpeg",
    "R0lGODdh": "image/gif",
    "R0lGODlh": "image/gif",
}
"""How the formats begin, in Base64."""

_Code = TypeVar("_Code", bound=StrEnum)


@dataclass(frozen=True, kw_only=True)
class ReadExtract(RealEstate):
    """A parcel or right with what its extract says."""

    ident_dn: str | None = None
    """The land register, for a question by number."""
    content: ExtractContent


class IncompleteExtract(SourceError):
    """An extract names its parcel, but what it says of it cannot be told."""

    def __init__(self, source: str, estate: RealEstate) -> None:
        super().__init__(SourceErrorKind.UNREADABLE, source)
        self.estate = estate


def read_extract(extract: Part | None, source: str) -> ReadExtract:
    """The value of an `Extract`. `source` is the name of where it is from, for users.

    Raises `SourceError` (UNREADABLE) where the parcel, a theme or a restriction cannot be read, or where
    there are more than anybody could look at: what is missing would be taken for not being there.
    """
    estate = extract.part("RealEstate") if extract else None
    egrid = compact_egrid(estate.text("EGRID")) if estate else None
    if extract is None or estate is None or egrid is None:
        raise SourceError(SourceErrorKind.UNREADABLE, source)
    parcel = _parcel(egrid, estate)
    try:
        content = _content(extract, estate)
    except ValueError as error:
        log.warning("extract is unreadable", extra={"source": source, "reason": str(error)[:200]})
        raise IncompleteExtract(source, parcel) from None
    return ReadExtract(**vars(parcel), ident_dn=estate.text("IdentDN"), content=content)


def _parcel(egrid: str, estate: Part) -> RealEstate:
    code, kind = type_of(estate, "Type")
    return RealEstate(
        egrid=egrid,
        number=estate.text("Number") or "",
        code=code,
        kind=kind,
        municipality=estate.text("MunicipalityName") or "",
        land_register=estate.text("SubunitOfLandRegister"),
        area_m2=estate.number("LandRegistryArea"),
        geometry=outline(lambda: estate.polygons("Limit")),
    )


def _content(extract: Part, estate: Part) -> ExtractContent:
    concerned, not_concerned, without_data = (
        tuple(_theme(part) for part in _all(extract, name, _MAX_THEMES))
        for name in ("ConcernedTheme", "NotConcernedTheme", "ThemeWithoutData")
    )
    if not (concerned or not_concerned or without_data):
        raise Broken("no themes at all")
    documents: dict[LegalDocument, int] = {}
    restrictions = [
        _restriction(part, documents)
        for part in _all(estate, "RestrictionOnLandownership", _MAX_RESTRICTIONS)
    ]
    content = ExtractContent(
        created_at=extract.moment("CreationDate"),
        updated_at=extract.moment("UpdateDateCS"),
        concerned=concerned,
        not_concerned=not_concerned,
        without_data=without_data,
        restrictions=tuple(restrictions),
        documents=tuple(documents),
        authority=_office(extract, "PLRCadastreAuthority"),
        information=tuple(
            Notice(text=text) for text in extract.each_text("GeneralInformation")[:_MAX_NOTICES]
        ),
        disclaimers=_notices(extract, "Disclaimer"),
        glossary=_notices(extract, "Glossary"),
    )
    return _fitting(content)


def _all(part: Part, name: str, at_most: int) -> Sequence[Part]:
    parts = part.parts(name)
    if len(parts) > at_most:
        raise Broken(f"{len(parts)} times {name}")
    return parts


def _theme(part: Part) -> Theme:
    code = part.text("Code")
    if code is None:
        raise Broken("a theme without code")
    return Theme(code=code, title=part.text("Text") or code, sub_code=part.text("SubCode"))


def _restriction(part: Part, documents: dict[LegalDocument, int]) -> Restriction:
    """The documents behind it that are new go into `documents`, with their place."""
    said = part.part("Theme")
    if said is None:
        raise Broken("a restriction without theme")
    theme, points = _theme(said), part.number("NrOfPoints", at_most=1e9)
    return Restriction(
        theme=theme,
        text=part.text("LegendText") or theme.title,
        type_code=part.text("TypeCode"),
        law_status=_known(LawStatus, part, "Lawstatus"),
        area_m2=part.number("AreaShare"),
        length_m=part.number("LengthShare"),
        points=None if points is None else int(points),
        percent=part.number("PartInPercent", at_most=_MAX_PERCENT),
        symbol=_symbol(part),
        map=_map(part),
        office=_office(part, "ResponsibleOffice"),
        documents=_places(part, documents),
    )


def _places(part: Part, documents: dict[LegalDocument, int]) -> tuple[int, ...]:
    provisions = sorted(_all(part, "LegalProvisions", _MAX_DOCUMENTS), key=_index)
    behind = [document for document in map(_document, provisions) if document is not None]
    for document in behind:
        documents.setdefault(document, len(documents))
    if len(documents) > _MAX_DOCUMENTS:
        raise Broken(f"more than {_MAX_DOCUMENTS} documents")
    return tuple(dict.fromkeys(documents[document] for document in behind))


def _index(document: Part) -> float:
    """Its place; what has none comes first, in the order in which it is written."""
    try:
        return float(document.text("Index") or 0)
    except ValueError:
        return 0.0


def _document(part: Part) -> LegalDocument | None:
    """None for what has neither title nor number: nobody could look it up."""
    number, abbreviation = part.text("OfficialNumber"), part.text("Abbreviation")
    title = part.text("Title") or abbreviation or number
    if title is None:
        log.warning("document without a title")
        return None
    return LegalDocument(
        kind=_known(DocumentKind, part, "Type"),
        title=title,
        abbreviation=abbreviation,
        official_number=number,
        articles=tuple(part.each_text("ArticleNumber")),
        url=part.address("TextAtWeb"),
        law_status=_known(LawStatus, part, "Lawstatus"),
        office=_office(part, "ResponsibleOffice"),
    )


def _known(codes: type[_Code], part: Part, name: str) -> _Code | None:
    said = part.part(name)
    code = said.text("Code") if said else None
    return codes(code) if code in list(codes) else None


def _office(part: Part, name: str) -> Office | None:
    office = part.part(name)
    said = office.text("Name") if office else None
    return Office(name=said, url=office.address("OfficeAtWeb")) if office and said else None


def _map(part: Part) -> RestrictionMap | None:
    drawn = part.part("Map")
    if drawn is None:
        return None
    return RestrictionMap(
        wms_url=drawn.address("ReferenceWMS"),
        legend_url=drawn.address("LegendAtWeb"),
        opacity=drawn.number("layerOpacity", at_most=1),
    )


def _symbol(part: Part) -> str | None:
    """Its pixels, if they are of a known format, else the address of a picture."""
    pixels = "".join((part.text("Symbol", MAX_SYMBOL_CHARS) or "").split())
    kind = next((kind for start, kind in _PICTURES.items() if pixels.startswith(start)), None)
    return f"data:{kind};base64,{pixels}" if kind else part.address("SymbolRef")


def _fitting(content: ExtractContent) -> ExtractContent:
    """Without the pictures, and then the maps, of an extract that would be too large to travel."""
    for less in ("symbol", "map"):
        if len(content.to_json()) <= _MAX_BYTES:
            return content
        log.warning("extract is too large", extra={"left_out": less})
        restrictions = tuple(each.model_copy(update={less: None}) for each in content.restrictions)
        content = content.model_copy(update={"restrictions": restrictions})
    if len(content.to_json()) > _MAX_BYTES:
        raise Broken("too large")
    return content


def _notices(extract: Part, name: str) -> tuple[Notice, ...]:
    try:
        parts = extract.parts(name)
    except Broken:
        return ()
    if len(parts) > _MAX_NOTICES:
        log.warning("too many notices in an extract", extra={"part": name, "count": len(parts)})
    notices = ((part.text("Title") or "", part.text("Content")) for part in parts[:_MAX_NOTICES])
    return tuple(Notice(title=title, text=text) for title, text in notices if text)
