"""``memoryhub forget``: erase a text, file, version or entry from the hub."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors.terminal import counted
from memoryhub.forgetting.forgettings import (
    Target,
    ask,
    carry_on,
    confirm,
    plan,
    take_back,
)
from memoryhub.forgetting.models import Forgetting, forgetting_record, forgettings_of
from memoryhub.forgetting.planning import is_empty
from memoryhub.management.command import (
    HubCommand,
    add_workspace_argument,
    named_workspaces,
)
from memoryhub.people.policy import OPERATOR, workspace_for_operator
from memoryhub.web.forgetting import summary_of, warnings_of

_SHOWN_FILES = 12


class Command(HubCommand):
    help = (
        "Erase a text, a pattern, a file, a version or an entry from every stored"
        " version, all rows, the search index, logs and free database pages. Shows what"
        " is affected and asks first. Erased text is hidden at once; its bytes are"
        " erased when the time to undo is over. Earlier backups still contain it."
    )
    looks = ("list", "dry_run")
    example = "memoryhub forget main --text - --why 'a password' < secret.txt"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser)
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--text",
            metavar="T",
            help="erase this text everywhere; - reads it from standard input",
        )
        what.add_argument(
            "--regex",
            metavar="P",
            help="erase matches of a regular expression; - reads it from standard"
            " input",
        )
        what.add_argument("--file", metavar="PATH", help="erase all versions of a file")
        what.add_argument(
            "--entry",
            metavar="ID",
            help="erase an entry, by its id or the address of its page",
        )
        what.add_argument(
            "--list", action="store_true", help="list past and pending erasures"
        )
        what.add_argument(
            "--take-back",
            type=int,
            metavar="N",
            help="undo erasure number N while that is possible",
        )
        self._add_options(parser)

    def _add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--version-at",
            type=int,
            metavar="SEQ",
            help="with --file: only the version it had at this revision",
        )
        parser.add_argument(
            "--why", default="", help="reason, recorded with the erasure"
        )
        parser.add_argument(
            "--keep-files",
            action="store_true",
            help="leave files on disk unchanged; their next change is imported again",
        )
        parser.add_argument(
            "--minutes",
            type=int,
            metavar="M",
            help="minutes in which it can be undone (default:"
            " MEMORYHUB_FORGET_MINUTES, or 10)",
        )
        parser.add_argument(
            "--now", action="store_true", help="erase at once; cannot be undone"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only list what would be affected"
        )
        parser.add_argument(
            "--yes", action="store_true", help="do not ask for confirmation"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        if options["list"]:
            return self._list(options)
        if options["take_back"] is not None:
            return self._take_back(options)
        forgetting = self._planned(options)
        if not options["json"]:
            self._show(forgetting)
        if options["dry_run"] or is_empty(forgetting.plan):
            take_back(forgetting)
        elif not self._is_sure(options):
            take_back(forgetting)
            raise CommandError("nothing was forgotten")
        else:
            confirm(forgetting, now=options["now"])
            carry_on(forgetting, self.progress(forgetting.workspace.slug))
        self._print_result(forgetting, options)
        return 0

    def _planned(self, options: dict[str, Any]) -> Forgetting:
        wanted = _wanted(options)
        workspace = workspace_for_operator(options["workspace"])
        forgetting = ask(workspace, wanted, OPERATOR)
        return plan(forgetting, self.progress(workspace.slug))

    def _is_sure(self, options: dict[str, Any]) -> bool:
        if options["yes"]:
            return True
        if options["json"] or not sys.stdin.isatty():
            raise CommandError("say --yes: there is nobody to ask")
        self.stdout.write("Forget it? [y/N] ", ending="")
        self.stdout.flush()
        return sys.stdin.readline().strip().casefold() in {"y", "yes"}

    def _show(self, forgetting: Forgetting) -> None:
        """Print the scope of a forgetting."""
        found = forgetting.plan
        if is_empty(found):
            self.say(f"{forgetting.workspace.slug}: nothing to forget")
            return
        self.say(f"{forgetting.workspace.slug}: {summary_of(forgetting)}")
        for file in found["files"][:_SHOWN_FILES]:
            now = ", on disk too" if file["now"] else ""
            versions = counted(file["versions"], "version")
            self.say(f"  {file['path']}: {versions}{now}")
        if (more := found["file_count"] - _SHOWN_FILES) > 0:
            self.say(f"  and {counted(more, 'file')} more")
        for sample in found["samples"]:
            self.say(f"  {sample['path']}:{sample['line']}  {sample['text']}")
        for warning in warnings_of(forgetting):
            self.say(f"  {warning}")

    def _print_result(self, forgetting: Forgetting, options: dict[str, Any]) -> None:
        if options["json"]:
            self.give(forgetting_record(forgetting))
            return
        if forgetting.state == Forgetting.State.HIDDEN and forgetting.due_at:
            self.say(
                f"#{forgetting.pk} is hidden; its bytes are erased after"
                f" {forgetting.due_at:%H:%M} UTC by the server or the next command."
                f" Until then: memoryhub forget --take-back {forgetting.pk}"
            )
        elif forgetting.state == Forgetting.State.DONE:
            self.say(f"#{forgetting.pk} is forgotten. Older backups still hold it.")
            for line in forgetting.result.get("left", []):
                self.say(f"  still on disk: {line}")

    def _list(self, options: dict[str, Any]) -> int:
        for workspace in named_workspaces(options["workspace"]):
            for found in forgettings_of(workspace):
                if options["json"]:
                    self.give(forgetting_record(found))
                else:
                    self.say(
                        f"#{found.pk} {workspace.slug}: {found.label},"
                        f" {found.state.replace('_', ' ')},"
                        f" {found.actor} {found.asked_at:%Y-%m-%d %H:%M}"
                        f"{': ' if found.reason else ''}{found.reason}"
                    )
        return 0

    def _take_back(self, options: dict[str, Any]) -> int:
        found = Forgetting.objects.filter(pk=options["take_back"]).first()
        if found is None:
            raise CommandError(f"there is no forgetting #{options['take_back']}")
        carry_on(take_back(found), self.progress(found.workspace.slug))
        if options["json"]:
            self.give(forgetting_record(found))
        else:
            self.say(f"#{found.pk} is taken back")
        return 0


def _wanted(options: dict[str, Any]) -> Target:
    """Return the request of a command line."""
    kinds = Forgetting.Kind
    text, path, seq = "", options["file"] or "", options["version_at"] or 0
    if options["text"] is not None:
        kind, text = kinds.TEXT, _read(options["text"])
    elif options["regex"] is not None:
        kind, text = kinds.REGEX, _read(options["regex"])
    elif options["entry"]:
        kind, text = kinds.ENTRY, options["entry"]
    elif path:
        kind = kinds.VERSION if seq else kinds.FILE
    else:
        raise CommandError("say what: --text, --regex, --file or --entry")
    minutes = options["minutes"]
    if minutes is not None and minutes < 0:
        raise CommandError("--minutes is a whole number from 0")
    return Target(
        kind=kind.value,
        text=text,
        path=path,
        seq=seq,
        reason=options["why"],
        keep_files=options["keep_files"],
        minutes=minutes,
    )


def _read(text: str) -> str:
    """Return the text to forget; "-" reads it from standard input, hidden from `ps`."""
    return sys.stdin.read().rstrip("\r\n") if text == "-" else text
