"""The forgetting app."""

from __future__ import annotations

from django.apps import AppConfig


class ForgettingConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.forgetting"
    label = "forgetting"
