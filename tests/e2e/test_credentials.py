"""The `ask` command at an edge that wants to know who asks."""

import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio
from edge_process import EdgeProcess, edge_process
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from ask.errors import Exit

from .running import System, until
from .shell import ASK, Said, Shell

pytestmark = pytest.mark.asyncio(loop_scope="session")

GOTO = "Gehe zur Langendorfstrasse 19b in Solothurn"
OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
SECRET = "end-to-end-secret-of-32-characters-or-more"


def _edge(system: System, folder: Path, auth: str) -> AbstractAsyncContextManager[EdgeProcess]:
    return edge_process(
        system.stack.nats_url,
        system.stack.redis_url,
        folder / "edge.log",
        AUTH=auth,
        EDGE_SECRET=SECRET,
        API_KEYS_FILE=str(folder / "keys.json"),
    )


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(system: System, tmp_path: Path) -> AsyncIterator[EdgeProcess]:
    """An edge for everybody, and for programs with a key."""
    async with _edge(system, tmp_path, "anonymous,keys") as edge:
        yield edge


@pytest_asyncio.fixture(loop_scope="session")
async def members(system: System, tmp_path: Path) -> AsyncIterator[EdgeProcess]:
    """An edge for programs with a key only."""
    async with _edge(system, tmp_path, "keys") as edge:
        yield edge


class Person:
    """At a terminal of their own."""

    def __init__(self, system: System, home: Path, edge: EdgeProcess) -> None:
        self._shell = Shell(system.stack.data_dir, home)
        self._keys_file = str(home / "keys.json")
        self._edge = edge

    async def ask(self, command: str, *arguments: str) -> str:
        """What it prints; raises `AssertionError` with what it complains about."""
        said = await self.try_(command, *arguments)
        assert said.code in (Exit.DONE, Exit.UNDECIDED), said.err
        return said.out

    async def try_(self, command: str, *arguments: str) -> Said:
        return await self._shell.ask(command, *arguments, "--url", self._edge.url)

    async def complaint(self, command: str, *arguments: str) -> str:
        said = await self.try_(command, *arguments)
        assert said.code == Exit.REFUSED and len(said.err.splitlines()) == 1, said
        return said.err

    async def keys(self, *arguments: str) -> str:
        said = await self._shell.ask("keys", *arguments, "--file", self._keys_file)
        assert said.code == 0, said.err
        return said.out.strip()


@pytest.fixture
def visitor(system: System, tmp_path: Path, visitors: EdgeProcess) -> Person:
    return Person(system, tmp_path, visitors)


@pytest.fixture
def member(system: System, tmp_path: Path, members: EdgeProcess) -> Person:
    return Person(system, tmp_path, members)


async def test_a_visitor_goes_on_in_the_next_command(visitor: Person) -> None:
    offered = await visitor.ask("chat", OEREB)
    found = re.search(r"--choice (\S+).*CH710620327442|CH710620327442.*--choice (\S+)", offered)
    assert found is not None, offered
    choice_id = found[1] or found[2]
    assert "ÖREB-Auszug für CH710620327442 bereit." in await visitor.ask("chat", "--choice", choice_id)


async def test_where_programs_need_a_key_they_are_told_so_and_get_in_with_one(
    member: Person, tmp_path: Path
) -> None:
    assert "ASK_TOKEN" in await member.complaint("chat", GOTO)
    file = tmp_path / "key"
    file.write_text(await member.keys("create", "--name", "reports", "--scopes", "chat"))
    assert "zentriert" in await member.ask("chat", GOTO, "--token-file", str(file))
    assert "darf das nicht" in await member.complaint("tools", "--token-file", str(file))


async def test_a_renewed_key_goes_on_with_the_conversation_of_the_old_one(
    member: Person, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(await member.keys("create", "--name", "reports"))
    await member.ask("chat", "Zeige mir Grundstück 198 in Messen", "--token-file", str(file))
    file.write_text(await member.keys("rotate", "reports"))
    here = ("chat", "Erstelle mir hier einen ÖREB-Auszug", "--token-file", str(file))
    assert "✔" in await member.ask(*here)


async def test_a_revoked_key_no_longer_counts(member: Person, tmp_path: Path) -> None:
    file = tmp_path / "key"
    key = await member.keys("create", "--name", "reports")
    file.write_text(key)
    await member.ask("tools", "--token-file", str(file))
    await member.keys("revoke", key.split("_")[1])

    async def is_refused() -> bool:
        return "gilt hier nicht" in (await member.try_("tools", "--token-file", str(file))).err

    await until(is_refused, 30)


async def test_desktop_programs_take_a_key_along(
    member: Person, members: EdgeProcess, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(await member.keys("create", "--name", "desktop", "--scopes", "tools"))
    command = ["mcp", "--stdio", "--url", members.url]
    async with Client(
        StdioServerParameters(command=str(ASK), args=[*command, "--token-file", str(file)])
    ) as client:
        assert "ask" in {tool.name for tool in (await client.list_tools()).tools}
    async with Client(StdioServerParameters(command=str(ASK), args=command)) as client:
        with pytest.raises(MCPError, match="ausweisen"):
            await client.list_tools()


async def test_desktop_programs_of_visitors_need_nothing(visitors: EdgeProcess, tmp_path: Path) -> None:
    server = StdioServerParameters(
        command=str(ASK),
        args=["mcp", "--stdio", "--url", visitors.url],
        env={"XDG_STATE_HOME": str(tmp_path)},
    )
    async with Client(server) as client:
        result = await client.call_tool("ask", {"message": GOTO})
    assert not result.is_error
    assert (tmp_path / "ask.sogis" / "tokens.json").stat().st_mode & 0o777 == 0o600
