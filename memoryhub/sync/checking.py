"""Dry run of a folder's import: nothing is recorded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memoryhub.dialects.registry import FALLBACK, detect
from memoryhub.disk.files import FileError
from memoryhub.disk.places import read_file
from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.text.decoding import decode
from memoryhub.sync.read.reader import place_at
from memoryhub.sync.scan.walk import ScanProblem, scan
from memoryhub.sync.uploads import data_within

#: Files opened for format detection, and the limit of their bytes together.
_LOOKED_AT = 5_000
_LOOKED_BYTES = 64_000_000

NOT_RECOGNISED = FALLBACK.name


@dataclass(frozen=True, slots=True)
class Check:
    """Result of the dry run: files by dialect, unrecognised files, problems.

    `unseen` counts the further files, which were not opened; `inner` are the paths of
    workspaces inside the folder.
    """

    formats: tuple[tuple[str, int], ...]
    plain: tuple[str, ...]
    problems: tuple[ScanProblem, ...]
    inner: tuple[str, ...]
    files: int
    size: int
    unseen: int


def check_folder(root: Path, ignore: tuple[str, ...] = ()) -> Check:
    """Preview the import of a folder; nothing is recorded."""
    linked = settings.MEMORYHUB_LINKED_FOLDERS
    seen = scan(root, ignore=ignore, without=data_within(root), linked=linked)
    found = sorted(seen.found, key=lambda file: file.path)
    counts: Counter[str] = Counter()
    unknown, problems, looked, size = [], list(seen.problems), 0, 0
    for file in found[:_LOOKED_AT]:
        if size + file.size > _LOOKED_BYTES and looked:
            break
        looked, size = looked + 1, size + file.size
        try:
            name = _format_of(root, file.path)
        except FileError as error:
            problems.append(ScanProblem(file.path, "unreadable", error.reason))
            continue
        if name == NOT_RECOGNISED:
            unknown.append(file.path)
        else:
            counts[name] += 1
    return Check(
        formats=tuple(counts.most_common()),
        plain=tuple(unknown),
        problems=tuple(problems),
        inner=tuple(sorted(seen.inner)),
        files=len(found),
        size=sum(file.size for file in found),
        unseen=len(found) - looked,
    )


def _format_of(root: Path, path: str) -> str:
    data = read_file(place_at(root, path), limit=settings.MEMORYHUB_MAX_FILE_BYTES)
    return detect(placed(str(root), path), decode(data.data).text).name
