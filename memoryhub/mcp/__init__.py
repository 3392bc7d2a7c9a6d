"""The Model Context Protocol's door: what agents can ask, with the official SDK."""
