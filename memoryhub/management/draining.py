"""What hooks told while no server ran, done before a command or a tool answers."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string

from memoryhub.hooks.spool import Spool, is_empty

#: Loaded where something waits: it brings all tools.
_HUB = "memoryhub.hooks.delivery.OperatorsHub"
#: How long a command does what waits before it does its own work, in seconds.
_PATIENCE = 5.0
_log = logging.getLogger(__name__)


class Drain:
    """Does what waits in the spool of this hub; to find it empty costs next to nothing.

    `pause` is that of a `Spool`: for whoever drains again and again.
    """

    def __init__(self, *, pause: float = 0.0) -> None:
        self._pause = pause
        self._spool: Spool | None = None

    def __call__(self, *, wait: bool = False) -> Mapping[str, str]:
        """Do what waits; return why some of it goes on waiting.

        Where another process is doing so it is left to it, unless `wait` says to wait.
        Nothing that goes wrong is raised: it must not keep a command from its own work.
        """
        data = Path(settings.MEMORYHUB_DATA)
        try:
            if is_empty(data):
                return {}
            if self._spool is None:
                self._spool = Spool(data, import_string(_HUB)(), pause=self._pause)
            until = None if wait else time.monotonic() + _PATIENCE
            return self._spool.deliver(wait=wait, until=until).reasons
        except BlockingIOError:
            return {}
        except Exception as error:  # it goes on waiting, and the command goes on
            _log.warning("the spool of hooks cannot be worked off: %s", error)
            return {"": str(error)}
