"""The spool: events that wait to be done, in the order in which they happened.

Guarantee: each is done once. One that is done again after a crash carries the same key,
and a call of the same key is answered without being repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from memoryhub.files import locked
from memoryhub.hooks.client import SPOOL, Frame, frame_from

REFUSED = "refused"
_log = logging.getLogger(__name__)


def put_aside(data: Path) -> list[str]:
    """Return the events that could not be done, each with its reason."""
    reasons = sorted((data / SPOOL / REFUSED).glob("*.reason"))
    return [
        f"{path.stem}: {path.read_text(encoding='utf-8').strip()}" for path in reasons
    ]


class NotNow(Exception):
    """An event cannot be done at the moment; it and those after it wait."""


class Spool:
    """The waiting events of a hub's folder, and how one of them is done.

    `do` raises `NotNow` where trying again may help; on any other failure the event is
    put aside, with the reason beside it.
    """

    def __init__(self, data: Path, do: Callable[[Frame], object]) -> None:
        self._folder = data / SPOOL
        self._lock = data / "locks" / SPOOL
        self._do = do

    def waiting(self) -> list[Path]:
        """Return the files of events that wait, oldest first."""
        try:
            found = [path for path in self._folder.iterdir() if path.is_file()]
        except FileNotFoundError:
            return []
        return sorted(path for path in found if not path.name.startswith("."))

    def deliver(self) -> int:
        """Do what waits; return how many events were done or put aside."""
        if not self.waiting():
            return 0
        with locked(self._lock):
            count = 0
            for path in self.waiting():
                try:
                    self._deliver(path)
                except NotNow as error:
                    _log.info("an event waits: %s", error)
                    break
                count += 1
            return count

    def _deliver(self, path: Path) -> None:
        try:
            self._do(frame_from(path.read_bytes()))
        except NotNow:
            raise
        except Exception as error:  # one event must not hold up those after it
            self._put_aside(path, str(error) or type(error).__name__)
        else:
            path.unlink()

    def _put_aside(self, path: Path, reason: str) -> None:
        aside = self._folder / REFUSED
        aside.mkdir(mode=0o700, exist_ok=True)
        reasons = aside / f"{path.name}.reason"
        told = " ".join(reason.split())
        reasons.write_text(f"{told}\n", encoding="utf-8", errors="replace")
        path.rename(aside / path.name)
        _log.warning("an event was put aside: %s", reason)
