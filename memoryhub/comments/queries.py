"""Threads of comments with their present places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Prefetch, QuerySet

from memoryhub.comments.models import Comment, Thread
from memoryhub.comments.rules.anchoring import Anchor, Fate, Spot, spot_of
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.versions import moved_to
from memoryhub.people.roles import OPERATOR, absent_from, is_team
from memoryhub.values.identity import id_of
from snapshots.models import SnapshotSection
from topics.models import Decision

PAGE_SIZE = 50
_MOVES = 20
#: Characters of a comment and of its quote in a line for an agent.
_SHORT, _QUOTED = 400, 120


@dataclass(frozen=True, slots=True)
class PlacedThread:
    """A thread with its comments, its present path, and where its text is now.

    `spot.line` is 0 where the text is gone or the thread is about a whole file.
    """

    thread: Thread
    path: str
    spot: Spot

    @property
    def comments(self) -> list[Comment]:
        return list(self.thread.comments.all())

    @property
    def is_outdated(self) -> bool:
        return self.spot.fate is not Fate.SAME

    @property
    def place(self) -> str:
        """Path with the line."""
        line = self.spot.line or self.thread.line
        return f"{self.path}:{line}" if line else self.path


def waits_for(names: Sequence[str], person: str) -> bool:
    """Return whether a person is among the names that a thread waits for."""
    return person in names or waits_for_anybody(names)


def waits_for_anybody(names: Sequence[str]) -> bool:
    """Return whether an answer of any person is enough: in a team for ``@you``.

    The operator's name stands for that, although nobody in a team is the operator.
    """
    return is_team() and OPERATOR in names


def named_for_agents(names: Sequence[str]) -> str:
    """Return for whom a thread waits, in English for agents and files."""
    if waits_for_anybody(names):
        names = ["a person" if name == OPERATOR else name for name in names]
    return ", ".join(names)


class WaitingThread(NamedTuple):
    """An open thread that waits for somebody, for the rows of Your turn."""

    number: int
    waits_for: tuple[str, ...]
    author: str
    text: str
    place: str
    at: datetime


def threads_of(workspace: Workspace) -> QuerySet[Thread]:
    """Return a workspace's threads with their comments, the last active first."""
    whole = Prefetch("comments", Comment.objects.order_by("id"))
    rows = Thread.objects.filter(workspace=workspace).prefetch_related(whole)
    return rows.select_related("workspace")


def open_threads(workspace: Workspace) -> QuerySet[Thread]:
    """Return the threads that are not resolved."""
    return threads_of(workspace).filter(resolved_at=None)


def thread_of(workspace: Workspace, number: int) -> Thread | None:
    """Return the thread with a number; None if the workspace has none."""
    return threads_of(workspace).filter(pk=number).first()


def threads_on_file(workspace: Workspace, paths: Collection[str]) -> list[Thread]:
    """Return the threads on lines of a file, under any of its paths."""
    rows = threads_of(workspace).filter(kind=Thread.Kind.FILE, path__in=paths)
    return list(rows.order_by("line", "id"))


def threads_on_row(workspace: Workspace, kind: str, code: str) -> list[Thread]:
    """Return the threads on a decision or snapshot."""
    rows = threads_of(workspace).filter(kind=kind, code=code)
    return list(rows.order_by("id"))


def placed(workspace: Workspace, threads: Iterable[Thread]) -> list[PlacedThread]:
    """Return threads with their present places, found by their texts.

    The number of queries depends on the number of moved files alone.
    """
    rows = list(threads)
    paths = {row.path for row in rows}
    files = SourceFile.objects.filter(
        workspace=workspace, present=True, path__in=list(paths)
    )
    there = set(files.values_list("path", flat=True))
    now = {p: p if p in there else _moved(workspace, p) for p in paths}
    texts = _lines_of(workspace, set(now.values()))
    codes = {row.code for row in rows if row.kind == Thread.Kind.DECISION}
    ids = [id_of(code) for code in codes]
    found = Decision.objects.filter(workspace=workspace, pk__in=ids, last_seq=None)
    decisions = {row.code: row.text for row in found}
    sections = _sections(rows)
    finders: dict[str, Callable[[Thread], Spot]] = {
        Thread.Kind.FILE: lambda row: _spot_in_file(row, texts.get(now[row.path])),
        Thread.Kind.DECISION: lambda row: _spot_of_row(row, decisions.get(row.code)),
        Thread.Kind.SNAPSHOT: lambda row: _spot_of_section(row, sections),
    }
    return [PlacedThread(r, now[r.path], finders[r.kind](r)) for r in rows]


