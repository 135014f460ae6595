"""The conversations are in the format; of the held half this is all that is looked at."""

from pathlib import Path

import pytest
from evaluation.conversations import HELD, SEEN, conversations


@pytest.mark.parametrize("half", [SEEN, HELD], ids=["seen", "held"])
def test_all_are_in_the_format(half: Path) -> None:
    assert sum(len(each.turns) for each in conversations(half)) >= (300 if half.exists() else 0)


def test_a_mistake_is_told_by_its_place(tmp_path: Path) -> None:
    wrong = '[[conversation]]\nturns = [{ say = "Zeige Olten", accept = ["view Olten", "go Olten"] }]\n'
    (tmp_path / "plain.toml").write_text(wrong)
    with pytest.raises(ValueError, match=r"plain\.toml: conversation 1: .*go Olten"):
        conversations(tmp_path)
