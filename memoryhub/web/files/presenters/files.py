"""Presenter of a file's page: prose, source, blame, history, comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext

from memoryhub.formats.base import Field
from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.diffing import split_text
from memoryhub.health.pointers import places_of
from memoryhub.health.queries import memory_budget
from memoryhub.journal.models import SourceFile, Tombstone, Workspace
from memoryhub.journal.versions import (
    HISTORY_SIZE,
    Version,
    file_at,
    moved_to,
    text_of,
    tombstone_of,
    version_at,
    versions_of,
)
from memoryhub.values.cursors import MAX_LENGTH, decode_cursor, encode_cursor
from memoryhub.web.files.presenters.blame import ShownBlame, blame_of
from memoryhub.web.files.presenters.history import (
    Comparison,
    ShownVersion,
    compare,
    shown_versions,
)
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter, whole
from memoryhub.web.kit.prose import prose_of

#: Most lines shown by default, and with ``all``: rendering more takes seconds.
LINE_LIMIT, MOST_LINES = 2_000, 20_000
_PROSE = (".md", ".markdown", ".mdc", ".txt")
_VIEWS = ("rendered", "raw", "blame", "history")


def _path_of(cursor: str) -> str:
    return str(decode_cursor(cursor, str)[0])


@dataclass(frozen=True, slots=True)
class FilesQuery(ListQuery):
    """Filters and cursor of the file list; `after`: path of the last row before."""

    show: str = parameter("show", choices=("gone", "secrets"), filters=False)
    text: str = parameter("q", in_form=True, length=1000)
    after: str = parameter(
        "after", read=_path_of, write=encode_cursor, cursor=True, length=MAX_LENGTH
    )

    @property
    def gone(self) -> bool:
        return self.show == "gone"


@dataclass(frozen=True, slots=True)
class FileQuery(ListQuery):
    """Parsed query of a file's page; empty or None where not given."""

    view: str = parameter("view", choices=(*_VIEWS, "text"))
    rev: int | None = parameter("rev", default=None, read=whole(18))
    vs: int | None = parameter("vs", default=None, read=whole(18))
    below: int | None = parameter("below", default=None, read=whole(18))
    everything: bool = parameter("all", default=False, read=bool)
    show: str = parameter("show")

    @property
    def secrets(self) -> bool:
        return self.show == "secrets"


@dataclass(frozen=True, slots=True)
class FilePage:
    """Template values of a file's page."""

    path: str
    name: str
    facts: tuple[str, ...]
    view: str
    tabs: tuple[FilterLink, ...]
    text_url: str
    notice: str
    notice_url: str
    notice_label: str
    read: str
    read_url: str
    fields: tuple[Field, ...] = ()
    html: str = ""
    lines: tuple[tuple[int, str], ...] = ()
    cut: str = ""
    total: int = 0
    versions: tuple[ShownVersion, ...] = ()
    comparison: Comparison | None = None
    older: str = ""
    blame: ShownBlame | None = None
    masked: int = 0
    reveal_url: str = ""
    pointers: tuple[tuple[str, str], ...] = ()
    restore: Version | None = None
    newest: int = 0
    forgotten: str = ""
    is_forgotten: bool = False
    forget_url: str = ""


def file_page(
    workspace: Workspace, path: str, query: FileQuery, shell: Shell
) -> FilePage | None:
    """Return the page of a path; None if no file was ever there."""
    version = version_at(workspace, path, query.rev)
    if version is None:
        return None
    view = query.view or _first_view(path)
    page = _head(workspace, path, version, query, view, shell)
    if view == "history":
        return _with_history(workspace, page, query, version, shell)
    page, text = _with_masks(page, text_of(version), query, shell.addresses)
    if view == "raw":
        return _with_lines(page, text, query, shell.addresses)
    if view == "blame":
        page = _with_lines(page, text, query, shell.addresses)
        blame = blame_of(workspace, version, text, shell, len(page.lines))
        return replace(page, blame=blame)
    return _with_prose(workspace, page, text, query, shell.addresses)


