"""The jobs app."""

from __future__ import annotations

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.jobs"
    label = "jobs"
