"""The simulated JSON canton answers as a real service does: same status, same type, same names of things."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import httpx2
import pytest
from recorded.server import RecordedServer

PARCEL, NOT_RELEASED, UNKNOWN = "CH990000009903", "CH990000009905", "CH999999999999"
LEFT_OUT = frozenset(
    {
        "$schema",
        "CantonalLogoRef",
        "FederalLogoRef",
        "LogoPLRCadastreRef",
        "MunicipalityLogoRef",
        "QRCodeRef",
        "SubunitOfLandRegister",
        "PlanForLandRegister",
        "PlanForLandRegisterMainPage",
        "Geometry",
        "OtherLegend",
        "TypeCodelist",
        "max",
        "min",
        "extensions",
        "topic/SubCode",
    }
)
"""What a real service sends as well."""


@pytest.fixture
async def simulated_url() -> AsyncIterator[str]:
    async with RecordedServer() as server:
        server.options.oereb.unreleased.add(NOT_RELEASED)
        yield f"{server.url}/json-canton/oereb"


async def asked(url: str) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        return await http.get(url)


def names(answer: httpx2.Response) -> set[str]:
    """The path to each thing in an answer that is not left out."""
    return {path for path in _all_names(answer) if not LEFT_OUT & set(_ends(path))}


def _all_names(answer: httpx2.Response) -> set[str]:
    kind = kind_of(answer)
    if kind == "application/xml":
        return set(_elements(fromstring(answer.content)))
    return set(_keys(json.loads(answer.content))) if kind == "application/json" else set()


def _ends(path: str) -> Iterator[str]:
    """Each name on a path, alone and below the one before it."""
    parts = _SEGMENT.findall(path)
    yield from parts
    yield from map("/".join, pairwise(parts))


_SEGMENT = re.compile(r"/(?:\{[^}]*\})?([^/{]+)")
"""Of a path, without its namespace."""


def _elements(element: Element, path: str = "") -> Iterator[str]:
    path = f"{path}/{element.tag}"
    yield path
    for part in element:
        yield from _elements(part, path)


def _keys(value: Any, path: str = "") -> Iterator[str]:
    match value:
        case dict():
            for name, part in value.items():
                yield f"{path}/{name}"
                yield from _keys(part, f"{path}/{name}")
        case list():
            for part in value:
                yield from _keys(part, path)


def kind_of(answer: httpx2.Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0]


QUESTIONS = (
    "/versions/{format}/",
    "/capabilities/{format}/",
    "/getegrid/{format}/?EN=2600513,1215519",
    "/getegrid/{format}/?EN=2600513,1215519&GEOMETRY=true",
    "/getegrid/{format}?en=2600513,1215519",
    "/getegrid/{format}/?EN=2700000,1200000",
    "/getegrid/{format}/?EN=2600513",
    "/getegrid/{format}/?EN=east,north",
    "/getegrid/{format}/?IDENTDN=SO0200002457&NUMBER=198",
    "/getegrid/{format}/?IDENTDN=SO0200002457&NUMBER=0",
    "/getegrid/{format}/?IDENTDN=SO0200002457",
    "/getegrid/{format}/?POSTALCODE=4500",
    "/getegrid/{format}/",
    f"/extract/{{format}}/?EGRID={PARCEL}",
    f"/extract/{{format}}/?EGRID={PARCEL}&GEOMETRY=true",
    f"/extract/{{format}}/?EGRID={PARCEL}&LANG=de",
    f"/extract/{{format}}/?EGRID={PARCEL}&LANG=it",
    f"/extract/{{format}}/?EGRID={NOT_RELEASED}",
    f"/extract/{{format}}/?EGRID={UNKNOWN}",
    "/extract/{format}/?IDENTDN=SO0200002457&NUMBER=198",
    "/extract/{format}/?EGRID=198",
    "/extract/{format}/?EGRID=",
    "/extract/{format}/",
)
OTHERS = (
    "/versions/pdf/",
    "/getegrid/pdf/?EN=2600513,1215519",
    f"/extract/html/?EGRID={PARCEL}",
    f"/extract/pdf/?EGRID={PARCEL}&GEOMETRY=true",
    f"/extract/url/?EGRID={PARCEL}",
    f"/extract/url/?EGRID={NOT_RELEASED}",
    f"/extract/url/?EGRID={UNKNOWN}",
    "/extract/url/",
)


@pytest.mark.parametrize(
    "question",
    [*(question.format(format=name) for name in ("xml", "json") for question in QUESTIONS), *OTHERS],
)
async def test_a_question_has_the_same_kind_of_answer(
    oereb_url: str, simulated_url: str, question: str
) -> None:
    real, simulated = await asked(oereb_url + question), await asked(simulated_url + question)
    for each in ("content-type", "location"):
        assert simulated.headers.get(each, "").lower() == real.headers.get(each, "").lower()
    assert simulated.status_code == real.status_code
    assert bool(simulated.content) == bool(real.content)
    if question.partition("EGRID=")[2].startswith(NOT_RELEASED):
        # The simulated one has no words beside the themes.
        assert names(simulated) <= names(real)
    else:
        assert names(simulated) == names(real)


async def test_what_is_not_released_has_themes_without_data_and_no_others(
    oereb_url: str, simulated_url: str
) -> None:
    for url in (oereb_url, simulated_url):
        answer = await asked(f"{url}/extract/json/?EGRID={NOT_RELEASED}")
        extract = answer.json()["GetExtractByIdResponse"]["extract"]
        assert extract["ThemeWithoutData"]
        assert not extract.get("ConcernedTheme") and not extract.get("NotConcernedTheme")


async def test_symbols_are_pictures_of_the_service(oereb_url: str, simulated_url: str) -> None:
    for url in (oereb_url, simulated_url):
        answer = await asked(f"{url}/extract/json/?EGRID={PARCEL}")
        extract = answer.json()["GetExtractByIdResponse"]["extract"]
        for restriction in extract["RealEstate"]["RestrictionOnLandownership"]:
            symbol = restriction["SymbolRef"]
            assert symbol.startswith(f"{url}/image/symbol/{restriction['Theme']['Code']}/legend_entry.png?")
            picture = await asked(symbol)
            assert (picture.status_code, kind_of(picture)) == (200, "image/png")
            assert picture.content.startswith(b"\x89PNG")
