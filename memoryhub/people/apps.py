"""The people app."""

from __future__ import annotations

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.people"
    label = "people"
