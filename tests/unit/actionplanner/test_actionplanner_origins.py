"""Links to prints, and what is told about where a fact comes from and how long it holds."""

from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from contracts.items import CadastralPlan, GeothermalAssessment, Height, Provenance
from contracts.status import Status

from .actionplanner_samples import BUILDING_RIGHT, OUTLINE, PARCEL, actions, answer

BORE = GeothermalAssessment(
    id="g1", label="Erdwärmesonde", coord=(2605919, 1229245), allowed=True, text="Bis 400 Meter möglich."
)
PLAN = CadastralPlan(id="c1", label="Grundbuchplan", url="https://plan.example/1.pdf", geometry=OUTLINE)
PRINT = f"/api/prints/{'0f' * 16}"
NOON = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)


def sample(match: Literal["exact", "fuzzy"] = "fuzzy", **values: Any) -> Provenance:
    given = {"source": "Beispieldaten", "license": "Frei", "retrieved_at": NOON} | values
    return Provenance(match=match, **given)


@pytest.mark.parametrize("intent", ["cadastral_plan", "something_else"])
def test_a_plan_that_the_edge_serves_is_linked_by_its_path(intent: str) -> None:
    step = answer(intent, PLAN.model_copy(update={"url": PRINT}))
    assert step.message == f"Grundbuchplan erstellt.\nPDF: {PRINT}"


@pytest.mark.parametrize(
    "url", ["/api/prints/", "/api/chat", f"//evil.example{PRINT}", f"{PRINT}/..", f"{PRINT}?x", PRINT.upper()]
)
def test_no_other_path_is_linked(url: str) -> None:
    assert answer("cadastral_plan", PLAN.model_copy(update={"url": url})).status is Status.ERROR
    bore = BORE.model_copy(update={"report_url": url})
    assert url not in answer("geothermal_probe_assessment", bore).message


@pytest.mark.parametrize(
    ("expires_at", "provenance", "until"),
    [
        # Switzerland is an hour ahead in winter.
        (NOON + timedelta(hours=1), sample(), "13:00 Uhr"),
        (NOON + timedelta(hours=12), sample(), "21.11.2026, 00:00 Uhr"),
        (NOON + timedelta(hours=1), None, "20.11.2026, 13:00 Uhr"),
        (datetime(2026, 7, 1, 10, 5, tzinfo=UTC), None, "1.7.2026, 12:05 Uhr"),
    ],
)
def test_a_plan_says_until_when_it_can_be_had(
    expires_at: datetime, provenance: Provenance | None, until: str
) -> None:
    item = PLAN.model_copy(update={"expires_at": expires_at, "provenance": provenance})
    link = answer("cadastral_plan", item).message.splitlines()[1]
    assert link == f"PDF: https://plan.example/1.pdf (verfügbar bis {until})"


def test_where_a_fact_comes_from_is_told_below_it() -> None:
    height = Height(id="h", label="x", coord=(2600000, 1200000), height_m=430, provenance=sample())
    assert answer("height_query", height).message == (
        "Höhe bei 2'600'000 / 1'200'000: rund 430 m ü. M.\nQuelle: Beispieldaten"
    )
    assert actions(answer("height_query", height))[1]["payload"]["label"] == "rund 430 m ü. M."
    bore = BORE.model_copy(update={"provenance": sample(source="<b>Kanton</b> Solothurn")})
    said = answer("geothermal_probe_assessment", bore).message
    assert said == "Bis 400 Meter möglich.\nQuelle: Kanton Solothurn"
    plan = PLAN.model_copy(update={"provenance": sample()})
    assert answer("cadastral_plan", plan).message.endswith("\nQuelle: Beispieldaten")


def test_a_measured_height_is_no_estimate() -> None:
    height = Height(id="h", label="x", height_m=553.6, provenance=sample("exact", source="swisstopo"))
    assert answer("height_query", height).message == "Höhe: 553.6 m ü. M.\nQuelle: swisstopo"


def test_an_old_answer_of_a_source_that_is_down_is_marked() -> None:
    parcel = PARCEL.model_copy(update={"provenance": sample("exact", source="geo.so.ch", stale=True)})
    message = answer("show_parcel", parcel).message
    assert message == (
        "Grundstück 198 in Messen (EGRID CH955832730623).\n"
        "Hinweis: Diese Angabe ist vom 20.11.2026, 12:00 Uhr, die Quelle antwortet gerade nicht (geo.so.ch)."
    )
    fresh = PARCEL.model_copy(update={"provenance": sample("exact")})
    assert "Hinweis" not in answer("show_parcel", fresh).message


def test_a_choice_of_old_answers_is_marked_too() -> None:
    old = sample("exact", stale=True)
    parcels = [item.model_copy(update={"provenance": old}) for item in (PARCEL, BUILDING_RIGHT)]
    step = answer("show_parcel", *parcels)
    assert step.status is Status.NEEDS_USER_CHOICE
    assert step.message.startswith("Bitte wähle das betroffene Grundstück.\nHinweis: ")
