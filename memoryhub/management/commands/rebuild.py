"""``memoryhub rebuild S``: delete all projections and replay the journal."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import CommandParser

from memoryhub.disk.files import locked
from memoryhub.management.command import HubCommand, add_workspace_argument
from memoryhub.people.policy import workspace_for_operator
from memoryhub.search.index import rebuild as rebuild_index
from memoryhub.sync.engine import workspace_lock
from memoryhub.sync.record.projection import rebuild


class Command(HubCommand):
    help = (
        "Recreate all rows and the search index of a workspace from its journal. Ids,"
        " addresses and the journal do not change."
    )
    example = "memoryhub rebuild main"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        workspace = workspace_for_operator(options["workspace"])
        started = time.perf_counter()
        with locked(workspace_lock(workspace)):
            rebuild(workspace, progress=self.progress(workspace.slug))
            rebuild_index(workspace)
        seconds = round(time.perf_counter() - started, 3)
        if options["json"]:
            self.give(
                {
                    "workspace": workspace.slug,
                    "entries": workspace.last_seq,
                    "seconds": seconds,
                }
            )
        else:
            self.say(
                f"{workspace.slug}: {workspace.last_seq} journal entries replayed"
                f" ({seconds:.2f} s)"
            )
        return 0
