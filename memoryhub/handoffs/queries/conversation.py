"""One handoff with its steps, related rows and evidence; blocks not understood."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from django.db.models import Max, Min, Q

from memoryhub.dialects.handoff import STATUSES
from memoryhub.formats.base import Lines
from memoryhub.formats.text.mentions import files_in
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.ids import ids_named
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN, in_order
from memoryhub.handoffs.queries.sides import called, handoffs_of, seen_from
from memoryhub.handoffs.rules.acting import DONE, FAILED, REVIEW
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Problem, Revision, Workspace
from memoryhub.journal.problems import current_problems
from snapshots.exporters import lines_of, span_text
from snapshots.models import NEWEST_FIRST, Snapshot
from topics.models import Decision

#: Decisions and snapshots of the topic that are shown with a handoff.
_BESIDE = 5
#: Most blocks of a kind that are listed.
_MOST = 100
#: Problem codes of single lines of a handoff's file.
_LINES = ("handoff-line-unknown", "handoff-line-undated", "handoff-due-unknown")
#: Problem code of a complete task that is not read as one.
_UNREAD = "handoff-block-unread"


class DatedStep(NamedTuple):
    """A step and its time; None if unknown."""

    step: HandoffStep
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A handoff with its steps and related rows.

    `again`: handoffs it was handed off to again, or came from. `same_id`: other
    handoffs with its id.
    """

    handoff: Handoff
    steps: tuple[DatedStep, ...]
    decisions: tuple[Decision, ...]
    snapshots: tuple[Snapshot, ...]
    files: tuple[str, ...]
    again: tuple[Handoff, ...]
    same_id: tuple[Handoff, ...]


class Unreadable(NamedTuple):
    """A block or line that is incomplete or unknown: code, place and source text."""

    code: str
    task_id: str
    path: str
    first_line: int
    last_line: int
    text: str


def conversation(handoff: Handoff) -> Conversation:
    """Return a handoff with its steps, and the newest rows of its topic."""
    rows = HandoffStep.objects.filter(handoff=handoff, last_seq__isnull=True)
    steps = in_order(rows.select_related("file"))
    for step in steps if handoff.viewer else ():
        slugs = handoff.workspace.slug, handoff.side.slug
        step.actor = step.actor and called(step.actor, *slugs)
    dated = tuple(_dated_steps(handoff, steps))
    again, same_id = _others(handoff, dated)
    decisions = Decision.objects.filter(topic=handoff.topic_id)
    snapshots = Snapshot.objects.filter(topic=handoff.topic_id)
    limit = _BESIDE if handoff.topic_id else 0
    return Conversation(
        handoff,
        dated,
        tuple(decisions.order_by("-decided_on", "-id")[:limit]),
        tuple(snapshots.order_by(*NEWEST_FIRST)[:limit]),
        _files(handoff, dated),
        again,
        same_id,
    )


def _dated_steps(handoff: Handoff, steps: Sequence[HandoffStep]) -> Iterator[DatedStep]:
    """Yield steps with times; a result's time is that of its line in the log."""
    lines = defaultdict[str, deque[datetime]](deque)
    for step in steps:
        if step.happened_at and not step.is_result:
            lines[step.verb].append(step.happened_at)
    for step in steps:
        known = lines[step.verb] if step.is_result else None
        yield DatedStep(step, known.popleft() if known else step.time_of(handoff))


def _files(handoff: Handoff, dated: Iterable[DatedStep]) -> tuple[str, ...]:
    """Return the files that the results name as touched, without duplicates."""
    mentioned = [p for s in dated for p in files_in(s.step.side_effects)]
    return tuple(dict.fromkeys(mentioned))


def _others(
    handoff: Handoff, dated: Iterable[DatedStep]
) -> tuple[tuple[Handoff, ...], tuple[Handoff, ...]]:
    """Return handoffs it went on to or came from, and others with its id."""
    steps = (s.step for s in dated if s.step.verb == HANDED_OFF_AGAIN)
    to = {step.detail for step in steps if step.detail}
    side, alive = handoff.side, Q(last_seq__isnull=True)
    came = HandoffStep.objects.filter(
        alive,
        workspace__in={side.pk, handoff.workspace_id},
        verb=HANDED_OFF_AGAIN,
        detail=handoff.task_id,
    )
    # Ids first: one condition for all of them would read every handoff.
    ids = {pk for name in {*to, handoff.task_id} for pk in ids_named(side, name)}
    ids |= {*came.values_list("handoff", flat=True)}
    rows = handoffs_of(side).filter(pk__in=ids).order_by("first_seq", "position")
    again, same_id = [], []
    for row in seen_from([side], rows):
        if row.task_id != handoff.task_id or row.task_id in to:
            again.append(row)
        if row.task_id == handoff.task_id and row.pk != handoff.pk:
            same_id.append(row)
    return tuple(again), tuple(same_id)


