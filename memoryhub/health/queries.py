"""Health of a workspace: figures of its memory, from rows and texts.

Results that depend on the journal alone are cached until it grows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.core.cache import cache
from django.db.models import Q, QuerySet

from memoryhub.compaction.breaker import Breaker, breakers_of, parse_line
from memoryhub.dialects import error_log, memory_index
from memoryhub.dialects.error_log import ErrorLine
from memoryhub.dialects.registry import by_name
from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.decoding import decode
from memoryhub.health.pointers import Pointed, count_broken, follow
from memoryhub.health.sizes import HealthFile, Sizes, sizes_of
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.hosts import (
    READ_BY_HOSTS,
    SIGNS,
    SUMMARY,
    HostLimit,
    limit_of,
)
from memoryhub.journal.ledger import Budget, budget_of
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.page_cache import cached

#: Limits of error logs that are read, and of groups of errors.
_LOGS = 20
_GROUPS = 200
_UNINDEXED = 200
#: The count in "failure 2 of 3".
_COUNTED = re.compile(r"\b\d{1,4} of \d{1,4}\b")
_COLUMNS = ("path", "format", "tokens", "blob_id", "blob__sha256")


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Errors with the same text except for time: their count, and the newest."""

    path: str
    text: str
    kind: str
    count: int
    agents: tuple[str, ...]
    first: str
    last: str
    line: int


@dataclass(frozen=True, slots=True)
class Errors:
    """The content of the error logs; each breaker has the path of its log."""

    groups: tuple[ErrorGroup, ...] = ()
    breakers: tuple[tuple[str, Breaker], ...] = ()
    lines: int = 0
    paths: tuple[str, ...] = ()

    @property
    def open_breakers(self) -> list[Breaker]:
        return [breaker for _, breaker in self.breakers if breaker.is_open]


@dataclass(frozen=True, slots=True)
class Health:
    """The health figures that depend on the journal alone, without elapsed times.

    `pointed` is None where there is no ``MEMORY.md``. `unindexed` are files without a
    pointer to them; those found otherwise are counted in `by_date`.
    """

    budget: Budget | None
    pointed: Pointed | None
    unindexed: tuple[str, ...]
    by_date: int
    errors: Errors
    sizes: Sizes
    files: int


def memory_budget(workspace: Workspace) -> Budget | None:
    """Return the token budget of a session's start; None without start files.

    One query, and one more after the file has changed.
    """
    files = _signs(workspace)
    file = _given_of(workspace, files)
    if file is None:
        return None
    present = frozenset(file.path for file in files) & SIGNS
    known = "\0".join([workspace.root, file.path, file.sha256, *sorted(present)])
    key = f"budget:{sha256(known.encode('utf-8', 'surrogatepass')).hexdigest()}"
    budget: Budget | None = cache.get(key)
    if budget is None:
        text = _texts([file.blob]).get(file.blob)
        if text is None:
            return None
        budget = _budget(workspace, file.path, text, present)
        cache.set(key, budget, timeout=None)
    return budget


def workspace_health(workspace: Workspace) -> Health:
    """Return the journal's health figures of a workspace: at most four queries.

    No query if cached.
    """
    return cached(workspace, "health", lambda: _health(workspace))


def broken_pointers(workspace: Workspace) -> int:
    """Return the number of broken pointers: three queries, once for each journal."""
    return cached(workspace, "broken pointers", lambda: _count_broken(workspace))


def _count_broken(workspace: Workspace) -> int:
    index = _index_of(workspace, _signs(workspace))
    text = _texts([index.blob]).get(index.blob) if index else None
    if index is None or text is None:
        return 0
    pointers = memory_index.parse(text).pointers
    files = _files(workspace).values_list("path", flat=True)
    return count_broken(index.path, pointers, files)


def _health(workspace: Workspace) -> Health:
    there = _files(workspace).order_by("path")
    files = [HealthFile(*row) for row in there.values_list(*_COLUMNS)]
    index, given = _index_of(workspace, files), _given_of(workspace, files)
    logs = [file for file in files if file.format == error_log.NAME][:_LOGS]
    texts = _texts([file.blob for file in (*logs, *filter(None, (index, given)))])
    text = texts.get(index.blob) if index else None
    pointed = None
    if index is not None and text is not None:
        pointers = memory_index.parse(text).pointers
        pointed = follow(workspace, index.path, pointers, (f.path for f in files))
    unindexed, by_date = _unindexed(files, pointed)
    budget = None
    if given is not None and given.blob in texts:
        present = frozenset(file.path for file in files)
        budget = _budget(workspace, given.path, texts[given.blob], present)
    return Health(
        budget=budget,
        pointed=pointed,
        unindexed=unindexed,
        by_date=by_date,
        errors=_errors([(file.path, texts.get(file.blob, "")) for file in logs]),
        sizes=sizes_of(str(workspace.uuid), files),
        files=len(files),
    )


def _files(workspace: Workspace) -> QuerySet[SourceFile]:
    rows = SourceFile.objects.filter(workspace=workspace, present=True)
    return rows.filter(blob__isnull=False)


def _signs(workspace: Workspace) -> list[HealthFile]:
    """Return the candidates for the index, and the files that show its host."""
    named = Q(path__in=[*_places(workspace), *SIGNS]) | Q(format=memory_index.NAME)
    return [
        HealthFile(*row)
        for row in _files(workspace).filter(named).values_list(*_COLUMNS)
    ]


