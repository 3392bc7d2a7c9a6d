"""The event store as an app; its label and tables are `timeline`."""

from __future__ import annotations

from django.apps import AppConfig


class EventsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.events"
    label = "timeline"
