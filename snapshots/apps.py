"""The snapshots app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.workspaces.verbs import register
from snapshots.file_verbs import VERBS


class SnapshotsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "snapshots"
    label = "snapshots"

    def ready(self) -> None:
        register(VERBS)
