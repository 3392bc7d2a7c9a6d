"""A snapshot as a page shows it: on its own page and beside its topic's timeline."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.utils.translation import gettext

from memoryhub.addresses import Addresses
from memoryhub.diffing import first_changes
from memoryhub.formats.task_snapshot import find_snapshots
from memoryhub.moments import Clock
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.prose import prose_of
from memoryhub.workspaces.shell import Shell
from snapshots.comparing import ShownSection, shown_sections
from snapshots.models import Snapshot
from snapshots.queries import (
    block_of,
    comparable,
    newer_than,
    older_than,
    sections_of,
)
from topics.models import Precision

VIEWS = ("diff", "sections", "recall", "raw")
#: What big-memory says when it recalls a snapshot; agents' words are not translated.
_RECALLED = (
    "I detected context was compacted. Restoring task state from snapshot taken at"
    " {timestamp}..."
)
#: Estimates of tokens count this many characters as one.
_TOKEN_CHARACTERS = 4
#: Comparisons of more changed lines than the first number show the second.
_MANY_CHANGES, _SHOWN_CHANGES = 2_000, 400


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the panel; without an address it leads nowhere."""

    label: str
    url: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section with its text as HTML, where the view shows it."""

    section: ShownSection
    html: str


@dataclass(frozen=True, slots=True)
class RecallCard:
    """What an agent reads of a snapshot after its context was compacted."""

    sentence: str
    goal: str
    phase: str
    files: tuple[str, ...]
    steps: tuple[str, ...]
    age: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Panel:
    """Everything the panel of a snapshot shows."""

    snapshot: Snapshot
    view: str
    views: tuple[Link, ...]
    path: str
    url: str
    text_url: str
    file_url: str
    topic_url: str
    when: str
    iso: str
    older: str
    newer: str
    notices: tuple[str, ...]
    copy_url: str
    base: Snapshot | None = None
    choices: tuple[Link, ...] = ()
    sections: tuple[SectionView, ...] = ()
    added: int = 0
    removed: int = 0
    changed: int = 0
    cut: bool = False
    all_url: str = ""
    recall: RecallCard | None = None
    lines: tuple[tuple[int, str], ...] = ()


def panel_of(
    workspace: Workspace,
    snapshot: Snapshot,
    shell: Shell,
    *,
    view: str = "",
    versus: str = "",
    everything: bool = False,
) -> Panel:
    """Return a snapshot's panel; `versus` is ``prev`` or the code of another one."""
    choices = comparable(snapshot)
    older = older_than(snapshot)
    base = _base(choices, older, versus, compared=snapshot.topic_id is not None)
    view = view if view in VIEWS else ("diff" if base else "sections")
    builder = _Builder(workspace, snapshot, shell, base, everything)
    return builder.panel(view, older, newer_than(snapshot), choices)


def _base(
    choices: list[Snapshot], older: Snapshot | None, versus: str, *, compared: bool
) -> Snapshot | None:
    """Return what to compare with; snapshots of no topic only if one asks."""
    named = next((choice for choice in choices if choice.code == versus), None)
    if named is not None:
        return named
    return older if compared or versus == "prev" else None