def _with_masks(
    page: FilePage, text: str, query: FileQuery, addresses: Addresses
) -> tuple[FilePage, str]:
    """Mask secrets in the text, unless the query asks to show them."""
    hidden, count = masked(text)
    if not count:
        return page, text
    if query.secrets:
        return replace(page, masked=count), text
    reveal = addresses.file(page.path, view=page.view, rev=query.rev, show="secrets")
    return replace(page, masked=count, reveal_url=reveal), hidden


def _first_view(path: str) -> str:
    return "rendered" if path.lower().endswith(_PROSE) else "raw"


def _head(
    workspace: Workspace,
    path: str,
    version: Version,
    query: FileQuery,
    view: str,
    shell: Shell,
) -> FilePage:
    addresses = shell.addresses
    file = file_at(workspace, path)
    notice = _notice(workspace, path, file, version, query)
    run = version.run_number
    return FilePage(
        path=path,
        name=path.rpartition("/")[2],
        facts=_facts(file) if file else (),
        view=view,
        tabs=_tabs(path, view, query, addresses),
        text_url=addresses.file(path, view="text", rev=query.rev),
        notice=notice[0],
        notice_url=addresses.file(notice[1], view=query.view) if notice[1] else "",
        notice_label=notice[2],
        read=_read(version, shell.clock),
        read_url=addresses.run(run) if run else "",
        pointers=_pointers(workspace, path, addresses),
        restore=version if _is_older(file, version) else None,
        newest=file.seq if file else 0,
        forgotten=_forgotten(workspace, version, shell.clock),
        is_forgotten=version.is_forgotten,
        forget_url=addresses.forget(file=path, rev=version.seq),
    )


def _forgotten(workspace: Workspace, version: Version, clock: Clock) -> str:
    """Return who forgot bytes of a version, when and why; empty if nobody did."""
    left = tombstone_of(workspace.pk, version)
    if left is None:
        return ""
    words = {
        "actor": left.actor,
        "when": clock.moment(left.at),
        "why": left.reason or gettext("no reason given"),
    }
    if left.kind == Tombstone.Kind.THINNED:
        return gettext("Thinned out by %(actor)s on %(when)s: %(why)s") % words
    if version.is_forgotten:
        return gettext("Forgotten by %(actor)s on %(when)s: %(why)s") % words
    return (
        gettext("Parts of it were forgotten by %(actor)s on %(when)s: %(why)s") % words
    )


def _tabs(
    path: str, current: str, query: FileQuery, addresses: Addresses
) -> tuple[FilterLink, ...]:
    labels = gettext("Rendered"), gettext("Raw"), gettext("Blame"), gettext("History")
    return tuple(
        FilterLink(
            label,
            addresses.file(path, view=name, rev=query.rev),
            current=name == current,
        )
        for name, label in zip(_VIEWS, labels, strict=True)
    )


def _read(version: Version, clock: Clock) -> str:
    """Return when a version was recorded, and by which import if by one."""
    words = {"when": clock.moment(version.recorded_at), "number": version.run_number}
    if version.run_number:
        return gettext("Read %(when)s, import #%(number)s") % words
    return gettext("Read %(when)s") % words


def _is_older(file: SourceFile | None, version: Version) -> bool:
    """True if a version can be restored: not forgotten, and not the file's content."""
    if file is None or version.is_forgotten:
        return False
    return not file.present or file.blob_id != version.blob_id


