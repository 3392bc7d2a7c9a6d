"""The handoffs app."""

from __future__ import annotations

from django.apps import AppConfig


class HandoffsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.handoffs"
    label = "handoffs"
