"""Preparation of files for recording: read, hash, pack, parse. Pure.

A first import prepares in a second process while this one writes, which takes longer.
Passing results through a pipe takes a fraction of the time.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from subprocess import PIPE, Popen
from typing import IO, NamedTuple, TypeAlias

from memoryhub.disk.files import FileBytes, UnreadableFile
from memoryhub.disk.places import Place, read_file
from memoryhub.journal.packing import PackedBlob, Predecessor, pack
from memoryhub.journal.reading import Reading, read_document
from memoryhub.sync.scan.walk import ScanProblem

#: Run as a command: `multiprocessing` would import the main module again, with all of
#: Django.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from memoryhub.sync.read.preparing import prepare_for_parent; prepare_for_parent()"
)


class Prepared(NamedTuple):
    """A file's version, ready to be recorded; `file` is without its bytes."""

    file: FileBytes
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
    return prepare_bytes(str(place.root), place.path, data)


def prepare_bytes(
    root: str, path: str, data: FileBytes, before: Predecessor | None = None
) -> Prepared:
    """Prepare a version from bytes already read."""
    known = before.identified if before else None
    return Prepared(
        data._replace(data=b""),
        pack(data.data, data.sha256, before),
        read_document(root, path, data.data, known),
    )


def prepare_apart(
    chunks: Sequence[Sequence[Place]], limit: int
) -> Iterator[list[Outcome]]:
    """Yield the outcomes of each chunk of files, prepared by another process.

    This process prepares the first chunk while that starts; if it dies, all that
    remain.
    """
    with _child() as (tasks, outcomes):
        first = _prepare_all(chunks[0], limit)
        with suppress(BrokenPipeError), tasks:
            pickle.dump((chunks[1:], limit), tasks)
        yield first
        for chunk in chunks[1:]:
            try:
                prepared: list[Outcome] = pickle.load(outcomes)
            except (EOFError, pickle.UnpicklingError):
                prepared = _prepare_all(chunk, limit)
            yield prepared


def prepare_for_parent() -> None:
    """Run as another process: read the chunks, then write the outcomes of each.

    It works ahead only as far as the pipe takes, and ends when the reader does.
    """
    gc.disable()
    chunks, limit = pickle.load(sys.stdin.buffer)
    try:
        for chunk in chunks:
            outcomes = _prepare_all(chunk, limit)
            pickle.dump(outcomes, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        os._exit(0)


def _prepare_all(chunk: Sequence[Place], limit: int) -> list[Outcome]:
    return [prepare(place, limit) for place in chunk]


@contextmanager
def _child() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Run another process in its own session: Ctrl-C reaches only the first."""
    command = [sys.executable, "-c", _PROGRAM, *sys.path]
    with Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            yield child.stdin, child.stdout
        finally:
            child.kill()
