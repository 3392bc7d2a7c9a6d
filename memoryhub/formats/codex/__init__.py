"""Dialects of OpenAI's Codex."""
