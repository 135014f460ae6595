"""What an extract of the cadastre of public-law restrictions on landownership (ÖREB) holds.

The terms are those of the federal data model of extracts (version 2.0); texts are in the language of the
extract.
"""

from datetime import datetime
from enum import StrEnum

from contracts.base import Contract
from contracts.markdown import Words
from contracts.urls import OptionalSymbol, OptionalUrl


class LawStatus(StrEnum):
    """Whether a restriction or a document is law already. Anything else than IN_FORCE is only planned."""

    IN_FORCE = "inForce"
    CHANGE_WITH_PRE_EFFECT = "changeWithPreEffect"
    """Planned; what contradicts it may not be permitted any more."""
    CHANGE_WITHOUT_PRE_EFFECT = "changeWithoutPreEffect"
    """Planned; until it is law, the law as it stands counts alone."""


class Office(Contract):
    name: Words
    url: OptionalUrl = None


class Theme(Contract):
    code: Words
    """E.g. `ch.Nutzungsplanung`."""
    title: Words
    sub_code: Words | None = None
    """Of a part of the theme, which has a title of its own."""


class DocumentKind(StrEnum):
    LAW = "Law"
    LEGAL_PROVISION = "LegalProvision"
    """A provision made for this area, e.g. the regulations of a zone."""
    HINT = "Hint"


class LegalDocument(Contract):
    """A law, a provision, a hint or another document behind a restriction."""

    kind: DocumentKind | None = None
    """None where the extract does not say it in a way that is known."""
    title: Words
    abbreviation: Words | None = None
    official_number: Words | None = None
    articles: tuple[Words, ...] = ()
    url: OptionalUrl = None
    law_status: LawStatus | None = None
    office: Office | None = None


class RestrictionMap(Contract):
    """Where the restriction is drawn."""

    wms_url: OptionalUrl = None
    """A whole GetMap request, as the extract names it."""
    legend_url: OptionalUrl = None
    opacity: float | None = None
    """From 0, unseen, to 1."""


class Restriction(Contract):
    """What restricts the landownership on a parcel, in one area or in all areas of a type of the legend."""

    theme: Theme
    text: Words
    """Of the legend: which type it is."""
    type_code: Words | None = None
    law_status: LawStatus | None = None
    """None where the extract does not say it in a way that is known."""
    area_m2: float | None = None
    length_m: float | None = None
    points: int | None = None
    percent: float | None = None
    """Of the parcel's area; more than 100 where the survey and the land register differ about that."""
    symbol: OptionalSymbol = None
    map: RestrictionMap | None = None
    office: Office | None = None
    documents: tuple[int, ...] = ()
    """Places in the `documents` of the content, from 0."""

    def line(self) -> str:
        """`theme: text (618 m², 46.2 %)`."""
        extents = ((self.area_m2, "m²"), (self.length_m, "m"), (self.percent, "%"))
        facts = [f"{round(value, 1):.12g} {unit}" for value, unit in extents if value is not None]
        return f"{self.theme.title}: {self.text}" + (f" ({', '.join(facts)})" if facts else "")


class Notice(Contract):
    """A disclaimer, an entry of the glossary or a general information."""

    title: Words = ""
    text: Words


class ExtractContent(Contract):
    """An extract that has been read. Only together the three lists of themes tell what is known."""

    created_at: datetime | None = None
    """When the service made the extract."""
    updated_at: datetime | None = None
    """Of which day the cadastral survey in it is."""
    concerned: tuple[Theme, ...] = ()
    """Themes with a restriction on the parcel, be it only planned."""
    not_concerned: tuple[Theme, ...] = ()
    """Themes with data and without a restriction."""
    without_data: tuple[Theme, ...] = ()
    """Themes of which nobody can tell, because there are no data (yet)."""
    restrictions: tuple[Restriction, ...] = ()
    documents: tuple[LegalDocument, ...] = ()
    """Each once."""
    authority: Office | None = None
    """The body responsible for the cadastre."""
    information: tuple[Notice, ...] = ()
    disclaimers: tuple[Notice, ...] = ()
    glossary: tuple[Notice, ...] = ()

    def addresses(self) -> tuple[str, ...]:
        """Of documents and offices."""
        offices = (self.authority, *(restriction.office for restriction in self.restrictions))
        urls = (*(document.url for document in self.documents), *(office.url for office in offices if office))
        return tuple(url for url in urls if url)
