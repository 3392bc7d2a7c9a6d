"""The handoffs app."""

from __future__ import annotations

from django.apps import AppConfig

from memoryhub.handoffs.log_verbs import VERBS
from memoryhub.workspaces.verbs import register


class HandoffsConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.handoffs"
    label = "handoffs"

    def ready(self) -> None:
        register(VERBS)
