"""Plan of a forgetting: files, versions and rows it changes, and remaining copies."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memoryhub.forgetting.aims import (
    Aim,
    PatternAim,
    Touched,
    files_with,
    held_rows,
    others_with,
    stored_versions,
    touched_versions,
)
from memoryhub.forgetting.hiding import Progress
from memoryhub.forgetting.models import Forgetting
from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.models import Revision, Workspace

_FILES, _SAMPLES, _WIDTH = 200, 8, 160


def plan_of(forgetting: Forgetting, aim: Aim, progress: Progress) -> dict[str, Any]:
    """Compute the plan, with samples that do not reveal the target."""
    workspace = forgetting.workspace
    blobs = stored_versions(workspace, aim)
    matches = 0
    samples: list[dict[str, Any]] = []
    hashes: dict[int, str] = {}
    for place, found in touched_versions(blobs, aim):
        progress(place, len(blobs), "versions")
        for touched in found:
            matches += touched.matches
            hashes[touched.blob.id] = touched.blob.sha256
            if len(samples) < _SAMPLES:
                samples += _new_samples(workspace, touched, aim, samples)
    files = _files(workspace, hashes)
    digests = set(hashes.values())
    now = {path for path, _ in files_with(workspace, digests)}
    rows = Counter(row._meta.label for row in held_rows(workspace) if aim.row(row))
    shown = sorted(files.items())[:_FILES]
    return {
        "matches": matches if isinstance(aim, PatternAim) else 0,
        "versions": sum(files.values()),
        "file_count": len(files),
        "files": [
            {"path": path, "versions": count, "now": path in now}
            for path, count in shown
        ],
        "now": sorted(now),
        "rows": dict(rows),
        "samples": samples,
        "elsewhere": others_with(workspace, digests),
        "names": _names(workspace, aim),
    }


def size_of(forgetting: Forgetting, aim: Aim) -> int:
    """Return the number of bytes to read for a plan."""
    return sum(blob.size for blob in stored_versions(forgetting.workspace, aim))


def is_empty(plan: dict[str, Any]) -> bool:
    """Return whether a plan has no matches."""
    return not plan.get("versions") and not plan.get("rows")


def _files(workspace: Workspace, hashes: dict[int, str]) -> Counter[str]:
    files: Counter[str] = Counter()
    held = Revision.objects.filter(workspace=workspace, blob__isnull=False)
    for path, blob_id in held.values_list("path", "blob_id").iterator(5000):
        files[path] += blob_id in hashes
    return +files


def _names(workspace: Workspace, aim: Aim) -> int:
    """Return the number of matching file names, which are not changed."""
    if not isinstance(aim, PatternAim):
        return 0
    paths = Revision.objects.filter(workspace=workspace).order_by()
    names = paths.values_list("path", flat=True).distinct()
    return sum(bool(aim.in_rows.redacted(name)[1]) for name in names)


def _new_samples(
    workspace: Workspace, touched: Touched, aim: Aim, known: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return up to two matches of a version that are not among the known samples."""
    if not isinstance(aim, PatternAim):
        return []
    held = Revision.objects.filter(workspace=workspace, blob=touched.blob.id)
    where = held.order_by("seq").values("path", "seq").first()
    if where is None:
        return []
    shown = {(each["path"], each["text"]) for each in known}
    text = decode(touched.before).text
    found = aim.in_versions.matches(text, min(_SAMPLES - len(known), 2))
    samples = [
        {**where, "line": line, "text": masked(redacted)[0][:_WIDTH]}
        for line, redacted in found
    ]
    return [each for each in samples if (each["path"], each["text"]) not in shown]
