"""The forgetting app."""

from __future__ import annotations

from django.apps import AppConfig


class ForgettingConfig(AppConfig):
    """App configuration with a short label."""

    name = "memoryhub.forgetting"
    label = "forgetting"
