"""An endpoint that does not do its work."""

import asyncio
import logging
from time import perf_counter

import pytest
from contracts.status import Status
from edge_process import free_port

from planner.planning import Planned
from planner.texts import text

from .fake_openai import (
    API_KEY,
    CutsOff,
    Fails,
    FakeOpenAI,
    Hangs,
    Redirects,
    Says,
    Sends,
    Trickles,
)
from .llm_kit import GOOD, TOOLS, MakePlanner, OtherPlanner, ending, request

LONG_S = 10
"""A third of what the client, or the deadline, would wait otherwise."""
HTML = b"<!doctype html><title>Anmelden</title><p>Bitte zuerst anmelden."


@pytest.mark.parametrize(
    "failures",
    [
        (Fails(401, "invalid_api_key"),),
        (Fails(403),),
        (Fails(404, "model_not_found"),),
        (Fails(400, "invalid_request_error"),),
        (Fails(429, "rate_limit_exceeded"), Fails(429, "insufficient_quota")),
        (Fails(429, "rate_limit_exceeded", {"retry-after": "60"}),),
        (Fails(500), Fails(500)),
        (Fails(503), Fails(502)),
        (CutsOff(), CutsOff()),
        (Sends(HTML, "text/html"),),
        (Sends(HTML),),
        (Sends(b'{"error": "no completion"}'),),
        (Sends(b""),),
        (Redirects("http://127.0.0.1:9/v1/chat/completions"),),
    ],
    ids=str,
)
async def test_a_failing_endpoint_ends_in_one_error_step(
    openai: FakeOpenAI, make_planner: MakePlanner, failures: tuple[Fails, ...]
) -> None:
    openai.will(*failures)
    status, message = ending((await make_planner().plan(request(), TOOLS)).plan)
    assert status is Status.ERROR
    assert message == text("llm_unreachable")
    assert len(openai.received) == len(failures)


@pytest.mark.parametrize(
    "failure",
    [Fails(500), Fails(429, headers={"retry-after": "0.05"}), Fails(408), CutsOff()],
    ids=str,
)
async def test_one_failure_is_hidden_by_the_retry(
    openai: FakeOpenAI, make_planner: MakePlanner, failure: Fails
) -> None:
    openai.will(failure, Says(GOOD))
    plan = (await make_planner().plan(request(), TOOLS)).plan
    assert [s.intent for s in plan.steps] == ["goto_address"]
    assert len(openai.received) == 2


