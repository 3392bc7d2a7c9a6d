"""A snapshot as a panel, on its own page and next to a topic's timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.utils.translation import gettext

from memoryhub.dialects.task_snapshot import SECTIONS
from memoryhub.formats.text.diffing import (
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.journal.changes import position_at
from memoryhub.journal.models import Workspace
from memoryhub.people import marks
from memoryhub.people.models import User
from memoryhub.recall.recovery import RECALLED, recovered
from memoryhub.values import tokens
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import clauses
from memoryhub.web.kit.listing import FilterLink
from memoryhub.web.kit.prose import prose_of
from snapshots.models import Snapshot, SnapshotSection
from snapshots.queries.snapshots import (
    Scope,
    block_of,
    newer_than,
    older_than,
    outdated_decisions,
    sections_of,
    sections_of_each,
    snapshots_named,
)
from topics.models import Decision

VIEWS = ("diff", "sections", "recall", "raw")
LAST, PREVIOUS = "last", "prev"
#: Most snapshots before and after this one to compare with.
_OLDER, _NEWER = 40, 10
#: Comparisons with more changed lines than the first number show the second.
_MANY_CHANGES, _SHOWN_CHANGES = 2_000, 400


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section: its row, none if missing or gone, and its difference from the base.

    `html` is its text in the sections view. `markable` if its text changed, so that a
    person can review it; `next` marks the first one not reviewed yet.
    """

    number: int
    title: str
    row: SnapshotSection | None
    state: str
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    html: str = ""
    reviewed: bool = False
    next: bool = False
    markable: bool = False

    @property
    def body(self) -> str:
        return self.row.body.strip("\r\n") if self.row else ""

    @property
    def sha(self) -> str:
        return self.row.body_sha if self.row else ""

    @property
    def known(self) -> bool:
        """True for a section of the schema."""
        return self.title in SECTIONS


def shown_sections(
    sections: Sequence[SnapshotSection], base: Sequence[SnapshotSection] | None
) -> list[ShownSection]:
    """Return the eight sections of the schema in order, then all others.

    Sections that the file lacks are "missing". Without a base nothing is compared.
    """
    mine, theirs = _by_title(sections), _by_title(base or ())
    titles = [*SECTIONS, *(t for t in [*mine, *theirs] if t not in SECTIONS)]
    return [
        _shown(number, title, mine.get(title), theirs.get(title), base is not None)
        for number, title in enumerate(dict.fromkeys(titles), 1)
    ]


def _by_title(sections: Sequence[SnapshotSection]) -> dict[str, SnapshotSection]:
    """Index sections by title; repeated titles get a number."""
    found: dict[str, SnapshotSection] = {}
    for section in sections:
        title, number = section.title, 1
        while title in found:
            number += 1
            title = f"{section.title} ({number})"
        found[title] = section
    return found


def _shown(
    number: int,
    title: str,
    mine: SnapshotSection | None,
    theirs: SnapshotSection | None,
    compared: bool,
) -> ShownSection:
    if mine is None and theirs is None:
        return ShownSection(number, title, mine, "missing")
    if not compared:
        return ShownSection(number, title, mine, "same")
    lines = diff_lines(
        _lines(theirs),
        _lines(mine),
        first_old=theirs.first_line + 1 if theirs else 1,
        first_new=mine.first_line + 1 if mine else 1,
        items=True,
    )
    added, removed = change_counts(lines)
    state = "changed" if added or removed else "same"
    if mine is None:
        state = "missing" if title in SECTIONS else "gone"
    elif theirs is None:
        state = "new"
    found = tuple(hunks(lines))
    return ShownSection(number, title, mine, state, found, added, removed)


def _lines(section: SnapshotSection | None) -> list[str]:
    """Return a section's lines without blank ones at its end."""
    lines = split_text(section.body) if section else []
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


@dataclass(frozen=True, slots=True)
class Look:
    """The view of a snapshot: query, person and seen mark.

    `versus` is ``last``, ``prev`` or the code of another snapshot; `seen` is the
    position up to which events were seen, 0 for none. `here` is the page with the panel
    if it is not the snapshot's own.
    """

    view: str = ""
    versus: str = ""
    everything: bool = False
    person: User | None = None
    seen: int = 0
    here: str = ""
    scope: Scope = field(default_factory=Scope)


