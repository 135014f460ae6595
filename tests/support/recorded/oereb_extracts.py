"""What is in an extract, as the directive names and orders it: JSON as it is, XML by `oereb_xml`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contracts.oereb import ExtractContent, LegalDocument, Notice, Office, Restriction, RestrictionMap, Theme
from recorded.oereb_data import Estate

Tree = dict[str, Any]


class Said(list[Tree]):
    """One text in its languages; any other list is several things of a name."""


_STATUSES = {
    "inForce": "Rechtskräftig",
    "changeWithPreEffect": "Änderung mit Vorwirkung",
    "changeWithoutPreEffect": "Änderung ohne Vorwirkung",
}


@dataclass(frozen=True)
class Writer:
    """Texts have one language in the whole extract. One implementation does not say it of addresses."""

    language: str
    addresses_have_language: bool = True
    symbols_url: str | None = None
    """Where symbols are, for an implementation that sends no pixels unless it is asked for them."""

    def extract(self, estate: Estate, content: ExtractContent, *, geometry: bool) -> Tree:
        parcel = {
            "Number": estate.number,
            "IdentDN": estate.ident_dn,
            "EGRID": estate.egrid,
            "Type": {"Code": estate.code, "Text": self._said(estate.kind)},
            "Canton": "SO",
            "MunicipalityName": estate.municipality,
            "MunicipalityCode": estate.bfs_number,
            "LandRegistryArea": estate.area_m2,
            "Limit": limit_of(estate) if geometry else None,
            "RestrictionOnLandownership": [
                self._restriction(each, content.documents) | self._symbol(each, f"{estate.egrid}-{place}")
                for place, each in enumerate(content.restrictions)
            ],
        }
        written: Tree = _without_nothing(
            {
                "CreationDate": content.created_at and content.created_at.isoformat(),
                "ConcernedTheme": self._themes(content.concerned),
                "NotConcernedTheme": self._themes(content.not_concerned),
                "ThemeWithoutData": self._themes(content.without_data),
                "ExtractIdentifier": "0a876e8a-0000-4000-8000-000000000001",
                "GeneralInformation": [self._said(notice.text) for notice in content.information],
                "Glossary": self._notices(content.glossary),
                "RealEstate": parcel,
                "Disclaimer": self._notices(content.disclaimers),
                "PLRCadastreAuthority": self._office(content.authority),
                "UpdateDateCS": content.updated_at and content.updated_at.isoformat(),
            }
        )
        return written

    def _said(self, text: str | None) -> Said | None:
        return None if text is None else Said([{"Language": self.language, "Text": text}])

    def _address(self, url: str | None) -> Said | None:
        return self._said(url) if self.addresses_have_language or url is None else Said([{"Text": url}])

    def _themes(self, themes: Iterable[Theme]) -> list[Tree]:
        return [self._theme(theme) for theme in themes]

    def _theme(self, theme: Theme) -> Tree:
        return {"Code": theme.code, "SubCode": theme.sub_code, "Text": self._said(theme.title)}

    def _notices(self, notices: Iterable[Notice]) -> list[Tree]:
        return [{"Title": self._said(each.title), "Content": self._said(each.text)} for each in notices]

    def _office(self, office: Office | None) -> Tree | None:
        if office is None:
            return None
        return {"Name": self._said(office.name), "OfficeAtWeb": self._address(office.url)}

    def _law_status(self, code: str | None) -> Tree:
        """What this version of the directive does not know was added in a later one."""
        return {"Code": code or "repealed", "Text": self._said(_STATUSES.get(code or "", "Aufgehoben"))}

    def _restriction(self, restriction: Restriction, documents: tuple[LegalDocument, ...]) -> Tree:
        return {
            "LegendText": self._said(restriction.text),
            "Theme": self._theme(restriction.theme),
            "TypeCode": restriction.type_code,
            "Lawstatus": self._law_status(restriction.law_status),
            "AreaShare": restriction.area_m2,
            "PartInPercent": restriction.percent,
            "LengthShare": restriction.length_m,
            "NrOfPoints": restriction.points,
            "Map": self._map(restriction.map),
            "LegalProvisions": [
                self._document(documents[place], n) for n, place in enumerate(restriction.documents)
            ][::-1],
            "ResponsibleOffice": self._office(restriction.office),
        }

    def _symbol(self, restriction: Restriction, identifier: str) -> Tree:
        pixels = (restriction.symbol or "").partition(";base64,")[2]
        if not pixels:
            return {"SymbolRef": restriction.symbol}
        if self.symbols_url is None:
            return {"Symbol": pixels}
        where = f"{self.symbols_url}/{restriction.theme.code}/legend_entry.png"
        return {"SymbolRef": f"{where}?identifier={identifier}"}

    def _map(self, drawn: RestrictionMap | None) -> Tree | None:
        if drawn is None:
            return None
        return {
            "ReferenceWMS": self._address(drawn.wms_url),
            "LegendAtWeb": self._address(drawn.legend_url),
            "layerIndex": 0,
            "layerOpacity": drawn.opacity,
        }

    def _document(self, document: LegalDocument, index: int) -> Tree:
        """The index orders them; they are not sent in its order."""
        return {
            "Type": {"Code": document.kind, "Text": self._said(document.kind)},
            "Title": self._said(document.title),
            "Abbreviation": self._said(document.abbreviation),
            "OfficialNumber": self._said(document.official_number),
            "TextAtWeb": self._address(document.url),
            "ArticleNumber": list(document.articles),
            "Lawstatus": self._law_status(document.law_status),
            "Index": index,
            "ResponsibleOffice": self._office(document.office),
        }


def limit_of(estate: Estate) -> Tree:
    return {"type": "MultiPolygon", "coordinates": estate.polygons, "crs": "EPSG:2056"}


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nothing(part) for name, part in value.items() if part not in (None, [])}
    is_several = isinstance(value, list) and not isinstance(value, Said)
    return [_without_nothing(part) for part in value] if is_several else value
