"""The endpoint for MCP clients: the tools that are alive, and whole turns, as tools of theirs.

Only `endpoint` is imported with the edge. Everything else needs the SDK, and the first request brings it in.
"""

PATH = "/mcp"
