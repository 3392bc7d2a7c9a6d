"""Decisions as rows: of a card, and of the log by month with its filters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import groupby
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext

from memoryhub.journal.authors import owners_of
from memoryhub.journal.changes import position_at
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Operation, Revision, Source, Workspace
from memoryhub.people.marks import Seen
from memoryhub.recall.lists import written_by
from memoryhub.values.cursors import TimeKey
from memoryhub.values.identity import code_of
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter, time_cursor
from memoryhub.web.kit.prose import plain_text, shortened, without_marks
from memoryhub.web.kit.state_labels import DECISION_STATES
from memoryhub.web.suggestions import GRADES, grade_facet
from topics.models import Decision, Directive
from topics.queries.decisions import (
    GONE,
    DecisionFilter,
    Entry,
    Facets,
    wanted_decisions,
)

#: A text split into stretches: (stretch, whether it matches the query).
Parts = tuple[tuple[str, bool], ...]
MONTH = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")
#: Longest heading of a decision's page, in bytes of UTF-8.
_HEADING = 240
_YEAR = re.compile(r"[0-9]{4}")


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A decision or directive as a row; `url` is its page, else its line of a file."""

    row: Decision | Directive
    url: str
    is_new: bool = False
    #: Who wrote a directive, in words.
    by: str = ""
    #: When the file of an undated row was changed on disk, if that is shown.
    changed_at: datetime | None = None

    @property
    def text(self) -> str:
        return shortened(self.row.text)

    @property
    def reason(self) -> str:
        """Reason of a decision; empty if its text has it."""
        if not isinstance(self.row, Decision):
            return ""
        reason = shortened(self.row.reason)
        return "" if reason in plain_text(self.row.text) else reason

    @property
    def is_unsigned(self) -> bool:
        row = self.row
        return isinstance(row, Decision) and row.state == Decision.State.UNSIGNED

    @property
    def is_dated(self) -> bool:
        return self.row.precision != Precision.NONE

    @property
    def place(self) -> str:
        """Path and line of a directive, which has no page of its own."""
        row = self.row
        return "" if isinstance(row, Decision) else f"{row.file.path}:{row.first_line}"


def decision_rows(
    decisions: Iterable[Decision], addresses: Addresses, seen: Seen | None = None
) -> list[StatementRow]:
    """Return decisions as rows; those not yet seen are marked as new."""
    return [
        StatementRow(row, addresses.decision(code_of(row.pk)), _is_new(row, seen))
        for row in decisions
    ]


def _is_new(row: Decision, seen: Seen | None) -> bool:
    """Return whether a decision is newer than the last visit, if there was one."""
    if seen is None or seen.at is None:
        return False
    return seen.is_new(position_at(row.first_seq, 0))


def directive_rows(
    workspace: Workspace, directives: Iterable[Directive], addresses: Addresses
) -> list[StatementRow]:
    """Return directives as rows, each with its line of a file and who wrote it."""
    owner = owners_of(workspace)
    return [
        StatementRow(
            row,
            addresses.file(row.file.path, line=row.first_line),
            by=written_by(row, owner),
        )
        for row in directives
    ]


def dated_rows(
    rows: Iterable[StatementRow], changed_at: Mapping[int, datetime]
) -> list[StatementRow]:
    """Return rows with the times of their files, by the first seq of a row."""
    return [
        replace(each, changed_at=changed_at.get(each.row.first_seq)) for each in rows
    ]


def _month_of(text: str) -> str:
    if (MONTH.fullmatch(text) or _YEAR.fullmatch(text)) and text >= "0001":
        return text
    raise ValueError(text)


@dataclass(frozen=True, slots=True)
class DecisionQuery(ListQuery):
    """Filters and cursor of the decision log."""

    text: str = parameter("q", in_form=True)
    topic: str = parameter("topic")
    agent: str = parameter("agent")
    state: str = parameter("state", choices=(*Decision.State.values, GONE))
    month: str = parameter("month", read=_month_of)
    grade: str = parameter("grade", default="declared", choices=GRADES)
    before: TimeKey | None = time_cursor("before")

    def wanted(self, workspace: Workspace) -> DecisionFilter:
        """Return the query's filter for the database."""
        return wanted_decisions(
            workspace,
            text=self.text,
            topic=self.topic,
            agent=self.agent,
            state=self.state,
            month=self.month,
            grade=self.grade,
        )


@dataclass(frozen=True, slots=True)
class DirectiveQuery(ListQuery):
    """Words, origin and cursor of the list of directives."""

    text: str = parameter("q", in_form=True)
    origin: str = parameter(
        "origin", default="people", choices=("people", "memory"), filters=False
    )
    before: TimeKey | None = time_cursor("before")


