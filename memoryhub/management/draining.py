"""Delivery of spooled hook events before a command or a tool call."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string

from memoryhub.hooks.spool import Spool, is_empty

#: Imported on demand: it loads all tools.
_HUB = "memoryhub.hooks.delivery.OperatorsHub"
#: Time limit of a delivery before a command's own work, in seconds.
_PATIENCE = 5.0
_log = logging.getLogger(__name__)


class Drain:
    """Delivery of the hub's spool; nearly free if it is empty.

    `pause`: that of a `Spool`, for repeated calls.
    """

    def __init__(self, *, pause: float = 0.0) -> None:
        self._pause = pause
        self._spool: Spool | None = None

    def __call__(self, *, wait: bool = False) -> Mapping[str, str]:
        """Deliver waiting events; return why some still wait, by place.

        If another process delivers, returns at once unless `wait`. Errors are logged,
        not raised: they must not keep a command from its own work.
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
