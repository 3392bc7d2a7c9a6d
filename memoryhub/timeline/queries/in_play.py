"""Files in play: the files that agents claim to be changing, and conflicting claims.

The disk is not read: the sources are snapshots, session memories and handoffs in
progress.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memoryhub.dialects import session_compact, task_snapshot
from memoryhub.dialects.task_snapshot import is_absolute
from memoryhub.formats.base import Lines
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.mentions import files_in
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import IN_PROGRESS
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.timeline.queries.agents import AgentNow, agents_now
from snapshots.models import NEWEST_FIRST, SessionMemory, Snapshot, SnapshotSection

#: Session memories and handoffs that are looked at, and files that each may name.
_MEMORIES, _HANDOFFS, _FILES = 100, 200, 100
#: Longest valid path; most final parts of a path compared with a shorter one.
_LONGEST, _PARTS = 400, 12


class Claim(NamedTuple):
    """An agent's claim to be changing a file; `kind` is the kind of its source."""

    path: str
    agent: str
    purpose: str
    kind: str
    name: str
    id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class FileInPlay:
    """A file with its claims, the newest first."""

    path: str
    claims: tuple[Claim, ...]
    active: frozenset[str]

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(claim.agent for claim in self.claims))

    @property
    def rivals(self) -> tuple[str, ...]:
        """The active agents with claims, if there are two or more."""
        found = tuple(name for name in self.agents if name in self.active)
        return found if len(found) > 1 else ()


def files_in_play(
    workspace: Workspace, agents: Sequence[AgentNow]
) -> tuple[FileInPlay, ...]:
    """Return the files, those with several active agents first; four queries.

    An agent is active while it has open work or waits, and has not gone quiet. An agent
    known only from a handoff is active, as it works on the handoff.
    """
    doings = {a.name: a.doing for a in agents if a.doing and a.doing.percent != 100}
    ids = tuple(doing.pk for doing in doings.values())
    claims = cached(workspace, ("in play", ids), lambda: _claims(workspace, doings))
    known = {agent.name: agent.state.is_active for agent in agents}
    active = frozenset(c.agent for c in claims if known.get(c.agent, True))
    by_path: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_path[claim.path].append(claim)
    found = [FileInPlay(path, tuple(rows), active) for path, rows in by_path.items()]
    return tuple(sorted(found, key=lambda file: (not file.rivals, file.path)))


def overlaps_of(workspace: Workspace, agent: str, now: datetime) -> tuple[str, ...]:
    """Return the files changed by an agent and other active ones, with these names.

    Empty, without a query, for an empty name.
    """
    if not agent:
        return ()
    agents = agents_now(workspace, now)
    shared = [f for f in files_in_play(workspace, agents) if agent in f.rivals]
    return tuple(
        f"{file.path} ({', '.join(name for name in file.rivals if name != agent)})"
        for file in shared
    )


def _claims(workspace: Workspace, doings: Mapping[str, Snapshot]) -> tuple[Claim, ...]:
    """Return the claims of agents, the newest first, with one path for each file."""
    found = [
        *_of_snapshots(doings),
        *_of_memories(workspace),
        *_of_handoffs(workspace),
    ]
    plain = (c.path.replace("\\", "/").strip().removeprefix("./") for c in found)
    found = [c._replace(path=path) for c, path in zip(found, plain, strict=True)]
    found = [claim for claim in found if 0 < len(claim.path) <= _LONGEST]
    whole = _whole_paths({claim.path for claim in found})
    here = f"{workspace.root.rstrip('/')}/"
    same = [c._replace(path=whole[c.path].removeprefix(here)) for c in found]
    return tuple(sorted(same, key=lambda claim: claim.at, reverse=True))


def _of_snapshots(doings: Mapping[str, Snapshot]) -> Iterator[Claim]:
    whose = {doing.id: (name, doing) for name, doing in doings.items()}
    rows = SnapshotSection.objects.filter(
        snapshot__in=list(whose), title=task_snapshot.FILES
    )
    columns = ("snapshot_id", "body", "first_line", "last_line")
    for snapshot, body, first, last in rows.values_list(*columns):
        name, doing = whose[snapshot]
        section = task_snapshot.SnapshotSection(
            task_snapshot.FILES, body, True, Lines(first, last)
        )
        for file in task_snapshot.read_files(section)[:_FILES]:
            source = ("snapshot", doing.snapshot_id, doing.pk, doing.occurred_at)
            yield Claim(file.path, name, file.purpose, *source)


def _of_memories(workspace: Workspace) -> Iterator[Claim]:
    """Yield the claims of each agent's newest session memory."""
    rows = SessionMemory.objects.filter(
        workspace=workspace,
        last_seq__isnull=True,
        archived=False,
        agent__isnull=False,
    ).order_by(*NEWEST_FIRST)
    columns = ("agent__name", "memory_id", "id", "occurred_at", "file__blob_id")
    newest = {row[0]: row for row in reversed(rows.values_list(*columns)[:_MEMORIES])}
    texts = bytes_by_id({row[4] for row in newest.values() if row[4]})
    for agent, memory_id, pk, at, blob in newest.values():
        if blob in texts:
            document = session_compact.parse(decode(texts[blob]).text)
            for file in document.working_files[:_FILES]:
                yield Claim(file.path, agent, file.purpose, "memory", memory_id, pk, at)


def _of_handoffs(workspace: Workspace) -> Iterator[Claim]:
    """Yield the files named by writes in progress."""
    alive = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True)
    rows = alive.filter(in_lane=True, state=IN_PROGRESS).order_by("-last_at")
    for row in rows[:_HANDOFFS]:
        text = "\n".join((row.context, row.input, row.expected_output))
        agent, at = row.taken_by or row.recipient, row.last_at or row.occurred_at
        for path in files_in(text)[:_FILES]:
            yield Claim(path, agent, "", "handoff", row.task_id, row.pk, at)


def _whole_paths(paths: Collection[str]) -> Mapping[str, str]:
    """Return each path in full: the only absolute path with this ending, if any.

    A bare name is too ambiguous to match an ending.
    """
    ends: dict[str, set[str]] = defaultdict(set)
    for path in filter(is_absolute, paths):
        parts = path.split("/")
        for n in range(2, min(len(parts), _PARTS + 1)):
            ends["/".join(parts[-n:])].add(path)
    return {
        path: min(ends[path]) if len(ends.get(path, ())) == 1 else path
        for path in paths
    }
