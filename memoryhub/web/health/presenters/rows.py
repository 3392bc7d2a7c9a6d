"""Presenter of the health page's lists: pointers, breakers, errors, topics, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext, ngettext

from memoryhub.compaction.breaker import Breaker
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.health.pointers import BrokenPointer
from memoryhub.health.queries import ErrorGroup, Health
from memoryhub.health.staleness import StaleTopic
from memoryhub.journal.verbs import Payload
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import listed


@dataclass(frozen=True, slots=True)
class ShownPointer:
    """A broken pointer with the form that repairs it."""

    pointer: BrokenPointer
    url: str
    why: str
    to: str
    #: Its new target in a staged edit; empty if none.
    staged: str


@dataclass(frozen=True, slots=True)
class ShownBreaker:
    """An agent's circuit breaker: boxes of consecutive failures, state in words."""

    name: str
    agent: str
    path: str
    is_open: bool
    failures: int
    boxes: tuple[bool, ...]
    state: str
    detail: str
    url: str


@dataclass(frozen=True, slots=True)
class ShownError:
    """Errors of equal text."""

    count: int
    text: str
    facts: str
    url: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a list: title, text and address."""

    title: str
    text: str
    url: str


def shown_pointers(
    health: Health, staged: Sequence[Payload], shell: Shell
) -> list[ShownPointer]:
    """Return the broken pointers with their staged targets."""
    changed = {payload["text"]: payload["to"] for payload in staged}
    pointed = health.pointed
    if pointed is None:
        return []
    return [
        ShownPointer(
            one,
            shell.addresses.file(pointed.index, line=one.pointer.lines.first),
            _why(pointed.index, one),
            one.likely,
            changed.get(one.pointer.text, ""),
        )
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
        why = gettext("There never was such a file.")
    return f"{named} {why % words}"


def shown_breakers(health: Health, shell: Shell) -> list[ShownBreaker]:
    """Return all circuit breakers, open ones first."""
    return [_breaker(path, one, shell) for path, one in health.errors.breakers]


def _breaker(path: str, breaker: Breaker, shell: Shell) -> ShownBreaker:
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
    return ShownBreaker(
        name=breaker.agent or gettext("No agent named"),
        agent=breaker.agent,
        path=path,
        is_open=breaker.is_open,
        failures=breaker.failures,
        boxes=tuple(number < breaker.failures for number in range(3)),
        state=state,
        detail=detail[:300],
        url=shell.addresses.file(path, line=breaker.line) if breaker.line else "",
    )


def when(text: str, shell: Shell) -> str:
    """Return a log's timestamp in words; text that is none is returned unchanged."""
    at = parse_timestamp(text)
    if at is None:
        return text
    zoned: datetime = at
    if at.tzinfo is None:
        zoned = at.replace(tzinfo=ZoneInfo(shell.workspace.time_zone))
    return shell.clock.moment(zoned)


def shown_errors(groups: Sequence[ErrorGroup], shell: Shell) -> list[ShownError]:
    """Return the errors by frequency."""
    return [
        ShownError(
            group.count,
            group.text[:300],
            _facts(group, shell),
            shell.addresses.file(group.path, line=group.line),
        )
        for group in groups
    ]


def _facts(group: ErrorGroup, shell: Shell) -> str:
    last = when(group.last, shell)
    parts = [listed(group.agents[:4])]
    if last:
        parts.append(gettext("last %(when)s") % {"when": last})
    return " · ".join(part for part in parts if part)


def shown_stale(topics: Sequence[StaleTopic], shell: Shell) -> list[ShownRow]:
    """Return the stale topics, each with the rule behind it."""
    return [
        ShownRow(
            topic.name, stale_text(topic, shell), shell.addresses.topic(topic.slug)
        )
        for topic in topics
    ]


def stale_text(topic: StaleTopic, shell: Shell) -> str:
    """Return the reason why a topic is stale."""
    age = _span(topic.age.total_seconds())
    parts = gettext("No activity for %(age)s while work is open.") % {"age": age}
    if topic.gap is None:
        rule = gettext("The rule: quiet for more than 2 h.")
        return f"{parts} {rule}"
    words = {
        "gap": _span(topic.gap.total_seconds()),
        "limit": _span(topic.limit.total_seconds()),
    }
    rule = gettext("Usual gap is %(gap)s; stale after %(limit)s.") % words
    return f"{parts} {rule}"


def _span(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 60:
        return gettext("%(n)s min") % {"n": max(minutes, 1)}
    if minutes < 48 * 60:
        return gettext("%(n)s h") % {"n": minutes // 60}
    return gettext("%(n)s days") % {"n": minutes // (24 * 60)}


def shown_sizes(health: Health, shell: Shell) -> list[ShownRow]:
    """Return oversized and duplicated entries: hints, not issues."""
    files = shell.addresses.file
    large = [
        ShownRow(
            one.title or one.path,
            gettext("%(n)s tokens in %(path)s; 1000 of a file are given back")
            % {"n": one.tokens, "path": one.path},
            files(one.path, line=one.line),
        )
        for one in health.sizes.oversized
    ]
    same = [
        ShownRow(
            one[0].title or one[0].path,
            gettext("The same text stands in %(paths)s")
            % {"paths": listed(place.path for place in one[:4])},
            files(one[0].path, line=one[0].line),
        )
        for one in health.sizes.duplicated
    ]
    return [*large, *same]


def shown_unindexed(health: Health, shell: Shell) -> list[ShownRow]:
    """Return files without a pointer; empty if there are no pointers at all."""
    return [ShownRow(path, "", shell.addresses.file(path)) for path in health.unindexed]
