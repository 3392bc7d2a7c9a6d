"""The Model Context Protocol (MCP) server, on the official SDK."""
