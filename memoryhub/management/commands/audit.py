"""``memoryhub audit``: list the audit log, export it, verify its chain."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.audit.chain import Head, Verdict, verify
from memoryhub.audit.models import AuditEntry
from memoryhub.audit.queries import COLUMNS, KINDS, Wanted, csv_lines
from memoryhub.errors.terminal import quoted
from memoryhub.management.command import HubCommand

_ACTIONS = ("list", "csv", "verify")


class Command(HubCommand):
    help = (
        "List who did what, newest first; print all of it as CSV; or verify that no"
        " entry was changed or removed, with exit code 1 if one was."
    )
    example = "memoryhub audit list --kind token --since 2026-11-01"
    reads = True
    drains = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=_ACTIONS, help="action to perform")
        parser.add_argument("--actor", default="", help="person, agent or program")
        parser.add_argument("--kind", default="", choices=KINDS, help="kind of action")
        parser.add_argument("--workspace", default="", metavar="S", help="short name")
        parser.add_argument(
            "--outcome", default="", choices=AuditEntry.Outcome.values, help="outcome"
        )
        parser.add_argument("--since", type=_day, metavar="DATE", help="first day, UTC")
        parser.add_argument("--until", type=_day, metavar="DATE", help="day after, UTC")
        parser.add_argument(
            "--limit", type=int, default=50, help="list: most entries (default: 50)"
        )
        parser.add_argument(
            "--head",
            type=_head,
            metavar="N:HASH",
            help="verify: an entry that an earlier verify printed; it must still be"
            " there",
        )
        parser.add_argument("--json", action="store_true", help="print JSON lines")

    def audited_as(self, options: dict[str, Any]) -> str:
        return "export.audit" if options["action"] == "csv" else ""

    def work(self, **options: Any) -> int:
        if options["action"] == "verify":
            return self._verify(verify(options["head"]), as_json=options["json"])
        names = ("actor", "kind", "workspace", "outcome", "since", "until")
        wanted = Wanted(**{name: options[name] for name in names})
        if options["action"] == "csv":
            for line in csv_lines(wanted):
                self.tell(line)
            return 0
        try:
            entries = list(wanted.rows()[: max(options["limit"], 0)])
        except (AttributeError, TypeError, ValueError) as error:
            raise CommandError(
                "the time of an entry was changed in the database, and cannot be read:"
                " memoryhub audit verify names the first changed entry"
            ) from error
        for entry in entries:
            self._list(entry, as_json=options["json"])
        return 0

    def _list(self, entry: AuditEntry, *, as_json: bool) -> None:
        if as_json:
            self.give({name: getattr(entry, name) for name in COLUMNS})
            return
        who = " ".join(filter(None, (entry.actor or "-", entry.token, entry.command)))
        place = " ".join(filter(None, (entry.door, entry.address)))
        subject = quoted(entry.subject) if entry.subject else ""
        what = " ".join(filter(None, (entry.workspace, subject, entry.detail)))
        when = f"{entry.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        self.say(
            f"{entry.pk}  {when}  {quoted(who)}  {place}  {entry.action}"
            f"  {entry.outcome}  {what}".rstrip()
        )

    def _verify(self, found: Verdict, *, as_json: bool) -> int:
        if as_json:
            self.give(
                {
                    "whole": found.fault is None,
                    "entries": found.entries,
                    "first": found.first,
                    "head": str(found.head),
                    "redacted": found.redacted,
                    "fault": found.fault and found.fault.kind,
                    "number": found.fault and found.fault.number,
                }
            )
        elif found.fault:
            fault = found.fault
            self.say(f"Entry {fault.number} was {_WORDS[fault.kind]}")
        else:
            self.say(f"{found.entries} entries from {found.first} on are whole")
            if found.redacted:
                self.say(f"Subjects redacted by a forgetting: {found.redacted}")
            self.say(f"Head: {found.head}")
        return 1 if found.fault else 0


_WORDS = {
    "missing": "removed, or one before it",
    "changed": "changed",
    "replaced": "replaced: it is not the one whose hash was given",
}


def _day(text: str) -> datetime:
    try:
        return timezone.make_aware(datetime.strptime(text, "%Y-%m-%d"), UTC)
    except ValueError as error:
        raise CommandError(f"{text} is no date such as 2026-11-20") from error


def _head(text: str) -> Head:
    number, _, sha = text.partition(":")
    if not (number.isdigit() and len(sha) == 64):
        raise CommandError(f"{text} is no head as verify prints it")
    return Head(int(number), sha)