def _places(workspace: Workspace) -> list[str]:
    """Return the usual paths of ``MEMORY.md``, by precedence."""
    return ["MEMORY.md", f"{workspace.memory_folder}/MEMORY.md", "memory.md"]


def _index_of(workspace: Workspace, files: Iterable[HealthFile]) -> HealthFile | None:
    """Return the ``MEMORY.md`` that counts: at a usual path, else the nearest one.

    Nearest is the one with the fewest folders above it.
    """
    places = {path: number for number, path in enumerate(_places(workspace))}
    far = len(places)
    found = [
        file
        for file in files
        if file.path in places or file.path.endswith("/MEMORY.md")
    ]

    def distance(file: HealthFile) -> tuple[int, int, str]:
        return places.get(file.path, far), file.path.count("/"), file.path

    return min(found, key=distance, default=None)


def _given_of(workspace: Workspace, files: Iterable[HealthFile]) -> HealthFile | None:
    """Return the file whose text agents are given at a start: in Codex a summary.

    Of several agents' files the largest, which its host cuts first.
    """
    listed = list(files)
    index = _index_of(workspace, listed)
    folder = index.path.rpartition("/")[0] if index else None
    found = [file for file in listed if file.path.rpartition("/")[2] == SUMMARY]
    near = (file for file in found if file.path.rpartition("/")[0] == folder)
    return next(near, _fullest(workspace, index, listed) or next(iter(found), None))


def _fullest(
    workspace: Workspace, index: HealthFile | None, files: Sequence[HealthFile]
) -> HealthFile | None:
    """Return the index, or the largest of several agents' at the same depth."""
    if index is None or index.path in _places(workspace):
        return index
    depth = index.path.count("/")
    alike = [f for f in files if f.path.endswith("/MEMORY.md")]
    near = [f for f in alike if f.path.count("/") == depth]
    return max(near, key=lambda file: file.tokens, default=index)


def memory_path(workspace: Workspace) -> str:
    """Return the path of the ``MEMORY.md`` that counts; empty without one."""
    index = _index_of(workspace, _signs(workspace))
    return index.path if index else ""


def _budget(
    workspace: Workspace, path: str, text: str, present: frozenset[str]
) -> Budget:
    host = _host(workspace, path, text, present)
    return budget_of(path, text, *([host] if host else []))


def host_of(workspace: Workspace, path: str, text: str) -> HostLimit | None:
    """Return the limit of the host that reads a file; None if no host cuts it.

    At most one query.
    """
    if path.rpartition("/")[2] not in READ_BY_HOSTS:
        return None
    present = frozenset(file.path for file in _signs(workspace))
    return _host(workspace, path, text, present)


def _host(
    workspace: Workspace, path: str, text: str, present: frozenset[str]
) -> HostLimit | None:
    edition = memory_index.parse(text).edition
    return limit_of(workspace.root, path, edition, present)


def _texts(blob_ids: Sequence[int]) -> dict[int, str]:
    return {pk: decode(data).text for pk, data in bytes_by_id(blob_ids).items()}


def _unindexed(
    files: Iterable[HealthFile], pointed: Pointed | None
) -> tuple[tuple[str, ...], int]:
    """Return the files that lack a pointer, and the number of those that need none."""
    if pointed is None or not pointed.files:
        return (), 0
    others = [file for file in files if file.path != pointed.index]
    left = [file for file in others if not _is_reached(file.path, pointed.files)]
    missed = [f.path for f in left if not by_name(f.format).is_found]
    memory = [path for path in missed if "/" in path and path.endswith(".md")]
    return tuple(memory[:_UNINDEXED]), len(left) - len(memory)


def _is_reached(path: str, reached: frozenset[str]) -> bool:
    """Return whether a pointer leads to a file, or to a folder that contains it."""
    if path in reached:
        return True
    parts = path.split("/")
    folders = (f"{'/'.join(parts[:end])}/" for end in range(1, len(parts)))
    return not reached.isdisjoint(folders)


def _errors(logs: Sequence[tuple[str, str]]) -> Errors:
    """Return the content of error logs, given as pairs of path and text."""
    groups: list[ErrorGroup] = []
    breakers: list[tuple[str, Breaker]] = []
    lines = 0
    for path, text in logs:
        errors = error_log.errors_in(masked(text)[0])
        lines += len(errors)
        groups += grouped(path, errors)
        breakers += [(path, breaker) for breaker in breakers_of(errors)]
    groups.sort(key=lambda group: (-group.count, group.path, group.line))
    paths = tuple(path for path, _ in logs)
    return Errors(tuple(groups[:_GROUPS]), tuple(breakers), lines, paths)


def grouped(path: str, errors: Iterable[ErrorLine]) -> list[ErrorGroup]:
    """Return errors grouped by text, ignoring time and agent."""
    together: dict[str, list[ErrorLine]] = {}
    for error in errors:
        text = " ".join(parse_line(error.text).text.casefold().split())
        text = _COUNTED.sub("# of #", text)
        together.setdefault(text.rstrip(" .!"), []).append(error)
    return [_group(path, same) for same in together.values()]


def _group(path: str, same: Sequence[ErrorLine]) -> ErrorGroup:
    first, last = parse_line(same[0].text), parse_line(same[-1].text)
    names = (parse_line(error.text).who for error in same)
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
