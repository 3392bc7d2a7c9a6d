"""What the health of a workspace is: figures of its memory, from rows and texts.

What follows from the journal alone is kept until the journal goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Q

from memoryhub.compaction.breaker import Breaker, breakers_of, said_of
from memoryhub.formats import error_log, memory_index
from memoryhub.formats.decoding import decode
from memoryhub.formats.error_log import ErrorLine
from memoryhub.workspaces.journal import bytes_by_id
from memoryhub.workspaces.ledger import Budget, budget_of
from memoryhub.workspaces.models import SourceFile, Workspace
from memoryhub.workspaces.pointers import Pointed, follow
from memoryhub.workspaces.sizes import Sizes, sizes_of

#: Raise it when the same journal gives other figures.
_VERSION = 1
#: Logs of errors that are read, and groups of errors that are kept.
_LOGS = 20
_GROUPS = 200
#: Formats that are found by day or session, not by a pointer to them.
_FOUND_OTHERWISE = frozenset(
    {"daily_log", "session_transcript", "session_compact", "session_map", "dreaming"}
    | {"handoff", "task_snapshot", "agent_roles", "memory_index", "memory_tip"}
)
_UNINDEXED = 200


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Errors that say the same but for their time: how many, and the newest."""

    path: str
    text: str
    kind: str
    count: int
    agents: tuple[str, ...]
    first: str
    last: str
    line: int


@dataclass(frozen=True, slots=True)
class OpenBreaker:
    """A breaker with the log that tells of it."""

    path: str
    breaker: Breaker


@dataclass(frozen=True, slots=True)
class Errors:
    """What the logs of errors say."""

    groups: tuple[ErrorGroup, ...] = ()
    breakers: tuple[OpenBreaker, ...] = ()
    lines: int = 0
    paths: tuple[str, ...] = ()

    @property
    def open_breakers(self) -> tuple[OpenBreaker, ...]:
        return tuple(one for one in self.breakers if one.breaker.is_open)


@dataclass(frozen=True, slots=True)
class Health:
    """What follows from the journal: without times, which go on by themselves.

    `pointed` is None where there is no ``MEMORY.md``. `unindexed` are files that
    no pointer leads to; those found otherwise are counted in `by_date`.
    """

    budget: Budget | None
    pointed: Pointed | None
    unindexed: tuple[str, ...]
    by_date: int
    errors: Errors
    sizes: Sizes
    files: int


@dataclass(frozen=True, slots=True)
class _File:
    """A file that is there, as far as health is about it."""

    path: str
    format: str
    tokens: int
    blob: int
    sha256: str


def memory_budget(workspace: Workspace) -> Budget | None:
    """Return what the workspace's ``MEMORY.md`` costs; None where there is none.

    One query, and one more after the file has changed.
    """
    file = _memory_index(workspace)
    if file is None or file.blob is None:
        return None
    key = f"budget:{_VERSION}:{file.path}:{file.blob.sha256}"
    budget: Budget | None = cache.get(key)
    if budget is None:
        text = _texts([file.blob.id]).get(file.blob.id)
        if text is None:
            return None
        budget = budget_of(file.path, text)
        cache.set(key, budget, timeout=None)
    return budget


def workspace_health(workspace: Workspace) -> Health:
    """Return what the journal says of a workspace's health: at most six queries.

    One that is kept costs none.
    """
    key = f"health:{_VERSION}:{workspace.uuid}:{workspace.projected_seq}"
    health: Health | None = cache.get(key)
    if health is None:
        health = _health(workspace)
        cache.set(key, health, timeout=24 * 3600)
    return health


def _health(workspace: Workspace) -> Health:
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    there = rows.filter(blob__isnull=False).order_by("path")
    files = [_File(*row) for row in there.values_list(*_COLUMNS)]
    budget = memory_budget(workspace)
    pointed = _pointed(workspace, files, budget)
    unindexed, by_date = _unindexed(files, pointed)
    logs = [file for file in files if file.format == error_log.NAME]
    return Health(
        budget=budget,
        pointed=pointed,
        unindexed=unindexed,
        by_date=by_date,
        errors=_errors(logs[:_LOGS]),
        sizes=sizes_of(
            str(workspace.uuid),
            ((f.path, f.format, f.tokens, f.blob, f.sha256) for f in files),
        ),
        files=len(files),
    )


