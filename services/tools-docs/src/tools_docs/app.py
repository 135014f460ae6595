"""Entry point: settings, wiring, run."""

from servicekit.announcing import ModelAnnouncement
from servicekit.service import Service

from tools_docs.handlers import register
from tools_docs.indexes import Library
from tools_docs.models import models
from tools_docs.research import Research
from tools_docs.settings import Settings


def build() -> Service:
    settings = Settings()
    service = Service("tools-docs", settings)
    known = models(settings)
    service.on_stop(known.close)
    library = Library(settings.docs_index, settings.docs_pool_connections)
    service.on_start(library.open)
    service.on_stop(library.close)
    service.ready_when("documents", library.problem)
    model = settings.judge_model or settings.openai_model
    ModelAnnouncement(service.bus, "judge", model if known.judge else None)
    toolbox = register(service.bus, Research(library.index, known.embedder, known.judge))
    service.on_stop(toolbox.stop)
    return service


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
