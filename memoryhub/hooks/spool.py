"""The spool: events that wait to be done, in the order in which they happened.

Guarantee: each is done once. One that is done again after a crash carries the same key,
and a call of the same key is answered without being repeated. The order holds within a
workspace: where one event of it has to wait, those after it wait, too, and events of
other workspaces do not.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from memoryhub.disk.files import locked
from memoryhub.hooks.client import SPOOL, Frame, checksum, frame_from, sync_folder

REFUSED = "refused"
#: A draft that is neither complete nor locked for this long has been left behind.
_LEFT_SECONDS = 60.0
#: The longest that a workspace's events wait until they are tried again, in seconds.
_LONGEST_PAUSE = 15.0
_BROKE_OFF = "it broke off while it was written: only a part of it is left"
#: The place of events that wait because the hub can do nothing at all.
_EVERYWHERE = ""
_log = logging.getLogger(__name__)


class NotNow(Exception):
    """An event cannot be done at the moment; it and those of its workspace wait."""


class HubHindered(NotNow):
    """No event can be done at the moment, as where the database is locked."""


class Hub(Protocol):
    """What does the events."""

    def place_of(self, frame: Frame) -> str:
        """Return whose order an event keeps, such as its workspace; or raise NotNow."""

    def do(self, frame: Frame) -> object:
        """Do an event; raise `NotNow` where trying again may help."""


class Contents(NamedTuple):
    """The files of a spool: events that wait, drafts, and what was refused and why."""

    waiting: tuple[Path, ...]
    drafts: tuple[Path, ...]
    refused: Mapping[str, str]

    def as_json(self) -> dict[str, int]:
        """Return how many there are of each."""
        return {name: len(getattr(self, name)) for name in self._fields}


class Delivered(NamedTuple):
    """What a delivery came to; `reasons` is why events of a place still wait."""

    done: int
    put_aside: int
    reasons: Mapping[str, str]


class _Outcome(Enum):
    DONE, PUT_ASIDE, WAITS = range(3)


class _Held(NamedTuple):
    """Why the events of a place wait, and for how long they are left alone."""

    reason: str
    pause: float
    until: float


def is_empty(data: Path) -> bool:
    """Tell whether nothing waits in the spool of a hub's folder."""
    return not any(_listed(data / SPOOL))


def contents(data: Path) -> Contents:
    """Return what lies in the spool of a hub's folder, oldest first."""
    waiting, drafts = _listed(data / SPOOL)
    reasons = sorted((data / SPOOL / REFUSED).glob("*.reason"))
    refused = {
        path.stem: path.read_text(encoding="utf-8", errors="replace").strip()
        for path in reasons
        if path.with_suffix("").exists()
    }
    return Contents(tuple(waiting), tuple(drafts), refused)


def take_back(data: Path) -> list[str]:
    """Let what was refused wait again; return the keys of these events.

    What broke off while it was written stays where it is: nothing could be done of it.

    Raises:
        OSError: the system refused.
    """
    aside = data / SPOOL / REFUSED
    names = [name for name in contents(data).refused if not _broke_off(name)]
    for name in names:
        (aside / name).rename(data / SPOOL / name)
        (aside / f"{name}.reason").unlink()
    return [_key_of(name) for name in names]


def drop_repeated(data: Path, is_done: Callable[[str], bool]) -> None:
    """Remove what broke off where the event was told again, and done, by its key.

    That is so where a server was killed while it wrote: the client wrote it again.

    Raises:
        OSError: the system refused.
    """
    aside = data / SPOOL / REFUSED
    for name in contents(data).refused:
        if _broke_off(name) and is_done(_key_of(name)):
            (aside / name).unlink(missing_ok=True)
            (aside / f"{name}.reason").unlink()


