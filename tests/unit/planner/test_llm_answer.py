"""What becomes of the model's answers."""

import json
from typing import Any

import pytest
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.session import Session
from contracts.status import Status

from planner.texts import text

from .fake_openai import FakeOpenAI, Says, Sends
from .llm_kit import (
    CHOICE,
    EGRID,
    GOOD,
    TOOLS,
    EgridArgs,
    MakePlanner,
    call,
    ending,
    request,
    step,
    steps,
    tool,
)

# A Python keyword cannot be written as an argument.
BUT_FOREST: dict[str, Any] = {"except": ["Wald", None]}


async def test_a_good_answer_becomes_the_plan(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(
        Says(
            steps(
                step("goto_address", call("geolocation.geocode", q="Langendorfstrasse 19b, Solothurn")),
                step("load_layer", call("layers.search", query="Gewässerschutz")),
            )
        )
    )
    assert (await make_planner().plan(request(), TOOLS)).plan == Plan(
        steps=(
            PlanStep(
                intent="goto_address",
                calls=(
                    ToolCall(
                        capability="geolocation.geocode", args={"q": "Langendorfstrasse 19b, Solothurn"}
                    ),
                ),
            ),
            PlanStep(
                intent="load_layer",
                calls=(ToolCall(capability="layers.search", args={"query": "Gewässerschutz"}),),
            ),
        )
    )


async def test_what_is_not_known_is_left_to_the_binding(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    chain = (
        call("parcels.by_number", number="168", municipality=None),
        call("oereb.extract_by_id", egrid=None),
    )
    openai.will(Says(steps(step("oereb_extract", *chain))))
    plan = (await make_planner().plan(request(), TOOLS)).plan
    assert [c.args for c in plan.steps[0].calls] == [{"number": "168"}, {}]


async def test_a_question_about_a_parcel_goes_to_the_tool_that_answers_it(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    class QuestionArgs(EgridArgs):
        question: str | None = None

    tools = (*TOOLS[:3], tool("oereb.extract_by_id", QuestionArgs), *TOOLS[4:])
    question = "In welcher Zone liegt 168 in Messen?"
    chain = (
        call("parcels.by_number", number="168", municipality="Messen"),
        call("oereb.extract_by_id", egrid=None, question=question),
    )
    openai.will(Says(steps(step("oereb_extract", *chain))))
    plan = (await make_planner().plan(request(question), tools)).plan
    assert plan.steps[0].calls[1].args == {"question": question}


async def test_numbers_stay_numbers(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    chain = call("oereb.egrid_by_xy", x=2_600_513, y=1_215_519.5), call("oereb.extract_by_id", egrid=None)
    openai.will(Says(steps(step("oereb_extract", *chain))))
    plan = (await make_planner().plan(request(), TOOLS)).plan
    assert plan.steps[0].calls[0].args == {"x": 2_600_513, "y": 1_215_519.5}


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (step("clear_map"), PlanStep(intent="clear_map")),
        (
            step("remove_layer", name=" Gewässerschutz "),
            PlanStep(intent="remove_layer", args={"name": "Gewässerschutz"}),
        ),
        (
            step("hide_layer", name="*", **BUT_FOREST),
            PlanStep(intent="hide_layer", args={"name": "*", "except": ["Wald"]}),
        ),
        (
            step("show_layer", name="*", **{"except": None}),
            PlanStep(intent="show_layer", args={"name": "*"}),
        ),
        (
            step("set_layer_opacity", name="Wald", opacity=1.5),
            PlanStep(intent="set_layer_opacity", args={"name": "Wald", "opacity": 1.0}),
        ),
        (
            step("move_layer", name="Wald", to="top", above=None, below=None),
            PlanStep(intent="move_layer", args={"name": "Wald", "to": "top"}),
        ),
        (
            step("move_layer", name="Wald", to=None, above="Karst", below=None),
            PlanStep(intent="move_layer", args={"name": "Wald", "above": "Karst"}),
        ),
        (step("undo", steps=99), PlanStep(intent="undo", args={"steps": 20})),
        (step("undo"), PlanStep(intent="undo", args={"steps": 1})),
        (
            step("set_background", background="ortho"),
            PlanStep(intent="set_background", args={"background": "ortho"}),
        ),
        (
            step("answer", message=" Ich zeige dir Karten der Strassen. "),
            PlanStep(intent="answer", message="Ich zeige dir Karten der Strassen."),
        ),
        (
            step("clarify", message="Welche Stra\u00dfe meinst du?"),
            PlanStep(
                intent="clarify",
                message="Welche Strasse meinst du?",
                status=Status.NEEDS_CLARIFICATION,
            ),
        ),
    ],
)
async def test_some_intents_need_no_tool(
    openai: FakeOpenAI, make_planner: MakePlanner, answered: dict[str, Any], expected: PlanStep
) -> None:
    openai.will(Says(steps(answered)))
    assert (await make_planner().plan(request(), TOOLS)).plan == Plan(steps=(expected,))


BAD_STEPS: list[tuple[Any, str]] = [
    (step("goto_address", call("geolocation.teleport", q="Olten")), "geolocation.teleport"),
    (step("fly_away"), "fly_away"),
    (step("goto_address", call("layers.search", query="Olten")), "must be geolocation.geocode"),
    (step("goto_address"), "needs a call of geolocation.geocode"),
    (step("goto_address", call("geolocation.geocode", q=19)), "calls[0].args: q"),
    (step("goto_address", call("geolocation.geocode", where="Olten")), "where"),
    (step("oereb_extract", call("oereb.extract_by_id", egrid="168")), "egrid"),
    (step("oereb_extract", call("oereb.egrid_by_xy", x=47.2, y=7.5)), "2480000"),
    (step("clear_map", call("layers.search", query="Wald")), "takes no calls"),
    (step("clarify"), "needs a message"),
    (step("answer", message="  "), "needs a message"),
    (step("remove_layer"), "remove_layer needs args"),
    (step("set_layer_opacity", name="Wald", opacity="half"), "set_layer_opacity needs args"),
    (step("move_layer", name="Wald", to="left"), "move_layer needs args"),
    (step("move_layer", name="Wald", above="Karst", below="Jura"), "move_layer needs args"),
    (step("set_background", background="rosa"), "set_background needs args"),
    ({"intent": "clear_map", "calls": "none"}, "calls"),
    ({"calls": []}, "intent"),
]


@pytest.mark.parametrize(("bad", "named"), BAD_STEPS, ids=[named for _, named in BAD_STEPS])
async def test_a_bad_step_is_repaired_with_its_problem(
    openai: FakeOpenAI, make_planner: MakePlanner, bad: Any, named: str
) -> None:
    openai.will(Says(steps(bad)), Says(GOOD))
    plan = (await make_planner().plan(request(), TOOLS)).plan

    assert [s.intent for s in plan.steps] == ["goto_address"]
    _, repair = openai.received
    assert repair.roles == ["system", "user", "assistant", "user"]
    assert named in repair.text(3)


BAD_ANSWERS: dict[str, Says | Sends] = {
    "no JSON": Says("Ich habe leider keine Ahnung."),
    "half a document": Says('{"steps": [{"intent": "clear_map"'),
    "a list": Says([1, 2]),
    "nothing": Says(None),
    "blank": Says("   "),
    "no steps": Says({"steps": []}),
    "null": Says({"steps": None}),
    "too many steps": Says(steps(*[step("clear_map")] * 9)),
    "too many calls": Says(steps(step("load_layer", *[call("layers.search", query="Wald")] * 6))),
    "not a number": Says('{"steps": [{"intent": "x", "calls": [{"capability": "y", "args": {"x": NaN}}]}]}'),
    "deep nesting": Says("{" + '"a":[' * 50_000),
    "a lone surrogate": Says('{"steps": [{"intent": "answer", "message": "\\ud800"}]}'),
    "no choices": Sends(b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": []}'),
    "unknown choice": Says({"choiceId": "req-9.0.0", "steps": []}),
}


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_an_answer_that_is_no_plan_is_repaired_once(
    openai: FakeOpenAI, make_planner: MakePlanner, bad: Says | Sends
) -> None:
    openai.will(bad, Says(GOOD))
    session = Session(choices=(CHOICE,))
    plan = (await make_planner().plan(request(session=session), TOOLS)).plan
    assert [s.intent for s in plan.steps] == ["goto_address"]


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_a_second_useless_answer_is_the_last(
    openai: FakeOpenAI, make_planner: MakePlanner, bad: Says | Sends
) -> None:
    openai.will(bad, bad)
    session = Session(choices=(CHOICE,))
    status, message = ending((await make_planner().plan(request(session=session), TOOLS)).plan)
    assert status is Status.NEEDS_CLARIFICATION
    assert message == text("llm_unusable")
    assert len(openai.received) == 2


async def test_an_unknown_tool_after_the_repair_is_not_called(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    bad = Says(steps(step("goto_address", call("geolocation.teleport", q="Olten"))))
    openai.will(bad, bad)
    status, _ = ending((await make_planner().plan(request(), TOOLS)).plan)
    assert status is Status.NEEDS_CLARIFICATION


async def test_an_infinite_number_is_no_argument(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    huge = json.dumps(steps(step("load_layer", call("layers.search", query="huge"))))
    openai.will(Says(huge.replace('"huge"', "1e999")), Says(GOOD))
    await make_planner().plan(request(), TOOLS)
    assert "numbers must be finite" in openai.received[1].text(3)


async def test_a_picked_option_wins_over_steps(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says({"choiceId": "req-0.0.0", **steps(step("clear_map"))}))
    plan = (await make_planner().plan(request(session=Session(choices=(CHOICE,))), TOOLS)).plan
    assert plan == Plan(choice_id="req-0.0.0")


async def test_a_bad_step_spoils_the_whole_plan(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    mixed = Says(steps(step("clear_map"), step("oereb_extract", call("oereb.extract_by_id", egrid="x"))))
    openai.will(mixed, mixed)
    status, _ = ending((await make_planner().plan(request(), TOOLS)).plan)
    assert status is Status.NEEDS_CLARIFICATION


@pytest.mark.parametrize(
    ("says", "key"),
    [
        (Says(None, refusal="I cannot help with that."), "llm_refused"),
        (Says('{"steps": [{"intent": "clea', finish_reason="length"), "llm_truncated"),
        (Says(GOOD, finish_reason="length"), "llm_truncated"),
        (Says(None, finish_reason="content_filter"), "llm_blocked"),
    ],
)
async def test_an_unwilling_model_is_not_asked_again(
    openai: FakeOpenAI, make_planner: MakePlanner, says: Says, key: str
) -> None:
    openai.will(says)
    status, message = ending((await make_planner().plan(request(), TOOLS)).plan)
    assert status is Status.NEEDS_CLARIFICATION
    assert message == text(key)
    assert len(openai.received) == 1


async def test_a_model_may_refuse_in_the_repair(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says("nein"), Says(None, refusal="No."))
    status, message = ending((await make_planner().plan(request(), TOOLS)).plan)
    assert (status, message) == (Status.NEEDS_CLARIFICATION, text("llm_refused"))


async def test_an_argument_of_the_right_form_passes(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says(steps(step("oereb_extract", call("oereb.extract_by_id", egrid=EGRID)))))
    plan = (await make_planner().plan(request(), TOOLS)).plan
    assert plan.steps[0].calls == (ToolCall(capability="oereb.extract_by_id", args={"egrid": EGRID}),)
