"""Requests for answers, and a sink that remembers."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from contracts.items import Document, Passage
from contracts.messages import AnswerRequested
from contracts.session import StepResult

ZONES = Document(
    id="zonen",
    label="Schutzzonen",
    name="Botschaft Schutzzonen",
    url="https://ris.example.org/dokumente/zonen",
    size_bytes=12_345,
    date=date(2023, 5, 2),
    kind="Botschaft",
    body="Regierungsrat",
    passages=(
        Passage(
            heading="Kosten",
            text="Die Ausscheidung der Grundwasserschutzzonen kostet 2,4 Mio. Franken. Der Kanton trägt die "
            "Hälfte davon. Das Wetter war am Tag der Sitzung schön.",
        ),
    ),
    quotes=(Passage(text="Die Ausscheidung der Grundwasserschutzzonen kostet 2,4 Mio. Franken."),),
)
BIKES = Document(
    id="velo",
    label="Velo",
    name="Veloplan",
    url="https://ris.example.org/dokumente/velo",
    passages=(Passage(text="Der Veloplan sieht bis 2030 neue Radrouten entlang der Aare vor."),),
)


def numbered(count: int, *texts: str) -> tuple[Document, ...]:
    """So many documents; the first ones have these texts."""
    said = (*texts, *[""] * count)[:count]
    return tuple(
        Document(id=f"d{n}", label=f"D{n}", name=f"Dokument {n}", url="", passages=(Passage(text=text),))
        for n, text in enumerate(said, 1)
    )


def asked(question: str = "Was kosten die Schutzzonen?", **values: Any) -> AnswerRequested:
    defaults: dict[str, Any] = {
        "request_id": "req-1",
        "session_id": "s",
        "deadline": datetime.now(UTC) + timedelta(seconds=30),
        "step": 0,
        "question": question,
    }
    return AnswerRequested(**(defaults | values))


def about_documents(question: str = "Was kosten die Schutzzonen?", **values: Any) -> AnswerRequested:
    return asked(question, **{"documents": (ZONES, BIKES), **values})


def result(text: str, *, ok: bool = True) -> StepResult:
    return StepResult(intent="goto_address", ok=ok, text=text)


class Memory:
    """A sink: what was appended since the last restart, and how often it was restarted."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.restarts = 0

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    async def append(self, text: str) -> None:
        if text:
            self.pieces.append(text)

    async def restart(self) -> None:
        self.pieces.clear()
        self.restarts += 1