class Spool:
    """The waiting events of a hub's folder, and how they are done.

    Where `hub` raises `NotNow` an event waits; on any other failure it is put aside,
    with the reason beside it. `pause` is how many seconds pass until a workspace whose
    events wait is tried again, each time twice as long; 0 tries at each delivery.
    """

    def __init__(self, data: Path, hub: Hub, *, pause: float = 0.0) -> None:
        self._folder = data / SPOOL
        self._lock = data / "locks" / SPOOL
        self._hub = hub
        self._pause = pause
        self._held: dict[str, _Held] = {}

    def deliver(self, *, wait: bool = True, until: float | None = None) -> Delivered:
        """Do what waits, up to a moment of the monotonic clock.

        Raises:
            BlockingIOError: another process does so, and `wait` says not to wait.
        """
        if not any(_listed(self._folder)):
            return Delivered(0, 0, {})
        with locked(self._lock, wait=wait):
            self._adopt()
            return self._round(until)

    def _round(self, until: float | None) -> Delivered:
        """Do each event that no event of its workspace waits before."""
        reasons = {place: held.reason for place, held in self._resting().items()}
        came = Counter[_Outcome]()
        for path in _listed(self._folder)[0]:
            if _EVERYWHERE in reasons or (until and time.monotonic() > until):
                break
            came[self._deliver(path, reasons)] += 1
        return Delivered(came[_Outcome.DONE], came[_Outcome.PUT_ASIDE], reasons)

    def _deliver(self, path: Path, reasons: dict[str, str]) -> _Outcome:
        """Do an event, unless one of its place waits; note in `reasons` if it does."""
        place = path.name
        try:
            frame = frame_from(path.read_bytes())
            place = self._hub.place_of(frame) or place
            if place in reasons:
                return _Outcome.WAITS
            self._hub.do(frame)
            path.unlink()
        except HubHindered as error:
            reasons[_EVERYWHERE] = self._wait(_EVERYWHERE, error)
        except (NotNow, OSError) as error:
            reasons[place] = self._wait(place, error)
        except Exception as error:  # one event must not hold up those after it
            return self._put_aside(path, str(error) or type(error).__name__)
        else:
            self._held.pop(place, None)
            self._held.pop(_EVERYWHERE, None)
            return _Outcome.DONE
        return _Outcome.WAITS

    def _resting(self) -> dict[str, _Held]:
        now = time.monotonic()
        return {place: held for place, held in self._held.items() if held.until > now}

    def _wait(self, place: str, error: Exception) -> str:
        """Leave the events of a place alone for a while; log why the first time."""
        before = self._held.get(place)
        reason = str(error) or type(error).__name__
        pause = min(2 * before.pause, _LONGEST_PAUSE) if before else self._pause
        self._held[place] = _Held(reason, pause, time.monotonic() + pause)
        if before is None or before.reason != reason:
            _log.warning("events of hooks wait: %s", reason)
        return reason

    def _adopt(self) -> None:
        """Give what a process wrote completely, and did not come to name, its name."""
        for draft in _listed(self._folder)[1]:
            with suppress(OSError), _unlocked(draft) as descriptor:
                whole = _complete(draft, descriptor)
                if whole is not None:
                    draft.rename(self._folder / _name_of(draft))
                    sync_folder(str(self._folder))
                elif time.time() - os.fstat(descriptor).st_mtime > _LEFT_SECONDS:
                    self._put_aside(draft, _BROKE_OFF)

    def _put_aside(self, path: Path, reason: str) -> _Outcome:
        """Move an event out of the way, or leave it where that cannot be done now."""
        aside = self._folder / REFUSED
        name = path.name.removeprefix(".")
        told = " ".join(reason.split())
        try:
            aside.mkdir(mode=0o700, exist_ok=True)
            why = aside / f"{name}.reason"
            why.touch(mode=0o600)
            why.write_text(f"{told}\n", encoding="utf-8", errors="replace")
            path.rename(aside / name)
        except OSError as error:
            self._wait(path.name, error)
            return _Outcome.WAITS
        _log.warning("an event was put aside: %s", reason)
        return _Outcome.PUT_ASIDE


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the events that wait and the drafts of a spool's folder, oldest first."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.name != REFUSED)
    except FileNotFoundError:
        return [], []
    drafts = [path for path in paths if path.name.startswith(".")]
    return [path for path in paths if not path.name.startswith(".")], drafts


@contextmanager
def _unlocked(draft: Path) -> Iterator[int]:
    """Open a draft that nobody writes any more.

    Raises:
        OSError: somebody does, or has given it its name by now.
    """
    descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)


def _name_of(draft: Path) -> str:
    return draft.name.split(".")[1]


def _broke_off(name: str) -> bool:
    """Tell whether a name among those refused is that of a draft."""
    return "." in name


def _key_of(name: str) -> str:
    return name.partition(".")[0].partition("-")[2]


def _complete(draft: Path, descriptor: int) -> bytes | None:
    """Return a draft's bytes where they are all there; None where some are missing."""
    data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    _, _, *said = draft.name.split(".")
    is_whole = said[:1] == [checksum(data)] if said else _says_all(data)
    return data if is_whole else None


def _says_all(data: bytes) -> bool:
    """Tell whether a draft of an earlier version, without a checksum, is complete."""
    try:
        return isinstance(json.loads(frame_from(data)["body"]), dict)
    except ValueError:
        return False
