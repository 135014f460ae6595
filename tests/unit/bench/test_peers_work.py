"""What all contestants of `make bench-peers` do in a turn."""

from pathlib import Path

import pytest

from peers import work


@pytest.mark.parametrize(("kind", "calls", "found"), [("one", 1, 1), ("choice", 1, 3), ("ten", 10, 1)])
async def test_a_message_says_how_much_there_is_to_do(kind: str, calls: int, found: int) -> None:
    planned = work.plan(f"{kind} 0 key")
    assert len(planned) == calls
    assert [len(await work.find(call)) for call in planned] == [found] * calls


async def test_only_several_items_of_one_tool_are_offered() -> None:
    items = await work.find(work.plan("choice 0 key")[0])
    assert work.to_choose(items)
    ten = [item for call in work.plan("ten 0 key") for item in await work.find(call)]
    assert not work.to_choose(ten)


def test_an_option_leads_back_to_its_turn() -> None:
    items = [{"id": str(n), "label": "x"} for n in range(3)]
    option = work.offer("a.key", items)["steps"][0]["choices"][2]
    assert work.chosen(option["id"]) == ("a.key", 2)


async def test_every_effect_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EFFECTS", str(tmp_path / "effects"))
    for call in [*work.plan("ten 0 key"), *work.plan("one 0 key")]:
        await work.find(call)
    effects = (tmp_path / "effects").read_text().split()
    assert sorted(effects) == sorted([*(f"key/{n}" for n in range(10)), "key/0"])
