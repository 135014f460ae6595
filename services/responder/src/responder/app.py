"""Entry point: settings, wiring, run."""

from servicekit.announcing import ModelAnnouncement
from servicekit.service import Service

from responder import handlers
from responder.answering import Responder
from responder.settings import Settings
from responder.writing import Writer


def build() -> Service:
    settings = Settings()
    service = Service("responder", settings)
    model = settings.answer_model or settings.openai_model
    ModelAnnouncement(service.bus, "answer", model if settings.openai_api_key else None)
    responder = Responder(model_for(service, settings), settings)
    handlers.register(service.bus, responder, settings.delta_interval_s)
    return service


def model_for(service: Service, settings: Settings) -> Writer | None:
    """The model that writes, if there is a key for one."""
    if settings.openai_api_key is None:
        return None
    # Imported here: the SDK costs 30 MB that nobody pays who answers without a model.
    from servicekit.completions import LanguageModel

    from responder.llm.writer import ModelWriter

    model = LanguageModel(settings, settings.answer_model)
    service.on_stop(model.close)
    return ModelWriter(model, settings)


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