async def test_a_filtered_prompt_is_no_fault_of_the_endpoint(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    openai.will(Fails(400, "content_filter"))
    stand_in = OtherPlanner()
    status, message = ending((await make_planner(stand_in).plan(request(), TOOLS)).plan)
    assert (status, message) == (Status.NEEDS_CLARIFICATION, text("llm_blocked"))
    assert stand_in.asked == 0


async def test_nobody_listens(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    planner = make_planner(base_url=f"http://127.0.0.1:{free_port()}/v1")
    status, message = ending((await planner.plan(request(), TOOLS)).plan)
    assert (status, message) == (Status.ERROR, text("llm_unreachable"))


async def test_a_long_pause_is_not_waited_for(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Fails(429, headers={"retry-after": "20"}))
    started = perf_counter()
    await make_planner(openai_max_retry_pause_s=10).plan(request(), TOOLS)
    assert perf_counter() - started < 5


async def test_a_silent_endpoint_costs_the_timeout_and_no_more(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    openai.will(Hangs())
    started = perf_counter()
    planner = make_planner(openai_timeout_s=0.2, openai_max_retries=0)
    status, _ = ending((await planner.plan(request(), TOOLS)).plan)
    assert status is Status.ERROR
    assert 0.2 <= perf_counter() - started < LONG_S


@pytest.mark.parametrize("behaviour", [Hangs(), Trickles()], ids=["silence", "trickle"])
async def test_the_deadline_ends_any_waiting(
    openai: FakeOpenAI, make_planner: MakePlanner, behaviour: Hangs | Trickles
) -> None:
    openai.will(behaviour)
    started = perf_counter()
    status, _ = ending((await make_planner(openai_timeout_s=30).plan(request(deadline_in_s=1.4), TOOLS)).plan)
    assert status is Status.ERROR
    assert 0.3 <= perf_counter() - started < LONG_S


async def test_the_repair_counts_towards_the_deadline(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Says("kein JSON"), Hangs())
    started = perf_counter()
    status, _ = ending((await make_planner(openai_timeout_s=30).plan(request(deadline_in_s=1.4), TOOLS)).plan)
    assert status is Status.ERROR
    assert perf_counter() - started < LONG_S


@pytest.mark.parametrize("deadline_in_s", [0.9, -5.0])
async def test_without_time_the_model_is_not_asked(
    openai: FakeOpenAI, make_planner: MakePlanner, deadline_in_s: float
) -> None:
    status, _ = ending((await make_planner().plan(request(deadline_in_s=deadline_in_s), TOOLS)).plan)
    assert status is Status.ERROR
    assert openai.received == []


@pytest.mark.parametrize(
    "failures",
    [
        (Fails(500), Fails(500)),
        (Fails(429, headers={"retry-after": "60"}),),
        (Fails(401),),
        (CutsOff(), CutsOff()),
        (Sends(HTML, "text/html"),),
    ],
    ids=str,
)
async def test_the_rules_stand_in_for_a_failing_endpoint(
    openai: FakeOpenAI, make_planner: MakePlanner, failures: tuple[Fails, ...]
) -> None:
    openai.will(*failures)
    planned = await make_planner(OtherPlanner()).plan(request(), TOOLS)
    assert planned.plan == OtherPlanner.PLAN
    assert planned.planner == "rules (fallback)"


async def test_the_rules_stand_in_when_time_is_short(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    plan = (await make_planner(OtherPlanner()).plan(request(deadline_in_s=0.5), TOOLS)).plan
    assert plan.steps == OtherPlanner.PLAN.steps


@pytest.mark.parametrize("says", [Says("nein"), Says(None, refusal="No.")])
async def test_the_rules_do_not_stand_in_for_a_useless_answer(
    openai: FakeOpenAI, make_planner: MakePlanner, says: Says
) -> None:
    openai.will(says, Says("auch nicht")) if says.refusal is None else openai.will(says)
    stand_in = OtherPlanner()
    status, _ = ending((await make_planner(stand_in).plan(request(), TOOLS)).plan)
    assert status is Status.NEEDS_CLARIFICATION
    assert stand_in.asked == 0


async def test_a_broken_stand_in_is_an_error_step_too(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    class Broken(OtherPlanner):
        async def plan(self, *_: object) -> Planned:
            raise RuntimeError("a bug")

    openai.will(Fails(401))
    status, message = ending((await make_planner(Broken()).plan(request(), TOOLS)).plan)
    assert (status, message) == (Status.ERROR, text("planner_failed"))


async def test_a_bug_is_an_error_step_too(
    openai: FakeOpenAI, make_planner: MakePlanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("planner.llm.planner.answer_schema", broken)
    status, message = ending((await make_planner(OtherPlanner()).plan(request(), TOOLS)).plan)
    assert (status, message) == (Status.ERROR, text("planner_failed"))


async def test_a_cancelled_plan_is_cancelled(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Hangs())
    planning = asyncio.create_task(make_planner(OtherPlanner()).plan(request(), TOOLS))
    assert await asyncio.to_thread(openai.asked.wait, 5)
    planning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await planning


SECRET_WORDS = ("Geheimweg 7", "Geheimantwort", API_KEY)


def everything_logged(caplog: pytest.LogCaptureFixture) -> str:
    return caplog.text + "".join(str(vars(record)) for record in caplog.records)


async def test_prompts_and_answers_are_not_logged(
    openai: FakeOpenAI, make_planner: MakePlanner, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    openai.will(
        Says("Geheimantwort"),
        Says({"steps": [{"intent": "Geheimantwort", "calls": [], "args": None, "message": None}]}),
        Fails(401, "Geheimantwort"),
        Says(None, refusal="Geheimantwort"),
    )
    planner = make_planner()
    for _ in range(3):
        await planner.plan(request("Gehe zum Geheimweg 7"), TOOLS)

    logged = everything_logged(caplog)
    assert [word for word in SECRET_WORDS if word in logged] == []
    assert "llm_unusable" in logged


async def test_costs_and_duration_are_logged(
    openai: FakeOpenAI, make_planner: MakePlanner, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    openai.will(Says("nein"), Says(GOOD))
    await make_planner().plan(request(), TOOLS)

    (planned,) = [vars(record) for record in caplog.records if record.message == "planned"]
    assert planned["request_id"] == "req-1"
    assert planned["outcome"] == "ok"
    assert planned["rounds"] == 2
    assert planned["prompt_tokens"] == 2_400
    assert planned["completion_tokens"] == 160
    assert planned["ms"] > 0


async def test_prompts_are_logged_when_that_is_wanted(
    openai: FakeOpenAI, make_planner: MakePlanner, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    openai.will(Says("Geheimantwort", finish_reason="length"))
    await make_planner(log_prompts=True).plan(request("Gehe zum Geheimweg 7"), TOOLS)

    logged = everything_logged(caplog)
    assert "Geheimweg 7" in logged
    assert "Geheimantwort" in logged
    assert API_KEY not in logged


async def test_plans_are_made_side_by_side(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    planner = make_planner()
    openai.will(*[Says(GOOD)] * 8)
    planned = await asyncio.gather(*(planner.plan(request(), TOOLS) for _ in range(8)))
    assert [len(each.plan.steps) for each in planned] == [1] * 8
