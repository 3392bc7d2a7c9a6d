"""The snapshots app."""

from __future__ import annotations

from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "snapshots"
    label = "snapshots"
