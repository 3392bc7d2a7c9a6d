"""``memoryhub status``: contents and freshness of each workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db.models import Count
from django.utils import timezone
from django.utils.timesince import timesince

from memoryhub.backups.ledger import Backups, known_backups
from memoryhub.errors.terminal import counted, quoted
from memoryhub.hooks.spool import Contents, contents
from memoryhub.journal.models import Operation, Problem, SourceFile, Workspace
from memoryhub.journal.problems import current_problems
from memoryhub.management.command import (
    HubCommand,
    add_workspace_argument,
    named_workspaces,
)
from memoryhub.management.commands.backup import as_json as taken_json
from memoryhub.management.commands.sync import place_of
from memoryhub.notices.channels import ChannelState, channel_states
from memoryhub.notices.services import WebhookState, webhook, webhook_state
from memoryhub.repair.checkup import look_at_database
from memoryhub.sync.edit.holding import held_paths
from memoryhub.sync.record.projection import current_version
from memoryhub.timeline.queries.turns import counts_of, turn_facts, turns_of
from memoryhub.web.kit.labels import problem_text

_SHOWN_PROBLEMS = 20


class Command(HubCommand):
    help = (
        "Show the state of one workspace or of all: files, imports, problems, backups."
    )
    reads = True
    example = "memoryhub status --json"

    def add_arguments(self, parser: CommandParser) -> None:
        add_workspace_argument(parser, or_all=True)
        parser.add_argument(
            "--problems", action="store_true", help="list every open problem"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def work(self, **options: Any) -> int:
        look = look_at_database()
        damaged = 1 if look.sound is False else 0
        if damaged:
            self.complain(f"memoryhub: {problem_text('database-damaged', {})}")
        workspaces = named_workspaces(options["workspace"])
        described = [describe(workspace) for workspace in workspaces]
        data = Path(settings.READ_ONLY_DATA or settings.MEMORYHUB_DATA)
        size = database_size(data)
        left = contents(data)
        backups = known_backups(Path(settings.MEMORYHUB_DATA))
        delivery = webhook_state() if webhook() else None
        channels = channel_states()
        if options["json"]:
            if options["problems"]:
                for workspace, entry in zip(workspaces, described, strict=True):
                    entry["problems"] = [_as_json(p) for p in _problems(workspace)]
            self.give(
                {
                    "data": str(data),
                    "database_bytes": size,
                    "database": look._asdict(),
                    "hooks": left.as_json(),
                    "backup": _backup_json(backups),
                    "webhook": delivery and _webhook_json(delivery),
                    "channels": [channel_json(one) for one in channels],
                    "workspaces": described,
                }
            )
            return damaged
        for workspace, entry in zip(workspaces, described, strict=True):
            self._print_result(workspace, entry, everything=options["problems"])
        if not workspaces:
            self.say("There is no workspace yet: memoryhub add PATH")
        if line := hooks_line(left):
            self.say(line)
        for line in _delivery_lines(delivery, channels):
            self.say(line)
        self.say(f"Backup: {_backup_line(backups)}")
        self.say(f"Database: {size / 1_000_000:.1f} MB in {quoted(str(data))}")
        if look.detail:
            self.say(f"  {look.detail}")
        return damaged

    def _print_result(
        self, workspace: Workspace, entry: dict[str, Any], *, everything: bool
    ) -> None:
        gone = "" if entry["root_exists"] else " (not there)"
        self.say(f"{workspace.slug}: {quoted(workspace.root)}{gone}")
        run = entry["last_import"]
        self.say(
            f"  {counted(entry['files'], 'file')},"
            f" {entry['journal_entries']} journal entries,"
            + (
                f" Import #{run['number']} {_ago(datetime.fromisoformat(run['at']))}"
                if run
                else " no import"
            )
        )
        if behind := entry["rows_behind"]:
            sync = f"memoryhub sync {workspace.slug}"
            self.say(f"  {behind} journal entries not read by this version: {sync}")
        elif roles := entry["roles"]:
            parts = (f"{n} {role}" for role, n in roles.items())
            self.say(f"  by role: {', '.join(parts)}")
        self.say(f"  looked at {_ago(workspace.checked_at)}")
        if entry["needs_answer"] or entry["looks_stuck"]:
            self.say(
                f"  needs your answer: {entry['needs_answer']},"
                f" looks stuck: {entry['looks_stuck']}"
            )
        if number := entry["staged_operations"]:
            self.say(
                f"  {counted(number, 'edit')} to be written:"
                f" memoryhub export {workspace.slug} --write"
            )
        if entry["open_problems"]:
            number = entry["open_problems"]
            self.say(f"  {counted(number, 'open problem')}")
            problems = _problems(workspace)
            shown = problems if everything else problems[:_SHOWN_PROBLEMS]
            for problem in shown:
                text = problem_text(problem.code_name, problem.parameters)
                self.say(f"    {place_of(problem)}: {text}")
            if len(shown) < len(problems):
                more = len(problems) - len(shown)
                self.say(f"    and {more} more: memoryhub status --problems")
            held = held_paths(workspace)
            for path in held if everything else held[:_SHOWN_PROBLEMS]:
                self.say(f"    held: {quoted(path)}")
            if not everything and (more := len(held) - _SHOWN_PROBLEMS) > 0:
                self.say(f"    and {more} more held: memoryhub status --problems")


def describe(workspace: Workspace) -> dict[str, Any]:
    """Return the figures of a workspace as JSON data."""
    run = workspace.runs.filter(finished_at__isnull=False).first()
    operations = Operation.objects.filter(workspace=workspace)
    is_current = workspace.projection_version == current_version()
    files = SourceFile.objects.filter(workspace=workspace, present=True)
    roles = files.values_list("role").annotate(n=Count("pk")).order_by("-n", "role")
    answers, stuck = counts_of(turns_of(turn_facts(workspace), timezone.now()))
    return {
        "workspace": workspace.slug,
        "name": workspace.name,
        "root": workspace.root,
        "root_exists": Path(workspace.root).is_dir(),
        "files": files.count(),
        "roles": dict(roles),
        "journal_entries": workspace.last_seq,
        "rows_behind": workspace.last_seq - (is_current and workspace.projected_seq),
        "last_import": run
        and {"number": run.number, "at": _iso(run.finished_at), "files": run.files},
        "checked_at": _iso(workspace.checked_at),
        "needs_answer": answers.number,
        "looks_stuck": stuck.number,
        "open_problems": current_problems(workspace).count(),
        "held_files": held_paths(workspace),
        "staged_operations": operations.filter(state=Operation.State.STAGED).count(),
        "pending_operations": operations.filter(state=Operation.State.PENDING).count(),
    }


def hooks_line(left: Contents) -> str:
    """Return a line on undone hook events, "" if there are none."""
    counts = [f"{count} {name}" for name, count in left.as_json().items() if count]
    if not counts:
        return ""
    return f"Events of hooks that were not done: {', '.join(counts)}; memoryhub doctor"


def _delivery_lines(
    delivery: WebhookState | None, channels: Iterable[ChannelState]
) -> Iterator[str]:
    if delivery:
        yield f"Webhook: {_webhook_line(delivery)}"
    for one in channels:
        yield f"Channel {quoted(one.channel.name)}: {channel_line(one)}"


def _webhook_line(delivery: WebhookState) -> str:
    """Return the state of the webhook, a failure first."""
    left = f"{delivery.waiting} to deliver, {delivery.given_up} given up"
    if delivery.is_failing:
        return f"failing, {delivery.error} ({_ago(delivery.tried_at)}); {left}"
    return f"last delivery {_ago(delivery.delivered_at)}; {left}"


def channel_line(found: ChannelState) -> str:
    """Return the state of a channel, a failure first."""
    channel = found.channel
    left = f"{found.waiting} to deliver, {found.given_up} given up"
    if channel.paused:
        return "paused"
    if found.is_failing:
        return f"failing, {channel.error} ({_ago(channel.tried_at)}); {left}"
    return f"last message {_ago(channel.delivered_at)}; {left}"


def channel_json(found: ChannelState) -> dict[str, Any]:
    """Return a channel as JSON data, without its address."""
    channel = found.channel
    return {
        "name": channel.name,
        "service": channel.service,
        "paused": channel.paused,
        "failing": found.is_failing,
        "error": channel.error,
        "tried_at": _iso(channel.tried_at),
        "delivered_at": _iso(channel.delivered_at),
        "waiting": found.waiting,
        "given_up": found.given_up,
    }


def _backup_line(backups: Backups) -> str:
    """Return the state of backups, and the command that mends it."""
    concern, last = backups.concern(timezone.now()), backups.last
    what = f"{quoted(str(last.path))} {_ago(last.at)}" if last else "none"
    if concern == "failed" and backups.failed:
        what += f"; failed {_ago(backups.failed.at)}, {backups.failed.error}"
    if concern == "gone":
        what += ", no longer there"
    return f"{what} (memoryhub backup)" if concern else what


def _backup_json(backups: Backups) -> dict[str, Any]:
    failed = backups.failed
    return {
        "concern": backups.concern(timezone.now()),
        "last": backups.last and taken_json(backups.last),
        "failed": failed and {"at": _iso(failed.at), "error": failed.error},
    }


def _webhook_json(delivery: WebhookState) -> dict[str, Any]:
    return {
        "failing": delivery.is_failing,
        "error": delivery.error,
        "tried_at": _iso(delivery.tried_at),
        "delivered_at": _iso(delivery.delivered_at),
        "waiting": delivery.waiting,
        "given_up": delivery.given_up,
    }


def database_size(data: Path) -> int:
    """Return the size of the database and its write-ahead log in bytes."""
    return sum(path.stat().st_size for path in data.glob("memoryhub.sqlite3*"))


def _problems(workspace: Workspace) -> list[Problem]:
    return list(current_problems(workspace).order_by("path", "line"))


def _as_json(problem: Problem) -> dict[str, Any]:
    return {
        "path": problem.path,
        "line": problem.line,
        "code": problem.code_name,
        "message": problem_text(problem.code_name, problem.parameters),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _ago(moment: datetime | None) -> str:
    if moment is None:
        return "never"
    age = timesince(moment, timezone.now(), depth=1).replace("\xa0", " ")
    return "just now" if age.startswith("0 ") else f"{age} ago"
