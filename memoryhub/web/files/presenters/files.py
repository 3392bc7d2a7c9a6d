"""Presenter of a file's page: prose, source, blame, history, comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

from django.utils.translation import gettext

from memoryhub.formats.base import Field
from memoryhub.formats.roles import Role, chosen_role
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.diffing import split_text
from memoryhub.health.pointers import places_of
from memoryhub.health.queries import host_of, memory_budget
from memoryhub.journal.authors import owners_of
from memoryhub.journal.hosts import Cut, cut_of
from memoryhub.journal.models import SourceFile, Tombstone, Workspace
from memoryhub.journal.problems import (
    CONFLICT_MARKERS,
    COPIES,
    SHRANK,
    current_problems,
)
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
from memoryhub.web.files.presenters.beginning import Beginning, beginning_of
from memoryhub.web.files.presenters.history import (
    Comparison,
    blame_of,
    compare,
    shown_versions,
    who_changed,
)
from memoryhub.web.health.presenters.problems import ShownProblem, shown_problems
from memoryhub.web.kit import limits
from memoryhub.web.kit.file_kinds import ROLES, kind_of
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter, whole
from memoryhub.web.kit.prose import prose_of

#: Most lines shown by default, and with ``all``: rendering more takes seconds.
LINE_LIMIT, MOST_LINES = 2_000, 20_000
#: The same in characters.
CHARACTER_LIMIT, MOST_CHARACTERS = 300_000, 1_000_000
#: Problems of one file that are shown on its page, and how many.
_SHOWN_PROBLEMS = (*SHRANK, CONFLICT_MARKERS, *COPIES)
_PROBLEMS = 5
_PROSE = (".md", ".markdown", ".mdc", ".txt")
_VIEWS = ("rendered", "raw", "blame", "history")


def _path_of(cursor: str) -> str:
    return str(decode_cursor(cursor, str)[0])


@dataclass(frozen=True, slots=True)
class FilesQuery(ListQuery):
    """Filters and cursor of the file list; `after`: path of the last row before."""

    show: str = parameter("show", choices=("gone", "secrets"), filters=False)
    text: str = parameter("q", in_form=True, length=1000)
    role: str = parameter("role", in_form=True, choices=tuple(Role))
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


class FilePage:
    """A file's page: its row, one of its versions, and that version in one view."""

    def __init__(
        self,
        workspace: Workspace,
        path: str,
        version: Version,
        query: FileQuery,
        shell: Shell,
    ) -> None:
        self.path, self.version, self.query = path, version, query
        self.row = file_at(workspace, path)
        self._workspace, self._shell = workspace, shell

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def who(self) -> str:
        """Who changed the version that is shown, in words."""
        return who_changed(self.version, owners_of(self._workspace))

    @property
    def format(self) -> str:
        return kind_of(self.row.format) if self.row else ""

    @property
    def role(self) -> str:
        """Its role in words."""
        return str(ROLES.get(self.row.role, "")) if self.row else ""

    @property
    def chosen_role(self) -> str:
        """The role that the settings give it; empty if its path decides."""
        return chosen_role(self.path, self._workspace.roles) or ""

    @cached_property
    def view(self) -> str:
        is_prose = self.path.lower().endswith(_PROSE)
        return self.query.view or ("rendered" if is_prose else "raw")

    @property
    def tabs(self) -> list[FilterLink]:
        labels = {
            "rendered": gettext("Rendered"),
            "raw": gettext("Raw"),
            "blame": gettext("Blame"),
            "history": gettext("History"),
        }
        return [
            FilterLink(label, self._address(view=view), current=view == self.view)
            for view, label in labels.items()
        ]

    def _address(self, **query: Any) -> str:
        """Return the address of the version that is shown, in the same view."""
        query = {"view": self.view, "rev": self.query.rev, **query}
        return self._shell.addresses.file(self.path, **query)

    @property
    def text_url(self) -> str:
        return self._address(view="text")

    @property
    def notice(self) -> str:
        """``moved``, ``deleted`` or ``older``; empty for the newest version."""
        if self.row is None and self.moved_to:
            return "moved"
        if self.row is None or not self.row.present:
            return "deleted"
        is_older = self.query.rev is not None and self.version.seq < self.row.seq
        return "older" if is_older else ""

    @cached_property
    def moved_to(self) -> str:
        """Path that the file has now; empty if it was not moved."""
        there = moved_to(self._workspace, self.path)
        return there if there and there != self.path else ""

    @cached_property
    def tombstone(self) -> Tombstone | None:
        """Record of the bytes of the version that were forgotten."""
        return tombstone_of(self._workspace.pk, self.version)

    @property
    def takes_comments(self) -> bool:
        """True for the newest version, as text: comments are shown with it."""
        return not self.notice and self.view in ("rendered", "raw")

    @property
    def losses(self) -> list[ShownProblem]:
        """The losses of lines at which no person has looked."""
        return [problem for problem in self._problems if problem.is_loss]

    @property
    def unmerged(self) -> ShownProblem | None:
        """The problem that two texts of the file are not one yet."""
        return next((problem for problem in self._problems if problem.merge_url), None)

    @cached_property
    def _problems(self) -> list[ShownProblem]:
        rows = current_problems(self._workspace).filter(path=self.path)
        rows = rows.filter(code_name__in=_SHOWN_PROBLEMS).order_by("seq", "id")
        return shown_problems(self._workspace, list(rows[:_PROBLEMS]), self._shell)

    @cached_property
    def left_out(self) -> Cut | None:
        """The lines that the host which reads the file gives to no agent."""
        if self.notice or self.view not in ("rendered", "raw"):
            return None
        host = host_of(self._workspace, self.path, self._whole)
        return cut_of(self._whole, host) if host else None

    @property
    def left_out_text(self) -> str:
        return limits.left_out(self.left_out) if self.left_out else ""

    @property
    def left_out_url(self) -> str:
        line = self.left_out.first if self.left_out else 1
        return self._shell.addresses.file(self.path, line=line)

    @property
    def pointers(self) -> list[tuple[str, int]]:
        """Up to five lines of the index that point to the file, as (path, line)."""
        budget = memory_budget(self._workspace)
        if budget is None:
            return []
        lines = (
            row.line
            for row in budget.rows
            if row.pointer and self.path in places_of(budget.path, row.pointer)
        )
        return [(budget.path, line) for line in islice(lines, 5)]

    @property
    def restorable(self) -> Version | None:
        """The version if it can be restored: it has bytes and the file has others."""
        row, version = self.row, self.version
        if row is None or version.is_forgotten:
            return None
        is_other = not row.present or row.blob_id != version.blob_id
        return version if is_other else None

    @cached_property
    def _whole(self) -> str:
        return text_of(self.version)

    @cached_property
    def _beginning(self) -> Beginning:
        """The part of the text that may be shown, secrets masked unless asked for."""
        most = MOST_CHARACTERS if self.query.everything else CHARACTER_LIMIT
        return beginning_of(self._whole, most, secrets=self.query.secrets)

    @property
    def masked(self) -> int:
        return 0 if self.view == "history" else self._beginning.masked

    @property
    def text(self) -> str:
        return self._beginning.text

    @property
    def reveal_url(self) -> str:
        return "" if self.query.secrets else self._address(show="secrets")

    @property
    def forget_url(self) -> str:
        """Address of the form that forgets the secrets found in the file."""
        return self._shell.addresses.forget_secrets(self.path)

    @cached_property
    def _front(self) -> frontmatter.FrontMatter:
        return frontmatter.split(self.text)

    @property
    def fields(self) -> tuple[Field, ...]:
        return self._front.fields

    @cached_property
    def html(self) -> str:
        """The body of the text as HTML, up to the limit."""
        lines = self._front.body.split("\n")[: self._limit]
        body, addresses = "\n".join(lines), self._shell.addresses
        return prose_of(self._workspace, addresses, self.path, body, anchors=True)

    @cached_property
    def lines(self) -> list[tuple[int, str]]:
        """The numbered lines of the text, up to the limit."""
        return list(enumerate(split_text(self.text)[: self._limit], 1))

    @cached_property
    def total(self) -> int:
        """How many lines there are; rendered, without those of the front matter."""
        lines = len(split_text(self._whole))
        if self.view != "rendered":
            return lines
        return lines - len(split_text(self.text)) + len(split_text(self._front.body))

    @property
    def _limit(self) -> int:
        return MOST_LINES if self.query.everything else LINE_LIMIT

    @property
    def cut(self) -> str:
        """Address of the text that is left out; empty if all is shown."""
        if self.total <= self._limit and not self._beginning.is_cut:
            return ""
        return self.text_url if self.query.everything else self._address(all=1)

    @cached_property
    def blame(self) -> dict[str, Any]:
        return blame_of(self._workspace, self.version, self.text, self._limit)

    @cached_property
    def _found(self) -> list[Version]:
        return versions_of(self._workspace, self.path, below=self.query.below)

    @cached_property
    def versions(self) -> list[dict[str, Any]]:
        return shown_versions(self._workspace, self._found, (self.version, self._base))

    @property
    def older(self) -> str:
        """Address of the versions before those that are listed."""
        if len(self._found) <= HISTORY_SIZE:
            return ""
        below = self._found[HISTORY_SIZE - 1].seq
        return self._shell.addresses.file(self.path, view="history", below=below)

    @cached_property
    def _base(self) -> Version | None:
        """The version to compare with: the requested one, else the previous one."""
        if self.query.vs is not None:
            return version_at(self._workspace, self.path, self.query.vs)
        older = versions_of(self._workspace, self.path, below=self.version.seq)
        with_bytes = (v for v in older if v.blob_id is not None and not v.is_forgotten)
        return next(with_bytes, None)

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison that the query asks for."""
        old, query = self._base, self.query
        if old is None or (query.vs is None and query.rev is None):
            return None
        return compare(
            old, self.version, everything=query.everything, secrets=query.secrets
        )

    @property
    def whole_comparison_url(self) -> str:
        old = self._base.seq if self._base else None
        return self._shell.addresses.file(
            self.path, view="history", rev=self.version.seq, vs=old, all=1
        )

    @property
    def compared_restorable(self) -> Version | None:
        """The version of a comparison that can be restored."""
        if self.row is None or not self.row.seq:
            return None
        return self.restorable or (self._base if self.query.vs is not None else None)


def file_page(
    workspace: Workspace, path: str, query: FileQuery, shell: Shell
) -> FilePage | None:
    """Return the page of a path; None if no file was ever there."""
    version = version_at(workspace, path, query.rev)
    return FilePage(workspace, path, version, query, shell) if version else None


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
        "format": kind_of(row.format),
        "role": ROLES.get(row.role, ""),
        "iso": shell.clock.local(at).isoformat(timespec="seconds"),
        "when": shell.clock.moment(at),
    }
