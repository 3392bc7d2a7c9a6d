"""What the health page shows: headline, tiles, ledger, and its lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext, ngettext

from memoryhub.compaction.breaker import Breaker
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.health.pointers import BrokenPointer, places_of
from memoryhub.health.queries import ErrorGroup, Health
from memoryhub.journal.ledger import Budget, LedgerRow
from memoryhub.journal.verbs import Payload
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import clauses, listed, sentences
from memoryhub.web.kit.limits import Usage, most_read, usage_of
from memoryhub.web.kit.links import Addresses
from topics.queries.topics import Quiet

#: Longest ledger shown in full by default; of a longer one, half as many lines first.
_LEDGER = 16
_GAUGE = ("pg", "nx", "n3", "n2")


def shown_pointers(
    health: Health, staged: Sequence[Payload], shell: Shell
) -> list[dict[str, Any]]:
    """Return the broken pointers, each with its new target in a staged edit."""
    changed = {payload["text"]: payload["to"] for payload in staged}
    pointed = health.pointed
    if pointed is None:
        return []
    return [
        {
            "row": one,
            "url": shell.addresses.file(pointed.index, line=one.pointer.lines.first),
            "why": _why(pointed.index, one),
            "staged": changed.get(one.pointer.text, ""),
        }
        for one in pointed.broken
    ]


def _why(index: str, one: BrokenPointer) -> str:
    words = {
        "index": index,
        "line": one.pointer.lines.first,
        "to": one.fate.path,
        "number": one.fate.run_number,
    }
    named = gettext("Named in %(index)s, line %(line)s.") % words
    if one.fate.verb == "moved":
        why = gettext("Renamed to %(to)s.")
        if one.fate.run_number:
            why = gettext("Renamed to %(to)s in import #%(number)s.")
    elif one.fate.verb == "deleted":
        why = gettext("The file was deleted.")
        if one.fate.run_number:
            why = gettext("Deleted in import #%(number)s.")
    else:
        why = gettext("This file never existed.")
    return f"{named} {why % words}"


def shown_breakers(health: Health, shell: Shell) -> list[dict[str, Any]]:
    """Return all circuit breakers, open ones first."""
    return [_breaker(path, one, shell) for path, one in health.errors.breakers]


def _breaker(path: str, breaker: Breaker, shell: Shell) -> dict[str, Any]:
    since = when(breaker.since, shell)
    if breaker.is_open:
        state = gettext("open")
        if since:
            state = gettext("open since %(when)s") % {"when": since}
        detail = breaker.reason
    elif breaker.cleared_by:
        state = gettext("closed")
        words = {"who": breaker.cleared_by, "when": since}
        detail = gettext("Cleared by %(who)s %(when)s") % words
    else:
        failures = {"n": breaker.failures}
        state = gettext("closed")
        if breaker.failures:
            state = (
                ngettext(
                    "closed, %(n)s failure", "closed, %(n)s failures", breaker.failures
                )
                % failures
            )
        detail = breaker.reason
    return {
        "row": breaker,
        "path": path,
        "boxes": [number < breaker.failures for number in range(3)],
        "state": state,
        "detail": detail[:300],
        "url": shell.addresses.file(path, line=breaker.line) if breaker.line else "",
    }


def when(text: str, shell: Shell) -> str:
    """Return a log's timestamp in words; text that is none is returned unchanged."""
    at = parse_timestamp(text)
    if at is None:
        return text
    zoned: datetime = at
    if at.tzinfo is None:
        zoned = at.replace(tzinfo=ZoneInfo(shell.workspace.time_zone))
    return shell.clock.moment(zoned)


def shown_errors(groups: Sequence[ErrorGroup], shell: Shell) -> list[dict[str, Any]]:
    """Return the errors by frequency, with their agents and last time in words."""
    return [
        {
            "row": group,
            "agents": listed(group.agents[:4]),
            "last": when(group.last, shell),
        }
        for group in groups
    ]


def quiet_text(quiet: Quiet) -> str:
    """Return the reason why a topic is quiet."""
    age = _span(quiet.silence.total_seconds())
    parts = gettext("No activity for %(age)s while work is open.") % {"age": age}
    if quiet.gap is None:
        rule = gettext("The rule: quiet for more than 2 h.")
        return f"{parts} {rule}"
    words = {
        "gap": _span(quiet.gap.total_seconds()),
        "limit": _span(quiet.limit.total_seconds()),
    }
    rule = gettext("Usual gap is %(gap)s; quiet after %(limit)s.") % words
    return f"{parts} {rule}"


