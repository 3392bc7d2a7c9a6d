"""The topics app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.journal.verbs import register
from topics.exporters import VERBS


class TopicsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "topics"
    label = "topics"
    importers = (
        "topics.importers.topics:TopicImporter",
        "topics.importers.topics:BindingImporter",
    )

    def ready(self) -> None:
        register(VERBS)
