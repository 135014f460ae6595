"""Choices: offered, taken, refused, taken twice, several at once."""

import asyncio
from dataclasses import dataclass

import pytest
from cantons import Canton
from contracts.turns import TurnEventKind

from .running import IN_ALL_CANTONS, Conversation, Json, System, action_types, answer_of, option

pytestmark = [pytest.mark.asyncio(loop_scope="session"), IN_ALL_CANTONS]


@dataclass(frozen=True)
class Said:
    """Sentences with more than one answer, and what the answers to them are."""

    oereb: str
    street: str
    both: str
    twice: str
    extracts: tuple[str, ...]
    egrids: tuple[str, ...]


@pytest.fixture
def said(canton: Canton) -> Said:
    return Said(
        oereb=f"Lade den ÖREB-Auszug an der Koordinate {canton.point}",
        street=f"gehe zur {canton.street.street} in {canton.street.locality}",
        both=f"Zeige das {canton.twice.spoken} und erstelle einen ÖREB-Auszug davon",
        twice=f"zeige das {canton.twice.spoken}",
        extracts=tuple(f"ÖREB-Auszug für {egrid} bereit." for egrid, _ in canton.at_point),
        egrids=canton.twice.egrids,
    )


def check_refused(response: Json, request_id: str | None = None) -> str:
    """A refusal is one error step; returns what it says."""
    assert response["overallStatus"] == "error"
    assert request_id is None or response["requestId"] == request_id
    (step,) = response["steps"]
    message: str = step["message"]
    return message


async def test_a_choice_at_the_last_call_of_a_step_is_shown_when_taken(
    canton: Canton, talk: Conversation, said: Said
) -> None:
    street = canton.street
    offered = await talk.say(said.street)
    choices = offered["steps"][0]["choices"]
    assert len(choices) > 3
    assert all(choice["label"].startswith(f"{street.street} ") for choice in choices)
    chosen = next(c for c in choices if c["label"] == street.label)

    taken = await talk.choose(chosen["id"])
    assert taken["requestId"] == offered["requestId"]
    (step,) = taken["steps"]
    assert (step["status"], step["message"]) == ("ok", f"Adresse {street.street} {street.number} zentriert.")
    assert action_types(step) == ["setView", "addMarker"]
    assert step["mapActions"][0]["payload"]["center"] == list(street.coord)


@pytest.mark.parametrize("wrong", ["{turn}.0.99", "{turn}.7.0", "{turn}.0.-1", "p1"])
async def test_a_wrong_choice_leaves_the_choice_open(talk: Conversation, said: Said, wrong: str) -> None:
    offered = await talk.say(said.oereb)
    refused = await talk.choose(wrong.format(turn=offered["requestId"]))
    assert check_refused(refused) == "Die gewählte Option konnte nicht gefunden werden."
    taken = await talk.choose(option(offered, 0))
    assert taken["overallStatus"] == "ok"
    assert taken["steps"][0]["message"].splitlines()[0] == said.extracts[0]


async def test_a_choice_when_nothing_is_open_is_refused(talk: Conversation) -> None:
    refused = await talk.choose("req-0123456789abcdef.0.0")
    assert check_refused(refused) == "Es liegt keine offene Auswahl für diese Sitzung vor."


async def test_a_choice_belongs_to_its_session(system: System, talk: Conversation, said: Said) -> None:
    offered = await talk.say(said.oereb)
    stranger = system.conversation()
    assert "keine offene Auswahl" in check_refused(await stranger.choose(option(offered, 0)))
    assert (await talk.choose(option(offered, 0)))["overallStatus"] == "ok"


async def test_a_double_click_is_one_choice_with_one_answer(
    system: System, talk: Conversation, said: Said
) -> None:
    offered = await talk.say(said.oereb)
    clicks = await asyncio.gather(*(talk.choose(option(offered, 1)) for _ in range(2)))
    assert clicks[0] == clicks[1]
    assert clicks[0]["steps"][0]["message"].splitlines()[0] == said.extracts[1]
    assert await system.count(offered["requestId"], TurnEventKind.CHOICE_MADE) == 1
    assert await system.count(offered["requestId"], TurnEventKind.FINISHED) == 2


async def test_a_late_second_click_gets_the_same_answer(
    system: System, talk: Conversation, said: Said
) -> None:
    offered = await talk.say(said.oereb)
    first = await talk.choose(option(offered, 1))
    assert await talk.choose(option(offered, 1)) == first
    assert await system.count(offered["requestId"], TurnEventKind.CHOICE_MADE) == 1


