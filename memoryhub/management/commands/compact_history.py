"""``memoryhub compact-history``: reduce the size of stored versions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.errors.terminal import counted
from memoryhub.journal.models import Workspace
from memoryhub.management.command import (
    HubCommand,
    add_workspace_argument,
    named_workspaces,
)
from memoryhub.people.policy import OPERATOR
from memoryhub.workspaces.services.history import (
    PERIODS,
    Cost,
    Thinning,
    cost_of,
    give_back,
    repack,
    thin,
    thinning,
)


class Command(HubCommand):
    help = (
        "Reduce the space of stored versions. Versions that only append to the"
        " previous one are stored as differences; nothing is lost. With --thin-older-"
        " than, older versions are removed for good, except the last of each day: they"
        " are listed first, and removed only with --yes."
    )
    example = "memoryhub compact-history main --thin-older-than 365 --keep week"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser, or_all=True)
        parser.add_argument(
            "--thin-older-than",
            type=int,
            metavar="DAYS",
            help="remove versions older than this many days",
        )
        parser.add_argument(
            "--keep",
            choices=PERIODS,
            default="day",
            help="keep the last old version of each (default: %(default)s)",
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="remove the listed versions; cannot be undone",
        )
        parser.add_argument(
            "--json", action="store_true", help="print a JSON line per workspace"
        )

    def work(self, **options: Any) -> int:
        days = options["thin_older_than"]
        if days is not None and not 1 <= days <= 36_500:
            raise CommandError("--thin-older-than takes 1 to 36500 days")
        if options["yes"] and days is None:
            raise CommandError("--yes goes with --thin-older-than")
        for workspace in named_workspaces(options["workspace"]):
            self._compact(workspace, options)
        give_back()
        return 0

    def _compact(self, workspace: Workspace, options: dict[str, Any]) -> None:
        before = cost_of(workspace)
        repack(workspace, self.progress(workspace.slug))
        chosen = _chosen(workspace, options)
        if options["yes"] and chosen.versions:
            days, period = options["thin_older_than"], options["keep"]
            reason = f"older than {days} days, not the last of its {period}"
            thin(workspace, chosen, OPERATOR, reason, timezone.now())
        self._print_result(workspace, before, chosen, options)

    def _print_result(
        self,
        workspace: Workspace,
        before: Cost,
        chosen: Thinning,
        options: dict[str, Any],
    ) -> None:
        after = cost_of(workspace)
        if options["json"]:
            self.give(_record(workspace, before, after, chosen, options["yes"]))
            return
        self.say(
            f"{workspace.slug}: {counted(after.versions, 'version')}"
            f" of {after.size:,} bytes take {after.stored:,},"
            f" {before.stored - after.stored:,} less than before"
        )
        if options["thin_older_than"] is None:
            return
        what = counted(len(chosen.versions), "version")
        what += f" of {counted(chosen.files, 'file')}"
        if options["yes"]:
            self.say(f"  {what} were let go")
        else:
            self.say(f"  {what} would go, {chosen.stored:,} bytes: say --yes")


def _chosen(workspace: Workspace, options: dict[str, Any]) -> Thinning:
    days = options["thin_older_than"]
    if days is None:
        return Thinning()
    before = timezone.now() - timedelta(days=days)
    return thinning(workspace, before, options["keep"])


def _record(
    workspace: Workspace, before: Cost, after: Cost, chosen: Thinning, done: bool
) -> dict[str, Any]:
    return {
        "workspace": workspace.slug,
        "versions": after.versions,
        "bytes": after.size,
        "stored_before": before.stored,
        "stored": after.stored,
        "thinned" if done else "would_thin": len(chosen.versions),
    }
