"""`ask keys`: what is printed, what is kept, and what the file says afterwards."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from servicekit.apikeys import ApiKey, ApiKeys, find
from typer.testing import CliRunner, Result

from ask import main
from ask.errors import AskError
from ask.keys import KeysFile

Ask = Callable[..., Result]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """The command, with a data folder of its own."""
    monkeypatch.setenv("ASK_DATA_DIR", str(tmp_path / "data"))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main.app, ["keys", *arguments])

    return run


def _holder(folder: Path, key: str, after: timedelta = timedelta()) -> ApiKey | None:
    document = (folder / "data" / "api-keys.json").read_bytes()
    return find(ApiKeys.from_json(document), key.strip(), datetime.now(UTC) + after)


def test_a_key_is_printed_alone_and_only_its_hash_is_kept(ask: Ask, tmp_path: Path) -> None:
    made = ask("create", "--name", "berichte", "--scopes", "tools, chat", "--expires", "90d")
    assert made.exit_code == 0
    assert len(made.stdout.split()) == 1
    assert "Neuer Schlüssel «berichte»" in made.stderr
    holder = _holder(tmp_path, made.stdout)
    assert holder is not None
    assert (holder.name, holder.scopes) == ("berichte", ("chat", "tools"))
    assert _holder(tmp_path, made.stdout, timedelta(days=89)) is not None
    assert _holder(tmp_path, made.stdout, timedelta(days=91)) is None
    file = tmp_path / "data" / "api-keys.json"
    assert made.stdout.strip().split("_", 2)[2] not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["api-keys.json"]


def test_programs_are_told_of_keys_in_json(ask: Ask, tmp_path: Path) -> None:
    made = ask("create", "--name", "berichte", "--scopes", "chat", "--json")
    document = json.loads(made.stdout)
    assert (document["name"], document["scopes"], "hash" in document) == ("berichte", ["chat"], False)
    assert made.stderr == "" and _holder(tmp_path, document["key"]) is not None
    renewed = json.loads(ask("rotate", "berichte", "--json").stdout)
    assert _holder(tmp_path, renewed["key"]) is not None and renewed["id"] != document["id"]
    gone = json.loads(ask("revoke", document["id"], "--json").stdout)
    assert (gone["id"], "key" in gone) == (document["id"], False)
    assert _holder(tmp_path, document["key"]) is None


def test_a_key_without_an_end_is_made_only_when_asked_for(ask: Ask, tmp_path: Path) -> None:
    endless = ask("create", "--name", "a", "--expires", "never").stdout
    usual = ask("create", "--name", "b").stdout
    assert _holder(tmp_path, endless, timedelta(days=9999)) is not None
    assert _holder(tmp_path, usual, timedelta(days=9999)) is None


def test_a_renewed_key_and_its_predecessor_overlap_for_a_while(ask: Ask, tmp_path: Path) -> None:
    old = ask("create", "--name", "berichte", "--scopes", "metrics", "--expires", "30d").stdout
    new = ask("rotate", "berichte", "--overlap", "2d").stdout
    for after, valid in ((0, [True, True]), (3, [False, True]), (31, [False, False])):
        found = [_holder(tmp_path, key, timedelta(days=after)) is not None for key in (old, new)]
        assert found == valid
    holder = _holder(tmp_path, new)
    assert holder is not None
    assert (holder.name, holder.scopes) == ("berichte", ("metrics",))


def test_renewing_does_not_prolong_what_ends_sooner(ask: Ask, tmp_path: Path) -> None:
    old = ask("create", "--name", "berichte", "--expires", "1h").stdout
    ask("rotate", "berichte", "--overlap", "7d")
    assert _holder(tmp_path, old, timedelta(hours=2)) is None


def test_a_revoked_key_is_gone_and_others_are_not(ask: Ask, tmp_path: Path) -> None:
    one = ask("create", "--name", "a").stdout
    two = ask("create", "--name", "b").stdout
    gone = ask("revoke", one.split("_")[1])
    assert "«a»" in gone.stdout
    assert _holder(tmp_path, one) is None
    assert _holder(tmp_path, two) is not None


def test_the_list_shows_nothing_secret(ask: Ask) -> None:
    assert "Noch keine Schlüssel" in ask("list").stdout
    key = ask("create", "--name", "berichte").stdout.strip()
    _, identifier, secret = key.split("_", 2)
    for shown in (ask("list").stdout, ask("list", "--json").stdout):
        assert identifier in shown
        assert "berichte" in shown
        assert secret not in shown
        assert "sha256" not in shown
    assert json.loads(ask("list", "--json").stdout)["scopes"] == ["chat", "tools"]


def test_a_key_that_has_ended_is_listed_as_such(ask: Ask, tmp_path: Path) -> None:
    ask("create", "--name", "berichte")
    file = KeysFile(tmp_path / "data" / "api-keys.json")
    past = file.read().keys[0].model_copy(update={"expires_at": datetime(2020, 1, 1, tzinfo=UTC)})
    file.path.write_text(ApiKeys(keys=(past,)).model_dump_json())
    assert "abgelaufen" in ask("list").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "--name", "berichte"), "gibt es schon.*rotate"),
        (("create", "--name", " "), "1 bis 100 Zeichen"),
        (("create", "--name", "x" * 101), "1 bis 100 Zeichen"),
        (("create", "--name", "b", "--scopes", "chat,admin"), "chat, tools, metrics"),
        (("create", "--name", "b", "--scopes", ","), "chat, tools, metrics"),
        (("create", "--name", "b", "--expires", "soon"), "«soon» passt nicht"),
        (("create", "--name", "b", "--expires", "0d"), "«0d» passt nicht"),
        (("rotate", "nobody"), "«nobody» gibt es nicht"),
        (("rotate", "berichte", "--overlap", "never"), "«never» passt nicht"),
        (("revoke", "000000000000"), "gibt es nicht"),
    ],
)
def test_what_does_not_fit_is_named_and_changes_nothing(
    ask: Ask, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    ask("create", "--name", "berichte")
    before = (tmp_path / "data" / "api-keys.json").read_bytes()
    result = ask(*arguments)
    with pytest.raises(AskError, match=words):
        raise result.exception or AssertionError(result.output)
    assert (tmp_path / "data" / "api-keys.json").read_bytes() == before


def test_a_file_that_cannot_be_understood_is_left_alone(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "data" / "api-keys.json"
    file.parent.mkdir()
    file.write_text('{"keys": [{"id": "x"}]}')
    for arguments in (("list",), ("create", "--name", "a")):
        with pytest.raises(AskError, match=r"api-keys\.json.*API_KEYS_FILE"):
            raise ask(*arguments).exception or AssertionError
    assert file.read_text() == '{"keys": [{"id": "x"}]}'


def test_two_commands_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    file = KeysFile(tmp_path / "keys.json")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: file.create(f"key {n}", ("chat",), None), range(40)))
    assert len(file.read().keys) == 40
