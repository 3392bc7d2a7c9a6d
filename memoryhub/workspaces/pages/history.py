"""Versions of a file as its history shows them, and what changed between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryhub.diffing import (
    DiffLine,
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.formats.secrets import masked
from memoryhub.wording_states import REVISION_KINDS
from memoryhub.workspaces.pages.shell import Shell
from memoryhub.workspaces.versions import HISTORY_SIZE, Version, line_changes, text_of

#: Changed lines that are shown before one asks for all.
CHANGE_LIMIT = 400
#: Comparisons of more changed lines than this are cut.
_MANY_CHANGES = 2_000


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version in a file's history."""

    version: Version
    kind: str
    iso: str
    when: str
    added: int
    removed: int
    url: str
    diff_url: str
    run_url: str
    chosen: bool = False
    base: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one version to another."""

    old: Version
    new: Version
    old_when: str
    new_when: str
    hunks: tuple[Hunk, ...]
    restore: Version | None
    added: int
    removed: int
    cut: str


def shown_versions(
    found: Sequence[Version],
    path: str,
    compared: tuple[Version, Version | None],
    shell: Shell,
) -> tuple[ShownVersion, ...]:
    """Return one page of versions; `compared` are the two that are chosen."""
    new, old = compared
    listed = [(v, _before(found, v)) for v in found[:HISTORY_SIZE]]
    said = [(v, before) for v, before in listed if v.blob_id is not None]
    changes = dict(zip((v.seq for v, _ in said), line_changes(said), strict=True))
    shown = [
        _shown_version(v, before, changes.get(v.seq, (0, 0)), path, shell)
        for v, before in listed
    ]
    shown = [
        replace(
            one,
            chosen=one.version.seq == new.seq,
            base=old is not None and one.version.seq == old.seq,
        )
        for one in shown
    ]
    return tuple(shown)


def _before(versions: Sequence[Version], version: Version) -> Version | None:
    older = versions[versions.index(version) + 1 :]
    told = (v for v in older if v.blob_id is not None and not v.is_forgotten)
    return next(told, None)


def _shown_version(
    version: Version,
    before: Version | None,
    changes: tuple[int, int],
    path: str,
    shell: Shell,
) -> ShownVersion:
    gone = version.blob_id is None
    added, removed = changes
    run, addresses = version.run_number, shell.addresses
    return ShownVersion(
        version=version,
        kind=str(REVISION_KINDS[version.kind]),
        iso=shell.clock.local(version.recorded_at).isoformat(timespec="seconds"),
        when=shell.clock.moment(version.recorded_at),
        added=added,
        removed=removed,
        url="" if gone else addresses.file(path, rev=version.seq),
        diff_url=""
        if gone or before is None or version.is_forgotten
        else addresses.file(path, view="history", rev=version.seq),
        run_url=addresses.run(run) if run else "",
    )


def compare(
    old: Version,
    new: Version,
    path: str,
    shell: Shell,
    *,
    everything: bool,
    secrets: bool,
) -> Comparison:
    """Return what changed; secrets are masked unless one asks to see them."""
    before, after = text_of(old), text_of(new)
    lines = diff_lines(split_text(before), split_text(after))
    if not secrets:
        lines = _masked_lines(lines, masked(before)[0], masked(after)[0])
    added, removed = change_counts(lines)
    shown, cut = hunks(lines), ""
    if added + removed > _MANY_CHANGES and not everything:
        shown = first_changes(shown, CHANGE_LIMIT)
        cut = shell.addresses.file(path, view="history", rev=new.seq, vs=old.seq, all=1)
    moment = shell.clock.moment
    return Comparison(
        old,
        new,
        moment(old.recorded_at),
        moment(new.recorded_at),
        tuple(shown),
        None,
        added,
        removed,
        cut,
    )


def _masked_lines(lines: list[DiffLine], before: str, after: str) -> list[DiffLine]:
    """Return compared lines with secrets masked, as the two texts have them masked."""
    old, new = split_text(before), split_text(after)
    found = []
    for line in lines:
        text = line.text
        if line.new is not None:
            text = new[line.new - 1]
        elif line.old is not None:
            text = old[line.old - 1]
        hidden = text != line.text
        found.append(replace(line, parts=((text, False),)) if hidden else line)
    return found