def _span(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 60:
        return gettext("%(n)s min") % {"n": max(minutes, 1)}
    if minutes < 48 * 60:
        return gettext("%(n)s h") % {"n": minutes // 60}
    return gettext("%(n)s days") % {"n": minutes // (24 * 60)}


def shown_sizes(health: Health, shell: Shell) -> list[dict[str, str]]:
    """Return oversized and duplicated entries: hints, not issues."""
    files = shell.addresses.file
    large = [
        {
            "title": one.title or one.path,
            "text": gettext("%(n)s tokens in %(path)s; 1000 of a file are given back")
            % {"n": one.tokens, "path": one.path},
            "url": files(one.path, line=one.line),
        }
        for one in health.sizes.oversized
    ]
    same = [
        {
            "title": one[0].title or one[0].path,
            "text": gettext("Same text in %(paths)s")
            % {"paths": listed(place.path for place in one[:4])},
            "url": files(one[0].path, line=one[0].line),
        }
        for one in health.sizes.duplicated
    ]
    return [*large, *same]


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure at the top of the page; links to its section."""

    anchor: str
    kind: str
    label: str
    number: str
    detail: str


@dataclass(frozen=True)
class ShownBudget:
    """The ledger of ``MEMORY.md`` with its bar; `everything` shows all lines."""

    budget: Budget
    addresses: Addresses
    #: The targets of pointers that exist, folders with a slash at the end.
    there: frozenset[str]
    everything: bool

    @property
    def url(self) -> str:
        return self.addresses.file(self.budget.path)

    @property
    def shares(self) -> str:
        """Tokens of each section, in words."""
        return _shares(self.budget)

    @cached_property
    def usage(self) -> Usage:
        return usage_of(self.budget)

    @property
    def parts(self) -> list[tuple[float, str]]:
        return list(_parts(self.budget))

    @cached_property
    def rows(self) -> Sequence[LedgerRow]:
        if self.everything:
            return self.budget.rows
        broken = frozenset(row.line for row in self.budget.rows if self._is_broken(row))
        return _first_rows(self.budget, broken)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [self._line(row) for row in self.rows]

    @property
    def hidden(self) -> int:
        """Number of lines left out."""
        return self.budget.lines - len(self.rows)

    @property
    def most_read(self) -> str:
        """The part of the file that the host gives its agent, in words."""
        return most_read(self.budget.host)

    def _line(self, row: LedgerRow) -> dict[str, Any]:
        """Return a line, with marks of where the limit cuts.

        `cut_after`: it is the last one within the limit; `back_after`: the last one
        left out where the host reads on behind it.
        """
        files, place = self.addresses.file, self._at(row)
        return {
            "row": row,
            "url": files(self.budget.path, line=row.line),
            "pointer_url": files(place) if place else "",
            "broken": self._is_broken(row),
            "cut_after": row.line == self.budget.cut_after,
            "back_after": row.line == self.budget.back_after,
        }

    def _at(self, row: LedgerRow) -> str:
        """Return the file that a line leads to, if it is there."""
        return next(filter(self.there.__contains__, self._places(row)), "")

    def _is_broken(self, row: LedgerRow) -> bool:
        """Return whether a line leads to a file or folder that is not there."""
        places = self._places(row)
        return bool(places) and self.there.isdisjoint(
            [*places, *(f"{place}/" for place in places)]
        )

    def _places(self, row: LedgerRow) -> list[str]:
        return places_of(self.budget.path, row.pointer) if row.pointer else []


def issue_count(health: Health, quiet: int, problems: int, faults: int) -> int:
    """Return the number of issues: of the files, and faults of the hub.

    Sizes and unindexed files do not count.
    """
    broken = len(health.pointed.broken) if health.pointed else 0
    over = bool(health.budget and health.budget.is_over)
    return over + broken + quiet + len(health.errors.open_breakers) + problems + faults


def headline(issues: int) -> str:
    """Return the headline of the page."""
    if not issues:
        return gettext("No issue in workspace health")
    words = ngettext(
        "%(n)s issue in workspace health", "%(n)s issues in workspace health", issues
    )
    return words % {"n": issues}


def sentence(health: Health, quiet: int, problems: int, faults: int) -> str:
    """Return the issues as counts in one sentence; empty if there are none."""
    broken = len(health.pointed.broken) if health.pointed else 0
    breakers = len(health.errors.open_breakers)
    counted = (
        (broken, ngettext("%(n)s broken pointer", "%(n)s broken pointers", broken)),
        (quiet, ngettext("%(n)s quiet topic", "%(n)s quiet topics", quiet)),
        (
            breakers,
            ngettext(
                "%(n)s open circuit breaker", "%(n)s open circuit breakers", breakers
            ),
        ),
        (
            problems,
            ngettext(
                "%(n)s problem in the files", "%(n)s problems in the files", problems
            ),
        ),
        (faults, ngettext("%(n)s fault of the hub", "%(n)s faults of the hub", faults)),
    )
    parts = [words % {"n": number} for number, words in counted if number]
    if health.budget and health.budget.is_over:
        words = {"file": health.budget.path}
        parts.insert(0, gettext("%(file)s is over its limit") % words)
    return clauses(parts)


def freshness(files: int, failed: int, unread: int | None, *, gone: bool) -> str:
    """Return the counts of the last scan and of changes on disk since.

    `unread` is None if the folder is missing now; `gone` if the last scan missed many
    files at once.
    """
    missed = gettext("%(n)s known files, not all on disk") % {"n": files}
    found = missed if gone else _found(files, failed)
    if unread == 0:
        return found
    if unread is None:
        since = gettext("The folder is not there now")
    else:
        words = ngettext(
            "%(n)s file changed on disk since then",
            "%(n)s files changed on disk since then",
            unread,
        )
        since = words % {"n": unread}
    return sentences((found, since))


def _found(on_disk: int, failed: int) -> str:
    words = {"n": on_disk, "imported": on_disk - failed, "failed": failed}
    if not failed:
        text = ngettext(
            "%(n)s file on disk, imported", "%(n)s files on disk, all imported", on_disk
        )
    else:
        text = ngettext(
            "%(n)s file on disk: %(imported)s imported, %(failed)s could not be read",
            "%(n)s files on disk: %(imported)s imported, %(failed)s could not be read",
            on_disk,
        )
    return text % words


def tiles(health: Health, quiet: int, topics: int) -> list[Tile]:
    """Return the tiles at the top of the page."""
    errors = health.errors.lines
    return [
        _budget_tile(health.budget),
        _pointer_tile(health),
        _topics_tile(quiet, topics),
        Tile(
            "errors",
            "open",
            gettext("Errors"),
            str(errors),
            ngettext("%(n)s different", "%(n)s different", len(health.errors.groups))
            % {"n": len(health.errors.groups)},
        ),
        _breaker_tile(health),
    ]


def _budget_tile(budget: Budget | None) -> Tile:
    label = gettext("Memory budget")
    if budget is None:
        return Tile("budget", "idle", label, "–", gettext("none imported"))
    usage = usage_of(budget)
    text = usage.left
    if not usage.host.host:
        return Tile("budget", "idle", label, usage.text, text)
    kind = "conflict" if usage.used * 10 >= usage.limit * 9 else "done"
    if budget.is_over:
        cut = len(budget.over)
        words = ngettext("%(n)s line left out", "%(n)s lines left out", cut)
        kind, text = "failed", words % {"n": cut}
    return Tile("budget", kind, label, f"{usage.share}%", text)


def _pointer_tile(health: Health) -> Tile:
    label = gettext("Pointers")
    if health.pointed is None or not health.pointed.total:
        return Tile("pointers", "idle", label, "–", gettext("none in these files"))
    broken = len(health.pointed.broken)
    words = {"n": broken, "total": health.pointed.total}
    kind = "failed" if broken else "done"
    number = gettext("%(n)s of %(total)s") % words
    return Tile("pointers", kind, label, number, gettext("broken"))


def _topics_tile(quiet: int, topics: int) -> Tile:
    label = gettext("Topics")
    if not topics:
        return Tile("quiet", "idle", label, "–", gettext("none in these files"))
    number = gettext("%(n)s of %(total)s") % {"n": quiet, "total": topics}
    return Tile("quiet", "stale" if quiet else "done", label, number, gettext("quiet"))


def _breaker_tile(health: Health) -> Tile:
    label, opened = gettext("Breaker"), health.errors.open_breakers
    if not opened:
        failed = len(health.errors.breakers)
        closed = gettext("%(n)s with recent failures") % {"n": failed}
        detail = closed if failed else gettext("no failure is recorded")
        return Tile("breaker", "done", label, gettext("Closed"), detail)
    breaker = opened[0]
    words = {"agent": breaker.agent or "?", "n": breaker.failures}
    detail = gettext("%(agent)s, %(n)s in a row") % words
    number = gettext("%(n)s open") % {"n": len(opened)}
    return Tile("breaker", "failed", label, number, detail)


def shown_budget(health: Health, shell: Shell, *, everything: bool) -> ShownBudget:
    """Return the ledger; the workspace must have a ``MEMORY.md``."""
    assert health.budget is not None
    there = health.pointed.files if health.pointed else frozenset[str]()
    return ShownBudget(health.budget, shell.addresses, there, everything)


def _first_rows(budget: Budget, broken: frozenset[int]) -> Sequence[LedgerRow]:
    """Return the lines to show: all of a usual file, else the important ones.

    Important: the first ones, those broken, long, at the limit or over it; at most 32.
    """
    if budget.lines <= _LEDGER:
        return budget.rows
    near = budget.cut_after
    rows = budget.rows
    first = rows[: _LEDGER // 2]
    rest = [
        row
        for row in rows[_LEDGER // 2 :]
        if row.line in broken or row.is_long or row.line == near or row.is_over
    ]
    return [*first, *rest][: _LEDGER * 2]


def _parts(budget: Budget) -> Iterator[tuple[float, str]]:
    """Yield the sections as (width in percent, class); together at most 100."""
    usage = usage_of(budget)
    whole = max(budget.tokens * usage.limit / (usage.used or 1), budget.tokens, 1)
    left = 100.0
    number = 0
    for share in budget.shares:
        width = min(round(share.tokens * 100 / whole, 1), left)
        if width > 0:
            yield width, _GAUGE[number % len(_GAUGE)]
            number += 1
            left -= width


def _shares(budget: Budget) -> str:
    """Return sections with their tokens; empty for a file of one part."""
    before = gettext("before any heading")
    parts = [
        f"{share.title or before} {share.tokens}"
        for share in budget.shares
        if share.tokens
    ]
    return clauses(parts)[:600] if len(parts) > 1 else ""
