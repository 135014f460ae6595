"""Which conversation the user is in."""

from pathlib import Path

from ask.sessions import current, state_dir


def test_a_conversation_goes_on_until_a_new_one_is_wanted(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "ask.sogis"
    first = current(folder)
    assert current(folder) == first
    second = current(folder, new=True)
    assert second != first
    assert current(folder) == second


def test_where_nothing_can_be_remembered_every_call_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "ask.sogis"
    assert current(folder) != current(folder)


def test_the_state_folder_follows_the_xdg_convention(tmp_path: Path) -> None:
    assert state_dir({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "ask.sogis"
    assert state_dir({}).parts[-3:] == (".local", "state", "ask.sogis")