@dataclass(frozen=True, slots=True)
class _Builder:
    workspace: Workspace
    snapshot: Snapshot
    shell: Shell
    base: Snapshot | None
    everything: bool

    @property
    def addresses(self) -> Addresses:
        return self.shell.addresses

    @property
    def clock(self) -> Clock:
        return self.shell.clock

    def panel(
        self,
        view: str,
        older: Snapshot | None,
        newer: Snapshot | None,
        choices: list[Snapshot],
    ) -> Panel:
        snapshot, addresses = self.snapshot, self.addresses
        sections = self._sections(view)
        block = block_of(self.workspace, snapshot) if view in {"recall", "raw"} else []
        added = sum(part.section.added for part in sections)
        removed = sum(part.section.removed for part in sections)
        cut = added + removed > _MANY_CHANGES and not self.everything
        return Panel(
            snapshot=snapshot,
            view=view,
            views=self._views(view),
            path=addresses.snapshot(snapshot.code),
            url=addresses.snapshot(snapshot.code),
            text_url=addresses.snapshot_text(snapshot.code),
            file_url=self._file_url(),
            topic_url=addresses.topic(snapshot.topic.slug) if snapshot.topic else "",
            when=self._when(snapshot),
            iso=self.clock.local(snapshot.occurred_at).isoformat(timespec="seconds"),
            older=addresses.snapshot(older.code) if older else "",
            newer=addresses.snapshot(newer.code) if newer else "",
            notices=self._notices(),
            copy_url=self._copy_url(),
            base=self.base,
            choices=self._choices(choices) if view == "diff" else (),
            sections=_cut(sections) if cut else sections,
            added=added,
            removed=removed,
            changed=sum(part.section.state != "same" for part in sections),
            cut=cut,
            all_url=self._address(view, all="1"),
            recall=self._recall(block) if view == "recall" else None,
            lines=tuple(enumerate(block, snapshot.first_line)),
        )

    def _address(self, view: str, **query: str) -> str:
        versus = self.base.code if self.base and view == "diff" else ""
        query = {"view": view, "vs": versus, **query}
        return self.addresses.snapshot(self.snapshot.code, **query)

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

    def _choices(self, choices: list[Snapshot]) -> tuple[Link, ...]:
        return tuple(
            Link(
                f"{choice.snapshot_id or gettext('no id')}, {self._when(choice)}",
                choice.code,
                self.base is not None and choice.pk == self.base.pk,
            )
            for choice in choices
        )

    def _file_url(self) -> str:
        snapshot = self.snapshot
        rev = None if snapshot.last_seq is None else snapshot.last_seq - 1
        return self.addresses.file(
            snapshot.file.path, line=snapshot.first_line, rev=rev
        )

    def _when(self, snapshot: Snapshot) -> str:
        if snapshot.precision == Precision.DAY:
            return self.clock.date_label(self.clock.day(snapshot.occurred_at))
        words = self.clock.moment(snapshot.occurred_at)
        if snapshot.precision == Precision.NONE:
            return gettext("read %(time)s") % {"time": words}
        return words

    def _notices(self) -> tuple[str, ...]:
        snapshot, found = self.snapshot, []
        if snapshot.last_seq is not None:
            found.append(gettext("The agent's file no longer holds this snapshot."))
        if not snapshot.terminated:
            found.append(gettext("Its end comment is missing."))
        if snapshot.topic is None:
            found.append(gettext("No file says which topic it belongs to."))
        return tuple(found)

    def _copy_url(self) -> str:
        copied = self.snapshot.copy_of
        return self.addresses.snapshot(copied.code) if copied else ""

    def _sections(self, view: str) -> tuple[SectionView, ...]:
        if view not in {"diff", "sections"}:
            return ()
        base = sections_of(self.base) if self.base and view == "diff" else None
        found = shown_sections(sections_of(self.snapshot), base)
        return tuple(
            SectionView(part, self._html(part) if view == "sections" else "")
            for part in found
        )

    def _html(self, section: ShownSection) -> str:
        path = self.snapshot.file.path
        return prose_of(self.workspace, self.addresses, path, section.body)

    def _recall(self, block: list[str]) -> RecallCard:
        text = "\n".join(block)
        read = next(iter(find_snapshots(text)), None)
        snapshot = self.snapshot
        at = self.clock.local(snapshot.occurred_at).isoformat(timespec="seconds")
        return RecallCard(
            sentence=_RECALLED.format(timestamp=at),
            goal=snapshot.goal,
            phase=snapshot.phase,
            files=tuple(file.path for file in read.files) if read else (),
            steps=tuple(step.text for step in read.next_steps) if read else (),
            age=self.clock.age(snapshot.occurred_at),
            tokens=len(text) // _TOKEN_CHARACTERS,
        )


def _cut(sections: tuple[SectionView, ...]) -> tuple[SectionView, ...]:
    """Return the sections with the first changed lines only."""
    left, shown = _SHOWN_CHANGES, []
    for part in sections:
        kept = first_changes(part.section.hunks, left)
        left -= sum(line.kind != "same" for hunk in kept for line in hunk.lines)
        shown.append(SectionView(replace(part.section, hunks=tuple(kept)), part.html))
    return tuple(shown)
