"""Offers the tools of other MCP servers as capabilities. Trusts nothing that they say."""

SERVICE = "tools-mcp"
FAMILY = "mcp"
"""Of the capabilities: `mcp.<server>.<tool>`."""
