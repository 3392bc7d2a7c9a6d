"""A file's page: its source or prose, its history, what changed in between."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext

from memoryhub.addresses import Addresses
from memoryhub.diffing import (
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.formats import frontmatter
from memoryhub.wording import REVISION_KINDS
from memoryhub.workspaces.models import SourceFile, Workspace
from memoryhub.workspaces.prose import prose_of
from memoryhub.workspaces.queries import FileRow
from memoryhub.workspaces.shell import Shell
from memoryhub.workspaces.versions import (
    HISTORY_SIZE,
    Version,
    file_at,
    line_changes,
    moved_to,
    text_of,
    version_at,
    versions_of,
)

#: Lines and changed lines that are shown before one asks for all.
LINE_LIMIT = 2_000
CHANGE_LIMIT = 400
#: Comparisons of more changed lines than this are cut.
_MANY_CHANGES = 2_000
_PROSE = (".md", ".markdown", ".mdc", ".txt")
_VIEWS = ("rendered", "raw", "history")


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of a file's page; empty and None where it says nothing."""

    view: str = ""
    rev: int | None = None
    vs: int | None = None
    below: int | None = None
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Tab:
    """One of the ways to look at a file."""

    label: str
    url: str
    current: bool


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
    chosen: bool
    base: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one version to another."""

    old: Version
    new: Version
    old_when: str
    new_when: str
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    cut: str


@dataclass(frozen=True, slots=True)
class FilePage:
    """What the page of a file shows."""

    path: str
    name: str
    facts: tuple[str, ...]
    view: str
    tabs: tuple[Tab, ...]
    text_url: str
    notice: str
    notice_url: str
    notice_label: str
    read: str
    read_url: str
    fields: tuple[frontmatter.Field, ...] = ()
    html: str = ""
    lines: tuple[tuple[int, str], ...] = ()
    cut: str = ""
    total: int = 0
    versions: tuple[ShownVersion, ...] = ()
    comparison: Comparison | None = None
    older: str = ""


def file_page(
    workspace: Workspace, path: str, asked: Asked, shell: Shell
) -> FilePage | None:
    """Return the page of a path, or None where there never was a file."""
    version = version_at(workspace, path, asked.rev)
    if version is None:
        return None
    view = asked.view if asked.view in _VIEWS else _first_view(path)
    page = _head(workspace, path, version, asked, view, shell)
    if view == "history":
        return _with_history(workspace, page, asked, version, shell)
    text = text_of(version)
    if view == "raw":
        return _with_lines(page, text, asked, shell.addresses)
    return _with_prose(workspace, page, text, asked, shell.addresses)


def _first_view(path: str) -> str:
    return "rendered" if path.lower().endswith(_PROSE) else "raw"


def _head(
    workspace: Workspace,
    path: str,
    version: Version,
    asked: Asked,
    view: str,
    shell: Shell,
) -> FilePage:
    addresses, clock = shell.addresses, shell.clock
    file = file_at(workspace, path)
    labels = (gettext("Rendered"), gettext("Raw"), gettext("History"))
    run = version.run_number
    words = {"when": clock.moment(version.recorded_at), "number": run}
    read = gettext("Read %(when)s") % words
    if run:
        read = gettext("Read %(when)s, import #%(number)s") % words
    notice = _notice(workspace, path, file, version, asked)
    return FilePage(
        path=path,
        name=path.rpartition("/")[2],
        facts=_facts(file) if file else (),
        view=view,
        tabs=tuple(
            Tab(label, addresses.file(path, view=name, rev=asked.rev), name == view)
            for name, label in zip(_VIEWS, labels, strict=True)
        ),
        text_url=addresses.file(path, view="text", rev=asked.rev),
        notice=notice[0],
        notice_url=addresses.file(notice[1], view=asked.view) if notice[1] else "",
        notice_label=notice[2],
        read=read,
        read_url=addresses.run(run) if run else "",
    )


def _facts(file: SourceFile) -> tuple[str, ...]:
    facts = (
        file.format.replace("_", " "),
        gettext("%(n)s lines") % {"n": file.lines},
        gettext("%(n)s tokens") % {"n": file.tokens},
        filesizeformat(file.size),
    )
    return facts if file.encoding == "utf-8" else (*facts, file.encoding)


def _notice(
    workspace: Workspace,
    path: str,
    file: SourceFile | None,
    version: Version,
    asked: Asked,
) -> tuple[str, str, str]:
    """Return what is not as one would think, where to go instead, and its label."""
    if file is None or not file.present:
        there = moved_to(workspace, path)
        if there and there != path and file is None:
            words = gettext("This file was moved to %(path)s.") % {"path": there}
            return words, there, gettext("Open it there")
        words = gettext("This file is no longer there. This is what it last said.")
        return words, "", ""
    if asked.rev is not None and version.seq < file.seq:
        words = gettext("This is an older version of the file.")
        return words, path, gettext("Open the newest")
    return "", "", ""


def _with_lines(
    page: FilePage, text: str, asked: Asked, addresses: Addresses
) -> FilePage:
    lines = split_text(text)
    shown = lines if asked.everything else lines[:LINE_LIMIT]
    cut = ""
    if len(shown) < len(lines):
        cut = addresses.file(page.path, view="raw", rev=asked.rev, all=1)
    numbered = tuple(enumerate(shown, 1))
    return replace(page, lines=numbered, cut=cut, total=len(lines))


def _with_prose(
    workspace: Workspace,
    page: FilePage,
    text: str,
    asked: Asked,
    addresses: Addresses,
) -> FilePage:
    front = frontmatter.split(text)
    lines = front.body.split("\n")
    body, cut = front.body, ""
    if len(lines) > LINE_LIMIT and not asked.everything:
        body = "\n".join(lines[:LINE_LIMIT])
        cut = addresses.file(page.path, view="rendered", rev=asked.rev, all=1)
    html = prose_of(workspace, addresses, page.path, body, anchors=True)
    return replace(page, fields=front.fields, html=html, cut=cut, total=len(lines))


def _with_history(
    workspace: Workspace, page: FilePage, asked: Asked, new: Version, shell: Shell
) -> FilePage:
    found = versions_of(workspace, page.path, below=asked.below)
    old = _base(workspace, page.path, asked, new)
    shown = [
        _shown_version(v, _before(found, v), page.path, shell, (new, old))
        for v in found[:HISTORY_SIZE]
    ]
    older = ""
    if len(found) > HISTORY_SIZE:
        below = found[HISTORY_SIZE - 1].seq
        older = shell.addresses.file(page.path, view="history", below=below)
    comparison = None
    if old is not None and (asked.vs is not None or asked.rev is not None):
        comparison = _compare(old, new, page.path, asked, shell)
    return replace(page, versions=tuple(shown), comparison=comparison, older=older)


def _base(
    workspace: Workspace, path: str, asked: Asked, new: Version
) -> Version | None:
    """Return the version to compare with: the one asked for, else the one before."""
    if asked.vs is not None:
        return version_at(workspace, path, asked.vs)
    return version_at(workspace, path, new.seq - 1)


def _before(versions: list[Version], version: Version) -> Version | None:
    older = versions[versions.index(version) + 1 :]
    return next((v for v in older if v.blob_id is not None), None)


def _shown_version(
    version: Version,
    before: Version | None,
    path: str,
    shell: Shell,
    compared: tuple[Version, Version | None],
) -> ShownVersion:
    gone = version.blob_id is None
    added, removed = (0, 0) if gone else line_changes(version, before)
    run = version.run_number
    addresses, (new, old) = shell.addresses, compared
    return ShownVersion(
        version=version,
        kind=str(REVISION_KINDS[version.kind]),
        iso=shell.clock.local(version.recorded_at).isoformat(timespec="seconds"),
        when=shell.clock.moment(version.recorded_at),
        added=added,
        removed=removed,
        url="" if gone else addresses.file(path, rev=version.seq),
        diff_url=""
        if gone or before is None
        else addresses.file(path, view="history", rev=version.seq),
        run_url=addresses.run(run) if run else "",
        chosen=version.seq == new.seq,
        base=old is not None and version.seq == old.seq,
    )


def _compare(
    old: Version, new: Version, path: str, asked: Asked, shell: Shell
) -> Comparison:
    lines = diff_lines(split_text(text_of(old)), split_text(text_of(new)))
    added, removed = change_counts(lines)
    shown, cut = hunks(lines), ""
    if added + removed > _MANY_CHANGES and not asked.everything:
        shown = first_changes(shown, CHANGE_LIMIT)
        cut = shell.addresses.file(path, view="history", rev=new.seq, vs=old.seq, all=1)
    moment = shell.clock.moment
    return Comparison(
        old,
        new,
        moment(old.recorded_at),
        moment(new.recorded_at),
        tuple(shown),
        added,
        removed,
        cut,
    )


def shown_row(row: FileRow, shell: Shell) -> dict[str, object]:
    """Return a row of the list of files."""
    folder, _, name = row.path.rpartition("/")
    return {
        "row": row,
        "url": shell.addresses.file(row.path),
        "folder": f"{folder}/" if folder else "",
        "name": name,
        "format": row.format.replace("_", " "),
        "iso": shell.clock.local(row.recorded_at).isoformat(timespec="seconds"),
        "when": shell.clock.moment(row.recorded_at),
    }
