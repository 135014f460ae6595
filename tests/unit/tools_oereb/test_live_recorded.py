"""The recorded services speak like the real ones, also where the live cadastre does not go."""

import httpx2
import pytest
from recorded.oereb_data import LANGENDORFSTRASSE_19B, MESSEN_168, MESSEN_198
from recorded.server import RecordedServer
from starlette.responses import HTMLResponse

SOLOTHURN, JSON_CANTON = "/api/oereb", "/json-canton/oereb"


async def get(server: RecordedServer, path: str, accept: str = "*/*") -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False) as client:
        return await client.get(server.url + path, headers={"accept": accept})


@pytest.mark.parametrize(
    ("path", "status", "content_type"),
    [
        (f"{SOLOTHURN}/versions/xml/", 200, "application/xml"),
        (f"{SOLOTHURN}/capabilities/xml/", 200, "application/xml"),
        (f"{SOLOTHURN}/capabilities/json/", 500, "application/json"),
        (f"{SOLOTHURN}/getegrid/xml/?EN=2600513,1215519", 200, "application/xml"),
        (f"{SOLOTHURN}/getegrid/xml?EN=2600513,1215519", 200, "application/xml"),
        (f"{SOLOTHURN}/getegrid/xml/?en=2600513,1215519", 500, "application/json"),
        (f"{SOLOTHURN}/getegrid/xml/?EN=east,north", 500, "application/json"),
        (f"{SOLOTHURN}/getegrid/json/?EN=2600513,1215519", 500, "application/json"),
        (f"{SOLOTHURN}/getegrid/xml/?EN=2700000,1200000", 204, ""),
        (f"{SOLOTHURN}/extract/pdf/?EGRID={MESSEN_198}", 200, "application/pdf"),
        (f"{SOLOTHURN}/extract/xml/?EGRID={MESSEN_198}", 200, "application/xml"),
        (f"{SOLOTHURN}/extract/json/?EGRID={MESSEN_198}", 500, "application/json"),
        (f"{SOLOTHURN}/extract/url/?EGRID={MESSEN_198}", 303, ""),
        (f"{SOLOTHURN}/extract/url/?egrid={MESSEN_198}", 204, ""),
        (f"{JSON_CANTON}/versions/json/", 200, "application/json"),
        (f"{JSON_CANTON}/versions/xml/", 200, "application/xml"),
        (f"{JSON_CANTON}/capabilities/json/", 200, "application/json"),
        (f"{JSON_CANTON}/capabilities/xml/", 200, "application/xml"),
        (f"{JSON_CANTON}/getegrid/json/?en=2600513,1215519", 200, "application/json"),
        (f"{JSON_CANTON}/getegrid/json/", 400, "text/html"),
        (f"{JSON_CANTON}/getegrid/json/?EN=east,north", 500, "text/plain"),
        (f"{JSON_CANTON}/getegrid/gml/?EN=2600513,1215519", 500, "text/plain"),
        (f"{JSON_CANTON}/extract/json/?EGRID={MESSEN_198}", 200, "application/json"),
        (f"{JSON_CANTON}/extract/pdf/?EGRID={MESSEN_198}&GEOMETRY=true", 400, "text/html"),
        (f"{JSON_CANTON}/extract/json/?EGRID={MESSEN_198}&LANG=rm", 400, "text/html"),
        (f"{JSON_CANTON}/extract/url/?EGRID={MESSEN_198}", 303, "text/html"),
    ],
)
async def test_status_and_type(recorded: RecordedServer, path: str, status: int, content_type: str) -> None:
    answer = await get(recorded, path)
    assert answer.status_code == status
    assert answer.headers.get("content-type", "").partition(";")[0] == content_type
    assert bool(answer.content) is bool(content_type)


