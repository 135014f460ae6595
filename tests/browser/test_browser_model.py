"""Answers that a language model writes: slowly, interrupted in the middle, and with bad intentions."""

import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect
from scripted_model import ScriptedModel
from tests.e2e.research import QUESTION
from tests.e2e.running import System, running

from .conftest import Visit, client_dir
from .screen import Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

CONTROL = '```json\n{"action": "respond"}\n```\n'
BEGUN, REST = "Die Ausscheidung kostet", " **einen Kredit** von 2,4 Millionen Franken [1]."
HOSTILE = """Die Ausscheidung kostet einen Kredit [1].

<script>alert(1)</script><img src="x" onerror="alert(2)"><svg onload="alert(3)"></svg>
<iframe src="javascript:alert(4)"></iframe><a href="javascript:alert(5)">hier</a>
<style>* { display: none }</style><button onclick="alert(8)">Ja</button>
<form action="https://evil.example"><input name="q"></form>

[Knopf](javascript:alert(6)) [Daten](data:text/html,<script>alert(7)</script>) [Fremd](//evil.example/y)
![Bild](https://evil.example/x.png)

Ende der Antwort."""
CHECKED_AT_ONCE = 2


class SlowModel(ScriptedModel):
    """Judges two documents and begins its answer; for the rest it waits until it may go on."""

    def __init__(self) -> None:
        super().__init__(relevant=("Grundwasserschutzzone",), answer="")
        self.hold()

    def hold(self) -> None:
        self.may_judge, self.may_write = threading.Event(), threading.Event()
        self._judged = 0
        self._lock = threading.Lock()

    def judge(self, content: str) -> dict[str, Any]:
        with self._lock:
            self._judged += 1
            waits = self._judged > CHECKED_AT_ONCE
        if waits:
            self.may_judge.wait(60)
        return super().judge(content)

    def pieces(self) -> Iterator[str]:
        if self.answer:
            yield from super().pieces()
            return
        yield CONTROL + BEGUN
        self.may_write.wait(60)
        yield REST

    def release(self) -> None:
        self.may_judge.set()
        self.may_write.set()


@pytest.fixture(scope="module")
def running_model() -> Iterator[SlowModel]:
    served = SlowModel()
    yield served
    served.release()
    served.stop()


@pytest.fixture
def model(running_model: SlowModel) -> Iterator[SlowModel]:
    running_model.answer = ""
    running_model.hold()
    yield running_model
    running_model.release()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def system(tmp_path_factory: pytest.TempPathFactory, running_model: SlowModel) -> AsyncIterator[System]:
    """A system that asks the model. In the place of the one of the other modules."""
    environment = {
        "CLIENT_DIR": str(client_dir()),
        "OPENAI_API_KEY": "sk-for-tests-only",
        "OPENAI_BASE_URL": running_model.base_url,
        # The model of these tests takes the time it is given.
        "TURN_TIMEOUT_S": "120",
        "CHECK_TIMEOUT_S": "60",
        "OPENAI_TIMEOUT_S": "60",
    }
    async with running(tmp_path_factory.mktemp("model"), **environment) as started:
        yield started


async def test_the_progress_of_long_work_is_told(screen: Screen, model: SlowModel) -> None:
    await screen.say(QUESTION)
    await expect(screen.chat.get_by_text(f"Prüfe Dokumente: {CHECKED_AT_ONCE} von")).to_be_visible()
    await expect(screen.chat.get_by_role("progressbar")).to_be_visible()
    model.may_judge.set()
    await expect(screen.chat.get_by_text("Schreibe die Antwort …")).to_be_visible()
    await expect(screen.chat.get_by_text(BEGUN)).to_be_visible()
    await expect(screen.stop).to_be_visible()
    model.may_write.set()
    step = await screen.answered(f"{BEGUN} einen Kredit von")
    await expect(step.get_by_role("strong")).to_have_text("einen Kredit")


async def test_a_reload_in_mid_sentence_reads_on(screen: Screen, model: SlowModel) -> None:
    model.may_judge.set()
    await screen.say(QUESTION)
    await expect(screen.chat.get_by_text(BEGUN)).to_be_visible()
    await screen.page.reload()
    await expect(screen.chat.get_by_text(BEGUN)).to_be_visible()
    model.may_write.set()
    await screen.answered(f"{BEGUN} einen Kredit von 2,4 Millionen Franken")
    await expect(screen.chat.get_by_text(BEGUN)).to_have_count(1)
    await expect(screen.exchanges).to_have_count(1)


async def test_an_edge_that_dies_in_mid_sentence_is_not_noticed_in_the_text(
    screen: Screen, model: SlowModel
) -> None:
    model.may_judge.set()
    await screen.say(QUESTION)
    await expect(screen.chat.get_by_text(BEGUN)).to_be_visible()
    screen.system.stack.kill("edge")
    # It may be there and gone before anybody looks.
    await expect(screen.said).to_contain_text("Verbindung unterbrochen")
    await screen.system.stack.wait_ready("edge")
    await expect(screen.chat.get_by_text("Verbindung unterbrochen")).to_have_count(0)
    model.may_write.set()
    await screen.answered(f"{BEGUN} einen Kredit von 2,4 Millionen Franken")
    await expect(screen.chat.get_by_text(BEGUN)).to_have_count(1)


async def test_stop_in_mid_sentence_keeps_what_was_written(visit: Visit, model: SlowModel) -> None:
    screen = await visit(permissions=["clipboard-read", "clipboard-write"])
    model.may_judge.set()
    await screen.say(QUESTION)
    await expect(screen.chat.get_by_text(BEGUN)).to_be_visible()
    await screen.stop.click()
    await expect(screen.chat.get_by_text("Abgebrochen.")).to_be_visible()
    await screen.idle()
    await expect(screen.chat.get_by_text(BEGUN)).to_be_visible()
    model.may_write.set()
    await screen.page.reload()
    step = await screen.answered("Abgebrochen.")
    await expect(step.get_by_text(BEGUN)).to_be_visible()
    await screen.chat.get_by_role("button", name="Antwort kopieren").click()
    await expect(screen.said).to_contain_text("Kopiert")
    assert await screen.page.evaluate("navigator.clipboard.readText()") == BEGUN


async def test_markup_in_an_answer_is_text_and_links_lead_nowhere_bad(
    screen: Screen, model: SlowModel
) -> None:
    model.answer = CONTROL + HOSTILE
    model.release()
    await screen.say(QUESTION)
    step = await screen.answered("Ende der Antwort.")
    await screen.page.reload()
    await expect(step).to_be_visible()
    made = await screen.exchanges.first.evaluate(
        """each => [...each.querySelectorAll("script, img, iframe, style, form, input, object, embed, "
            + "[onerror], [onload], [onclick], [style*='display: none']")].map((each) => each.outerHTML)"""
    )
    assert made == []
    hrefs = await step.get_by_role("link").evaluate_all(
        "links => links.map((link) => link.getAttribute('href'))"
    )
    assert all(href.startswith("https://ris.example.org/") for href in hrefs), hrefs
    # What does something when it is clicked belongs to the page.
    for button in await step.get_by_role("button").all():
        await expect(button).not_to_have_accessible_name("Ja")
