"""Preparation of files for recording: read, hash, pack, parse. Pure.

A first import prepares in a second process while the first one writes, which prepares,
too, where it would wait. Passing results through a pipe takes a fraction of the time.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from select import select
from subprocess import PIPE, Popen
from typing import NamedTuple, TypeAlias

from memoryhub.disk.files import FileBytes, Stamp, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.packing import PackedBlob, Predecessor, pack
from memoryhub.journal.reading import Reading, read_document
from memoryhub.sync.read.garbage import collect, collected_by_batch
from memoryhub.sync.scan.walk import ScanProblem

_PROTOCOL = pickle.HIGHEST_PROTOCOL
#: Chunks in the hands of the second process: one in work, and one behind it.
_MOST_GIVEN = 2
#: Chunks of outcomes held in memory until it is their turn.
_MOST_PREPARED = 2
#: Run as a command: `multiprocessing` would import the main module again, with all of
#: Django.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from memoryhub.sync.read.preparing import prepare_for_parent; prepare_for_parent()"
)


class Prepared(NamedTuple):
    """A file's version, ready to be recorded."""

    stamp: Stamp
    packed: PackedBlob
    reading: Reading


#: A version, or the problem of a file that could not be read.
Outcome: TypeAlias = Prepared | ScanProblem


def prepare(place: Place, limit: int) -> Outcome:
    """Read a file and prepare its version."""
    try:
        data = read_file(place, limit=limit)
    except UnreadableFile as error:
        return ScanProblem(place.path, "unreadable", error.reason)
    return prepare_bytes(place, data)


def prepare_bytes(
    place: Place, data: FileBytes, before: Predecessor | None = None
) -> Prepared:
    """Prepare a version from bytes already read."""
    return Prepared(
        data.stamp,
        pack(data.data, data.sha256, before),
        read_document(str(place.root), place.path, data.data),
    )


def prepare_apart(
    chunks: Sequence[Sequence[Place]], limit: int
) -> Iterator[list[Outcome]]:
    """Yield the outcomes of each chunk of files, prepared by a second process, too.

    This process prepares the first chunk while the other starts, and others where it
    would wait for it; if that dies, all that remain.
    """
    if not chunks:
        return
    with _child() as child:
        first = _prepare_all(chunks[0], limit)
        shared = _Shared(child, chunks, limit)
        yield first
        for number in range(1, len(chunks)):
            yield shared.outcomes_of(number)


@collected_by_batch()
def prepare_for_parent() -> None:
    """Run as the second process: read chunks, then write the outcomes of those asked.

    It works ahead only as far as the pipe takes, and ends when the reader does.
    """
    chunks, limit = pickle.load(sys.stdin.buffer)
    try:
        for number in sys.stdin.buffer:
            outcomes = _prepare_all(chunks[int(number)], limit)
            pickle.dump(outcomes, sys.stdout.buffer, _PROTOCOL)
            sys.stdout.buffer.flush()
            collect()
    except BrokenPipeError:
        os._exit(0)


class _Shared:
    """Chunks shared by two processes; their outcomes are asked for in order."""

    def __init__(
        self, child: Popen[bytes], chunks: Sequence[Sequence[Place]], limit: int
    ) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._to, self._from = child.stdin, child.stdout
        self._chunks, self._limit = chunks, limit
        #: The first chunk that neither process was given; the first of all is prepared.
        self._next = 1
        self._given: deque[int] = deque()
        self._prepared: dict[int, list[Outcome]] = {}
        self._is_alive = True
        with self._child_may_die():
            # Later only numbers are sent, which fit into the pipe at any time: with
            # larger tasks both ends could wait for the other to empty a full one.
            pickle.dump((chunks, limit), self._to, _PROTOCOL)
            self._give()

    def outcomes_of(self, number: int) -> list[Outcome]:
        """Return the outcomes of the next chunk."""
        while self._is_alive and number not in self._prepared:
            with self._child_may_die():
                self._work(number)
        if (outcomes := self._prepared.pop(number, None)) is None:
            return _prepare_all(self._chunks[number], self._limit)
        return outcomes

    def _work(self, number: int) -> None:
        """Take the outcomes of a chunk from the other process, or prepare one."""
        behind = self._next < len(self._chunks) and len(self._prepared) < _MOST_PREPARED
        is_given = number in self._given
        if is_given and not (behind and self._must_wait()):
            self._prepared[number] = pickle.load(self._from)
            self._given.popleft()
        else:
            mine, self._next = self._next, self._next + 1
            self._prepared[mine] = _prepare_all(self._chunks[mine], self._limit)
        self._give()

    def _give(self) -> None:
        while len(self._given) < _MOST_GIVEN and self._next < len(self._chunks):
            self._given.append(self._next)
            self._to.write(b"%d\n" % self._next)
            self._to.flush()
            self._next += 1

    def _must_wait(self) -> bool:
        """Return whether the other process has no outcomes yet.

        What is buffered here does not count: it is the beginning of some.
        """
        return not select([self._from], (), (), 0)[0]

    @contextmanager
    def _child_may_die(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError, pickle.UnpicklingError):
            self._is_alive = False


def _prepare_all(chunk: Sequence[Place], limit: int) -> list[Outcome]:
    return [prepare(place, limit) for place in chunk]


@contextmanager
def _child() -> Iterator[Popen[bytes]]:
    """Run the second process in its own session: Ctrl-C reaches only the first."""
    command = [sys.executable, "-c", _PROGRAM, *sys.path]
    with Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True) as child:
        try:
            yield child
        finally:
            child.kill()