async def test_another_option_after_the_choice_is_refused(talk: Conversation, said: Said) -> None:
    offered = await talk.say(said.oereb)
    await talk.choose(option(offered, 1))
    refused = await talk.choose(option(offered, 0))
    assert check_refused(refused, offered["requestId"]) == "Diese Auswahl wurde bereits getroffen."


async def test_two_clicks_on_different_options_are_one_choice(
    system: System, talk: Conversation, said: Said
) -> None:
    offered = await talk.say(said.oereb)
    answers = await asyncio.gather(*(talk.choose(option(offered, n)) for n in range(2)))
    assert sorted(answer["overallStatus"] for answer in answers) == ["error", "ok"]
    assert await system.count(offered["requestId"], TurnEventKind.CHOICE_MADE) == 1


@pytest.mark.parametrize("n", [0, 1])
async def test_the_steps_after_a_choice_go_on_with_what_was_chosen(
    talk: Conversation, said: Said, n: int
) -> None:
    offered = await talk.say(said.both)
    (step,) = offered["steps"]
    assert (step["intent"], step["status"]) == ("show_parcel", "needs_user_choice")
    assert [choice["data"]["egrid"] for choice in step["choices"]] == list(said.egrids)

    taken = await talk.choose(option(offered, n))
    assert (taken["requestId"], taken["overallStatus"]) == (offered["requestId"], "ok")
    shown, extract = taken["steps"]
    assert (shown["intent"], extract["intent"]) == ("show_parcel", "oereb_extract")
    assert said.egrids[n] in shown["message"]
    assert extract["mapActions"][-1]["payload"]["egrid"] == said.egrids[n]


async def test_what_does_not_depend_on_a_choice_is_answered_at_once(talk: Conversation, said: Said) -> None:
    offered = await talk.say(f"{said.street} und lade den Gewässerschutzlayer")
    assert [step["status"] for step in offered["steps"]] == ["needs_user_choice", "ok"]
    taken = await talk.choose(option(offered, 0))
    assert [step["intent"] for step in taken["steps"]] == ["goto_address"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_open_choices_are_taken_in_any_order(
    canton: Canton, talk: Conversation, said: Said, order: tuple[int, int]
) -> None:
    offered = [await talk.say(said.oereb), await talk.say(said.street)]
    expected = [said.extracts[0], f"Adresse {canton.first_in_street} zentriert."]
    for which in order:
        taken = await talk.choose(option(offered[which], 0))
        assert taken["requestId"] == offered[which]["requestId"]
        assert [step["message"].splitlines()[0] for step in taken["steps"]] == [expected[which]]


async def test_two_choices_of_one_sentence_are_taken_one_after_the_other(
    talk: Conversation, said: Said
) -> None:
    offered = await talk.say(f"{said.street} und {said.twice}")
    assert [step["status"] for step in offered["steps"]] == ["needs_user_choice"] * 2
    parcel = await talk.choose(option(offered, 1, step=1))
    street = await talk.choose(option(offered, 0))
    assert [step["intent"] for step in parcel["steps"]] == ["show_parcel"]
    assert [step["intent"] for step in street["steps"]] == ["goto_address"]
    assert parcel["requestId"] == street["requestId"] == offered["requestId"]


@pytest.mark.parametrize(("words", "n"), [("die zweite", 1), ("1", 0)])
async def test_an_open_choice_is_answered_in_words(
    system: System, talk: Conversation, said: Said, words: str, n: int
) -> None:
    offered = await talk.say(said.oereb)
    taken = await talk.say(words)
    assert taken["requestId"] == offered["requestId"]
    assert taken["steps"][0]["message"].splitlines()[0] == said.extracts[n]
    assert answer_of(await system.turn(offered["requestId"])) == taken


async def test_words_mean_the_newest_open_choice(canton: Canton, talk: Conversation, said: Said) -> None:
    older, newer = await talk.say(said.oereb), await talk.say(said.street)
    taken = await talk.say("die zweite")
    assert taken["requestId"] == newer["requestId"]
    assert taken["steps"][0]["message"] == f"Adresse {canton.second_in_street} zentriert."
    taken = await talk.say("die zweite")
    assert taken["requestId"] == older["requestId"]