def marked(text: str, words: str) -> Parts:
    """Split a text at matches of the first eight `words`, ignoring case."""
    wanted = [re.escape(word) for word in words.split()[:8]]
    if not wanted:
        return ((text, False),)
    found = re.split(f"({'|'.join(wanted)})", text, flags=re.IGNORECASE)
    return tuple((part, at % 2 == 1) for at, part in enumerate(found) if part)


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A row of the decision log: its entry and the words for it.

    Rows are equal if they look alike: `shown` has what the entry shows.
    """

    entry: Entry = field(compare=False)
    shown: tuple[object, ...]
    addresses: Addresses
    text: Parts
    reason: Parts
    day: str
    day_from: str
    signed: str
    rejected: str
    iso: str

    @property
    def url(self) -> str:
        return self.addresses.decision(self.entry.decision.code)

    @property
    def is_marked(self) -> bool:
        """True if a search matched in the reason, which is then shown whole."""
        return any(hit for _, hit in self.reason)

    @property
    def state(self) -> str:
        return DECISION_STATES[self.entry.decision.state][0]

    @property
    def state_label(self) -> str:
        return str(DECISION_STATES[self.entry.decision.state][1])

    @property
    def handoff_url(self) -> str:
        return handoff_url(self.entry.decision, self.addresses)

    @property
    def supersedes_url(self) -> str:
        old = self.entry.decision.supersedes
        return self.addresses.decision(old.code) if old else ""

    @property
    def replaced_url(self) -> str:
        new = self.entry.replaced_by
        return self.addresses.decision(new.code) if new else ""

    @property
    def supersedes_text(self) -> str:
        old = self.entry.decision.supersedes
        said = old.text if old else self.entry.decision.supersedes_text
        return headed_by(without_marks(said))

    @property
    def replaced_text(self) -> str:
        new = self.entry.replaced_by
        return headed_by(without_marks(new.text)) if new else ""

    @property
    def place_url(self) -> str:
        """Address of the line; empty if no file has it any more."""
        source = self.entry.source
        if source is None or source.last_seq is not None:
            return ""
        return self.addresses.file(source.file.path, line=source.first_line)

    @property
    def others(self) -> int:
        """Number of further places that state the decision."""
        return max(0, self.entry.sources - 1)

    @property
    def gone(self) -> str:
        return dropped_text(self.entry.decision, self.entry.dropped_by)

    @property
    def gone_url(self) -> str:
        by = self.entry.dropped_by
        return self.addresses.run(by.run.number) if by and by.run else ""

    @property
    def past(self) -> bool:
        decision = self.entry.decision
        return decision.last_seq is not None or (
            decision.state == Decision.State.SUPERSEDED
        )


def months_of(
    entries: Iterable[Entry], text: str, shell: Shell
) -> list[dict[str, Any]]:
    """Group log entries by month; those without a day of their own are set apart."""
    return [
        {
            "code": month or "undated",
            "label": month_label(month)
            if month
            else gettext("Without a day in the text"),
            "rows": [shown_entry(entry, shell, text) for entry in group],
        }
        for month, group in groupby(entries, lambda entry: _month(entry, shell))
    ]


def _day_shown(decision: Decision, shell: Shell) -> tuple[str, str]:
    """Return the date of a decision, and where it comes from if not from the text."""
    if _is_dated(decision):
        return day_of(decision, shell), ""
    day = shell.clock.date_label(shell.clock.day(decision.occurred_at))
    return day, gettext("day of the file’s last change")


def _is_dated(decision: Decision) -> bool:
    return bool(decision.decided_on) or decision.precision != Precision.NONE


def _month(entry: Entry, shell: Shell) -> str:
    """Return the month of a decision; empty if it has no day."""
    if not _is_dated(entry.decision):
        return ""
    day = entry.decision.decided_on or shell.clock.day(entry.decision.occurred_at)
    return f"{day.year:04}-{day.month:02}"


def month_label(month: str) -> str:
    """Return a month in words."""
    year, number = map(int, month.split("-"))
    return date_format(date(year, number, 1), "YEAR_MONTH_FORMAT")


def shown_entry(entry: Entry, shell: Shell, text: str = "") -> DecisionRow:
    """Return a row of the log, with matches of a text marked."""
    decision = entry.decision
    day, day_from = _day_shown(entry.decision, shell)
    title = without_marks(decision.text)
    return DecisionRow(
        entry=entry,
        shown=_shown(entry),
        addresses=shell.addresses,
        text=marked(title if text else headed_by(title), text),
        reason=marked(without_marks(decision.reason), text),
        day=day,
        day_from=day_from,
        signed=signed_text(decision, shell),
        rejected=rejected_text(decision, shell),
        iso=_iso(decision, shell),
    )


def _shown(entry: Entry) -> tuple[object, ...]:
    """Return the displayed values of an entry, except its text."""
    decision, source, by = entry.decision, entry.source, entry.dropped_by
    names = (
        decision.topic and decision.topic.name,
        decision.agent and decision.agent.name,
    )
    others = [
        (other.code, other.text)
        for other in (decision.supersedes, entry.replaced_by)
        if other
    ]
    return (
        *(value for name, value in vars(decision).items() if name != "_state"),
        *names,
        *others,
        source and (source.file.path, source.first_line, source.last_seq),
        entry.sources,
        by and by.run and by.run.number,
    )


def day_of(decision: Decision, shell: Shell) -> str:
    """Return the date of a decision, in the precision that the file gives."""
    clock = shell.clock
    timed = clock.stated(decision.occurred_at, decision.precision)
    day = decision.decided_on
    return clock.date_label(day) if day and decision.precision == "day" else timed


def day_with_source(decision: Decision, source: Source | None, shell: Shell) -> str:
    """Return the date of a decision, and where it comes from if not from its text."""
    if source is None or decision.decided_on:
        return day_of(decision, shell)
    path, at = source.file.path, decision.occurred_at
    return shell.clock.day_stated(path, at, decision.precision)


def _iso(decision: Decision, shell: Shell) -> str:
    if decision.decided_on:
        return decision.decided_on.isoformat()
    return shell.clock.local(decision.occurred_at).isoformat(timespec="seconds")


def signed_text(decision: Decision, shell: Shell) -> str:
    """Return who signed a decision off, and when."""
    if not decision.signed_off_by:
        return ""
    words = {"name": decision.signed_off_by}
    if decision.signed_off_at is not None:
        words["day"] = shell.clock.moment(decision.signed_off_at)
        return gettext("signed off by %(name)s, %(day)s") % words
    if decision.signed_off_on is None:
        return gettext("signed off by %(name)s") % words
    words["day"] = shell.clock.date_label(decision.signed_off_on)
    return gettext("signed off by %(name)s %(day)s") % words


def rejected_text(decision: Decision, shell: Shell) -> str:
    """Return when and why a decision was rejected; empty if it was not."""
    if decision.state != Decision.State.REJECTED:
        return ""
    on, reason = decision.rejected_on, without_marks(decision.rejected_for)
    words = {"day": shell.clock.date_label(on) if on else "", "reason": reason}
    if on and reason:
        return gettext("Rejected %(day)s: %(reason)s") % words
    if reason:
        return gettext("Rejected: %(reason)s") % words
    return gettext("Rejected %(day)s") % words if on else ""


def headed_by(text: str) -> str:
    """Return a decision's text cut to a heading of about three lines.

    Bytes of UTF-8 stand for its width: a Chinese character has three.
    """
    if len(text.encode()) <= _HEADING:
        return text
    cut = text.encode()[:_HEADING].decode(errors="ignore")
    whole = cut.rpartition(" ")[0] if " " in cut[len(cut) // 2 :] else cut
    return f"{whole.rstrip(' ,;:，、；：')}…"


def handoff_url(decision: Decision, addresses: Addresses) -> str:
    """Return the page of the handoff that asks for the sign-off; empty without one."""
    row = decision.handoff_row
    return addresses.handoff(code_of(row)) if row else ""


def dropped_text(decision: Decision, by: Revision | None) -> str:
    """Return the notice that no file has a decision any more; empty if one does.

    With the number of the import that dropped it, if known.
    """
    if decision.last_seq is None:
        return ""
    if by is None or by.run is None:
        return gettext("no longer in the agent’s file")
    words = {"number": by.run.number}
    return gettext("no longer in the agent’s file since import #%(number)s") % words


def staged_rows(staged: Sequence[Operation], shell: Shell) -> list[dict[str, str]]:
    """Return the staged decisions, each with its undo address."""
    return [
        {
            "text": str(operation.payload.get("text", "")),
            "path": operation.target,
            "actor": operation.actor,
            "undo": shell.addresses.undo(operation.key),
        }
        for operation in staged
    ]


def facet_links(
    facets: Facets, query: DecisionQuery, workspace: Workspace
) -> list[dict[str, Any]]:
    """Return facet links; the link of an active filter removes it."""
    states = {name: str(label) for name, (_, label) in DECISION_STATES.items()}
    states[GONE] = gettext("No longer in a file")
    groups = (
        ("state", gettext("State"), [
            (name, states[name], n)
            for name in states
            if (n := facets.states[name]) and query.state in ("", name)
        ]),
        ("topic", gettext("Topic"), [
            (topic.slug, topic.name, n) for topic, n in facets.topics
        ]),
        ("agent", gettext("Agent"), [
            (agent.name, agent.name, n) for agent, n in facets.agents
        ]),
        ("month", gettext("Year"), [
            (year, year, n) for year, n in _years(facets)
        ]),
    )  # fmt: skip
    return [
        {
            "label": label,
            "links": [query.link(name, *option) for option in values],
        }
        for name, label, values in groups
        if values
    ] + grade_facet(query, query.grade, "decision", workspace)


def _years(facets: Facets) -> list[tuple[str, int]]:
    """Return decisions per year, newest first; empty if there is only one year."""
    years = Counter[str]()
    for month, n in facets.months:
        if MONTH.fullmatch(month):
            years[month[:4]] += n
    return sorted(years.items(), reverse=True) if len(years) > 1 else []


def month_links(facets: Facets, query: DecisionQuery) -> list[FilterLink]:
    """Return links of up to 36 months with decisions, newest first."""
    return [
        query.link("month", month, month_label(month), n)
        for month, n in facets.months
        if MONTH.fullmatch(month)
    ][:36]
