"""Presenter of a file's versions: history, comparison of two, blame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from django.core.cache import cache

from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.blame import AGE_STEPS, age_steps, blocks_of, origins_of
from memoryhub.formats.text.diffing import (
    DiffLine,
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import (
    HISTORY_SIZE,
    Version,
    line_changes,
    lines_of,
    readable_versions,
    text_of,
)
from memoryhub.timeline.queries.authors import agents_of
from memoryhub.values.budgets import Budget
from memoryhub.web.kit.state_labels import revision_label

#: Changed lines shown by default in a cut comparison.
CHANGE_LIMIT = 400
#: Comparisons with more changed lines are cut: by default, and with ``all``.
_MANY_CHANGES, _MOST_CHANGES = 2_000, 10_000
#: Seconds for comparing versions for a page.
_SECONDS = 2.0
#: Texts of more characters are not searched for secrets as a whole (a second per
#: megabyte), only this many lines on each side of the shown ones.
_READ_WHOLE, _NEAR = 500_000, 200


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two versions.

    `is_cut` if only the first changes are shown, `is_coarse` if the time budget was
    spent before every line was compared.
    """

    old: Version
    new: Version
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    is_cut: bool
    is_coarse: bool


def shown_versions(
    found: Sequence[Version], compared: tuple[Version, Version | None]
) -> list[dict[str, Any]]:
    """Return one page of versions; `compared` are the new and the old one selected."""
    new, old = compared
    listed = [(v, _before(found, v)) for v in found[:HISTORY_SIZE]]
    with_bytes = [(v, before) for v, before in listed if v.blob_id is not None]
    changes = dict(
        zip((v.seq for v, _ in with_bytes), line_changes(with_bytes), strict=True)
    )
    return [
        {
            "version": version,
            "before": before,
            "kind": revision_label(version.kind, changes.get(version.seq)),
            "changes": changes.get(version.seq),
            "is_new": version.seq == new.seq,
            "is_old": old is not None and version.seq == old.seq,
        }
        for version, before in listed
    ]


def _before(versions: Sequence[Version], version: Version) -> Version | None:
    older = versions[versions.index(version) + 1 :]
    with_bytes = (v for v in older if v.blob_id is not None and not v.is_forgotten)
    return next(with_bytes, None)


def compare(
    old: Version, new: Version, *, everything: bool, secrets: bool
) -> Comparison:
    """Compare two versions; mask secrets unless `secrets`."""
    before, after = split_text(text_of(old)), split_text(text_of(new))
    budget = Budget.of(_SECONDS)
    lines = diff_lines(before, after, budget=budget)
    is_coarse = budget.is_spent
    added, removed = change_counts(lines)
    shown = hunks(lines)
    most = _MOST_CHANGES if everything else _MANY_CHANGES
    if is_cut := added + removed > most:
        shown = first_changes(shown, most if everything else CHANGE_LIMIT)
    if not secrets:
        shown = _masked_hunks(shown, before, after)
    return Comparison(old, new, tuple(shown), added, removed, is_cut, is_coarse)


def _masked_hunks(
    found: Sequence[Hunk], before: list[str], after: list[str]
) -> list[Hunk]:
    """Mask secrets in hunks; they are searched in the whole texts."""
    lines = [line for hunk in found for line in hunk.lines]
    old = _masked_near(before, [line.old for line in lines if line.old])
    new = _masked_near(after, [line.new for line in lines if line.new])
    return [
        replace(hunk, lines=tuple(_masked_line(line, old, new) for line in hunk.lines))
        for hunk in found
    ]


def _masked_line(line: DiffLine, old: dict[int, str], new: dict[int, str]) -> DiffLine:
    text = new[line.new] if line.new else old[line.old or 0]
    return line if text == line.text else replace(line, parts=((text, False),))


def _masked_near(lines: list[str], shown: Sequence[int]) -> dict[int, str]:
    """Return the masked text of the shown lines, by line number.

    Secrets are searched in the whole text, in a long one only near those lines.
    """
    reach = len(lines) if sum(map(len, lines)) < _READ_WHOLE else _NEAR
    found: dict[int, str] = {}
    spans: list[tuple[int, int]] = []
    for number in shown:
        first, last = max(0, number - 1 - reach), number + reach
        if spans and first <= spans[-1][1]:
            first, _ = spans.pop()
        spans.append((first, last))
    for first, last in spans:
        text = masked("\n".join(lines[first:last]))[0]
        found.update(enumerate(text.split("\n"), first + 1))
    return found


def blame_of(
    workspace: Workspace, version: Version, text: str, limit: int
) -> dict[str, Any]:
    """Return the blame of a version for its `text`, parts of which may be masked.

    Covers the first `limit` lines. `stopped` is the oldest version that was compared
    before the time budget was spent; `earlier` if older ones were not compared.
    Three queries if nothing is cached.
    """
    versions, earlier = readable_versions(workspace, version.path, version.seq)
    origins, reached = _origins(versions)
    is_open = earlier or reached > 0
    lines = split_text(text)[:limit]
    blocks = blocks_of(origins[: len(lines)])
    used = sorted({block.origin for block in blocks})
    moments = [versions[number].recorded_at.timestamp() for number in used]
    steps = dict(zip(used, age_steps(moments), strict=True))
    agents = agents_of(workspace, {versions[number].seq for number in used})
    return {
        "blocks": [
            {
                "lines": list(
                    enumerate(lines[block.first - 1 : block.last], block.first)
                ),
                "version": versions[block.origin],
                "before": versions[block.origin - 1] if block.origin else None,
                "agent": agents.get(versions[block.origin].seq, ""),
                "step": steps[block.origin],
                "open": is_open and block.origin == reached,
            }
            for block in blocks
        ],
        "versions": len(versions) - reached,
        "earlier": is_open,
        "stopped": versions[reached] if reached else None,
        "steps": range(1, AGE_STEPS + 1),
    }


def _origins(versions: Sequence[Version]) -> tuple[list[int], int]:
    """Return the version index of each line, and the oldest version compared.

    Cached without expiry if all versions were compared: versions never change.
    """
    if not versions:
        return [], 0
    hashes = " ".join(str(version.sha256) for version in versions)
    digest = blake2b(hashes.encode(), digest_size=20).hexdigest()
    key = f"blame:{digest}"
    cached: list[int] | None = cache.get(key)
    if cached is not None:
        return cached, 0
    found, reached = origins_of(lines_of(versions), Budget.of(_SECONDS))
    if not reached:
        cache.set(key, found, timeout=None)
    return found, reached
