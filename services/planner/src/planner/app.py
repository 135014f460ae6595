"""Entry point: settings, wiring, run."""

from servicekit.announcing import ModelAnnouncement
from servicekit.catalogue import ToolCatalogue
from servicekit.service import Service

from planner import handlers
from planner.planning import Planner
from planner.rules import RulesPlanner
from planner.settings import Settings


def build() -> Service:
    settings = Settings()
    service = Service("planner", settings)
    catalogue = ToolCatalogue(service.bus)
    service.on_stop(catalogue.stop)
    planner = planner_for(service, settings)
    ModelAnnouncement(service.bus, "plan", planner.name if settings.openai_api_key else None)
    handlers.register(service.bus, planner, catalogue)
    return service


def planner_for(service: Service, settings: Settings) -> Planner:
    """The model if there is a key for one, else the rules."""
    rules = RulesPlanner()
    if settings.openai_api_key is None:
        return rules
    # Imported here: the SDK costs 30 MB that nobody pays who plans with rules.
    from servicekit.completions import LanguageModel

    from planner.llm.planner import LlmPlanner

    model = LanguageModel(settings, settings.plan_model)
    service.on_stop(model.close)
    return LlmPlanner(model, settings, stand_in=rules if settings.fallback_to_rules else None)


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
