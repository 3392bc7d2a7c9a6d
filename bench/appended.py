"""Measure one appended line: ``python -m bench.appended FOLDER``, printed as JSON.

A workspace of fifty files and one log is made below FOLDER for each kind of log; then
an entry is appended and synced, several times. MEMORYHUB_DATA is at an empty folder.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
django.setup()

from bench import dialects  # noqa: E402
from bench.prose import Prose  # noqa: E402
from bench.writes import Figures, floor_of, milliseconds  # noqa: E402
from memoryhub.database.schema import ensure_schema  # noqa: E402
from memoryhub.journal.models import Workspace  # noqa: E402
from memoryhub.sync.engine import sync_workspace  # noqa: E402
from memoryhub.workspaces.services.adding import add_workspace  # noqa: E402

_DAY = datetime(2026, 3, 1, tzinfo=UTC)
_FILES, _TURNS = 50, 8
_PROSE = Prose(Random(3))


def dated_entry(number: int) -> str:
    prose, at = _PROSE, _DAY + timedelta(seconds=number * 4)
    said = f"{prose.sentence()} {prose.sentence()}\n{prose.sentence()}"
    return f"## {at:%H:%M} {prose.name(3)}\n\n{said}\n\n"


def _line(number: int) -> str:
    at = _DAY + timedelta(seconds=number * 2)
    return f"- {at:%H:%M} {_PROSE.sentence()[:40]}\n"


#: Kinds of logs: how an entry is written, and their number.
LOGS: dict[str, tuple[Callable[[int], str], int]] = {
    "a log of 135 kB": (dated_entry, 440),
    "a log of 5 MB": (dated_entry, 18_000),
    "a dense log of 2 MB": (_line, 40_000),
}


def measure(folder: Path) -> Figures:
    """Return CPU milliseconds of a sync behind an appended entry, with their floor."""
    ensure_schema()
    figures: Figures = {}
    for number, (name, (entry, count)) in enumerate(LOGS.items()):
        root = folder / str(number)
        log = root / "memory" / f"{_DAY:%Y-%m-%d}.md"
        log.parent.mkdir(parents=True)
        for back in range(1, _FILES + 1):
            day = _DAY - timedelta(days=back)
            path = log.with_name(f"{day:%Y-%m-%d}.md")
            path.write_text(dialects.daily_log(_PROSE, day))
        log.write_text(f"# {_DAY:%Y-%m-%d}\n\n" + "".join(map(entry, range(count))))
        workspace = add_workspace(root, slug=f"log-{number}")
        sync_workspace(workspace)
        times = []
        for turn in range(_TURNS):
            with log.open("a") as file:
                file.write(entry(count + turn))
            fresh = Workspace.objects.get(pk=workspace.pk)
            times.append(milliseconds(partial(sync_workspace, fresh)))
        figures[name] = statistics.quantiles(times[1:], n=4)[0]
        figures[f"{name}, floor"] = floor_of(log.read_bytes(), folder)
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
