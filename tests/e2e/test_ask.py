"""The `ask` command against a running system, as a person or a script calls it."""

import asyncio
import json
from pathlib import Path

import httpx
import psutil
import pytest
from contracts.turns import TurnEventKind

from ask.errors import Exit

from .running import Conversation, System, check_response, option
from .shell import ASK, Shell, banner_of, ended

pytestmark = pytest.mark.asyncio(loop_scope="session")

GOTO = "Gehe zur Langendorfstrasse 19b in Solothurn"
OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"


@pytest.fixture
def shell(system: System, tmp_path: Path) -> Shell:
    return Shell(system.stack.data_dir, tmp_path)


async def test_a_sentence_is_answered_as_json(system: System, shell: Shell) -> None:
    response = (await shell.ask("chat", "--json", GOTO)).json()
    check_response(response)
    assert response["steps"][0]["message"] == "Adresse Langendorfstrasse 19b zentriert."
    assert (await system.turn(response["requestId"])).json() == response


async def test_a_sentence_needs_no_quotes_and_may_come_from_a_pipe(shell: Shell) -> None:
    unquoted = await shell.ask("chat", "--json", *GOTO.split())
    piped = await shell.ask("chat", "--json", typed=GOTO)
    [[one], [other]] = (said.json()["steps"] for said in (unquoted, piped))
    # They were looked up one after the other.
    assert one.pop("items")[0]["id"] == other.pop("items")[0]["id"]
    assert one == other


async def test_an_answer_is_shown_to_people(shell: Shell) -> None:
    said = await shell.ask("chat", f"{GOTO} und lade den Gewässerschutzlayer")
    assert (said.code, said.err) == (0, "")
    assert "✔ Adresse Langendorfstrasse 19b zentriert." in said.out
    assert "Ansicht 2605899 / 1229278" in said.out
    assert "✔ Gewässerschutz-Layer geladen." in said.out


async def test_a_choice_is_shown_and_taken_in_the_next_call(shell: Shell) -> None:
    shown = await shell.ask("chat", OEREB)
    assert shown.code == Exit.UNDECIDED
    lines = [line for line in shown.out.splitlines() if "--choice" in line and "CH710620327442" in line]
    choice_id = lines[0].split("--choice ")[1].split()[0]
    taken = (await shell.ask("chat", "--choice", choice_id, "--json")).json()
    assert taken["steps"][0]["message"].startswith("ÖREB-Auszug für CH710620327442 bereit.\n")


async def test_calls_are_one_conversation_until_a_new_one_is_wanted(shell: Shell) -> None:
    here = "Erstelle mir hier einen ÖREB-Auszug"
    await shell.ask("chat", "Zeige mir Grundstück 198 in Messen")
    assert (await shell.ask("chat", "--json", here)).json()["overallStatus"] == "ok"
    assert (await shell.ask("chat", "--json", "--new", here)).json()["overallStatus"] != "ok"


async def test_an_error_is_the_exit_code(shell: Shell, talk: Conversation) -> None:
    offered = await talk.say(OEREB)
    wrong = ("--session", talk.session_id, "--choice", f"{offered['requestId']}.0.9")
    said = await shell.ask("chat", *wrong)
    assert said.code == Exit.FAILED
    assert "✖ Die gewählte Option konnte nicht gefunden werden." in said.out
    right = ("--session", talk.session_id, "--choice", option(offered, 0), "--json")
    assert (await shell.ask("chat", *right)).json()["overallStatus"] == "ok"


async def test_what_is_not_answered_yet_is_another_exit_code(shell: Shell) -> None:
    offered = await shell.ask("chat", "--json", OEREB)
    assert (offered.code, offered.err) == (Exit.UNDECIDED, "")
    assert json.loads(offered.out)["overallStatus"] == "needs_user_choice"
    refused = await shell.ask("chat", "--json", GOTO, "--session", "a\nb")
    assert (refused.code, refused.out) == (Exit.MISUSED, "")


