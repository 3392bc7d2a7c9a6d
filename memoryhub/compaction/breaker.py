"""Compaction's circuit breaker, derived from a log of errors.

context-memory-optimizer stops compacting after three failures in a row, logs the reason
in ``memories/errors.md`` and waits for the operator; a line of the operator closes it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memoryhub.dialects.error_log import ErrorLine
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.line_edits import one_line

#: Failures in a row that open the breaker.
TRIPS_AT = 3

_TIME = re.compile(
    r"[*\[(`]{0,3}(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?)[*\])`]{0,3}"
    r"[ \t]*[-–—|:]?[ \t]*"
)
_WHO = re.compile(r"[\[*`(]{0,3}([A-Za-z][\w.@-]{0,59})[\]*`)]{0,3}[ \t]*:[ \t]+")
_NOT_NAMES = frozenset(
    {"l1", "l2", "l3", "l4", "l5", "error", "warning", "note", "compaction"}
    | {"filenotfound", "permissiondenied", "mismatch", "fixed", "circuit"}
)
_FAILED = re.compile(r"\b(?:L2|compaction)\b[^\n]{0,40}?\bfail", re.IGNORECASE)
_COUNT = re.compile(r"\bfail\w*[ \t]+(\d{1,3})[ \t]+of[ \t]+\d", re.IGNORECASE)
_WORKED = re.compile(
    r"\b(?:L2|compaction)\b[^\n]{0,40}?\b(?:succeeded|completed|worked|ok)\b",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"circuit[ -]breaker[^\n]{0,20}?\b(?:open|opened|tripped)\b", re.IGNORECASE
)
#: How the hub itself writes a report. The reason behind it is anybody's words: it
#: decides nothing.
_REPORTED = re.compile(r"L2 (?:failed|succeeded), as reported(?=: |\Z)")
_CLEARED = re.compile(
    r"circuit[ -]breaker(?: of (\S{1,80}))? (?:was )?(?:cleared|closed|reset)\b"
    r"(?::[ \t]*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A parsed line of the log; missing parts are empty or None."""

    time: str
    at: datetime.datetime | None
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Breaker:
    """One agent's breaker: the failures in a row, the time of its state, the reason.

    `line` is the last line that changed it. `cleared_by` is the name of who cleared it.
    """

    agent: str
    failures: int = 0
    is_open: bool = False
    since: str = ""
    at: datetime.datetime | None = None
    reason: str = ""
    line: int = 0
    cleared_by: str = ""


def parse_line(text: str) -> LogLine:
    """Parse a line of the log into time, agent and text, as far as it has them."""
    found = _TIME.match(text)
    rest = text[found.end() :] if found else text
    time = found[1] if found else ""
    name = _WHO.match(rest)
    if name is None or name[1].casefold() in _NOT_NAMES:
        return LogLine(time, parse_timestamp(time), "", rest.strip())
    return LogLine(time, parse_timestamp(time), name[1], rest[name.end() :].strip())


def breakers_of(errors: Iterable[ErrorLine]) -> tuple[Breaker, ...]:
    """Return the current breaker of every agent whose compaction failed.

    Lines are read in order. A count ("L2 failure 2 of 3") is taken as given; else
    failures add up until a line reports a success or a clearing.
    """
    found: dict[str, Breaker] = {}
    for error in errors:
        entry = parse_line(error.text)
        decisive = _decisive(entry)
        if cleared := _CLEARED.search(decisive):
            _clear(found, cleared[1] or "", entry, error.lines.first)
        elif _FAILED.search(decisive) or _OPENED.search(decisive):
            before = found.get(entry.who) or Breaker(entry.who)
            found[entry.who] = _failed(before, entry, error.lines.first)
        elif _WORKED.search(decisive) and entry.who in found:
            found[entry.who] = Breaker(entry.who)
    return tuple(sorted(found.values(), key=lambda one: (not one.is_open, one.agent)))


def changes_breakers(errors: Iterable[ErrorLine]) -> bool:
    """Return whether a line may change the state of a breaker; most lines do not."""
    patterns = (_CLEARED, _FAILED, _OPENED, _WORKED)
    decisive = (_decisive(parse_line(error.text)) for error in errors)
    return any(one.search(text) for text in decisive for one in patterns)


def breaker_of(errors: Iterable[ErrorLine], agent: str) -> Breaker:
    """Return one agent's breaker; a closed one if the log does not name the agent."""
    found = (one for one in breakers_of(errors) if one.agent == agent)
    return next(found, Breaker(agent))


def _decisive(entry: LogLine) -> str:
    """Return the part of a line that affects the breaker."""
    reported = _REPORTED.match(entry.text)
    return reported[0] if reported else entry.text


def _failed(before: Breaker, entry: LogLine, line: int) -> Breaker:
    decisive = _decisive(entry)
    count = _COUNT.search(decisive)
    failures = int(count[1]) if count else before.failures + 1
    opened = failures >= TRIPS_AT or bool(_OPENED.search(decisive))
    since = before if before.is_open else None
    return Breaker(
        agent=entry.who,
        failures=failures,
        is_open=opened,
        since=since.since if since and opened else entry.time,
        at=since.at if since and opened else entry.at,
        reason=entry.text,
        line=line,
    )


def _clear(found: dict[str, Breaker], agent: str, entry: LogLine, line: int) -> None:
    """Close the breaker named in a line; without a name all of them."""
    for name, before in found.items():
        if not agent or name == agent.strip("`*,;:"):
            found[name] = replace(
                before,
                failures=0,
                is_open=False,
                since=entry.time,
                at=entry.at,
                line=line,
                cleared_by=entry.who,
            )


def clearing_line(agent: str, reason: str, *, by: str, at: str) -> str:
    """Return the line that closes an agent's breaker.

    Raises FormatError for a reason with a line end, or none.
    """
    whose = f" of {agent}" if agent else ""
    return f"{at} {by}: circuit breaker{whose} cleared: {one_line(reason)}"


def failure_line(agent: str, reason: str, *, at: str) -> str:
    """Return the line that reports a failed compaction.

    It holds no count: two written at once are two.

    Raises FormatError for a reason with a line end, or none.
    """
    return f"{at} {agent}: L2 failed, as reported: {one_line(reason)}"


def success_line(agent: str, *, at: str) -> str:
    """Return the line that ends a row of failures."""
    return f"{at} {agent}: L2 succeeded, as reported"
