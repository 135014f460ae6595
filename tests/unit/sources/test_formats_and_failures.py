"""Every format of the live sources × every failure: a clear sentence that names the source, or an answer.

In the service's own tests the same failures are seen from the single tools.
"""

from collections.abc import Iterator, Mapping

import pytest
from failure_table import COLUMNS, FORMATS, OK, REFUSED, REMARK, Format, cell
from misbehaving import FAILURES
from recorded.server import RecordedServer, in_background
from servicekit.errors import SourceErrorKind
from source_words import WORDS

UNREACHABLE, SLOW, UNREADABLE, TOO_LARGE, FORBIDDEN = (
    WORDS[kind]
    for kind in (
        SourceErrorKind.UNREACHABLE,
        SourceErrorKind.TIMEOUT,
        SourceErrorKind.UNREADABLE,
        SourceErrorKind.TOO_LARGE,
        SourceErrorKind.FORBIDDEN,
    )
)
EXPECTED: Mapping[str, str] = {
    REFUSED: UNREACHABLE,
    "connection reset": UNREACHABLE,
    "no HTTP": UNREACHABLE,
    "slow headers": SLOW,
    "slow body": SLOW,
    "stalled body": SLOW,
    "404": "Fehler 404",
    "500": "Fehler 500",
    "502": "Fehler 502",
    "503": "überlastet 503",
    "503 with Retry-After": "überlastet 503",
    "429": "überlastet 429",
    "50 MB": TOO_LARGE,
    "50 MB announced": TOO_LARGE,
    "gzip bomb": TOO_LARGE,
    "redirect to a private address": FORBIDDEN,
    "redirect to a file": FORBIDDEN,
    **dict.fromkeys(
        (
            "HTML",
            "truncated JSON",
            "wrong content type",
            "broken gzip",
            "too short",
            "reset in the body",
            "XML bomb",
            "external entity",
            "external DTD",
            "service exception",
        ),
        UNREADABLE,
    ),
}
OTHERWISE: Mapping[str, Mapping[str, str]] = {
    # Layers are offered without what describes them.
    "weblayers": dict.fromkeys(EXPECTED, OK),
    # The canton has been asked, and has nothing.
    "SearchServer, for the rest of Switzerland": dict.fromkeys(EXPECTED, REMARK),
    "featureinfo: geothermal probes": {"service exception": "Fehler"},
}


@pytest.fixture(scope="module")
def healthy() -> Iterator[RecordedServer]:
    with in_background() as server:
        yield server


def test_every_failure_is_expected_and_the_table_shows_known_ones() -> None:
    assert EXPECTED.keys() == {REFUSED, *FAILURES}
    assert set(COLUMNS) <= EXPECTED.keys()
    assert OTHERWISE.keys() <= {form.name for form in FORMATS}


@pytest.mark.parametrize("failure", EXPECTED)
@pytest.mark.parametrize("form", FORMATS, ids=str)
async def test_what_a_user_is_told(form: Format, failure: str, healthy: RecordedServer) -> None:
    expected = OTHERWISE.get(form.name, {}).get(failure, EXPECTED[failure])
    assert await cell(form, failure, healthy.url) == expected
