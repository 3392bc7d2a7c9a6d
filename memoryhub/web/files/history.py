"""Versions of a file: history, comparison of two, blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from django.core.cache import cache

from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.diffing import (
    AGE_STEPS,
    DiffLine,
    Hunk,
    age_steps,
    blocks_of,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    origins_of,
    split_text,
)
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import (
    HISTORY_SIZE,
    Version,
    line_changes,
    lines_of,
    readable_versions,
    text_of,
)
from memoryhub.values.budgets import Budget
from memoryhub.web.kit.state_labels import revision_label

#: Changed lines shown by default in a cut comparison.
CHANGE_LIMIT = 400
#: Comparisons with more changed lines are cut: by default, and with ``all``.
_MANY_CHANGES, _MOST_CHANGES = 2_000, 10_000
#: Seconds for comparing versions for a page, and for searching it for secrets.
_SECONDS = _SEARCH_SECONDS = 2.0
#: Characters of a comparison: by default, and with ``all``; those of one line.
_MANY_CHARACTERS, _MOST_CHARACTERS = 300_000, 1_000_000
_LINE = 5_000
#: Texts of more characters are not searched for secrets as a whole (a second per
#: megabyte), only so many lines on each side of the shown ones, in so many characters.
_READ_WHOLE, _NEAR, _NEAR_CHARACTERS = 500_000, 200, 10_000
#: Characters in which a secret at the end of a shortened line is recognised.
_MARGIN = 500


def shown_versions(
    workspace: Workspace,
    found: Sequence[Version],
    compared: tuple[Version, Version | None],
) -> list[dict[str, Any]]:
    """Return one page of versions; `compared` are the new and the old one selected."""
    new, old = compared
    listed = [(v, _before(found, v)) for v in found[:HISTORY_SIZE]]
    with_bytes = [(v, before) for v, before in listed if v.blob_id is not None]
    changes = line_changes(with_bytes, Budget.of(_SECONDS))
    owner = owners_of(workspace)
    return [
        {
            "version": version,
            "who": who_changed(version, owner),
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
) -> dict[str, Any]:
    """Compare two versions; mask secrets unless `secrets`.

    `is_cut` if only the first changes are shown, `is_shortened` if long lines are shown
    in part, `is_coarse` if the time budget was spent before every line was compared.
    """
    before, after = split_text(text_of(old)), split_text(text_of(new))
    budget = Budget.of(_SECONDS)
    lines = diff_lines(before, after, budget=budget)
    is_coarse = budget.is_spent
    added, removed = change_counts(lines)
    found = hunks(lines)
    shown = list(_limited(found, added + removed, everything))
    if not secrets:
        shown = list(_masked_hunks(shown, before, after))
    return {
        "old": old,
        "new": new,
        "hunks": tuple(shown),
        "added": added,
        "removed": removed,
        "is_cut": _size(shown) < _size(found),
        "is_shortened": any(_is_long(line.text) for h in shown for line in h.lines),
        "is_coarse": is_coarse,
    }


def _size(found: Sequence[Hunk]) -> int:
    return sum(len(hunk.lines) for hunk in found)


def _limited(found: Sequence[Hunk], changes: int, everything: bool) -> Iterator[Hunk]:
    """Yield the hunks up to the limits of changes and characters."""
    most = _MOST_CHANGES if everything else _MANY_CHANGES
    if changes > most:
        found = first_changes(found, most if everything else CHANGE_LIMIT)
    left = _MOST_CHARACTERS if everything else _MANY_CHARACTERS
    for hunk in found:
        lines: list[DiffLine] = []
        for line in hunk.lines:
            if left <= 0:
                break
            lines.append(_with_text(line, _shortened(line.text)))
            left -= len(lines[-1].text)
        if lines:
            yield Hunk(tuple(lines), hunk.skipped)


def _is_long(text: str) -> bool:
    return len(text) > _LINE


def _shortened(text: str) -> str:
    return f"{text[:_LINE]} …" if _is_long(text) else text


def _with_text(line: DiffLine, text: str) -> DiffLine:
    return line if text == line.text else replace(line, parts=((text, False),))


def _masked_hunks(
    found: Sequence[Hunk], before: list[str], after: list[str]
) -> Iterator[Hunk]:
    """Yield the hunks with secrets masked, as many as the time budget allows."""
    budget = Budget.of(_SEARCH_SECONDS)
    lines = [line for hunk in found for line in hunk.lines]
    old = _masked_near(before, [n.old for n in lines if n.old and not n.new], budget)
    new = _masked_near(after, [n.new for n in lines if n.new], budget)
    for hunk in found:
        masked_lines = [
            _with_text(line, text)
            for line in hunk.lines
            if (text := new.get(line.new) if line.new else old.get(line.old or 0))
            is not None
        ]
        if len(masked_lines) < len(hunk.lines):
            return
        yield replace(hunk, lines=tuple(masked_lines))


def _masked_near(
    lines: list[str], shown: Sequence[int], budget: Budget
) -> dict[int, str]:
    """Return the masked text of the shown lines, by line number.

    Secrets are searched in the whole text, in a long one only near those lines, and
    there until the budget is spent.
    """
    found: dict[int, str] = {}
    for first, last in _spans_near(shown, _reach_in(lines)):
        if found and budget.is_spent:
            break
        near = "\n".join(line[: _LINE + _MARGIN] for line in lines[first:last])
        texts = masked(near)[0].split("\n")
        found.update(enumerate(map(_shortened, texts), first + 1))
    return found


def _reach_in(lines: list[str]) -> int:
    """Return how many lines before and after a shown one are searched for secrets."""
    size = sum(min(len(line), _LINE) + 1 for line in lines)
    if size < _READ_WHOLE:
        return len(lines)
    return min(_NEAR, 1 + _NEAR_CHARACTERS * len(lines) // size)


def _spans_near(shown: Sequence[int], reach: int) -> list[tuple[int, int]]:
    """Return the stretches of lines within reach of the shown ones, as offsets."""
    spans: list[tuple[int, int]] = []
    for number in shown:
        first, last = max(0, number - 1 - reach), number + reach
        if spans and first <= spans[-1][1]:
            first, _ = spans.pop()
        spans.append((first, last))
    return spans


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
    owner = owners_of(workspace)
    return {
        "blocks": [
            {
                "lines": list(
                    enumerate(lines[block.first - 1 : block.last], block.first)
                ),
                "version": versions[block.origin],
                "before": versions[block.origin - 1] if block.origin else None,
                "who": who_changed(versions[block.origin], owner),
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


def who_changed(version: Version, owner: Callable[[str], str]) -> str:
    """Return who made a version, in words."""
    return changed_by(version.actor, owner(version.path))


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
