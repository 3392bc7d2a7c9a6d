"""The snapshots app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.journal.verbs import register, register_on_rows
from snapshots import verbs


class SnapshotsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "snapshots"
    label = "snapshots"
    importers = (
        "snapshots.importers.linking:Linker",
        "snapshots.importers.importer:SnapshotImporter",
        # Snapshots and logs state decisions, too.
        "topics.importers.decisions:DecisionImporter",
    )

    def ready(self) -> None:
        register(verbs.LOG_VERBS)
        register(verbs.FILE_VERBS)
        register(verbs.ITEM_VERBS)
        register_on_rows("assign", "snapshots.services.assigning:assign")
        for verb in ("accept", "dismiss", "ask_again"):
            register_on_rows(verb, "snapshots.services.judging:record_verdict")
