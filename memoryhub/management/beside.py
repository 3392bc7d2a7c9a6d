"""Background threads of a server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from memoryhub.database.schema import OtherVersion

_log = logging.getLogger(__name__)


def beside(name: str, work: Callable[[], object]) -> threading.Thread:
    """Return a daemon thread for work, ended by a changed database version.

    In that case it logs one line and ends.
    """

    def run() -> None:
        try:
            work()
        except OtherVersion as error:
            _log.error("the %s has ended: %s", name, error)

    return threading.Thread(target=run, name=name, daemon=True)
