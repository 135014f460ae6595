"""The JSON of the web service, which some cantons offer beside the XML."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.outbound import Answer

from tools_oereb.geometry import Polygon, polygons_of
from tools_oereb.live.reading import (
    ExtractFacts,
    LocalisedText,
    compact_egrid,
    each_once,
    in_german,
    real_estate,
)
from tools_oereb.real_estate import RealEstate

CONTENT_TYPES = ("application/json",)


class _Part(BaseModel):
    # Numbers of parcels have been seen as JSON numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


class _Text(_Part):
    language: str | None = Field(None, alias="Language")
    text: str | None = Field(None, alias="Text")


class _Coded(_Part):
    """A code with its text: a type of real estate, a theme."""

    code: str | None = Field(None, alias="Code")
    texts: tuple[_Text, ...] | None = Field(None, alias="Text")

    @property
    def localised(self) -> list[LocalisedText]:
        return [(text.language, text.text) for text in self.texts or ()]


class _Found(_Part):
    egrid: str | None = None
    number: str | None = None
    type: _Coded | None = None
    limit: dict[str, Any] | None = None


class _Egrids(_Part):
    found: tuple[_Found, ...] = Field(alias="GetEGRIDResponse")


class _RealEstate(_Part):
    egrid: str = Field(alias="EGRID")
    number: str | None = Field(None, alias="Number")
    ident_dn: str | None = Field(None, alias="IdentDN")
    municipality: str | None = Field(None, alias="MunicipalityName")
    area_m2: float | None = Field(None, alias="LandRegistryArea", allow_inf_nan=False)


class _Extract(_Part):
    real_estate: _RealEstate = Field(alias="RealEstate")
    concerned: tuple[_Coded, ...] = Field((), alias="ConcernedTheme")


class _ExtractById(_Part):
    extract: _Extract


class _ExtractResponse(_Part):
    response: _ExtractById = Field(alias="GetExtractByIdResponse")


_Model = TypeVar("_Model", bound=BaseModel)


def real_estates(answer: Answer) -> tuple[RealEstate, ...]:
    """The parcels of a GetEGRID answer. Raises `SourceError` (UNREADABLE)."""
    found = (
        real_estate(
            egrid=item.egrid,
            number=item.number,
            code=item.type.code if item.type else None,
            kinds=item.type.localised if item.type else (),
            polygons=_polygons(item.limit),
        )
        for item in _read(_Egrids, answer).found
    )
    return tuple(estate for estate in found if estate is not None)


def extract_facts(answer: Answer) -> ExtractFacts:
    """The first page of an extract. Raises `SourceError` (UNREADABLE)."""
    extract = _read(_ExtractResponse, answer).response.extract
    estate = extract.real_estate
    egrid = compact_egrid(estate.egrid)
    if egrid is None:
        raise SourceError(SourceErrorKind.UNREADABLE, answer.source)
    return ExtractFacts(
        egrid=egrid,
        number=estate.number,
        ident_dn=estate.ident_dn,
        municipality=estate.municipality,
        area_m2=estate.area_m2,
        concerned_themes=each_once(in_german(theme.localised) for theme in extract.concerned),
    )


def _read(model: type[_Model], answer: Answer) -> _Model:
    try:
        return model.model_validate(answer.json())
    except ValidationError:
        raise SourceError(SourceErrorKind.UNREADABLE, answer.source) from None


def _polygons(limit: dict[str, Any] | None) -> list[Polygon]:
    """An outline that cannot be read costs the outline, not the parcel."""
    if limit is None or "2056" not in str(limit.get("crs", "2056")):
        return []
    try:
        return polygons_of(limit)
    except (ValueError, TypeError, IndexError, KeyError):
        return []
