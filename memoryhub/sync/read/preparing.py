"""Preparation of files for recording: read, hash, pack, parse. Pure.

A first import prepares in other processes while this one writes, which prepares, too,
where it would wait. Passing results through a pipe takes a fraction of the time.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
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
#: Preparing takes two to three times as long as writing: more would wait for that. One
#: more is worth its start and its 60 MB for so many chunks.
_MOST_CHILDREN, _WORTH_A_CHILD = 3, 4
#: Chunks in the hands of a process: one in work, and one behind it.
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
    known = before.identified if before else None
    return Prepared(
        data.stamp,
        pack(data.data, data.sha256, before),
        read_document(str(place.root), place.path, data.data, known),
    )


def prepare_apart(
    chunks: Sequence[Sequence[Place]], limit: int
) -> Iterator[list[Outcome]]:
    """Yield the outcomes of each chunk of files, prepared by other processes, too.

    This process prepares the first chunk while they start, and others where it would
    wait for one; if they die, all that remain.
    """
    if not chunks:
        return
    with ExitStack() as stack:
        started = [stack.enter_context(_child()) for _ in range(_children_for(chunks))]
        first = _prepare_all(chunks[0], limit)
        shared = _Shared(chunks, limit, started)
        yield first
        for number in range(1, len(chunks)):
            yield shared.outcomes_of(number)


def _children_for(chunks: Sequence[Sequence[Place]]) -> int:
    """Return how many processes to start: one core is left to this one."""
    here = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if here else os.cpu_count() or 1
    return max(1, min(cores - 1, _MOST_CHILDREN, len(chunks) // _WORTH_A_CHILD))


@collected_by_batch()
def prepare_for_parent() -> None:
    """Run as another process: read chunks, then write the outcomes of those asked.

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


class _Child:
    """Another process with the numbers of the chunks that it was given, in order."""

    def __init__(self, process: Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout
        self.given: deque[int] = deque()

    def tell(self, chunks: Sequence[Sequence[Place]], limit: int) -> None:
        """Send all tasks.

        Later only numbers are sent, which fit into the pipe at any time: with larger
        tasks both ends could wait for the other to empty a full one.
        """
        pickle.dump((chunks, limit), self._to, _PROTOCOL)
        self._to.flush()

    def give(self, number: int) -> None:
        self._to.write(b"%d\n" % number)
        self._to.flush()
        self.given.append(number)

    def take(self) -> list[Outcome]:
        """Return the outcomes of the first chunk given; waits for them."""
        outcomes: list[Outcome] = pickle.load(self._from)
        self.given.popleft()
        return outcomes

    def must_be_waited_for(self) -> bool:
        """Return whether it has no outcomes yet.

        What is buffered here does not count: it is the beginning of some.
        """
        return not select([self._from], (), (), 0)[0]


class _Shared:
    """Chunks shared by several processes; their outcomes are asked for in order."""

    def __init__(
        self,
        chunks: Sequence[Sequence[Place]],
        limit: int,
        processes: Iterable[Popen[bytes]],
    ) -> None:
        self._chunks, self._limit = chunks, limit
        #: The first chunk that no process was given; the first of all is prepared.
        self._next = 1
        self._prepared: dict[int, list[Outcome]] = {}
        self._children = [*map(_Child, processes)]
        for child in (*self._children,):
            with self._may_die(child):
                child.tell(chunks, limit)
        self._give()

    def outcomes_of(self, number: int) -> list[Outcome]:
        """Return the outcomes of the next chunk."""
        while number not in self._prepared:
            child = next((one for one in self._children if number in one.given), None)
            if child is None and number < self._next:
                # The process that had it died.
                self._prepare(number)
            elif child is None or (self._may_go_ahead() and child.must_be_waited_for()):
                self._next += 1
                self._prepare(self._next - 1)
            else:
                with self._may_die(child):
                    self._prepared[number] = child.take()
            self._give()
        return self._prepared.pop(number)

    def _may_go_ahead(self) -> bool:
        is_left = self._next < len(self._chunks)
        return is_left and len(self._prepared) < _MOST_PREPARED

    def _prepare(self, number: int) -> None:
        self._prepared[number] = _prepare_all(self._chunks[number], self._limit)

    def _give(self) -> None:
        """Give chunks to the processes that have fewer than they may hold."""
        for held in range(_MOST_GIVEN):
            for child in (*self._children,):
                if len(child.given) == held and self._next < len(self._chunks):
                    self._next += 1
                    with self._may_die(child):
                        child.give(self._next - 1)

    @contextmanager
    def _may_die(self, child: _Child) -> Iterator[None]:
        """Drop a process that proves to be dead, with the chunks that it was given."""
        try:
            yield
        except (EOFError, OSError, pickle.UnpicklingError):
            self._children.remove(child)


def _prepare_all(chunk: Sequence[Place], limit: int) -> list[Outcome]:
    return [prepare(place, limit) for place in chunk]


@contextmanager
def _child() -> Iterator[Popen[bytes]]:
    """Run another process in its own session: Ctrl-C reaches only the first."""
    command = [sys.executable, "-c", _PROGRAM, *sys.path]
    with Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True) as child:
        try:
            yield child
        finally:
            child.kill()
            assert child.stdin is not None
            # What a dead process did not read cannot be flushed.
            with suppress(BrokenPipeError):
                child.stdin.close()
