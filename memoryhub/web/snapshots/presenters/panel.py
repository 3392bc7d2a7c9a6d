"""Presenter of a snapshot's panel, on its own page and next to a topic's timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext

from memoryhub.formats.text.diffing import first_changes
from memoryhub.journal.changes import position_at
from memoryhub.journal.models import Workspace
from memoryhub.journal.precision import Precision
from memoryhub.people.marks import reviewed
from memoryhub.people.models import User
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.prose import prose_of
from memoryhub.web.recall.presenters.card import RecallCard, recall_card
from memoryhub.web.snapshots.presenters.comparing import ShownSection, shown_sections
from snapshots.models import Snapshot
from snapshots.queries.snapshots import (
    Scope,
    block_of,
    newer_than,
    older_than,
    sections_of,
    sections_of_each,
    snapshots_named,
)

VIEWS = ("diff", "sections", "recall", "raw")
LAST, PREVIOUS = "last", "prev"
#: Most snapshots before and after this one to compare with.
_OLDER, _NEWER = 40, 10
#: Comparisons with more changed lines than the first number show the second.
_MANY_CHANGES, _SHOWN_CHANGES = 2_000, 400


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


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the panel; without an address it is disabled."""

    label: str
    url: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section, with its text as HTML in the sections view.

    `markable` if its text changed, so that a person can review it; `next` marks the
    first one not reviewed yet.
    """

    section: ShownSection
    html: str = ""
    markable: bool = False
    reviewed: bool = False
    next: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Template values of a snapshot's panel."""

    snapshot: Snapshot
    view: str
    views: tuple[Link, ...]
    path: str
    here: str
    url: str
    text_url: str
    review_url: str
    file_url: str
    topic_url: str
    assign_url: str
    when: str
    iso: str
    older: str
    newer: str
    notices: tuple[str, ...]
    copy_url: str
    carried: tuple[tuple[str, str], ...] = ()
    base: Snapshot | None = None
    choices: tuple[Link, ...] = ()
    sections: tuple[SectionView, ...] = ()
    added: int = 0
    removed: int = 0
    changed: int = 0
    reviewed: int = 0
    cut: bool = False
    all_url: str = ""
    recall: RecallCard | None = None
    lines: tuple[tuple[int, str], ...] = ()


def panel_of(
    workspace: Workspace, snapshot: Snapshot, shell: Shell, look: Look | None = None
) -> Panel:
    """Return a snapshot's panel."""
    look = look or Look()
    around = _around(snapshot, look)
    base = _base(workspace, snapshot, around, look)
    view = look.view if look.view in VIEWS else ("diff" if base else "sections")
    return _Builder(workspace, snapshot, shell, look, around, base).panel(view)


@dataclass(frozen=True, slots=True)
class _Around:
    """Snapshots of the same topic, nearest first; older and newer obey the filter."""

    before: list[Snapshot]
    after: list[Snapshot]
    older: Snapshot | None
    newer: Snapshot | None

    @property
    def choices(self) -> list[Snapshot]:
        return [*reversed(self.after), *self.before]


def _around(snapshot: Snapshot, look: Look) -> _Around:
    before = older_than(snapshot, limit=_OLDER)
    after = newer_than(snapshot, limit=_NEWER)
    older, newer = before, after
    if look.scope.query:
        older = older_than(snapshot, look.scope)
        newer = newer_than(snapshot, look.scope)
    return _Around(before, after, _first(older), _first(newer))


def _first(rows: Sequence[Snapshot]) -> Snapshot | None:
    return rows[0] if rows else None


def _base(
    workspace: Workspace, snapshot: Snapshot, around: _Around, look: Look
) -> Snapshot | None:
    """Return the snapshot to compare with; None for one without topic by default."""
    if look.versus not in {"", LAST, PREVIOUS}:
        named = [row for row in around.choices if row.code == look.versus]
        named = named or snapshots_named(workspace, look.versus)
        if len(named) == 1 and named[0].pk != snapshot.pk:
            return named[0]
    if snapshot.topic_id is None and look.versus not in {LAST, PREVIOUS}:
        return None
    seen = None if look.versus == PREVIOUS else _last_seen(around, look)
    return seen or _first(around.before)


def _last_seen(around: _Around, look: Look) -> Snapshot | None:
    """Return the newest earlier snapshot that existed at the last visit."""
    seen = (row for row in around.before if _is_seen(row, look))
    return next(seen, None)


def _is_seen(snapshot: Snapshot, look: Look) -> bool:
    return position_at(snapshot.first_seq, 0) <= look.seen


