"""``memoryhub sync``: import changed files."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memoryhub.errors.terminal import counted, quoted
from memoryhub.journal.models import Problem, Workspace
from memoryhub.management.command import (
    HubCommand,
    add_workspace_argument,
    named_workspaces,
)
from memoryhub.people.policy import OPERATOR
from memoryhub.sync.engine import RunProblem, SyncReport, WorkspaceGone, sync_workspace
from memoryhub.sync.files import restore_missing
from memoryhub.web.kit.labels import problem_text

_SHOWN_PROBLEMS = 20


class Command(HubCommand):
    help = "Import changed files, in one workspace or in all."
    example = "memoryhub sync main --json"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser, or_all=True)
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--accept-deletions",
            action="store_true",
            help="record held deletions: most or all files vanished at once because"
            " they were deleted",
        )
        what.add_argument(
            "--restore-missing",
            action="store_true",
            help="write back all files that are held or whose deletion is a problem",
        )
        parser.add_argument(
            "--json", action="store_true", help="print one JSON line per workspace"
        )

    def work(self, **options: Any) -> int:
        failed = 0
        for workspace in named_workspaces(options["workspace"]):
            bar = self.progress(workspace.slug)
            try:
                if options["restore_missing"]:
                    failed |= self._restore(workspace)
                report = sync_workspace(
                    workspace,
                    accept_deletions=options["accept_deletions"],
                    progress=bar,
                )
            except WorkspaceGone as error:
                self.complain(f"{workspace.slug}: {quoted(str(error))} is not there")
                failed = 1
                continue
            if options["json"]:
                self.give(_as_json(workspace, report))
            else:
                self._print_result(workspace, report)
        return failed

    def _restore(self, workspace: Workspace) -> int:
        restored, left = restore_missing(workspace, OPERATOR)
        for path in restored:
            self.tell(f"{workspace.slug}: restored {quoted(path)}")
        for path, error in left.items():
            why = getattr(error, "reason", "") or type(error).__name__
            self.complain(f"{workspace.slug}: {quoted(path)} is not restored: {why}")
        return int(bool(left))

    def _print_result(self, workspace: Workspace, report: SyncReport) -> None:
        files = counted(report.files, "file")
        if report.is_empty:
            self.say(
                f"{workspace.slug}: no changes in {files}"
                f" since Import #{report.number} ({report.seconds:.2f} s)"
            )
        else:
            self.say(
                f"{workspace.slug}: Import #{report.number}, {files}:"
                f" {report.added} added, {report.changed} changed,"
                f" {report.moved} moved, {report.deleted} deleted"
                f" ({report.seconds:.2f} s)"
            )
        for problem in report.problems[:_SHOWN_PROBLEMS]:
            text = problem_text(problem.code, problem.parameters)
            self.say(f"  {place_of(problem)}: {text}")
        for path in report.held[:_SHOWN_PROBLEMS]:
            self.say(f"  held: {quoted(path)}")
        if (more := len(report.held) - _SHOWN_PROBLEMS) > 0:
            self.say(f"  and {more} more held, see memoryhub status --problems")
        if (more := len(report.problems) - _SHOWN_PROBLEMS) > 0:
            self.say(f"  and {more} more problems, see memoryhub status")


def place_of(problem: RunProblem | Problem) -> str:
    """Return the place of a problem as text, ``path:line``."""
    name = quoted(problem.path)
    return f"{name}:{problem.line}" if problem.line else name


def _as_json(workspace: Workspace, report: SyncReport) -> dict[str, Any]:
    return {
        "workspace": workspace.slug,
        "number": report.number,
        "files": report.files,
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "deleted": report.deleted,
        "problems": [
            {
                "path": problem.path,
                "line": problem.line,
                "code": problem.code,
                "message": problem_text(problem.code, problem.parameters),
            }
            for problem in report.problems
        ],
        "held": list(report.held),
        "seconds": round(report.seconds, 3),
    }
