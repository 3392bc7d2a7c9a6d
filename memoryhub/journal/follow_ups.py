"""Registry of the apps' work after each sync, and the signal of new entries."""

from __future__ import annotations

from dataclasses import dataclass

from django.dispatch import Signal

#: Sent with `workspace` after new journal entries and their rows are stored. Receivers
#: log their own failures: they must not fail what was recorded.
journal_grew = Signal()
#: Sent with `workspace` and `operation` after an operation was undone.
undone = Signal()


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Work after a sync, and the codes of its problems.

    `work` is a function, as ``module:function``: called with the workspace and the
    time, it returns problems like a scan's.
    """

    work: str
    codes: tuple[str, ...]


_KNOWN: dict[str, FollowUp] = {}


def register(follow_up: FollowUp) -> None:
    """Register work to run after each sync."""
    _KNOWN[follow_up.work] = follow_up


def follow_ups() -> tuple[FollowUp, ...]:
    """Return the registered follow-ups."""
    return tuple(_KNOWN.values())


def codes() -> tuple[str, ...]:
    """Return the problem codes of all follow-ups."""
    return tuple(code for follow_up in _KNOWN.values() for code in follow_up.codes)
