"""The project package is an app too, for its commands and template tags."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate

from memoryhub.database.schema import note_version


class MemoryHubConfig(AppConfig):
    """Registers commands, and the note of the schema version."""

    name = "memoryhub"
    label = "memoryhub"

    def ready(self) -> None:
        """Write the version number after each migration."""
        # Django asks only apps with models: it does so when all are migrated.
        post_migrate.connect(note_version, sender=apps.get_app_config("workspaces"))
