"""The tables of a pyramid_oereb in its standard layout, filled from extracts of the federal directive.

Extracts are answers, the tables what they are computed from, and so not all comes back as it went in:

- Whether a municipality is released is told from its extracts: they have nothing but themes without data.
- A theme is missing in a whole municipality, never on a single parcel of it: a parcel with gaps of its own
  gets a municipality of its own with a made-up number.
- A restriction needs a geometry; pieces of the same restriction on several parcels become one.
- Only a law of a whole theme has numbers of articles; it then stands behind all restrictions of the theme.
- Shares and percentages are computed anew; they are those of the extract if its geometries are.
- Disclaimers, glossary, general information and the authority are those of the first extract, for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import psycopg
from psycopg import sql
from psycopg.types.json import Json

from .oereb_extracts import (
    THEME_LISTS,
    Extract,
    Texts,
    at,
    geometry_of,
    parts,
    texts,
    texts_at,
    theme_codes,
    wkt,
    word,
)

MAIN = "pyramid_oereb_main"
LAW_STATUSES = {
    "inForce": "Rechtskräftig",
    "changeWithPreEffect": "Änderung mit Vorwirkung",
    "changeWithoutPreEffect": "Änderung ohne Vorwirkung",
}
DOCUMENT_TYPES = {"Law": "Gesetzliche Grundlage", "LegalProvision": "Rechtsvorschrift", "Hint": "Hinweis"}
ESTATE_TYPES = {
    "RealEstate": "Liegenschaft",
    "Distinct_and_permanent_rights.BuildingRight": "Baurecht",
    "Distinct_and_permanent_rights.right_to_spring_water": "Quellenrecht",
    "Distinct_and_permanent_rights.concession": "Konzessionsrecht",
    "Distinct_and_permanent_rights.other": "weiteres selbständiges und dauerndes Recht",
    "Mineral_rights": "Bergwerk",
}
_SINCE = "2020-01-01"
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""For logos, and where an extract has no symbol."""


def schema_of(theme_code: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in theme_code).lower()


@dataclass
class Tables:
    """Inserts rows, each thing once: a second insert of the same values is the first one."""

    cursor: psycopg.Cursor[Any]
    _known: dict[str, str] = field(default_factory=dict)

    def once(self, schema: str, table: str, /, *apart: str | None, **values: Any) -> str:
        """The id of the row. Rows with the same values are two where `apart` differs."""
        key = repr((schema, table, apart, values))
        if key not in self._known:
            self._known[key] = str(len(self._known) + 1)
            self.insert(schema, table, id=self._known[key], **values)
        return self._known[key]

    def insert(self, schema: str, table: str, **values: Any) -> None:
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(schema, table),
            sql.SQL(",").join(map(sql.Identifier, values)),
            sql.SQL(",").join(sql.Placeholder() * len(values)),
        )
        self.cursor.execute(
            statement, [Json(value) if isinstance(value, dict | list) else value for value in values.values()]
        )


def fill(url: str, extracts: Sequence[Extract]) -> None:
    """Into empty tables at `url`."""
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE piece (schema text, restriction text, status text, geom geometry)"
        )
        tables = Tables(cursor)
        _lists(tables, extracts)
        for extract in extracts:
            _estate(tables, extract)
            for restriction in extract.restrictions:
                _restriction(tables, restriction)
        _pieces(cursor, theme_codes(extracts))


def _lists(tables: Tables, extracts: Sequence[Extract]) -> None:
    """What all extracts share."""
    languages = sorted({language for each in extracts for language in each.languages})
    for table, names in (("law_status", LAW_STATUSES), ("document_types", DOCUMENT_TYPES)):
        for code, name in names.items():
            tables.insert(MAIN, table, code=code, title=dict.fromkeys(languages, name))
    for code, name in ESTATE_TYPES.items():
        tables.once(MAIN, "real_estate_type", code=code, title=dict.fromkeys(languages, name))
    released: dict[int, tuple[str, bool]] = {}
    for each in extracts:
        released[each.bfs_number] = (word(each.estate, "MunicipalityName") or "", each.is_released)
    for bfs_number, (name, is_released) in released.items():
        tables.insert(MAIN, "municipality", fosnr=bfs_number, name=name, published=is_released)
    for code in ("ch", "ch.plr", "canton", *(f"ch.{number}" for number in released)):
        tables.once(MAIN, "logo", code=code, logo=dict.fromkeys(languages, _PIXEL))
    for each in extracts:
        for theme in each.themes(*THEME_LISTS):
            _theme(tables, theme, theme_codes(extracts))
        for restriction in each.restrictions:
            _theme(tables, at(restriction, "Theme"), theme_codes(extracts))
        if each.is_released:
            for code in sorted(each.codes("ThemeWithoutData")):
                tables.once(
                    MAIN, "availability", municipality_fosnr=each.bfs_number, theme_code=code, available=False
                )
    for information in parts(extracts[0].root, "GeneralInformation"):
        said = texts(information)
        tables.once(MAIN, "general_information", title=said, content=said)
    for element, table in (("Disclaimer", "disclaimer"), ("Glossary", "glossary")):
        for notice in parts(extracts[0].root, element):
            tables.once(MAIN, table, title=texts_at(notice, "Title"), content=texts_at(notice, "Content"))


def _theme(tables: Tables, theme: Element, codes: Sequence[str]) -> str:
    code, sub_code = word(theme, "Code") or "", word(theme, "SubCode")
    return tables.once(
        MAIN,
        "theme",
        code=code,
        sub_code=sub_code,
        title=texts_at(theme, "Text"),
        extract_index=10 * codes.index(code) + bool(sub_code),
    )


