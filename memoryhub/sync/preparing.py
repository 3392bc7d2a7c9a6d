"""Files made ready to be recorded: read, hashed, packed, parsed. Pure.

A first import prepares in a second process while the first one writes: each is busy
half of the time, and what is prepared crosses a pipe in a fraction of it.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple, TypeAlias

from memoryhub.files import FileBytes, Stamp, UnreadableFile, read_file
from memoryhub.workspaces.packing import PackedBlob, Predecessor, pack
from memoryhub.workspaces.reading import Reading, read_document


class Task(NamedTuple):
    """A file to prepare: where it lies, and its path in the workspace."""

    place: str
    path: str


class Prepared(NamedTuple):
    """A file's version, ready to be recorded."""

    stamp: Stamp
    packed: PackedBlob
    reading: Reading


class Failed(NamedTuple):
    """A file that could not be read, and why."""

    reason: str


Outcome: TypeAlias = Prepared | Failed


def prepare(task: Task, limit: int) -> Outcome:
    """Read a file and make its version ready."""
    try:
        data = read_file(task.place, limit=limit)
    except UnreadableFile as error:
        return Failed(error.reason)
    return prepare_bytes(task.path, data)


def prepare_bytes(
    path: str, data: FileBytes, before: Predecessor | None = None
) -> Prepared:
    """Make a version ready that was read already."""
    return Prepared(
        data.stamp,
        pack(data.data, data.sha256, before),
        read_document(path, data.data),
    )


def prepare_apart(
    chunks: Sequence[Sequence[Task]], limit: int
) -> Iterator[list[Outcome]]:
    """Give the outcomes of each chunk of tasks, prepared in a second process.

    Should that process die, the rest is prepared in this one.
    """
    given = 0
    try:
        for outcomes in _from_child(chunks, limit):
            given += 1
            yield outcomes
    except (EOFError, OSError):
        for chunk in chunks[given:]:
            yield [prepare(task, limit) for task in chunk]


def _from_child(
    chunks: Sequence[Sequence[Task]], limit: int
) -> Iterator[list[Outcome]]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(there, chunks, limit), daemon=True)
    child.start()
    there.close()
    try:
        for _ in chunks:
            yield here.recv()
    finally:
        here.close()
        child.join(timeout=5)


def _work(outcomes: Connection, chunks: Sequence[Sequence[Task]], limit: int) -> None:
    """Prepare chunks until the other end is closed, if only by its death.

    All tasks come at the start: were they sent one by one, both ends could wait for
    the other to take what fills the pipe. That is also what keeps it from going far
    ahead.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for chunk in chunks:
            outcomes.send([prepare(task, limit) for task in chunk])
    except OSError:
        return
