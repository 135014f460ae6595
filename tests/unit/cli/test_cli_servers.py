"""The programs and files of the servers."""

import sys
from pathlib import Path

import pytest

from ask import servers
from ask.errors import AskError


def _program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty PATH and nothing beside its Python."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    return tmp_path


def test_a_server_on_the_path_comes_before_one_beside_python(bare: Path) -> None:
    beside = _program(bare / "venv", "redis-server")
    assert servers.find_redis() == beside
    on_path = _program(bare / "path", "redis-server")
    assert servers.find_redis() == on_path


def test_valkey_is_as_good_as_redis(bare: Path) -> None:
    valkey = _program(bare / "venv", "valkey-server")
    assert servers.find_redis() == valkey
    redis = _program(bare / "venv", "redis-server")
    assert servers.find_redis() == redis


@pytest.mark.parametrize(
    ("find", "words"),
    [
        (servers.find_nats, "apt install nats-server.*NATS_URL"),
        (servers.find_redis, "apt install redis.*REDIS_URL"),
    ],
)
def test_a_missing_server_is_one_line_that_says_what_to_do(bare: Path, find: object, words: str) -> None:
    assert callable(find)
    with pytest.raises(AskError, match=words) as error:
        find()
    assert "\n" not in str(error.value)


def _mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def test_nats_listens_on_this_machine_only_and_keeps_its_files_in_the_data_folder(tmp_path: Path) -> None:
    program = servers.nats_program(Path("/bin/nats-server"), 4222, tmp_path / "nats", {})
    config = Path(program.argv[-1]).read_text()
    assert 'listen: "127.0.0.1:4222"' in config
    assert f'store_dir: "{tmp_path}/nats/store"' in config
    assert "http" not in config


@pytest.mark.parametrize(("durability", "interval"), [("process", "1s"), ("power", "always")])
def test_nats_syncs_as_often_as_is_wanted(
    tmp_path: Path, durability: servers.Durability, interval: str
) -> None:
    program = servers.nats_program(Path("/bin/nats-server"), 4222, tmp_path / "nats", {}, durability)
    assert f"sync_interval: {interval}" in Path(program.argv[-1]).read_text()


@pytest.mark.parametrize(("durability", "policy"), [("process", "everysec"), ("power", "always")])
def test_redis_writes_every_change_to_its_append_only_file(
    tmp_path: Path, durability: servers.Durability, policy: str
) -> None:
    program = servers.redis_program(Path("/bin/redis-server"), 6379, tmp_path / "redis", "secret", durability)
    lines = Path(program.argv[-1]).read_text().splitlines()
    options = dict(line.split(maxsplit=1) for line in lines)
    assert options["bind"] == "127.0.0.1"
    assert options["appendonly"] == "yes"
    assert options["appendfsync"] == policy
    assert options["dir"] == f'"{tmp_path}/redis"'


def test_passwords_are_where_other_users_of_this_machine_cannot_read_them(tmp_path: Path) -> None:
    nats = servers.nats_program(Path("/bin/nats-server"), 4222, tmp_path / "nats", {"planner": "secret"})
    redis = servers.redis_program(Path("/bin/redis-server"), 6379, tmp_path / "redis", "secret")
    assert nats.environment == {"NATS_PASSWORD_PLANNER": "secret"}
    assert "secret" not in " ".join((*nats.argv, *redis.argv))
    assert {_mode(Path(program.argv[-1])) for program in (nats, redis)} == {0o600}
