"""A hub whose power is cut: ``python -m tests.power_cut work|again DATA ROOT OUT``.

`work` does calls with keys, and before each sync of a file puts into OUT what a cut at
that moment would leave: the database with its log as they were last synced; the
workspace both as the system has it and as it was last synced; which calls were
answered. SQLite's own syncs, of checkpoints, do not count.
`again` makes all calls anew, with their keys, on what such a cut left.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django

CALLS = 6
DATABASE = ("memoryhub.sqlite3", "memoryhub.sqlite3-wal")


def calls() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give key, tool and request of each call."""
    for number in range(CALLS):
        # No line end: what is not looked for where it stands is not found again.
        yield f"note-{number}", "memory_append", {"content": f"- NOTE {number} END"}
    save = {"goal": "GOAL of ours.", "phase": "testing", "next_steps": ["Go on"]}
    yield "save", "snapshot_save", save
    point = {"action": "checkpoint", "topic": "relay", "status": "STATUS of ours."}
    yield "point", "context_snap", point


@dataclass(slots=True)
class Disk:
    """What is synced by now, and what a cut before the next sync would leave."""

    data: Path
    root: Path
    out: Path
    answered: list[str] = field(default_factory=list)
    cuts: int = 0
    #: What files held when they were last synced, by their inodes.
    synced: dict[int, bytes] = field(default_factory=dict)

    def begin(self) -> None:
        """Take all that lies there for synced."""
        self._take_database()
        shutil.copytree(self.root, self.out / "files")

    def fsync(self, descriptor: int) -> None:
        """Stand for `os.fsync`."""
        self.cut()
        place = Path(f"/proc/self/fd/{descriptor}").readlink()
        if place.name == DATABASE[1]:
            self._take_database()
        elif place.is_file() and place.is_relative_to(self.root):
            self.synced[place.stat().st_ino] = place.read_bytes()
            self._take_file(place)
        elif place.is_dir() and place.is_relative_to(self.root):
            # Names are of the folder: a file that changed its own is synced by now.
            for entry in filter(Path.is_file, place.iterdir()):
                self._take_file(entry)

    def _take_file(self, place: Path) -> None:
        data = self.synced.get(place.stat().st_ino)
        if data is not None:
            copy = self.out / "files" / place.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            _write_anew(copy, data)

    def cut(self) -> None:
        """Put aside what there would be if the power went now."""
        left = self.out / f"cut-{self.cuts:03}"
        shutil.copytree(self.out / "database", left / "data")
        shutil.copytree(self.root, left / "ahead", copy_function=_copied)
        shutil.copytree(self.out / "files", left / "behind")
        (left / "answered.json").write_text(json.dumps(self.answered))
        self.cuts += 1

    def _take_database(self) -> None:
        (self.out / "database").mkdir(parents=True, exist_ok=True)
        for name in DATABASE:
            data = (self.data / name).read_bytes()
            _write_anew(self.out / "database" / name, data)


def _copied(source: str, target: str) -> str:
    """Copy a file; one that this process holds by a lease from its open descriptor.

    To open it would wait until the system breaks the lease: 45 seconds.
    """
    try:
        os.close(os.open(source, os.O_RDONLY | os.O_NONBLOCK))
    except BlockingIOError:
        _write_anew(Path(target), _held_bytes(Path(source).stat()))
        return target
    return shutil.copy2(source, target)


def _held_bytes(wanted: os.stat_result) -> bytes:
    for descriptor in (int(entry.name) for entry in Path("/proc/self/fd").iterdir()):
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), wanted):
                return os.pread(descriptor, wanted.st_size, 0)
    raise AssertionError("another process holds the file")


def _write_anew(place: Path, data: bytes) -> None:
    """Write a new file: to truncate one waits for the disk, on some file systems."""
    place.unlink(missing_ok=True)
    place.write_bytes(data)


def main(arguments: list[str]) -> int:
    what, data, root, out = arguments
    django.setup()
    if what == "work":
        _work(Disk(Path(data), Path(root), Path(out)))
    else:
        for key in map(_call, calls()):
            assert key
    return 0


def _work(disk: Disk) -> None:
    from memoryhub.database.schema import ensure_schema
    from memoryhub.sync.engine import sync_workspace
    from memoryhub.workspaces.services.adding import add_workspace

    ensure_schema()
    sync_workspace(add_workspace(disk.root, slug="acme"))
    disk.begin()
    os.fsync = disk.fsync  # type: ignore[assignment]
    for asked in calls():
        disk.answered.append(_call(asked))
    disk.cut()


def _call(asked: tuple[str, str, dict[str, Any]]) -> str:
    from datetime import UTC, datetime

    from memoryhub.journal.models import Workspace
    from memoryhub.people.callers import Caller
    from memoryhub.tools.calling import call, request_of
    from memoryhub.tools.registry import tool_named

    key, name, fields = asked
    now = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    workspace = Workspace.objects.get()
    caller = Caller(workspace, "scout", "scout", "", key, lambda: now)
    tool = tool_named(name)
    call(tool, caller, request_of(tool, fields))
    return key


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
