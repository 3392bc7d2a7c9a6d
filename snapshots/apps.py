"""The snapshots app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.workspaces.verbs import register
from snapshots import file_verbs, log_verbs


class SnapshotsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "snapshots"
    label = "snapshots"

    def ready(self) -> None:
        register(file_verbs.VERBS)
        register(log_verbs.VERBS)
