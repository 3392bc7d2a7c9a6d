"""The project package is an app too, for its commands and template tags."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate

from memoryhub.database.schema import note_version
from memoryhub.journal.follow_ups import FollowUp, register

#: Before the list of workspaces is opened.
COUNTING = FollowUp("memoryhub.timeline.counting:count_ahead", (), urgent=False)


class MemoryHubConfig(AppConfig):
    """Registers commands, the counting of items, and the note of the schema version."""

    name = "memoryhub"
    label = "memoryhub"

    def ready(self) -> None:
        """Count after imports; write the version number after each migration."""
        # Django asks only apps with models: it does so when all are migrated.
        post_migrate.connect(note_version, sender=apps.get_app_config("workspaces"))
        register(COUNTING)
