"""Presenter of blame: blocks of lines by the version that last changed them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from django.core.cache import cache
from django.utils.translation import gettext

from memoryhub.formats.text.blame import AGE_STEPS, age_steps, blocks_of, origins_of
from memoryhub.formats.text.diffing import split_text
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import Version, lines_of, readable_versions
from memoryhub.timeline.queries.authors import agents_of
from memoryhub.values.budgets import Budget
from memoryhub.web.kit.frame import Shell

#: Seconds for comparing versions for a page.
_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """Adjacent lines last changed by one version; `step` is its age, 1 the newest.

    `open` if no older version was compared, so that the lines may be older.
    """

    lines: tuple[tuple[int, str], ...]
    name: str
    url: str
    who: str
    person: bool
    when: str
    iso: str
    age: str
    step: int
    before_url: str
    open: bool = False


@dataclass(frozen=True, slots=True)
class ShownBlame:
    """The blocks of a file; `earlier` if older versions were not compared.

    `stopped` is the address to continue at if the time budget was spent.
    """

    blocks: tuple[ShownBlock, ...]
    versions: int
    earlier: bool
    stopped: str
    steps: tuple[int, ...] = tuple(range(1, AGE_STEPS + 1))


def blame_of(
    workspace: Workspace,
    version: Version,
    text: str,
    shell: Shell,
    limit: int,
) -> ShownBlame:
    """Return the blame of a version for its `text`, parts of which may be masked.

    Covers the first `limit` lines. Three queries if nothing is cached.
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
    shown = [
        replace(
            _block(
                versions,
                block.origin,
                tuple(enumerate(lines[block.first - 1 : block.last], block.first)),
                steps[block.origin],
                agents,
                shell,
            ),
            open=is_open and block.origin == reached,
        )
        for block in blocks
    ]
    oldest = versions[reached] if reached else None
    return ShownBlame(
        blocks=tuple(shown),
        versions=len(versions) - reached,
        earlier=is_open,
        stopped=shell.addresses.file(oldest.path, view="blame", rev=oldest.seq)
        if oldest
        else "",
    )


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


def _block(
    versions: Sequence[Version],
    number: int,
    lines: tuple[tuple[int, str], ...],
    step: int,
    agents: dict[int, str],
    shell: Shell,
) -> ShownBlock:
    version = versions[number]
    addresses, run = shell.addresses, version.run_number
    name = gettext("Import #%(number)s") % {"number": run}
    if run is None:
        name = gettext("Edited here") if version.actor else gettext("Read")
    before = versions[number - 1] if number else None
    path = version.path
    return ShownBlock(
        lines=lines,
        name=name,
        url=addresses.file(path, view="history", rev=version.seq)
        if before
        else addresses.file(path, rev=version.seq),
        who=version.actor or agents.get(version.seq, ""),
        person=bool(version.actor),
        when=shell.clock.moment(version.recorded_at),
        iso=shell.clock.local(version.recorded_at).isoformat(timespec="seconds"),
        age=shell.clock.age(version.recorded_at),
        step=step,
        before_url=addresses.file(before.path, view="blame", rev=before.seq)
        if before
        else "",
    )