def _estate(tables: Tables, extract: Extract) -> None:
    estate = extract.estate
    tables.insert(
        MAIN,
        "real_estate",
        identdn=word(estate, "IdentDN"),
        number=word(estate, "Number"),
        egrid=extract.egrid,
        type=word(estate, "Type/Code"),
        canton=word(estate, "Canton"),
        municipality=word(estate, "MunicipalityName"),
        subunit_of_land_register=word(estate, "SubunitOfLandRegister"),
        subunit_of_land_register_designation=word(estate, "SubunitOfLandRegisterDesignation"),
        fosnr=extract.bfs_number,
        land_registry_area=word(estate, "LandRegistryArea"),
        limit=wkt(extract.limit),
    )


def _restriction(tables: Tables, restriction: Element) -> None:
    theme = at(restriction, "Theme")
    code = word(theme, "Code") or ""
    schema = schema_of(code)
    wms = at(restriction, "Map")
    view = tables.once(
        schema,
        "view_service",
        reference_wms=_without_box(texts_at(wms, "ReferenceWMS") or {}),
        layer_index=int(word(wms, "layerIndex") or 1),
        layer_opacity=float(word(wms, "layerOpacity") or 1),
    )
    entry = tables.once(
        schema,
        "legend_entry",
        symbol=word(restriction, "Symbol") or _PIXEL,
        legend_text=texts_at(restriction, "LegendText"),
        type_code=word(restriction, "TypeCode"),
        type_code_list=word(restriction, "TypeCodelist") or "",
        theme=code,
        sub_theme=word(theme, "SubCode"),
        view_service_id=view,
    )
    documents = [_document(tables, document, code) for document in parts(restriction, "LegalProvisions")]
    row = tables.once(
        schema,
        "public_law_restriction",
        *documents,
        law_status=word(restriction, "Lawstatus/Code"),
        published_from=_SINCE,
        view_service_id=view,
        office_id=_office(tables, schema, at(restriction, "ResponsibleOffice")),
        legend_entry_id=entry,
    )
    for document in filter(None, documents):
        tables.once(
            schema, "public_law_restriction_document", public_law_restriction_id=row, document_id=document
        )
    geometries = [(each, geometry_of(each)) for each in parts(restriction, "Geometry")]
    assert geometries, f"a restriction of {code} without geometry"
    for element, ewkt in geometries:
        assert ewkt is not None, f"a geometry of {code} without coordinates"
        tables.cursor.execute(
            "INSERT INTO piece VALUES (%s, %s, %s, %s)", (schema, row, word(element, "Lawstatus/Code"), ewkt)
        )


def _without_box(urls: Texts) -> Texts:
    """The service draws the surroundings of the parcel that it is asked for."""
    box = ("BBOX=", "WIDTH=", "HEIGHT=")
    return {
        language: "&".join(part for part in url.split("&") if not part.startswith(box))
        for language, url in urls.items()
    }


def _document(tables: Tables, document: Element, theme_code: str) -> str | None:
    """The id of its row, for the restriction; None for one that stands behind the whole theme."""
    articles = [article.text for article in parts(document, "ArticleNumber")]
    schema = MAIN if articles else schema_of(theme_code)
    row = tables.once(
        schema,
        "document",
        document_type=word(document, "Type/Code"),
        index=int(word(document, "Index") or 1),
        law_status=word(document, "Lawstatus/Code"),
        title=texts_at(document, "Title"),
        office_id=_office(tables, schema, at(document, "ResponsibleOffice")),
        published_from=_SINCE,
        text_at_web=texts_at(document, "TextAtWeb"),
        abbreviation=texts_at(document, "Abbreviation"),
        official_number=texts_at(document, "OfficialNumber"),
    )
    if not articles:
        return row
    tables.cursor.execute(
        sql.SQL(
            "INSERT INTO {} (theme_id, document_id, article_numbers)"
            " SELECT id, %s, %s FROM {} WHERE code = %s AND sub_code IS NULL ON CONFLICT DO NOTHING"
        ).format(sql.Identifier(MAIN, "theme_document"), sql.Identifier(MAIN, "theme")),
        (row, Json(articles), theme_code),
    )
    return None


def _office(tables: Tables, schema: str, office: Element) -> str:
    postal_code = word(office, "PostalCode")
    return tables.once(
        schema,
        "office",
        name=texts_at(office, "Name"),
        office_at_web=texts_at(office, "OfficeAtWeb"),
        uid=word(office, "UID"),
        street=word(office, "Street"),
        number=word(office, "Number"),
        postal_code=int(postal_code) if postal_code else None,
        city=word(office, "City"),
    )


def _pieces(cursor: psycopg.Cursor[Any], codes: Sequence[str]) -> None:
    """A right lies on a parcel: what both extracts have must not count twice."""
    for schema in map(schema_of, codes):
        cursor.execute(
            sql.SQL(
                "INSERT INTO {} (id, law_status, published_from, geom, public_law_restriction_id)"
                " SELECT row_number() OVER (), status, %s, geom, restriction FROM ("
                " SELECT status, restriction, (ST_Dump(ST_Union(geom))).geom FROM piece"
                " WHERE schema = %s GROUP BY status, restriction, ST_Dimension(geom)) AS united"
            ).format(sql.Identifier(schema, "geometry")),
            (_SINCE, schema),
        )