class Panel:
    """A snapshot's panel: its row, and its content in one of the page's views."""

    def __init__(
        self,
        workspace: Workspace,
        snapshot: Snapshot,
        shell: Shell,
        look: Look | None = None,
    ) -> None:
        self.snapshot = snapshot
        self._workspace = workspace
        self._look = look = look or Look()
        self._addresses, self._clock = shell.addresses, shell.clock
        self._before = older_than(snapshot, limit=_OLDER)
        self._after = newer_than(snapshot, limit=_NEWER)
        self.base = self._base()
        self.view = look.view if look.view in VIEWS else ""
        self.view = self.view or ("diff" if self.base else "sections")
        self.url = self.path = self._addresses.snapshot(snapshot.code)
        self.text_url = self._addresses.snapshot_text(snapshot.code)
        self.review_url = f"{self.url}reviewed/"
        self.when = self._when(snapshot)
        self.carried = look.scope.query.items()

    @property
    def _choosable(self) -> list[Snapshot]:
        return [*reversed(self._after), *self._before]

    def _base(self) -> Snapshot | None:
        """Return the snapshot to compare with; by default None without a topic."""
        versus = self._look.versus
        if versus not in {"", LAST, PREVIOUS}:
            named = [row for row in self._choosable if row.code == versus]
            named = named or snapshots_named(self._workspace, versus)
            if len(named) == 1 and named[0].pk != self.snapshot.pk:
                return named[0]
        if self.snapshot.topic_id is None and versus not in {LAST, PREVIOUS}:
            return None
        seen = None if versus == PREVIOUS else self._last_seen
        return seen or _first(self._before)

    @property
    def _last_seen(self) -> Snapshot | None:
        """Return the newest earlier snapshot that existed at the last visit."""
        seen = self._look.seen
        known = (row for row in self._before if position_at(row.first_seq, 0) <= seen)
        return next(known, None)

    @property
    def here(self) -> str:
        everything = "1" if self._look.everything else ""
        return self._look.here or self._address(self.view, all=everything)

    @property
    def file_url(self) -> str:
        row = self.snapshot
        path, line, rev = row.file.path, row.first_line, row.newest_seq
        return self._addresses.file(path, line=line, rev=rev)

    @property
    def topic_url(self) -> str:
        topic = self.snapshot.topic
        return self._addresses.topic(topic.slug) if topic else ""

    @property
    def assign_url(self) -> str:
        return self._addresses.assign("snapshot", self.snapshot.code, self.url)

    @property
    def copy_url(self) -> str:
        copied = self.snapshot.copy_of
        return self._addresses.snapshot(copied.code) if copied else ""

    @property
    def iso(self) -> str:
        at = self.snapshot.stated_at
        return self._clock.local(at).isoformat(timespec="seconds") if at else ""

    @cached_property
    def older(self) -> str:
        scope = self._look.scope
        rows = older_than(self.snapshot, scope) if scope.query else self._before
        return self._neighbour(_first(rows))

    @cached_property
    def newer(self) -> str:
        scope = self._look.scope
        rows = newer_than(self.snapshot, scope) if scope.query else self._after
        return self._neighbour(_first(rows))

    def _neighbour(self, snapshot: Snapshot | None) -> str:
        """Return the address of a neighbouring snapshot in the same view."""
        if snapshot is None:
            return ""
        view = self._look.view if self._look.view in VIEWS else ""
        query = {"view": view, **self._look.scope.query}
        return self._addresses.snapshot(snapshot.code, **query)

    @property
    def notices(self) -> list[str]:
        found = []
        if self.snapshot.last_seq is not None:
            found.append(gettext("The agent's file no longer holds this snapshot."))
        if not self.snapshot.terminated:
            found.append(gettext("Its end comment is missing."))
        return found

    @property
    def all_url(self) -> str:
        return self._address(self.view, all="1")

    def _address(self, view: str, **query: str) -> str:
        versus = self._look.versus
        if not versus and self.base and view == "diff":
            versus = self.base.code
        query = {"view": view, "vs": versus, **self._look.scope.query, **query}
        return self._addresses.snapshot(self.snapshot.code, **query)

    @property
    def views(self) -> list[FilterLink]:
        labels = {
            "diff": gettext("Diff"),
            "sections": gettext("Sections"),
            "recall": gettext("Recall"),
            "raw": gettext("Raw"),
        }
        shown = VIEWS if self.base or self.view == "diff" else VIEWS[1:]
        return [
            FilterLink(labels[view], self._address(view), current=view == self.view)
            for view in shown
        ]

    @property
    def choices(self) -> list[FilterLink]:
        """Return the snapshots to compare with: last seen, previous, others."""
        seen, previous = self._last_seen, _first(self._before)
        first = [row for row in (seen, previous) if row is not None]
        rows = list(dict.fromkeys([*first, *self._choosable]))
        if self.base is not None and self.base not in rows:
            rows.append(self.base)
        return [
            FilterLink(
                self._choice(row, seen, previous), row.code, current=row == self.base
            )
            for row in rows
        ]

    def _choice(
        self, row: Snapshot, seen: Snapshot | None, previous: Snapshot | None
    ) -> str:
        name = row.snapshot_id or gettext("no id")
        if row == seen:
            return gettext("%(name)s, last one you saw") % {"name": name}
        if row == previous:
            return gettext("%(name)s, previous") % {"name": name}
        return clauses((name, self._when(row)))

    def _when(self, snapshot: Snapshot) -> str:
        return self._clock.stated(snapshot.occurred_at, snapshot.precision)

    @cached_property
    def recall(self) -> dict[str, object]:
        """Return the recall card of big-memory; {} in other views."""
        if self.view != "recall":
            return {}
        found, at = recovered(self.snapshot), self.snapshot.stated_at
        return {
            "sentence": RECALLED.format(timestamp=found.timestamp),
            "block": found,
            "age": self._clock.age(at) if at else "",
            "tokens": tokens.shown(found.block),
            "outdated": list(map(self._outdated, outdated_decisions(self.snapshot))),
        }

    def _outdated(self, decision: Decision) -> dict[str, str]:
        """Return a decision that was superseded or rejected, with its successor."""
        newer = next(iter(decision.superseded_by.all()), None)
        return {
            "text": decision.text,
            "url": self._addresses.decision(decision.code),
            "by": newer.text if newer else "",
            "by_url": self._addresses.decision(newer.code) if newer else "",
        }

    @property
    def lines(self) -> list[tuple[int, str]]:
        """Return the numbered lines of its block, in the raw view."""
        block = block_of(self._workspace, self.snapshot) if self.view == "raw" else []
        return list(enumerate(block, self.snapshot.first_line))

    @cached_property
    def _all_sections(self) -> list[ShownSection]:
        if self.view not in {"diff", "sections"}:
            return []
        base = None
        if self.base and self.view == "diff":
            sections, base = sections_of_each(self.snapshot, self.base)
        else:
            sections = sections_of(self.snapshot)
        found = [
            replace(
                part,
                html=self._html(part) if self.view == "sections" else "",
                markable=bool(self._look.person and part.hunks and part.sha),
            )
            for part in shown_sections(sections, base)
        ]
        return self._marked(found)

    def _html(self, section: ShownSection) -> str:
        path = self.snapshot.file.path
        return prose_of(self._workspace, self._addresses, path, section.body)

    def _marked(self, parts: list[ShownSection]) -> list[ShownSection]:
        """Return the sections with review marks and the next one to review."""
        keys = [(p.title, p.sha) for p in parts if p.markable]
        person, known = self._look.person, set[tuple[str, str]]()
        if person and keys:
            known = marks.reviewed(person, self._workspace, keys)
        found, waiting = [], True
        for part in parts:
            done = part.markable and (part.title, part.sha) in known
            is_next = waiting and part.markable and not done
            waiting = waiting and not is_next
            found.append(replace(part, reviewed=done, next=is_next))
        return found

    @cached_property
    def sections(self) -> list[ShownSection]:
        return _cut(self._all_sections) if self.cut else self._all_sections

    @property
    def added(self) -> int:
        return sum(part.added for part in self._all_sections)

    @property
    def removed(self) -> int:
        return sum(part.removed for part in self._all_sections)

    @property
    def changed(self) -> int:
        return sum(part.state != "same" for part in self._all_sections)

    @property
    def reviewed(self) -> int:
        return sum(part.reviewed for part in self._all_sections)

    @property
    def cut(self) -> bool:
        """Whether only the first changes are shown."""
        return self.added + self.removed > _MANY_CHANGES and not self._look.everything


def _first(rows: Sequence[Snapshot]) -> Snapshot | None:
    return rows[0] if rows else None


def _cut(sections: Sequence[ShownSection]) -> list[ShownSection]:
    """Cut sections to the first changed lines in all."""
    left, shown = _SHOWN_CHANGES, []
    for part in sections:
        chosen = first_changes(part.hunks, left)
        left -= sum(line.kind != "same" for hunk in chosen for line in hunk.lines)
        shown.append(replace(part, hunks=tuple(chosen)))
    return shown