async def test_who_wants_json_of_an_xml_service_gets_nothing(recorded: RecordedServer) -> None:
    for path in ("xml", "url"):
        answer = await get(recorded, f"{SOLOTHURN}/extract/{path}/?EGRID={MESSEN_198}", "application/json")
        assert (answer.status_code, answer.content) == (406, b"")


async def test_what_is_not_released_has_a_redirect_but_no_extract(recorded: RecordedServer) -> None:
    recorded.options.oereb.unreleased.add(MESSEN_168)
    statuses = [
        (await get(recorded, f"{SOLOTHURN}/extract/{kind}/?EGRID={MESSEN_168}")).status_code
        for kind in ("url", "xml", "pdf")
    ]
    assert statuses == [303, 204, 204]


async def test_the_other_canton_has_an_extract_without_data_for_it(recorded: RecordedServer) -> None:
    recorded.options.oereb.unreleased.add(MESSEN_168)
    answer = await get(recorded, f"{JSON_CANTON}/extract/json/?EGRID={MESSEN_168}")
    said = answer.json()["GetExtractByIdResponse"]["extract"]
    assert said["ThemeWithoutData"]
    assert (said["ConcernedTheme"], said["NotConcernedTheme"]) == ([], [])
    assert "RestrictionOnLandownership" not in said["RealEstate"]


@pytest.mark.parametrize(("format_name", "said"), [("json", '"Language":"fr"'), ("xml", "Language>fr<")])
async def test_an_extract_has_one_language_which_can_be_chosen(
    recorded: RecordedServer, format_name: str, said: str
) -> None:
    path = f"extract/{format_name}/?EGRID={LANGENDORFSTRASSE_19B}"
    german, french = [(await get(recorded, f"{JSON_CANTON}/{path}{lang}")).text for lang in ("", "&LANG=fr")]
    for text, language in ((german, "de"), (french, "fr")):
        assert said.replace("fr", language) in text
        other = {"de": "fr", "fr": "de"}[language]
        assert said.replace("fr", other) not in text
    deaf = (await get(recorded, f"{SOLOTHURN}/extract/xml/?EGRID={MESSEN_198}&LANG=fr")).text
    assert "Language>de<" in deaf and "Language>fr<" not in deaf


async def test_one_parcel_may_fail_always_and_another_one_never(recorded: RecordedServer) -> None:
    recorded.options.oereb.instead[MESSEN_198] = HTMLResponse("<html>Wartung</html>")
    types = [
        (await get(recorded, f"{SOLOTHURN}/extract/xml/?EGRID={egrid}")).headers["content-type"]
        for egrid in (MESSEN_198, MESSEN_168, MESSEN_198)
    ]
    assert [kind.partition(";")[0] for kind in types] == ["text/html", "application/xml", "text/html"]
    redirect = await get(recorded, f"{SOLOTHURN}/extract/url/?EGRID={MESSEN_198}")
    assert redirect.status_code == 303


async def test_outlines_come_only_when_they_are_asked_for(recorded: RecordedServer) -> None:
    for path in (
        f"{SOLOTHURN}/getegrid/xml/?EN=2600513,1215519",
        f"{JSON_CANTON}/extract/xml/?EGRID={MESSEN_198}",
    ):
        assert b"polyline" not in (await get(recorded, path)).content
        assert b"polyline" in (await get(recorded, f"{path}&GEOMETRY=true")).content


async def test_one_parcel_has_arcs(recorded: RecordedServer) -> None:
    content = (await get(recorded, f"{SOLOTHURN}/getegrid/xml/?EN=2609060,1226280&GEOMETRY=true")).text
    assert content.count("<ns1:arc>") >= 5


async def test_a_pdf_is_one(recorded: RecordedServer) -> None:
    answer = await get(recorded, f"{SOLOTHURN}/extract/pdf/?EGRID={MESSEN_198}")
    assert answer.content.startswith(b"%PDF-1.") and answer.content.endswith(b"%%EOF\n")
    assert answer.headers["content-disposition"] == f"attachment; filename={MESSEN_198}.pdf"
