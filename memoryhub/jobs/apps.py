"""The jobs app."""

from __future__ import annotations

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """App configuration with a short label."""

    name = "memoryhub.jobs"
    label = "jobs"
