"""Reading ahead of a replay: another process parses files while this one writes rows.

Parsing takes two thirds of the CPU of a replay and needs nothing of Django, so the
other process starts within a tenth of a second and holds no database.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from subprocess import PIPE, Popen
from typing import Self, TypeAlias

from memoryhub.journal.reading import Reading, read_document

#: Seq, path and bytes of a version to be parsed.
Version: TypeAlias = tuple[int, str, bytes]

#: Run as a command: `multiprocessing` would import the main module again, with all of
#: Django.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from memoryhub.sync.record.ahead import parse_for_parent; parse_for_parent()"
)


class Ahead:
    """Another process that parses the versions given to it, one group at a time.

    It runs in a session of its own, so that Ctrl-C reaches only the first, and ends
    with its pipe. If it dies, nothing is parsed ahead any more.

    `take` what was given before more is given: both ends of a full pipe would wait.
    """

    def __init__(self, root: str) -> None:
        command = [sys.executable, "-c", _PROGRAM, *sys.path]
        self._root = root
        self._child: Popen[bytes] | None
        self._child = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
        self._given = False

    def give(self, versions: Sequence[Version]) -> None:
        """Let the other process parse versions."""
        if self._child is not None and self._child.stdin is not None:
            with suppress(BrokenPipeError):
                pickle.dump((self._root, versions), self._child.stdin)
                self._child.stdin.flush()
            self._given = True

    def take(self) -> dict[int, Reading]:
        """Return the parsed versions by seq; wait for them."""
        if not self._given or self._child is None or self._child.stdout is None:
            return {}
        self._given = False
        try:
            found: dict[int, Reading] = pickle.load(self._child.stdout)
        except (EOFError, pickle.UnpicklingError):
            self.__exit__()
            return {}
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        """End the other process."""
        if self._child is None:
            return
        self._child.kill()
        # What a dead process has not read is written again when the pipe is closed.
        with suppress(BrokenPipeError), self._child:
            pass
        self._child = None


def parse_for_parent() -> None:
    """Run as another process: parse groups of versions until the pipe ends."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            root, versions = pickle.load(sys.stdin.buffer)
            found = {
                seq: read_document(root, path, data) for seq, path, data in versions
            }
            pickle.dump(found, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()
    os._exit(0)
