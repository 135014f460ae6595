"""The tools as the bus sees them: arguments, status, message, descriptor."""

from typing import Any

import pytest
from contracts.items import OerebExtract, binds_of
from contracts.messages import Outcome
from contracts.status import Status
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox

from tools_oereb import sources
from tools_oereb.answers import about_extract, about_parcels
from tools_oereb.gateways import NoExtract
from tools_oereb.handlers import register
from tools_oereb.settings import Settings


@pytest.fixture(scope="module")
def toolbox() -> Toolbox:
    bus: Any = MemoryBus("tools-oereb")
    settings = Settings()
    return register(bus, sources.cadastre(settings, None), sources.example_of(settings))


async def call(toolbox: Toolbox, capability: str, **args: object) -> Outcome:
    return await toolbox[capability].call(dict(args), "de")


def test_capabilities_and_argument_names_are_the_agreed_ones(toolbox: Toolbox) -> None:
    assert {d.capability: set(d.parameters["required"]) for d in toolbox.descriptors} == {
        "oereb.egrid_by_xy": {"x", "y"},
        "oereb.extract_by_id": {"egrid"},
    }


def test_a_parcel_of_the_first_tool_fills_the_argument_of_the_second(toolbox: Toolbox) -> None:
    (result_type,) = toolbox["oereb.egrid_by_xy"].descriptor.result_types
    assert set(toolbox["oereb.extract_by_id"].descriptor.parameters["required"]) <= binds_of(result_type)


async def test_the_examples_for_planners_work(toolbox: Toolbox) -> None:
    for descriptor in toolbox.descriptors:
        properties = descriptor.parameters["properties"]
        args = {name: schema["examples"][0] for name, schema in properties.items()}
        outcome = await call(toolbox, descriptor.capability, **args)
        assert outcome.status is Status.OK, outcome.message
        assert {item.type for item in outcome.items} == set(descriptor.result_types)


async def test_two_hits_are_announced_as_several(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2600513, y=1215519)
    assert outcome.status is Status.OK
    assert outcome.message == "Mehrere Grundstücke gefunden: Liegenschaft 198, Baurecht 531."
    assert len(outcome.items) == 2


async def test_one_hit_is_announced_as_one(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2600595, y=1215629)
    assert outcome.message == "Grundstück gefunden."


async def test_the_message_of_an_extract_has_both_links(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.extract_by_id", egrid="ch 9558 3273 0623")
    (extract,) = outcome.items
    assert isinstance(extract, OerebExtract)
    assert outcome.message.splitlines()[-2:] == [
        f"PDF: {extract.pdf_url}",
        f"Fachanwendung: {extract.map_url}",
    ]


@pytest.mark.parametrize(
    ("capability", "args"),
    [
        ("oereb.egrid_by_xy", {"x": 2700000, "y": 1200000}),
        ("oereb.extract_by_id", {"egrid": "CH000000000000"}),
    ],
)
async def test_nothing_found_asks_back_with_a_hint(
    toolbox: Toolbox, capability: str, args: dict[str, object]
) -> None:
    outcome = await call(toolbox, capability, **args)
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message.startswith("Kein Grundstück gefunden.")
    assert "Ausschnitt" in outcome.message


@pytest.mark.parametrize("is_sample", [True, False])
def test_only_a_sample_is_called_one(is_sample: bool) -> None:
    """Two sentences: that there is nothing, and why or how to ask better."""
    unknown = NoExtract.UNKNOWN_IN_SAMPLE if is_sample else NoExtract.UNKNOWN
    for outcome in (
        about_parcels((), 2600513.5, 1215519, is_sample=is_sample),
        about_extract(unknown, "CH000000000000"),
    ):
        nothing, reason = outcome.message.split(". ")
        assert nothing == "Kein Grundstück gefunden"
        assert ("Ausschnitt" in reason) is is_sample
        assert "2600513.5, 1215519" in reason or "CH000000000000" in reason


@pytest.mark.parametrize(
    ("capability", "args"),
    [
        ("oereb.egrid_by_xy", {"x": 1215519, "y": 2600513}),
        ("oereb.egrid_by_xy", {"x": 2600513}),
        ("oereb.extract_by_id", {"egrid": "198"}),
        ("oereb.extract_by_id", {}),
    ],
)
async def test_bad_arguments_are_an_error(toolbox: Toolbox, capability: str, args: dict[str, object]) -> None:
    assert (await call(toolbox, capability, **args)).status is Status.ERROR


async def test_a_tool_speaks_the_language_of_its_call(toolbox: Toolbox) -> None:
    outcome = await toolbox["oereb.egrid_by_xy"].call({"x": 2600513, "y": 1215519}, "fr")
    assert outcome.message == "Plusieurs immeubles trouvés: Bien-fonds 198, Droit de superficie 531."
    outcome = await toolbox["oereb.extract_by_id"].call({"egrid": "CH000000000000"}, "it")
    assert outcome.message.startswith("Nessun fondo trovato. L’EGRID CH000000000000 non è registrato")


async def test_what_the_extract_says_stays_in_its_own_language(toolbox: Toolbox) -> None:
    args = {"egrid": "CH955832730623", "question": "Dans quelle zone se trouve la parcelle?"}
    first, sample, zone, *_ = (await toolbox["oereb.extract_by_id"].call(args, "fr")).message.splitlines()
    assert first == "Bien-fonds 198 (Messen):"
    assert sample.startswith("Exemple, inventé")
    assert zone.startswith("Nutzungsplanung (kantonal/kommunal) – en vigueur: Wohnzone "), zone
