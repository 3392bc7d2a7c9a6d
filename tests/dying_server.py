"""A server of hooks that dies at its work: ``python -m tests.dying_server rename:1``.

Argument: at which of its calls it kills itself, as ``rename:1``, ``unlink:2`` or
``fsync:3``: the first rename, the second removal, the third wait for the disk. It
answers the hooks of the hub in MEMORYHUB_DATA, without pages.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import django


def main(arguments: list[str]) -> int:
    name, _, number = arguments[0].partition(":")
    django.setup()
    from memoryhub.hooks.listener import Listener

    _kill_at(name, int(number))
    Listener(Path(os.environ["MEMORYHUB_DATA"]), threading.Event()).run()
    return 0


def _kill_at(name: str, number: int) -> None:
    """Have the process killed where it calls a function of `os` for the n-th time."""
    called, left = getattr(os, name), number

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return called(*arguments, **named)

    setattr(os, name, counted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
