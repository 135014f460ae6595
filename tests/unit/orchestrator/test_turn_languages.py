"""A turn is answered in the language of its user, and a choice in that of who makes it."""

import pytest
from contracts.languages import LANGUAGES
from contracts.messages import ActionPlanRequested, PlanRequested, ToolCalled
from contracts.status import Status
from world import GOTO, OEREB_XY, RESPOND, SEARCH, World, asked, called, clicked, plan, two_parcels

from orchestrator.memory import learned


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_who_works_on_a_turn_is_told(language: str) -> None:
    world = World(plan(GOTO, SEARCH, RESPOND))
    world.ask(asked(language=language))
    commands = [command for decision in world.decisions for command in decision.commands]
    assert len({command.kind for command in commands}) == 4
    assert {command.language for command in commands} == {language}


def test_a_message_that_is_planned_in_another_language_is_answered_in_it() -> None:
    made = plan(GOTO, SEARCH, RESPOND).model_copy(update={"language": "it"})
    world = World(made)
    world.ask(asked(language="de"))
    commands = [command for decision in world.decisions for command in decision.commands]
    later = [command for command in commands if not isinstance(command, PlanRequested)]
    assert later
    assert {command.language for command in later} == {"it"}


@pytest.mark.parametrize(("language", "then"), [("", "fr"), ("it", "it")])
def test_a_choice_follows_its_turn_unless_its_user_says_otherwise(language: str, then: str) -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    (step,) = world.ask(asked(language="fr")).steps
    before = len(world.decisions)
    world.ask(clicked(step.choices[0].id, language=language))
    later = [command for decision in world.decisions[before:] for command in decision.commands]
    assert {type(command) for command in later} == {ToolCalled, ActionPlanRequested}
    assert {command.language for command in later} == {then}
    assert {command.language for command in called(world, PlanRequested)} == {"fr"}


def test_what_is_wrong_with_a_choice_is_said_in_the_language_of_its_turn() -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    (step,) = world.ask(asked(language="it")).steps
    for exchange in ("x1", "x2"):
        answered = world.ask(clicked(step.choices[int(exchange == "x2")].id, exchange, language=""))
    assert answered.overall_status is Status.ERROR
    assert answered.steps[0].message == "Questa scelta è già stata fatta."


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_session_notes_for_planners_is_the_same_in_every_language(language: str) -> None:
    world = World(plan(SEARCH))
    steps = world.ask(asked("Was gilt?", language=language)).steps
    said = learned(steps, (), ())[0]
    assert "(gesucht: «Schutz des Grundwassers»; Dokumente: " in str(said)
