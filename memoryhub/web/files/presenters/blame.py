"""Presenter of blame: blocks of lines by the version that last changed them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from django.core.cache import cache

from memoryhub.formats.text.blame import AGE_STEPS, age_steps, blocks_of, origins_of
from memoryhub.formats.text.diffing import split_text
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import Version, lines_of, readable_versions
from memoryhub.timeline.queries.authors import agents_of
from memoryhub.values.budgets import Budget

#: Seconds for comparing versions for a page.
_SECONDS = 2.0


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
