"""The snapshots app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.journal.verbs import register, register_on_rows
from snapshots import file_verbs, log_verbs


class SnapshotsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "snapshots"
    label = "snapshots"

    def ready(self) -> None:
        register(file_verbs.VERBS)
        register(log_verbs.VERBS)
        register_on_rows("assign", "snapshots.services.assigning:assign")
