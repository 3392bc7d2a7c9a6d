"""Threads that do their work beside a server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from memoryhub.database.schema import OtherVersion

_log = logging.getLogger(__name__)


def beside(name: str, work: Callable[[], object]) -> threading.Thread:
    """Return a thread that ends with the server.

    Where the database is of another version by now, it ends with a line in the log.
    """

    def run() -> None:
        try:
            work()
        except OtherVersion as error:
            _log.error("the %s has ended: %s", name, error)

    return threading.Thread(target=run, name=name, daemon=True)
