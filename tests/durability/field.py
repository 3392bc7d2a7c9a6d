"""Where a hub is killed, what it does there, and what must hold afterwards.

An act is done in a process of its own, step by step; after each step its key is put on
the list of what was acknowledged. After a kill the next run settles what was left and
every step is tried again with its key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from memoryhub.journal.blobs import blob_bytes
from memoryhub.journal.models import Revision, Workspace
from memoryhub.people.callers import Caller
from memoryhub.repair.checkup import check_database
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import projected, rebuild
from memoryhub.sync.scan.walk import scan
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from memoryhub.workspaces.services.adding import add_workspace

LOG, TOPIC = "memory/2026-11-20.md", "memory/context-everybody.md"
_STEPS = 6
_HEAD = "# 2026-11-20\n\n## 09:00 - Start\n" + "- a line of the log\n" * 40


@dataclass(frozen=True, slots=True)
class Field:
    """Where it happens: the workspace's folder, the hub's, and the acknowledgements."""

    root: Path
    data: Path
    chance: Random

    @property
    def acks(self) -> Path:
        return self.data.parent / "acknowledged"

    @property
    def over(self) -> Path:
        """Return the file that is there once a round's work has ended."""
        return self.data.parent / "over"

    def workspace(self) -> Workspace:
        return add_workspace(self.root)

    def acknowledge(self, key: str) -> None:
        """Note that a step was answered; it survives a kill."""
        descriptor = os.open(self.acks, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(descriptor, f"{key}\n".encode())
        os.close(descriptor)

    def acknowledged(self) -> list[str]:
        """Return the keys of the steps that were answered, each once."""
        with suppress(FileNotFoundError):
            return list(dict.fromkeys(self.acks.read_text().split()))
        return []


@dataclass(frozen=True, slots=True)
class Act:
    """Something a hub does: prepared once, done in rounds, settled, and checked.

    `before` is what other programs do before a round, `meanwhile` what they do during
    it; `work` is killed at any moment; `again` is the run after it.
    """

    prepare: Callable[[Field], None]
    work: Callable[[Field, int], None]
    check: Callable[[Field], None] = lambda field: None
    before: Callable[[Field, int], None] = lambda field, number: None
    meanwhile: Callable[[Field, int], None] | None = None
    again: Callable[[Field, int], None] | None = None
    writer: str = ""


def settled(field: Field, act: Act, number: int) -> None:
    """Do what the run after a kill does: import, and try every step again."""
    sync_workspace(field.workspace())
    (act.again or act.work)(field, number)


def holds(field: Field, act: Act) -> None:
    """Check what is promised of every hub, then what the act promises."""
    workspace = field.workspace()
    sync_workspace(workspace)
    wrong = [finding for finding in check_database() if not finding.holds]
    assert not wrong, wrong
    disk, journal = _on_disk(field.root), _in_the_journal(workspace)
    differ = {path for path in {*disk, *journal} if disk.get(path) != journal.get(path)}
    assert not differ, {path: (path in disk, path in journal) for path in differ}
    assert not list(field.root.rglob(".*memoryhub-*")), "a draft was left behind"
    act.check(field)
    rows = _rows(workspace)
    rebuild(workspace)
    again = _rows(workspace)
    other = {
        name: (rows[name] - again[name], again[name] - rows[name]) for name in rows
    }
    assert not any(map(any, other.values())), f"a rebuild gives other rows: {other}"


def _on_disk(root: Path) -> dict[str, bytes]:
    """Return the files that an import takes: no JSON outside memory folders."""
    return {file.path: (root / file.path).read_bytes() for file in scan(root).found}


def _in_the_journal(workspace: Workspace) -> dict[str, bytes]:
    newest: dict[str, Revision] = {}
    for revision in workspace.revisions.select_related("blob").order_by("seq"):
        newest[revision.path] = revision
        newest.pop(revision.moved_from, None)
    return {
        path: blob_bytes(revision.blob)
        for path, revision in newest.items()
        if revision.kind != Revision.Kind.DELETED and revision.blob
    }


def _rows(workspace: Workspace) -> dict[str, set[str]]:
    return {
        model.__name__: set(
            map(repr, model._default_manager.filter(workspace=workspace).values())
        )
        for model in projected()
    }


def keys(name: str, number: int) -> Iterator[str]:
    yield from (f"{name}-{number:04d}-{step}" for step in range(_STEPS))


def notes(field: Field) -> None:
    for path, text in {LOG: _HEAD, TOPIC: "# everybody\n"}.items():
        place = field.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    workspace = field.workspace()
    sync_workspace(workspace)
    # Nothing is to leave a file by its limits, so that it can be counted.
    workspace.max_decisions = workspace.max_history = 1_000_000
    workspace.save()


def asked(field: Field, tool: str, key: str, **fields: object) -> None:
    caller = Caller(field.workspace(), "builder", "builder", key=key)
    call(tool_named(tool), caller, request_of(tool_named(tool), fields))
    field.acknowledge(key)


def stands_once(field: Field, path: str) -> None:
    text = (field.root / path).read_text(encoding="utf-8")
    counts = {key: text.count(key) for key in field.acknowledged()}
    wrong = {key: count for key, count in counts.items() if count != 1}
    assert not wrong, f"acknowledged, and not there once: {wrong}"
