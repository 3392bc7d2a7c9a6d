"""``memoryhub move S PATH``: set the new folder of a workspace."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from memoryhub.errors.terminal import quoted
from memoryhub.management.command import HubCommand, is_confirmed
from memoryhub.people.policy import workspace_for_operator
from memoryhub.workspaces.services.moving import Match, compare, move_workspace


class Command(HubCommand):
    help = (
        "Set the folder of a workspace that was moved on disk. History, read marks and"
        " tokens are preserved; the next sync imports differences."
    )
    looks = ("dry_run",)
    example = "memoryhub move main ~/notes/agents"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "workspace", metavar="S", help="short name of the workspace"
        )
        parser.add_argument("path", help="folder that holds its files now")
        parser.add_argument(
            "--dry-run", action="store_true", help="only compare the files"
        )
        parser.add_argument(
            "--yes", action="store_true", help="do not ask for confirmation"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        workspace = workspace_for_operator(options["workspace"])
        match = compare(workspace, options["path"])
        if not options["json"]:
            self._print_result(match)
        moves = not options["dry_run"] and (options["yes"] or is_confirmed("Move it?"))
        if moves:
            move_workspace(workspace, options["path"])
        if options["json"]:
            self.give({"workspace": workspace.slug, **asdict(match), "moved": moves})
        elif moves:
            self.say(f"{workspace.slug}: {quoted(match.root)}; now: memoryhub sync")
        elif not options["dry_run"]:
            self.complain("memoryhub: nothing was moved: --yes moves without asking")
        return 0 if moves or options["dry_run"] else 1

    def _print_result(self, match: Match) -> None:
        self.say(
            f"{quoted(match.root)}: {match.same} of {match.known} known files are the"
            f" same, {match.changed} differ, {match.missing} are missing,"
            f" {match.new} are new"
        )
        if not match.is_alike:
            self.say("These do not look like the files of this workspace.")