@dataclass(frozen=True, slots=True)
class _Builder:
    workspace: Workspace
    snapshot: Snapshot
    shell: Shell
    look: Look
    around: _Around
    base: Snapshot | None

    @property
    def addresses(self) -> Addresses:
        return self.shell.addresses

    @property
    def clock(self) -> Clock:
        return self.shell.clock

    def panel(self, view: str) -> Panel:
        snapshot, addresses = self.snapshot, self.addresses
        sections = self._sections(view)
        block = block_of(self.workspace, snapshot) if view == "raw" else []
        added = sum(part.section.added for part in sections)
        removed = sum(part.section.removed for part in sections)
        cut = added + removed > _MANY_CHANGES and not self.look.everything
        return Panel(
            snapshot=snapshot,
            view=view,
            views=self._views(view),
            path=addresses.snapshot(snapshot.code),
            here=self.look.here
            or self._address(view, all="1" if self.look.everything else ""),
            url=addresses.snapshot(snapshot.code),
            text_url=addresses.snapshot_text(snapshot.code),
            review_url=f"{addresses.snapshot(snapshot.code)}reviewed/",
            file_url=self._file_url(),
            topic_url=addresses.topic(snapshot.topic.slug) if snapshot.topic else "",
            assign_url=addresses.assign(
                "snapshot", snapshot.code, addresses.snapshot(snapshot.code)
            ),
            when=self._when(snapshot),
            iso=self.clock.local(snapshot.occurred_at).isoformat(timespec="seconds"),
            older=self._neighbour(self.around.older),
            newer=self._neighbour(self.around.newer),
            notices=self._notices(),
            copy_url=self._copy_url(),
            carried=tuple(self.look.scope.query.items()),
            base=self.base,
            choices=self._choices() if view == "diff" else (),
            sections=_cut(sections) if cut else sections,
            added=added,
            removed=removed,
            changed=sum(part.section.state != "same" for part in sections),
            reviewed=sum(part.reviewed for part in sections),
            cut=cut,
            all_url=self._address(view, all="1"),
            recall=recall_card(snapshot, self.shell) if view == "recall" else None,
            lines=tuple(enumerate(block, snapshot.first_line)),
        )

    def _address(self, view: str, **query: str) -> str:
        versus = self.look.versus
        if not versus and self.base and view == "diff":
            versus = self.base.code
        query = {"view": view, "vs": versus, **self.look.scope.query, **query}
        return self.addresses.snapshot(self.snapshot.code, **query)

    def _neighbour(self, snapshot: Snapshot | None) -> str:
        """Return the address of a neighbouring snapshot in the same view."""
        if snapshot is None:
            return ""
        view = self.look.view if self.look.view in VIEWS else ""
        query = {"view": view, **self.look.scope.query}
        return self.addresses.snapshot(snapshot.code, **query)

    def _views(self, current: str) -> tuple[Link, ...]:
        labels = {
            "diff": gettext("Diff"),
            "sections": gettext("Sections"),
            "recall": gettext("Recall"),
            "raw": gettext("Raw"),
        }
        shown = VIEWS if self.base or current == "diff" else VIEWS[1:]
        return tuple(
            Link(labels[view], self._address(view), view == current) for view in shown
        )

    def _choices(self) -> tuple[Link, ...]:
        """Return the snapshots to compare with: last seen, previous, others."""
        seen = _last_seen(self.around, self.look)
        previous = _first(self.around.before)
        first = [row for row in (seen, previous) if row is not None]
        rows = list(dict.fromkeys([*first, *self.around.choices]))
        if self.base is not None and self.base not in rows:
            rows.append(self.base)
        return tuple(
            Link(self._choice(row, seen, previous), row.code, row == self.base)
            for row in rows
        )

    def _choice(
        self, row: Snapshot, seen: Snapshot | None, previous: Snapshot | None
    ) -> str:
        name = row.snapshot_id or gettext("no id")
        if row == seen:
            return gettext("%(name)s, last one you saw") % {"name": name}
        if row == previous:
            return gettext("%(name)s, previous") % {"name": name}
        return f"{name}, {self._when(row)}"

    def _file_url(self) -> str:
        snapshot = self.snapshot
        return self.addresses.file(
            snapshot.file.path, line=snapshot.first_line, rev=snapshot.newest_seq
        )

    def _when(self, snapshot: Snapshot) -> str:
        if snapshot.precision == Precision.NONE:
            words = {"time": self.clock.moment(snapshot.occurred_at)}
            return gettext("read %(time)s") % words
        return self.clock.stated(snapshot.occurred_at, snapshot.precision)

    def _notices(self) -> tuple[str, ...]:
        snapshot, found = self.snapshot, []
        if snapshot.last_seq is not None:
            found.append(gettext("The agent's file no longer holds this snapshot."))
        if not snapshot.terminated:
            found.append(gettext("Its end comment is missing."))
        return tuple(found)

    def _copy_url(self) -> str:
        copied = self.snapshot.copy_of
        return self.addresses.snapshot(copied.code) if copied else ""

    def _sections(self, view: str) -> tuple[SectionView, ...]:
        if view not in {"diff", "sections"}:
            return ()
        base = None
        if self.base and view == "diff":
            sections, base = sections_of_each(self.snapshot, self.base)
        else:
            sections = sections_of(self.snapshot)
        found = [
            SectionView(
                part,
                self._html(part) if view == "sections" else "",
                bool(self.look.person and part.hunks and part.sha),
            )
            for part in shown_sections(sections, base)
        ]
        return _marked(found, self._reviewed(found))

    def _reviewed(self, parts: Sequence[SectionView]) -> set[tuple[str, str]]:
        keys = [(p.section.title, p.section.sha) for p in parts if p.markable]
        if self.look.person is None or not keys:
            return set()
        return reviewed(self.look.person, self.workspace, keys)

    def _html(self, section: ShownSection) -> str:
        path = self.snapshot.file.path
        return prose_of(self.workspace, self.addresses, path, section.body)


def _marked(
    parts: Sequence[SectionView], known: set[tuple[str, str]]
) -> tuple[SectionView, ...]:
    """Return the sections with review marks and the next one to review."""
    found, waiting = [], True
    for part in parts:
        done = part.markable and (part.section.title, part.section.sha) in known
        is_next = waiting and part.markable and not done
        waiting = waiting and not is_next
        found.append(replace(part, reviewed=done, next=is_next))
    return tuple(found)


def _cut(sections: tuple[SectionView, ...]) -> tuple[SectionView, ...]:
    """Cut sections to the first changed lines in all."""
    left, shown = _SHOWN_CHANGES, []
    for part in sections:
        kept = first_changes(part.section.hunks, left)
        left -= sum(line.kind != "same" for hunk in kept for line in hunk.lines)
        section = replace(part.section, hunks=tuple(kept))
        shown.append(replace(part, section=section))
    return tuple(shown)
