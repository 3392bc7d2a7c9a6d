"""``memoryhub watch``: import changes as they happen, without the dashboard."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memoryhub.errors.terminal import counted
from memoryhub.journal.models import Workspace
from memoryhub.management.command import (
    HubCommand,
    add_workspace_argument,
    named_workspaces,
)
from memoryhub.sync.engine import SyncReport
from memoryhub.sync.scan.watcher import Watcher


class Command(HubCommand):
    help = (
        "Import changed files as they change, in one workspace or in all, until Ctrl-C."
    )
    runs_on = True
    example = "memoryhub watch main --json"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser, or_all=True)
        parser.add_argument(
            "--json", action="store_true", help="print one JSON line per import"
        )

    def work(self, **options: Any) -> int:
        named_workspaces(options["workspace"])
        stop = threading.Event()
        signal.signal(signal.SIGTERM, _stopper(stop))
        signal.signal(signal.SIGINT, _stopper(stop))
        report = self._give_import if options["json"] else self._say_import
        Watcher(stop, report, slug=options["workspace"]).run()
        return 0

    def _say_import(self, workspace: Workspace, report: SyncReport) -> None:
        now = timezone.localtime().strftime("%H:%M:%S")
        self.say(f"{now} {import_line(workspace, report)}")
        self.stdout.flush()

    def _give_import(self, workspace: Workspace, report: SyncReport) -> None:
        self.give(
            {
                "workspace": workspace.slug,
                "number": report.number,
                "files": report.files,
                "added": report.added,
                "changed": report.changed,
                "moved": report.moved,
                "deleted": report.deleted,
                "problems": len(report.problems),
                "seconds": round(report.seconds, 3),
            }
        )
        self.stdout.flush()


def import_line(workspace: Workspace, report: SyncReport) -> str:
    """Return an import as one line for people, without counts of zero."""
    counts = {
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "deleted": report.deleted,
        "problems": len(report.problems),
    }
    said = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    return (
        f"{workspace.slug}: Import #{report.number}, {counted(report.files, 'file')}:"
        f" {said or 'no changes'} ({report.seconds:.2f} s)"
    )


def _stopper(stop: threading.Event) -> Any:
    def handle(number: int, frame: FrameType | None) -> None:
        stop.set()

    return handle