def _moved(workspace: Workspace, path: str) -> str:
    seen = {path}
    for _ in range(_MOVES):
        following = moved_to(workspace, path)
        if not following or following in seen:
            break
        seen.add(path := following)
    return path


def _lines_of(workspace: Workspace, paths: Collection[str]) -> dict[str, list[str]]:
    """Return the lines of the present files with these paths."""
    files = SourceFile.objects.filter(
        workspace=workspace, present=True, path__in=list(paths), blob__isnull=False
    )
    blobs = dict(files.values_list("path", "blob_id"))
    data = bytes_by_id(list(set(blobs.values())))
    return {p: decode(data.get(b, b"")).text.splitlines() for p, b in blobs.items()}


def _spot_in_file(row: Thread, lines: list[str] | None) -> Spot:
    if lines is None:
        return Spot(0, Fate.GONE)
    if not row.line:
        return Spot(0, Fate.SAME)
    return spot_of(Anchor(row.line, row.quote, row.before, row.after), lines)


def _spot_of_row(row: Thread, text: str | None) -> Spot:
    if text is None:
        return Spot(0, Fate.GONE)
    return Spot(row.line, Fate.SAME if text == row.quote else Fate.CHANGED)


def _sections(rows: Iterable[Thread]) -> dict[tuple[str, str], str]:
    """Return the texts of sections of commented snapshots, by code and title."""
    codes = {row.code for row in rows if row.kind == Thread.Kind.SNAPSHOT}
    found = SnapshotSection.objects.filter(snapshot__in=[id_of(code) for code in codes])
    return {
        (row.snapshot.code, row.title): row.body_sha
        for row in found.select_related("snapshot")
    }


def _spot_of_section(row: Thread, known: dict[tuple[str, str], str]) -> Spot:
    if not row.section:
        is_there = any(code == row.code for code, _ in known)
        return Spot(row.line, Fate.SAME if is_there else Fate.GONE)
    sha = known.get((row.code, row.section))
    if sha is None:
        return Spot(0, Fate.GONE)
    return Spot(row.line, Fate.SAME if sha == row.quote else Fate.CHANGED)


def waiting_threads(workspace: Workspace) -> tuple[WaitingThread, ...]:
    """Return the open threads that wait for somebody, the oldest first.

    One that waits for a person who cannot act here any more waits for anybody.
    """
    absent = absent_from(workspace)
    rows = open_threads(workspace).exclude(waits_for=[]).order_by("last_at", "id")
    return tuple(
        WaitingThread(
            row.pk,
            tuple(OPERATOR if n.casefold() in absent else n for n in row.waits_for),
            last.author,
            last.text,
            f"{row.path}:{row.line}" if row.line else row.path,
            row.last_at,
        )
        for row in rows
        for last in list(row.comments.all())[-1:]
    )


def lines_for_agent(
    workspace: Workspace,
    agent: str,
    may_see: Callable[[str], bool],
    *,
    path: str = "",
    most: int = 10,
) -> tuple[str, ...]:
    """Return open threads for an agent's context, a line each with its source.

    Those that wait for the agent come first, then those on `path`, then the newest.
    """
    rows = [row for row in open_threads(workspace)[: 10 * most] if may_see(row.path)]
    rows.sort(key=lambda row: (agent not in row.waits_for, row.path != path))
    found = placed(workspace, rows[:most])
    return tuple(_line(one) for one in found if may_see(one.path))


def _line(found: PlacedThread) -> str:
    """Return a thread as a line: place, quote, comments, whom it waits for."""
    row = found.thread
    said = "; ".join(
        f"{comment.author}: {_one_line(comment.text, _SHORT)}"
        for comment in found.comments
    )
    quote = _quoted_part(row)
    state = ", outdated" if found.is_outdated else ""
    waits = f", waits for {named_for_agents(row.waits_for)}" if row.waits_for else ""
    return f"{found.place} (comment {row.pk}{state}{waits}){quote}: {said}"


def _quoted_part(row: Thread) -> str:
    if row.kind == Thread.Kind.SNAPSHOT:
        return f' on "{row.section}"' if row.section else ""
    return f' on "{_one_line(row.quote, _QUOTED)}"' if row.quote.strip() else ""


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def in_order(found: Iterable[PlacedThread]) -> Iterator[PlacedThread]:
    """Yield threads by their present lines; those whose text is gone come last."""
    yield from sorted(
        found, key=lambda one: (one.spot.fate is Fate.GONE, one.spot.line)
    )
