"""`ask mcp`: what to enter in a client, and questions for clients with older protocols."""

import json
from pathlib import Path

import httpx2
import pytest
from ask_sogis.access import Access
from mcp import Client
from mcp.shared.exceptions import MCPError
from typer.testing import CliRunner

from ask import main, mcpbridge
from ask.mcpbridge import Bridge, _Authentication, _named, how_to_connect


def test_without_an_option_it_says_how_to_connect() -> None:
    result = CliRunner().invoke(main.app, ["mcp", "--url", "http://127.0.0.1:1234/"])
    assert result.exit_code == 0
    assert "  http://127.0.0.1:1234/mcp\n" in result.output


def test_the_command_for_a_desktop_client_can_be_found_from_anywhere() -> None:
    config = json.loads(how_to_connect("http://127.0.0.1:1").partition("\n\n")[2].partition("\n")[2])
    (server,) = config["mcpServers"].values()
    assert Path(server["command"]).is_absolute()
    assert server["args"] == ["mcp", "--stdio", "--url", "http://127.0.0.1:1"]


def test_programs_get_the_configuration_alone() -> None:
    result = CliRunner().invoke(main.app, ["mcp", "--url", "http://127.0.0.1:1", "--json"])
    assert json.loads(result.output)["mcpServers"].keys() == {"ask-sogis"}


def test_a_token_in_a_file_is_for_the_command_too() -> None:
    config = json.loads(
        how_to_connect("http://127.0.0.1:1", Path("key")).partition("\n\n")[2].partition("\n")[2]
    )
    (server,) = config["mcpServers"].values()
    assert server["args"][-2:] == ["--token-file", str(Path("key").absolute())]


def test_titled_options_are_named_as_older_clients_expect_it() -> None:
    field = {"type": "string", "oneOf": [{"const": "0", "title": "A"}, {"const": "1", "title": "B"}]}
    assert _named(field) == {"type": "string", "enum": ["0", "1"], "enumNames": ["A", "B"]}
    assert _named({"type": "string"}) == {"type": "string"}


async def test_whoever_asks_who_one_is_waits_no_longer_than_for_the_rest() -> None:
    request = httpx2.Request("POST", "http://edge/mcp", extensions={"timeout": {"read": 1.0}})
    asked = await anext(_Authentication(Access("http://edge", None)).async_auth_flow(request))
    assert (asked.url.path, asked.extensions) == ("/api/me", request.extensions)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_an_edge_the_client_is_told_where_it_was_looked_for(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcpbridge, "_PATIENCE_S", 0.05)
    nobody = Access("http://127.0.0.1:9", None)
    async with Client(Bridge("http://127.0.0.1:9", nobody).server, mode=mode) as client:
        with pytest.raises(MCPError, match=r"http://127\.0\.0\.1:9 nicht erreichbar"):
            await client.list_tools()
        with pytest.raises(MCPError, match="nicht erreichbar"):
            await client.call_tool("ask", {"message": "x"})