def _pointers(
    workspace: Workspace, path: str, addresses: Addresses
) -> tuple[tuple[str, str], ...]:
    """Return up to five index lines that point to a file, with their addresses."""
    budget = memory_budget(workspace)
    if budget is None:
        return ()
    lines = [
        row.line
        for row in budget.rows
        if row.pointer and path in places_of(budget.path, row.pointer)
    ]
    words = gettext("%(index)s, line %(line)s")
    return tuple(
        (
            words % {"index": budget.path, "line": line},
            addresses.file(budget.path, line=line),
        )
        for line in lines[:5]
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
    query: FileQuery,
) -> tuple[str, str, str]:
    """Return notice, target path and link label for a moved, deleted or old file."""
    if file is None or not file.present:
        there = moved_to(workspace, path)
        if there and there != path and file is None:
            words = gettext("This file was moved to %(path)s.") % {"path": there}
            return words, there, gettext("Open it there")
        words = gettext("This file was deleted. This is its last version.")
        return words, "", ""
    if query.rev is not None and version.seq < file.seq:
        words = gettext("This is an older version of the file.")
        return words, path, gettext("Open the newest")
    return "", "", ""


def _with_lines(
    page: FilePage, text: str, query: FileQuery, addresses: Addresses
) -> FilePage:
    lines = split_text(text)
    most, cut = _cut(page, len(lines), query, addresses)
    numbered = tuple(enumerate(lines[:most], 1))
    return replace(page, lines=numbered, cut=cut, total=len(lines))


def _cut(
    page: FilePage, total: int, query: FileQuery, addresses: Addresses
) -> tuple[int, str]:
    """Return the line limit and the address of the full text; empty if not cut."""
    most = MOST_LINES if query.everything else LINE_LIMIT
    if total <= most:
        return most, ""
    if query.everything:
        return most, page.text_url
    return most, addresses.file(page.path, view=page.view, rev=query.rev, all=1)


def _with_prose(
    workspace: Workspace,
    page: FilePage,
    text: str,
    query: FileQuery,
    addresses: Addresses,
) -> FilePage:
    front = frontmatter.split(text)
    lines = front.body.split("\n")
    most, cut = _cut(page, len(lines), query, addresses)
    body = "\n".join(lines[:most])
    html = prose_of(workspace, addresses, page.path, body, anchors=True)
    return replace(
        page, fields=front.fields, html=html, cut=cut, total=len(split_text(front.body))
    )


def _with_history(
    workspace: Workspace, page: FilePage, query: FileQuery, new: Version, shell: Shell
) -> FilePage:
    found = versions_of(workspace, page.path, below=query.below)
    old = _base(workspace, page.path, query, new)
    shown = shown_versions(found, page.path, (new, old), shell)
    older = ""
    if len(found) > HISTORY_SIZE:
        below = found[HISTORY_SIZE - 1].seq
        older = shell.addresses.file(page.path, view="history", below=below)
    comparison = None
    if old is not None and (query.vs is not None or query.rev is not None):
        comparison = compare(
            old,
            new,
            page.path,
            shell,
            everything=query.everything,
            secrets=query.secrets,
        )
    if comparison is not None:
        restore = page.restore or (old if query.vs is not None else None)
        comparison = replace(comparison, restore=restore if page.newest else None)
    return replace(page, versions=shown, comparison=comparison, older=older)


def _base(
    workspace: Workspace, path: str, query: FileQuery, new: Version
) -> Version | None:
    """Return the base of a comparison: the requested version, else the previous one."""
    if query.vs is not None:
        return version_at(workspace, path, query.vs)
    older = versions_of(workspace, path, below=new.seq)
    with_bytes = (v for v in older if v.blob_id is not None and not v.is_forgotten)
    return next(with_bytes, None)


def shown_row(
    row: SourceFile, changed: Mapping[str, datetime], shell: Shell
) -> dict[str, object]:
    """Return a row of the file list with its time of change on disk."""
    at = changed.get(row.path, row.recorded_at)
    folder, _, name = row.path.rpartition("/")
    return {
        "row": row,
        "url": shell.addresses.file(row.path),
        "folder": f"{folder}/" if folder else "",
        "name": name,
        "format": row.format.replace("_", " "),
        "iso": shell.clock.local(at).isoformat(timespec="seconds"),
        "when": shell.clock.moment(at),
    }
