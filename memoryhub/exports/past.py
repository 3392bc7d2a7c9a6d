"""A hub as it was at a past time, in a process of its own.

Its database is a copy whose journal ends at that time and is replayed: what a later
version says, or forgot to say, has no part in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q

import memoryhub
from memoryhub.backups.contents import copy_database
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.record.projection import rebuild

#: What the process does: end the journal, then run a command.
_SCRIPT = """
import json, sys
import django
django.setup()
from memoryhub.cli import main
from memoryhub.exports.past import end_journal
slug, seq, sys.argv[1:] = json.loads(sys.argv[1])
end_journal(slug, seq)
sys.exit(main())
"""


def moment_of(text: str, time_zone: str) -> datetime:
    """Parse the time that an export is of, to UTC; a day means its end.

    A time without a zone is in `time_zone`, the workspace's.

    Raises:
        ValueError: No time, or outside the years of `datetime`.
    """
    written = text.strip()
    moment = datetime.fromisoformat(written)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(time_zone))
    if len(written) <= len("2026-11-20"):
        moment = datetime.combine(moment, time.max, moment.tzinfo)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error


def seq_at(workspace: Workspace, moment: datetime) -> int:
    """Return the last journal entry of versions up to a time; 0 if there was none."""
    known = workspace.revisions.filter(recorded_at__lte=moment)
    return int(known.aggregate(seq=Max("seq"))["seq"] or 0)


def run_at(workspace: Workspace, seq: int, words: Sequence[str]) -> int:
    """Run a command of the hub as of a journal entry; return its exit code.

    Its output is that of this process. `words` are the command and its arguments.
    """
    with tempfile.TemporaryDirectory(prefix="memoryhub-past-") as folder:
        database = Path(str(settings.DATABASES["default"]["NAME"]))
        copy_database(database, Path(folder, database.name))
        sys.stdout.flush()
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, json.dumps([workspace.slug, seq, words])],
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
                "MEMORYHUB_DATA": folder,
                "PYTHONPATH": str(Path(memoryhub.__path__[0]).parent),
            },
            check=False,
        )
    return done.returncode


def end_journal(slug: str, seq: int) -> None:
    """End a workspace's journal with an entry, for good, and replay it."""
    workspace = Workspace.objects.get(slug=slug)
    with transaction.atomic():
        later = Q(seq__gt=seq) | Q(version_seq__gt=seq)
        Operation.objects.filter(later, workspace=workspace).delete()
        workspace.revisions.filter(seq__gt=seq).delete()
        workspace.runs.filter(last_seq__gt=seq).delete()
        workspace.last_seq = seq
        workspace.save(update_fields=["last_seq"])
    rebuild(workspace)
