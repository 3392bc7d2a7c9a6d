"""The search app: no tables, an index that follows the journal."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.utils.module_loading import import_string

from memoryhub.journal.follow_ups import journal_grew


class SearchConfig(AppConfig):
    """Registers the app under its short label."""

    name = "memoryhub.search"
    label = "search"

    def ready(self) -> None:
        # The index reads the journal, whose models are there only now.
        follow = import_string("memoryhub.search.index.follow")

        def index(sender: object, workspace: Any, **_: Any) -> None:
            follow(workspace)

        journal_grew.connect(index, weak=False, dispatch_uid="search")
