"""The notices app."""

from __future__ import annotations

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.notices"
    label = "notices"
