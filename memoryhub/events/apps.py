"""The timeline app."""

from __future__ import annotations

from django.apps import AppConfig


class TimelineConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.events"
    label = "timeline"
