"""The project package is an app too, for its commands and template tags."""

from __future__ import annotations

from django.apps import AppConfig


class MemoryHubConfig(AppConfig):
    """Registers commands and template tags."""

    name = "memoryhub"
    label = "memoryhub"
