"""What apps do after each sync: each names its own when it is loaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Work after a sync, and the codes of the problems that it may meet.

    `work` is a function, as ``module:function``: given the workspace and the time it
    returns problems, as a scan does.
    """

    work: str
    codes: tuple[str, ...]


_KNOWN: dict[str, FollowUp] = {}


def register(follow_up: FollowUp) -> None:
    """Have something done after each sync."""
    _KNOWN[follow_up.work] = follow_up


def follow_ups() -> tuple[FollowUp, ...]:
    """Return what is done after each sync."""
    return tuple(_KNOWN.values())


def codes() -> tuple[str, ...]:
    """Return the codes of the problems that are met after a scan."""
    return tuple(code for follow_up in _KNOWN.values() for code in follow_up.codes)
