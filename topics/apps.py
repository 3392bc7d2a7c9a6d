"""The topics app."""

from __future__ import annotations

from django.apps import AppConfig


class TopicsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "topics"
    label = "topics"
