"""docs/configuration.md names every setting, with its default and its unit."""

import pages
import pytest
from pydantic_settings import BaseSettings
from servicekit.access import NatsAccess
from servicekit.settings import OpenAiSettings, OutboundSettings, PrintsSettings, ServiceSettings

from actionplanner.settings import Settings as ActionPlannerSettings
from ask.services import SERVICES
from ask.settings import Settings as AskSettings
from edge.auth.settings import AuthSettings
from edge.limit_settings import LimitSettings
from edge.settings import EdgeSettings
from orchestrator.settings import Settings as OrchestratorSettings
from planner.settings import Settings as PlannerSettings
from responder.settings import Settings as ResponderSettings
from tools_docs.settings import Settings as DocsSettings
from tools_geo.settings import Settings as GeoSettings
from tools_mcp.settings import Settings as McpSettings
from tools_oereb.settings import Settings as OerebSettings

PAGE = pages.ROOT / "docs" / "configuration.md"
SECTIONS: dict[str, type[BaseSettings]] = {
    "All services": ServiceSettings,
    "Access to NATS": NatsAccess,
    "Language models": OpenAiSettings,
    "Outbound calls": OutboundSettings,
    "Prints": PrintsSettings,
    "edge": EdgeSettings,
    "Who may": AuthSettings,
    "Limits": LimitSettings,
    "orchestrator": OrchestratorSettings,
    "planner": PlannerSettings,
    "actionplanner": ActionPlannerSettings,
    "responder": ResponderSettings,
    "tools-docs": DocsSettings,
    "tools-geo": GeoSettings,
    "tools-mcp": McpSettings,
    "tools-oereb": OerebSettings,
    "ask": AskSettings,
}
UNITS = {"_s": "s", "_m": "m", "_bytes": "bytes", "_chars": "characters", "_tokens": "tokens"}


def own_fields(settings: type[BaseSettings]) -> list[str]:
    """The fields that a class declares or overrides, in their order."""
    return [name for name in settings.model_fields if name in settings.__annotations__]


def shown(default: object) -> str:
    if default in (None, (), {}):
        return "–"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ", ".join(f"`{each}`" for each in default)
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_setting_is_documented_with_default_and_unit(section: str) -> None:
    settings = SECTIONS[section]
    expected = [
        (
            f"`{name.upper()}`",
            shown(settings.model_fields[name].default),
            next((unit for ending, unit in UNITS.items() if name.endswith(ending)), ""),
        )
        for name in own_fields(settings)
    ]
    rows = pages.table(PAGE, section, "variable")
    assert [(row["variable"], row["default"], row["unit"]) for row in rows] == expected
    assert all(row["why"] for row in rows)


def test_every_service_has_its_section() -> None:
    assert {service.name for service in SERVICES} <= SECTIONS.keys()


def test_every_number_of_workers_is_documented() -> None:
    text = pages.prose(PAGE)
    for service in SERVICES:
        name = f"`{service.name.upper().replace('-', '_')}_WORKERS`"
        assert (name in text) is service.scalable, name
