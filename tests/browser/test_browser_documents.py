"""A question about documents: the answer, what it rests on, and what was looked at."""

import re

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .screen import Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "Wie viel Trinkwasser verbraucht eine Person pro Tag?"
ANSWER = "Ohne Sprachmodell fasse ich nichts zusammen."


async def test_an_answer_names_its_sources_and_leads_to_them(screen: Screen) -> None:
    await screen.say(QUESTION)
    step = await screen.answered(ANSWER)
    cited = step.get_by_role("button", name=re.compile(r"^Quelle \d+$")).first
    number = (await cited.inner_text()).strip()
    await cited.click()
    focused = screen.page.locator(":focus")
    await expect(focused).to_have_role("listitem")
    await expect(focused).to_contain_text(number)
    link = focused.get_by_role("link")
    await expect(link).to_have_attribute("href", re.compile("^https://ris.example.org/dokumente/"))
    await expect(link).to_have_attribute("target", "_blank")
    await expect(link).to_have_attribute("rel", re.compile("noopener"))


async def test_a_copied_answer_brings_its_sources_along(visit: Visit) -> None:
    screen = await visit(permissions=["clipboard-read", "clipboard-write"])
    await screen.say(QUESTION)
    step = await screen.answered(ANSWER)
    link = step.locator("[id$='-source-1']").get_by_role("link")
    name, url = await link.inner_text(), await link.get_attribute("href")
    await screen.chat.get_by_role("button", name="Antwort kopieren").click()
    await expect(screen.said).to_contain_text("Kopiert")
    copied = await screen.page.evaluate("navigator.clipboard.readText()")
    assert f"\n\nQuellen:\n[1] {name}, {url}" in copied


async def test_a_copy_that_fails_is_told_on_the_screen(screen: Screen) -> None:
    await screen.page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }"
    )
    await screen.say("Wechsle zum Luftbild")
    await screen.idle()
    await screen.chat.get_by_role("button", name="Antwort kopieren").click()
    await expect(screen.chat.get_by_text("Kopieren ist nicht möglich.")).to_be_visible()


async def test_every_document_is_shown_with_the_reason_of_its_judgement(screen: Screen) -> None:
    await screen.say(QUESTION)
    step = await screen.answered(ANSWER)
    summary = step.get_by_text(re.compile(r"^\d+ Dokumente geprüft, \d+ relevant$"))
    total = int((await summary.inner_text()).split()[0])
    await summary.click()
    documents = step.get_by_role("group").filter(has_text="Dokumente geprüft").get_by_role("listitem")
    await expect(documents).to_have_count(total)
    for n in range(total):
        await expect(documents.nth(n)).to_contain_text(re.compile("Relevant:|Nicht relevant:"))
        await expect(documents.nth(n)).to_contain_text(re.compile("Das Dokument|Der Inhalt"))


async def test_what_no_document_answers_ends_with_questions_to_try_instead(screen: Screen) -> None:
    await screen.say("Suche Dokumente zur Besteuerung von Kryptowährungen")
    instead = screen.chat.get_by_role("listitem").filter(has_text="Versuche stattdessen")
    suggestion = instead.get_by_role("listitem").get_by_role("button").first
    await expect(suggestion).to_be_visible()
    await screen.idle()
    asked = await suggestion.inner_text()
    await suggestion.click()
    await expect(screen.exchanges).to_have_count(2)
    await expect(screen.exchanges.last).to_have_accessible_name(asked)
    await screen.idle()


async def test_the_documents_of_a_question_about_the_map_too(screen: Screen) -> None:
    await screen.say("Gehe nach Grenchen und suche Dokumente zum Thema Mehrwertabgabe")
    await screen.answered(ANSWER)
    await expect(screen.step("Grenchen").first).to_be_visible()
    # In the middle of the municipality.
    await screen.map_shows(layers=["municipality-highlight-2546"], center=(2596021.5, 1227678.5))
