"""Presenter of comments: threads at their place, and the list of all threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from memoryhub.comments.models import Comment, Thread
from memoryhub.comments.queries import (
    PlacedThread,
    in_order,
    placed,
    threads_on_file,
    threads_on_row,
    waits_for,
    waits_for_anybody,
)
from memoryhub.comments.rules.anchoring import Fate
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import earlier_paths
from memoryhub.people.policy import me
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import FilterLink, ListQuery, number, parameter

STATES: dict[str, Promise] = {
    "open": pgettext_lazy("comment", "Open"),
    "mine": gettext_lazy("Waits for you"),
    "resolved": gettext_lazy("Resolved"),
}
_FATES: dict[str, Promise] = {
    Fate.CHANGED: gettext_lazy("Outdated: the text has changed since"),
    Fate.GONE: gettext_lazy("Outdated: the text is gone"),
}


@dataclass(frozen=True, slots=True)
class CommentsQuery(ListQuery):
    """Filters and cursor of the list of threads."""

    state: str = parameter("state", default="open", choices=tuple(STATES))
    text: str = parameter("q", in_form=True)
    file: str = parameter("path", length=1_000)
    page: int = number("page", default=1)


class ShownComment(NamedTuple):
    """A comment with its author and time in words."""

    comment: Comment
    iso: str
    when: str
    mine: bool


class ShownThread(NamedTuple):
    """A thread in words."""

    thread: Thread
    url: str
    place: str
    place_url: str
    line: int
    quote: str
    outdated: str
    waits: str
    waits_for_me: bool
    resolved: str
    comments: tuple[ShownComment, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The card of comments of a page, with the fields of the form of a new one."""

    threads: tuple[ShownThread, ...]
    resolved: tuple[ShownThread, ...]
    kind: str
    path: str
    seq: int = 0
    code: str = ""
    sections: tuple[str, ...] = ()
    lines: int = 0

    @property
    def marks(self) -> dict[int, list[ShownThread]]:
        """Open threads by the line at which they are shown."""
        found: dict[int, list[ShownThread]] = {}
        for thread in self.threads:
            if thread.line:
                found.setdefault(thread.line, []).append(thread)
        return found


def file_panel(
    workspace: Workspace, path: str, seq: int, lines: int, shell: Shell
) -> Panel:
    """Return the comments on a file, and on those it was moved from."""
    paths = {path, *earlier_paths(workspace, path)}
    found = placed(workspace, threads_on_file(workspace, paths))
    here = [one for one in found if one.path == path]
    return Panel(*_parted(here, shell), Thread.Kind.FILE, path, seq, lines=lines)


def row_panel(
    workspace: Workspace,
    kind: str,
    code: str,
    path: str,
    shell: Shell,
    sections: Iterable[str] = (),
) -> Panel:
    """Return the comments on a decision or a snapshot."""
    found = placed(workspace, threads_on_row(workspace, kind, code))
    parts = _parted(found, shell)
    return Panel(*parts, kind, path, code=code, sections=tuple(sections))


def _parted(
    found: Iterable[PlacedThread], shell: Shell
) -> tuple[tuple[ShownThread, ...], tuple[ShownThread, ...]]:
    """Return the open threads, and the resolved ones."""
    shown = shown_threads(list(in_order(found)), shell)
    is_open = tuple(one for one in shown if not one.thread.is_resolved)
    return is_open, tuple(one for one in shown if one.thread.is_resolved)


def shown_threads(found: Sequence[PlacedThread], shell: Shell) -> list[ShownThread]:
    """Return threads in words."""
    return [_shown(one, shell) for one in found]


def _shown(found: PlacedThread, shell: Shell) -> ShownThread:
    row, clock = found.thread, shell.clock
    waits = [] if row.is_resolved else row.waits_for
    is_section = row.kind == Thread.Kind.SNAPSHOT
    return ShownThread(
        thread=row,
        url=shell.addresses.thread(row.pk),
        place=row.section if is_section and row.section else found.place,
        place_url=place_url(found, shell),
        line=found.spot.line if row.kind == Thread.Kind.FILE else 0,
        quote="" if is_section else row.quote.strip(),
        outdated=str(_FATES.get(found.spot.fate, "")),
        waits=_waiting(waits),
        waits_for_me=waits_for(waits, me()),
        resolved=_resolved_text(row, shell),
        comments=tuple(
            ShownComment(
                comment=each,
                iso=clock.local(each.made_at).isoformat(timespec="seconds"),
                when=clock.moment(each.made_at),
                mine=not each.is_agent and each.author == me(),
            )
            for each in found.comments
        ),
    )


def _waiting(names: Sequence[str]) -> str:
    """Return for whom a thread waits, in words; "" for nobody."""
    if not names:
        return ""
    if waits_for_anybody(names):
        names = [gettext("everybody")]
    return gettext("waiting for %(names)s") % {"names": ", ".join(names)}


def _resolved_text(row: Thread, shell: Shell) -> str:
    if row.resolved_at is None:
        return ""
    words = {"name": row.resolved_by, "when": shell.clock.moment(row.resolved_at)}
    return gettext("Resolved by %(name)s, %(when)s") % words


def place_url(found: PlacedThread, shell: Shell) -> str:
    """Return the address of the page that shows a thread, with its anchor."""
    row, addresses = found.thread, shell.addresses
    pages = {
        Thread.Kind.DECISION: lambda: addresses.decision(row.code),
        Thread.Kind.SNAPSHOT: lambda: addresses.snapshot(row.code),
        Thread.Kind.FILE: lambda: addresses.file(found.path, view="raw"),
    }
    return f"{pages[Thread.Kind(row.kind)]()}#c{row.pk}"


def state_links(query: CommentsQuery, counts: dict[str, int]) -> list[FilterLink]:
    """Return the links that filter by state."""
    return [
        FilterLink(
            str(label),
            query.address(state=state),
            counts[state],
            current=query.state == state,
        )
        for state, label in STATES.items()
    ]
