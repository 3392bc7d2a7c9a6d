"""``memoryhub doctor``: prove that files come back, and check the database."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

import memoryhub
from memoryhub.backups.restoring import Refused, holds_hub
from memoryhub.database.founding import LostHub, NoHub
from memoryhub.database.schema import hub_source
from memoryhub.hooks.spool import Contents, contents, drop_repeated, take_back
from memoryhub.management.command import Drain, HubCommand
from memoryhub.repair.checkup import Finding, check_database
from memoryhub.repair.repairing import is_log_cut, is_sound, repair
from memoryhub.repair.trial import run_trial
from memoryhub.tools.calling import forget_refusals, was_done
from memoryhub.workspaces.services.adding import add_workspace

_TRIAL_SECONDS = 120
_LOG_IS_CUT = (
    "memoryhub: the write-ahead log of the database is cut off: changes at its end are"
    " lost. memoryhub sync reads the files again, memoryhub restore FILE brings back"
    " the state of a backup"
)


class Command(HubCommand):
    help = (
        "Test in a scratch workspace that files are exported byte for byte, also after"
        " an edit and a rebuild; then check the database and waiting hook events. Your"
        " workspaces are not touched. Exits with 1 if a check fails."
    )
    example = "memoryhub doctor --json"
    # It works off the spool itself, and not in the trial.
    reads = True
    writing = ("retry", "repair")
    drains = False
    #: Set by `prepare`: `--repair` had something to repair.
    _repaired = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON line")
        parser.add_argument(
            "--retry",
            action="store_true",
            help="retry refused hook events first",
        )
        parser.add_argument(
            "--repair",
            action="store_true",
            help="where the database is damaged, make a new one of what is readable;"
            " the damaged one is kept",
        )
        parser.add_argument(
            "--trial",
            metavar="DIR",
            help="only run the scratch test, in this folder and on the database in"
            " MEMORYHUB_DATA",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            super().handle(*args, **options)
        except DatabaseError as error:
            raise CommandError(f"the database cannot be read: {error}") from error

    def audited_as(self, options: dict[str, Any]) -> str:
        wrote = self._repaired or options["retry"]
        return super().audited_as(options) if wrote else ""

    def begins(self, options: dict[str, Any]) -> bool:
        return bool(options["trial"])

    def prepare(self, options: dict[str, Any]) -> None:
        """Continue without a hub: the trial has its own."""
        self._has_hub = True
        if is_log_cut(hub_source().database):
            self.complain(_LOG_IS_CUT)
        if options["repair"]:
            self._repair(options)
        try:
            super().prepare(options)
        except LostHub:
            raise
        except NoHub:
            if options["repair"]:
                raise
            self._has_hub = False

    def _repair(self, options: dict[str, Any]) -> None:
        """Repair the database before any other use of it."""
        source = hub_source()
        if settings.READ_ONLY_DATA or not holds_hub(source.data):
            return
        try:
            if is_sound():
                self._say(options, "The database is sound: nothing to repair")
                return
            self._repaired = True
            for line in repair(timezone.now()):
                self._say(options, line)
        except Refused as error:
            raise CommandError(str(error)) from error
        except (OSError, sqlite3.Error, DatabaseError) as error:
            raise CommandError(f"nothing was repaired: {error}") from error

    def _say(self, options: dict[str, Any], text: str) -> None:
        """Print a line, on standard error if the output is JSON."""
        (self.complain if options["json"] else self.say)(text)

    def work(self, **options: Any) -> int:
        if options["trial"]:
            tried = run_trial(Path(options["trial"]), add_workspace)
            findings: Iterable[Finding] = (Finding(*pair) for pair in tried)
        else:
            if options["retry"]:
                _tried_again(Path(settings.MEMORYHUB_DATA))
            findings = self._examined()
        failed = 0
        shown = []
        for finding in findings:
            failed += not finding.holds
            shown.append(asdict(finding))
            if not options["json"]:
                self._print_result(finding)
        if options["json"]:
            self.give({"holds": not failed, "findings": shown})
        return 1 if failed else 0

    def _examined(self) -> Iterator[Finding]:
        yield from _tried_apart()
        if not self._has_hub:
            return
        yield from check_database(self.progress("database"))
        yield _hooks_delivered(Path(settings.MEMORYHUB_DATA))

    def _print_result(self, finding: Finding) -> None:
        mark = "ok   " if finding.holds else "WRONG"
        detail = f" ({finding.detail})" if finding.detail else ""
        self.say(f"{mark} {finding.name}{detail}")
        self.stdout.flush()


def _tried_again(data: Path) -> None:
    """Requeue refused events.

    Raises:
        CommandError: the spool cannot be changed.
    """
    try:
        forget_refusals(take_back(data))
    except OSError as error:
        raise CommandError(f"the spool cannot be changed: {error}") from error


def _hooks_delivered(data: Path) -> Finding:
    """Deliver waiting events, and report those left with reasons."""
    reasons = Drain()(wait=True)
    with suppress(OSError):
        drop_repeated(data, was_done)
    left = contents(data)
    parts = [*_parts_of(left, reasons)]
    return Finding("every event that hooks told was done", not parts, "; ".join(parts))


def _parts_of(left: Contents, reasons: Mapping[str, str]) -> Iterator[str]:
    if left.waiting:
        why = ", ".join(sorted(set(reasons.values())))
        yield f"{len(left.waiting)} wait{f': {why}' if why else ''}"
    if left.drafts:
        yield f"{len(left.drafts)} are being written, or broke off just now"
    if left.refused:
        yield f"{len(left.refused)} were refused, memoryhub doctor --retry tries again"
    yield from (f"{name}: {reason}" for name, reason in left.refused.items())


def _tried_apart() -> Iterator[Finding]:
    """Run the trial in a process with a database of its own."""
    with tempfile.TemporaryDirectory(prefix="memoryhub-doctor-") as folder:
        scratch = Path(folder).resolve()
        done = subprocess.run(
            [sys.executable, "-m", "django", "doctor", "--json", "--trial", scratch],
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
                "MEMORYHUB_DATA": str(scratch / "data"),
                "PYTHONPATH": str(Path(memoryhub.__path__[0]).parent),
            },
            capture_output=True,
            text=True,
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        last = (done.stderr.splitlines() or ["it said nothing"])[-1]
        yield Finding("the trial in a scratch workspace runs", False, last)
        return
    yield from (Finding(**finding) for finding in json.loads(lines[-1])["findings"])