_COLUMNS = ("path", "format", "tokens", "blob_id", "blob__sha256")


def _memory_index(workspace: Workspace) -> SourceFile | None:
    """Return the workspace's ``MEMORY.md``, the one nearest to its root."""
    paths = ["MEMORY.md", f"{workspace.memory_folder}/MEMORY.md", "memory.md"]
    rows = SourceFile.objects.filter(
        Q(path__in=paths), workspace=workspace, present=True, blob__isnull=False
    ).select_related("blob")
    return min(rows, key=lambda row: paths.index(row.path), default=None)


def _texts(blob_ids: Sequence[int]) -> dict[int, str]:
    return {pk: decode(data).text for pk, data in bytes_by_id(blob_ids).items()}


def _pointed(
    workspace: Workspace, files: Sequence[_File], budget: Budget | None
) -> Pointed | None:
    if budget is None:
        return None
    file = next((file for file in files if file.path == budget.path), None)
    text = _texts([file.blob]).get(file.blob, "") if file else ""
    pointers = memory_index.parse(text).pointers
    return follow(workspace, budget.path, pointers, (file.path for file in files))


def _unindexed(
    files: Iterable[_File], pointed: Pointed | None
) -> tuple[tuple[str, ...], int]:
    """Return the files that should be pointed to, and how many need not be."""
    if pointed is None or not pointed.files:
        return (), 0
    left = [file for file in files if not _is_reached(file.path, pointed.files)]
    missed = [f.path for f in left if f.format not in _FOUND_OTHERWISE]
    memory = [path for path in missed if "/" in path and path.endswith(".md")]
    return tuple(memory[:_UNINDEXED]), len(left) - len(memory)


def _is_reached(path: str, reached: frozenset[str]) -> bool:
    """Tell whether a pointer leads to a file, or to a folder it lies in."""
    if path in reached:
        return True
    parts = path.split("/")
    return any("/".join(parts[:end]) in reached for end in range(1, len(parts)))


def _errors(logs: Sequence[_File]) -> Errors:
    key = f"errors:{_VERSION}:" + ":".join(f"{f.path}@{f.sha256}" for f in logs)
    found: Errors | None = cache.get(key) if len(key) < 2000 else None
    if found is None:
        found = _read_errors(logs)
        if len(key) < 2000:
            cache.set(key, found, timeout=None)
    return found


def _read_errors(logs: Sequence[_File]) -> Errors:
    texts = _texts([file.blob for file in logs]) if logs else {}
    groups: list[ErrorGroup] = []
    breakers: list[OpenBreaker] = []
    lines = 0
    for file in logs:
        errors = error_log.parse(texts.get(file.blob, "")).errors
        lines += len(errors)
        groups += grouped(file.path, errors)
        breakers += [OpenBreaker(file.path, b) for b in breakers_of(errors)]
    groups.sort(key=lambda group: (-group.count, group.path, group.line))
    paths = tuple(file.path for file in logs)
    return Errors(tuple(groups[:_GROUPS]), tuple(breakers), lines, paths)


def grouped(path: str, errors: Iterable[ErrorLine]) -> list[ErrorGroup]:
    """Return errors by what they say, without their time and who met them."""
    together: dict[str, list[ErrorLine]] = {}
    for error in errors:
        text = " ".join(said_of(error.text).text.casefold().split())
        together.setdefault(text.rstrip(" .!"), []).append(error)
    return [_group(path, same) for same in together.values()]


def _group(path: str, same: Sequence[ErrorLine]) -> ErrorGroup:
    first, last = said_of(same[0].text), said_of(same[-1].text)
    names = (said_of(error.text).who for error in same)
    return ErrorGroup(
        path=path,
        text=last.text,
        kind=same[-1].kind,
        count=len(same),
        agents=tuple(dict.fromkeys(name for name in names if name)),
        first=first.time,
        last=last.time,
        line=same[-1].lines.first,
    )
