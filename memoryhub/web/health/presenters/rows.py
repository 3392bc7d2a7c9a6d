"""Presenter of the health page's lists: pointers, breakers, errors, topics, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext, ngettext

from memoryhub.compaction.breaker import Breaker
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.health.pointers import BrokenPointer
from memoryhub.health.queries import ErrorGroup, Health
from memoryhub.journal.verbs import Payload
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import listed
from topics.queries.topics import Quiet


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
