"""Preparation of files for recording: read, hash, pack, parse. Pure.

A first import prepares in a second process while the first one writes: each is busy
half of the time, and passing results through a pipe takes a fraction of it.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from subprocess import PIPE, Popen
from typing import NamedTuple, TypeAlias

from memoryhub.disk.files import FileBytes, Stamp, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.packing import PackedBlob, Predecessor, pack
from memoryhub.journal.reading import Reading, read_document
from memoryhub.sync.read.garbage import collect, collected_by_batch
from memoryhub.sync.scan.walk import ScanProblem

_PROTOCOL = pickle.HIGHEST_PROTOCOL
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
    """Yield the outcomes of each chunk of files, prepared in a second process.

    The first chunk is prepared in this process while the other starts; if that dies, so
    are the remaining ones.
    """
    if not chunks:
        return
    with _child() as child:
        yield _prepare_all(chunks[0], limit)
        rest, given = chunks[1:], 0
        try:
            for outcomes in _outcomes(child, rest, limit):
                given += 1
                yield outcomes
        except (EOFError, OSError, pickle.UnpicklingError):
            for chunk in rest[given:]:
                yield _prepare_all(chunk, limit)


@collected_by_batch()
def prepare_for_parent() -> None:
    """Run as the second process: read tasks, write outcomes chunk by chunk.

    It works ahead only as far as the pipe takes, and ends when the reader does.
    """
    chunks, limit = pickle.load(sys.stdin.buffer)
    try:
        for chunk in chunks:
            pickle.dump(_prepare_all(chunk, limit), sys.stdout.buffer, _PROTOCOL)
            sys.stdout.buffer.flush()
            collect()
    except BrokenPipeError:
        os._exit(0)


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


def _outcomes(
    child: Popen[bytes], chunks: Sequence[Sequence[Place]], limit: int
) -> Iterator[list[Outcome]]:
    """Send all tasks at once and yield the outcomes of each chunk.

    Sent one by one, both ends could wait for the other to empty a full pipe.
    """
    assert child.stdin is not None
    assert child.stdout is not None
    pickle.dump((chunks, limit), child.stdin, _PROTOCOL)
    child.stdin.close()
    for _ in chunks:
        yield pickle.load(child.stdout)
