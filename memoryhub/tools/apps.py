"""The tools app."""

from __future__ import annotations

from django.apps import AppConfig


class ToolsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.tools"
    label = "tools"
