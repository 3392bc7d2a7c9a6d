"""A file with who last changed each line: one block a change, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from django.core.cache import cache
from django.utils.translation import gettext

from memoryhub.blame import AGE_STEPS, age_steps, blocks_of, origins_of
from memoryhub.diffing import split_text
from memoryhub.workspaces.models import Workspace
from memoryhub.workspaces.pages.shell import Shell
from memoryhub.workspaces.queries.authors import agents_of
from memoryhub.workspaces.versions import Version, lines_of, told_versions


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """Lines that one version changed last; `step` is the age, 1 the newest."""

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
    first: bool


@dataclass(frozen=True, slots=True)
class ShownBlame:
    """The blocks of a file; `earlier` where the oldest version is not the first."""

    blocks: tuple[ShownBlock, ...]
    versions: int
    earlier: bool
    steps: tuple[int, ...] = tuple(range(1, AGE_STEPS + 1))


def blame_of(
    workspace: Workspace,
    version: Version,
    text: str,
    shell: Shell,
    limit: int | None,
) -> ShownBlame:
    """Return the blame of a version, whose text may have parts of it masked.

    With `limit` only so many of its lines. Three queries the first time.
    """
    versions, earlier = told_versions(workspace, version.path, version.seq)
    origins = _origins(versions)
    lines = split_text(text)[:limit]
    blocks = blocks_of(origins[: len(lines)])
    used = sorted({block.origin for block in blocks})
    moments = [versions[number].recorded_at.timestamp() for number in used]
    steps = dict(zip(used, age_steps(moments), strict=True))
    agents = agents_of(workspace, {versions[number].seq for number in used})
    shown = [
        _block(
            versions,
            block.origin,
            tuple(enumerate(lines[block.first - 1 : block.last], block.first)),
            steps[block.origin],
            agents,
            shell,
        )
        for block in blocks
    ]
    return ShownBlame(blocks=tuple(shown), versions=len(versions), earlier=earlier)


def _origins(versions: Sequence[Version]) -> list[int]:
    """Return the version of each line of the last one; they never change."""
    if not versions:
        return []
    hashes = " ".join(str(version.sha256) for version in versions)
    digest = blake2b(hashes.encode(), digest_size=20).hexdigest()
    key = f"blame:{digest}"
    found: list[int] | None = cache.get(key)
    if found is None:
        found = origins_of(lines_of(versions))
        cache.set(key, found, timeout=None)
    return found


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
        first=before is None,
    )