async def test_events_are_lines_of_json_as_they_happen(system: System, shell: Shell) -> None:
    said = await shell.ask("chat", "--json-lines", GOTO)
    assert (said.code, said.err) == (Exit.DONE, "")
    events = [json.loads(line) for line in said.out.splitlines()]
    assert (events[0]["kind"], events[-1]["kind"]) == ("turn.started", "turn.finished")
    assert [int(event["id"]) for event in events] == sorted(int(event["id"]) for event in events)
    assert events[-1]["response"] == (await system.turn(events[0]["requestId"])).json()
    applied = [step["mapActions"] for event in events for step in event.get("apply", ())]
    assert [[action["type"] for action in actions] for actions in applied] == [["setView", "addMarker"]]


async def test_a_pipe_may_be_closed_early(shell: Shell) -> None:
    for command in (f"'{ASK}' chat --json-lines '{GOTO}'", f"'{ASK}' tools", f"'{ASK}' tools --json"):
        process = await shell.start("bash", "-c", f"{command} | head -c 1")
        out, err = await asyncio.wait_for(process.communicate(), 60)
        assert (len(out), err) == (1, b"")


async def test_the_tools_are_listed(system: System, shell: Shell) -> None:
    listed = (await shell.ask("tools", "--json")).json()["tools"]
    assert {tool["capability"] for tool in listed} == await system.capabilities()
    table = await shell.ask("tools")
    assert table.code == 0
    assert all(tool["capability"] in table.out for tool in listed)


async def test_every_event_of_a_turn_is_told(system: System, shell: Shell, talk: Conversation) -> None:
    offered = await talk.say(OEREB)
    response = await talk.choose(option(offered, 0))
    await system.settled()
    said = await shell.ask("turn", response["requestId"], "--json")
    assert said.code == 0
    events = [json.loads(line) for line in said.out.splitlines()]
    assert [event["n"] for event in events] == list(range(len(events)))
    assert [event["kind"] for event in events] == [
        kind.value
        for kind in (
            TurnEventKind.STARTED,
            TurnEventKind.PLAN_READY,
            TurnEventKind.STEP_STARTED,
            TurnEventKind.TOOL_CALLED,
            TurnEventKind.TOOL_RESULT,
            TurnEventKind.CHOICE_PENDING,
            TurnEventKind.FINISHED,
            TurnEventKind.CHOICE_MADE,
            TurnEventKind.STEP_STARTED,
            TurnEventKind.TOOL_CALLED,
            TurnEventKind.TOOL_RESULT,
            TurnEventKind.STEP_FINISHED,
            TurnEventKind.FINISHED,
        )
    ]
    assert events[-1]["response"] == response
    shown = await shell.ask("turn", response["requestId"])
    assert shown.code == 0
    assert "choice.made" in shown.out and "oereb.extract_by_id" in shown.out


async def test_an_unknown_turn_is_one_clear_line(shell: Shell) -> None:
    said = await shell.ask("turn", "req-0123456789abcdef")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1 and "req-0123456789abcdef" in said.err


async def test_no_message_was_given_up(shell: Shell) -> None:
    said = await shell.ask("dead", "list", "--json")
    assert (said.code, said.out.strip()) == (0, "")


async def test_without_a_system_the_commands_say_so(tmp_path: Path) -> None:
    nowhere = Shell(tmp_path / "data", tmp_path)
    for command in (("chat", GOTO), ("tools",)):
        said = await nowhere.ask(*command, "--url", "http://127.0.0.1:9")
        assert (said.code, said.out.strip()) == (Exit.UNREACHABLE, "")
        assert "nicht erreichbar" in said.err and said.err.count("\n") == 1


async def test_up_starts_everything_and_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", tmp_path)
    up = await shell.start(ASK, "up", PORT="0", HOST="127.0.0.1")
    banner = await banner_of(up)
    processes = psutil.Process(up.pid).children(recursive=True)
    names = " ".join(part for process in processes for part in process.cmdline()).split()
    assert {f"{service}.app" for service in ("edge", "orchestrator", "tools_geo")} <= set(names)

    response = (await shell.ask("chat", "--json", GOTO)).json()
    assert response["overallStatus"] == "ok"
    url = next(word for word in banner.split() if word.startswith("http://"))
    async with httpx.AsyncClient(base_url=url) as http:
        assert (await http.get("/readyz")).status_code == 200
    await ended(up)
