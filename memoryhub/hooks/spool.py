"""The spool: events waiting to be done, in the order in which they happened.

Guarantee: exactly once. An event repeated after a crash has the same idempotency key,
and the call is answered without being repeated. Order holds within a workspace: while
one of its events has to wait, later ones wait too; other workspaces' events do not.
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

from memoryhub.disk.files import locked, sync_folder
from memoryhub.hooks.client import SPOOL, Frame, checksum, frame_from

REFUSED = "refused"
#: Age in seconds at which an incomplete, unlocked draft counts as abandoned.
_LEFT_SECONDS = 60.0
#: Longest retry pause of a workspace's events, in seconds.
_LONGEST_PAUSE = 15.0
_BROKE_OFF = "it broke off while it was written: only a part of it is left"
#: Place of events that wait because the hub as a whole is hindered.
_EVERYWHERE = ""
_log = logging.getLogger(__name__)


class NotNow(Exception):
    """An event cannot be done at the moment; its workspace's events wait."""


class HubHindered(NotNow):
    """No event can be done at the moment, such as with a locked database."""


class Hub(Protocol):
    """Handler of events."""

    def place_of(self, frame: Frame) -> str:
        """Return the place within which order holds: a workspace; or raise `NotNow`."""

    def do(self, frame: Frame) -> object:
        """Do an event; raise `NotNow` if a retry may help."""


class Contents(NamedTuple):
    """Files of a spool: waiting events, drafts, and refused ones with reasons."""

    waiting: tuple[Path, ...]
    drafts: tuple[Path, ...]
    refused: Mapping[str, str]

    def as_json(self) -> dict[str, int]:
        """Return the count of each."""
        return {name: len(getattr(self, name)) for name in self._fields}


class Delivered(NamedTuple):
    """Result of a delivery; `reasons`: why a place's events still wait."""

    done: int
    put_aside: int
    reasons: Mapping[str, str]


class _Outcome(Enum):
    DONE, PUT_ASIDE, WAITS = range(3)


class _Held(NamedTuple):
    """A place's retry state: reason, pause in seconds, end of the pause."""

    reason: str
    pause: float
    until: float


def is_empty(data: Path) -> bool:
    """Return whether no event and no draft is in the spool of a data folder."""
    return not any(_listed(data / SPOOL))


def contents(data: Path) -> Contents:
    """Return the contents of the spool of a data folder, oldest first."""
    waiting, drafts = _listed(data / SPOOL)
    reasons = sorted((data / SPOOL / REFUSED).glob("*.reason"))
    refused = {
        path.stem: path.read_text(encoding="utf-8", errors="replace").strip()
        for path in reasons
        if path.with_suffix("").exists()
    }
    return Contents(tuple(waiting), tuple(drafts), refused)


def take_back(data: Path) -> list[str]:
    """Requeue refused events; return their keys.

    Incomplete drafts stay refused: they cannot be done.

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
    """Remove incomplete drafts whose event was sent again and done, by key.

    Happens if a server was killed while writing: the client spooled the event itself.

    Raises:
        OSError: the system refused.
    """
    aside = data / SPOOL / REFUSED
    for name in contents(data).refused:
        if _broke_off(name) and is_done(_key_of(name)):
            (aside / name).unlink(missing_ok=True)
            (aside / f"{name}.reason").unlink()


class Spool:
    """The waiting events of a data folder, and their delivery.

    If `hub` raises `NotNow`, an event waits; on any other error it is moved aside with
    a reason file. `pause`: seconds until a waiting workspace is retried, doubling each
    time; 0 retries at each delivery.
    """

    def __init__(self, data: Path, hub: Hub, *, pause: float = 0.0) -> None:
        self._folder = data / SPOOL
        self._lock = data / "locks" / SPOOL
        self._hub = hub
        self._pause = pause
        self._held: dict[str, _Held] = {}

    def deliver(self, *, wait: bool = True, until: float | None = None) -> Delivered:
        """Do waiting events, up to a moment of the monotonic clock.

        Raises:
            BlockingIOError: another process delivers, and `wait` is false.
        """
        if not any(_listed(self._folder)):
            return Delivered(0, 0, {})
        with locked(self._lock, wait=wait):
            self._adopt()
            now = time.monotonic()
            resting = (held for held in self._held.items() if held[1].until > now)
            reasons = {place: held.reason for place, held in resting}
            came = Counter[_Outcome]()
            for path in _listed(self._folder)[0]:
                if _EVERYWHERE in reasons or (until and time.monotonic() > until):
                    break
                came[self._deliver(path, reasons)] += 1
            return Delivered(came[_Outcome.DONE], came[_Outcome.PUT_ASIDE], reasons)

    def _deliver(self, path: Path, reasons: dict[str, str]) -> _Outcome:
        """Do an event unless its place waits; note in `reasons` if it has to wait."""
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

    def _wait(self, place: str, error: Exception) -> str:
        """Pause a place's events; log the reason when it is new."""
        before = self._held.get(place)
        reason = str(error) or type(error).__name__
        pause = min(2 * before.pause, _LONGEST_PAUSE) if before else self._pause
        self._held[place] = _Held(reason, pause, time.monotonic() + pause)
        if before is None or before.reason != reason:
            _log.warning("events of hooks wait: %s", reason)
        return reason

    def _adopt(self) -> None:
        """Rename complete drafts that their process left; move aside abandoned ones."""
        for draft in _listed(self._folder)[1]:
            with suppress(OSError), _unlocked(draft) as descriptor:
                whole = _complete(draft, descriptor)
                if whole is not None:
                    draft.rename(self._folder / draft.name.split(".")[1])
                    sync_folder(self._folder)
                elif time.time() - os.fstat(descriptor).st_mtime > _LEFT_SECONDS:
                    self._put_aside(draft, _BROKE_OFF)

    def _put_aside(self, path: Path, reason: str) -> _Outcome:
        """Move an event to the refused ones, or leave it if that fails now."""
        aside = self._folder / REFUSED
        name = path.name.removeprefix(".")
        line = " ".join(reason.split())
        try:
            aside.mkdir(mode=0o700, exist_ok=True)
            why = aside / f"{name}.reason"
            why.touch(mode=0o600)
            why.write_text(f"{line}\n", encoding="utf-8", errors="replace")
            path.rename(aside / name)
        except OSError as error:
            self._wait(path.name, error)
            return _Outcome.WAITS
        _log.warning("an event was put aside: %s", reason)
        return _Outcome.PUT_ASIDE


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return waiting events and drafts of a spool's folder, oldest first."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.name != REFUSED)
    except FileNotFoundError:
        return [], []
    drafts = [path for path in paths if path.name.startswith(".")]
    return [path for path in paths if not path.name.startswith(".")], drafts


@contextmanager
def _unlocked(draft: Path) -> Iterator[int]:
    """Open and lock a draft that no process is writing.

    Raises:
        OSError: a process is writing it, or has renamed it by now.
    """
    descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)


def _broke_off(name: str) -> bool:
    """Return whether a refused name is that of a draft."""
    return "." in name


def _key_of(name: str) -> str:
    return name.partition(".")[0].partition("-")[2]


def _complete(draft: Path, descriptor: int) -> bytes | None:
    """Return a draft's bytes if it is complete, else None."""
    data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    _, _, *said = draft.name.split(".")
    is_whole = said[:1] == [checksum(data)] if said else _says_all(data)
    return data if is_whole else None


def _says_all(data: bytes) -> bool:
    """Return whether a draft of an earlier version, without a checksum, is complete."""
    try:
        return isinstance(json.loads(frame_from(data)["body"]), dict)
    except ValueError:
        return False