def unreadable(workspace: Workspace) -> tuple[Unreadable, ...]:
    """Return blocks and lines that could not be parsed; one query without any.

    Results without an id, with an unknown status or for an unknown task; tasks without
    a sender, recipient, id or type; unknown lines of a handoff's file.
    """
    alive = {"workspace": workspace, "last_seq__isnull": True}
    results = HandoffStep.objects.filter(
        Q(task_id="") | ~Q(verb__in=STATUSES) | Q(handoff__isnull=True),
        is_result=True,
        **alive,
    )
    tasks = Handoff.objects.filter(
        Q(task_id="")
        | Q(sender="")
        | Q(recipient="")
        | Q(type=Handoff.Type.UNKNOWN)
        | Q(problem__gt=""),
        **alive,
    )
    lines = current_problems(workspace).filter(code_name__in=(*_LINES, _UNREAD))
    dated, sent = (rows.order_by().values("task_id") for rows in (results, tasks))
    if not dated.union(sent, lines.order_by().values("path"))[:1]:
        return ()
    found: list[Handoff | HandoffStep] = []
    for rows in (results, tasks):
        found += rows.select_related("file__blob").order_by("-first_seq")[:_MOST]
    of_files = {row.file_id: row for row in reversed(found)}
    texts = {file_id: span_text(row) for file_id, row in of_files.items()}
    odd = map(_line, lines.order_by("-seq", "line")[:_MOST])
    return (*(_unreadable(row, texts[row.file_id]) for row in found), *odd)


def _line(problem: Problem) -> Unreadable:
    path, line = problem.path, problem.line
    dated = problem.code_name, PurePosixPath(path).stem, path, line, line
    text = problem.parameters.get("text") or problem.parameters.get("task_id", "")
    return Unreadable(*dated, text)


def _unreadable(row: Handoff | HandoffStep, text: str) -> Unreadable:
    first, last = row.first_line, row.last_line
    said = lines_of(text, Lines(first, last))
    return Unreadable(_why(row), row.task_id, row.file.path, first, last, said)


def _why(row: Handoff | HandoffStep) -> str:
    if not row.task_id:
        return "no-task-id"
    if isinstance(row, HandoffStep):
        return "unknown-status" if row.verb not in STATUSES else "no-such-task"
    if not row.sender:
        return "no-sender"
    if not row.recipient:
        return "no-recipient"
    return row.problem or "unknown-type"


#: Most files that are named, and versions that are looked at for them.
_CHANGED_FILES, _VERSIONS = 50, 2_000
#: Hashes of commits as git prints them: abbreviated or whole, with a digit.
_COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_COMMITS = 20


class ChangedFile(NamedTuple):
    """A file that changed: how, by whom in words, if the result names it."""

    path: str
    kind: str
    by: str
    named: bool


class Evidence(NamedTuple):
    """Files changed while the work was done; files that only the result names; commits.

    `more`: further files changed.
    """

    files: tuple[ChangedFile, ...] = ()
    unchanged: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    more: int = 0


def evidence_of(handoff: Handoff) -> Evidence | None:
    """Return a result's side effects by the journal; None without a result.

    Counted is what was recorded from the time it was taken, else sent, until it was
    reported, in the workspace that does the work.
    """
    if handoff.state not in (DONE, FAILED, REVIEW) or not handoff.result_status:
        return None
    said = f"{handoff.result}\n{handoff.side_effects}"
    claimed = tuple(dict.fromkeys(files_in(said)))
    files = _changed(handoff, claimed)
    seen = {file.path for file in files}
    unchanged = (path for path in claimed if not any(_is(path, p) for p in seen))
    commits = dict.fromkeys(found[0] for found in _COMMIT.finditer(said))
    return Evidence(
        tuple(files[:_CHANGED_FILES]),
        tuple(unchanged),
        tuple(commits)[:_COMMITS],
        max(0, len(files) - _CHANGED_FILES),
    )


def _changed(handoff: Handoff, claimed: tuple[str, ...]) -> list[ChangedFile]:
    """Return the changed files, the newest first, each once."""
    steps = HandoffStep.objects.filter(handoff=handoff, last_seq__isnull=True)
    bounds = steps.aggregate(
        taken=Min("first_seq", filter=Q(verb="taken", is_result=False)),
        reported=Max("first_seq", filter=Q(is_result=True)),
    )
    since, until = bounds["taken"] or handoff.first_seq, bounds["reported"] or 0
    rows = Revision.objects.filter(workspace=handoff.workspace_id, seq__gt=since)
    rows = rows.filter(seq__lt=until) if until else rows
    rows = rows.exclude(path=handoff.file.path).order_by("-seq")
    versions = list(rows.values_list("path", "kind", "actor")[:_VERSIONS])
    owner = owners_of(handoff.workspace)
    found: dict[str, ChangedFile] = {}
    for path, kind, actor in versions:
        named = any(_is(claim, path) for claim in claimed)
        by = changed_by(actor, owner(path))
        found.setdefault(path, ChangedFile(path, kind, by, named))
    return list(found.values())


def _is(claim: str, path: str) -> bool:
    """Return whether a path that a text names is this file."""
    return claim == path or path.endswith(f"/{claim}") or claim.endswith(f"/{path}")
