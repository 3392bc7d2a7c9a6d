"""The journal as an app; its label and tables are `workspaces`."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import import_string

from memoryhub.journal.verbs import register, register_on_rows


class JournalConfig(AppConfig):
    """App configuration with a short label."""

    name = "memoryhub.journal"
    label = "workspaces"

    def ready(self) -> None:
        # The verbs read the journal, whose models are not loaded earlier.
        register(import_string("memoryhub.journal.exporters.VERBS"))
        for verb in ("clear_problem", "bring_back_problem"):
            register_on_rows(verb, "memoryhub.sync.files:clear")
