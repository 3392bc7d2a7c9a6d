"""Files of a workspace: prose, source, blame, history, comparison, merging."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from glob import escape
from itertools import islice
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.audit.origins import current_origin
from memoryhub.dialects.registry import by_name
from memoryhub.dialects.roles import Role, chosen_role
from memoryhub.disk.files import FileError
from memoryhub.formats.base import Field, FormatError
from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.diffing import split_text
from memoryhub.formats.text.merging import Choice, Clash
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
    bytes_of,
    file_at,
    is_known,
    moved_to,
    text_of,
    tombstone_of,
    version_at,
    versions_of,
)
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.sync import files as file_services
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.files import Who
from memoryhub.timeline.queries import frame as workspaces
from memoryhub.values.cursors import MAX_LENGTH, decode_cursor, encode_cursor
from memoryhub.web.comments import file_panel
from memoryhub.web.files.history import (
    blame_of,
    compare,
    shown_versions,
    who_changed,
)
from memoryhub.web.health.problems import ShownProblem, shown_problems
from memoryhub.web.kit import limits
from memoryhub.web.kit.clashes import MOST_CLASHES, Shown, numbered_choices, shown_clash
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, markdown_response, whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import FilterLink, ListQuery, parameter, whole
from memoryhub.web.kit.prose import prose_of
from memoryhub.web.kit.responses import (
    SeeOther,
    answer_change,
    refused,
    say_done,
)
from memoryhub.workspaces.services.merging import TwoTexts, make_one, two_texts
from memoryhub.workspaces.services.roles import set_roles

ROLES: dict[str, Promise] = {
    Role.MEMORY: gettext_lazy("memory"),
    Role.WORK: gettext_lazy("work list"),
    Role.RECORD: gettext_lazy("record"),
    Role.INSTRUCTION: gettext_lazy("instruction"),
    Role.DOCUMENT: gettext_lazy("document"),
}

#: Characters behind the beginning that are searched too, for a secret across its end.
_MARGIN = 20_000
#: Most lines shown by default, and with ``all``: rendering more takes seconds.
LINE_LIMIT, MOST_LINES = 2_000, 20_000
#: The same in characters.
CHARACTER_LIMIT, MOST_CHARACTERS = 300_000, 1_000_000
#: Problems of one file that are shown on its page, and how many.
_SHOWN_PROBLEMS = (*SHRANK, CONFLICT_MARKERS, *COPIES)
_PROBLEMS = 5
_PROSE = (".md", ".markdown", ".mdc", ".txt")
_VIEWS = ("rendered", "raw", "blame", "history")
_EXCERPT = 80


def kind_of(dialect: str) -> str:
    """Return a dialect in words; an unknown one is spelled out."""
    kind = by_name(dialect).kind
    return gettext(kind) if kind else dialect.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of a text; `masked` is the number of secrets found in it."""

    text: str
    masked: int
    is_cut: bool


def beginning_of(text: str, most: int, *, secrets: bool) -> Beginning:
    """Return at most `most` characters of a text, whole lines where they are short.

    Secrets are masked unless `secrets`.
    """
    end = _end_of(text, most)
    part, is_cut = text[:end], end < len(text)
    shown, count = masked(text[: end + _MARGIN])
    if not secrets:
        part = _upto(shown, part) if is_cut else shown
    return Beginning(part, count, is_cut)


def _end_of(text: str, most: int) -> int:
    if len(text) <= most:
        return len(text)
    return text.rfind("\n", most // 2, most) + 1 or most


def _upto(shown: str, part: str) -> str:
    """Cut a masked text, which has the same line breaks, to a part of the original."""
    lines, last = part.count("\n"), part.rpartition("\n")[2]
    found = shown.split("\n")[: lines + 1]
    return "\n".join([*found[:-1], found[-1][: len(last)]])


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
    def comparison(self) -> dict[str, Any] | None:
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


def shown_clashes(found: TwoTexts, choices: Mapping[int, Choice]) -> list[Shown]:
    """Return the stretches to choose from; none if they are too many.

    Lines that only one of two files has are chosen at first: nothing is lost.
    """
    total = len(found.clashes)
    if total > MOST_CLASHES:
        return []
    if found.copy:
        sides = {"disk": gettext("The file"), "here": gettext("The copy")}
        keep, take = gettext("Keep the file’s"), gettext("Take the copy’s")
    else:
        sides = {
            "disk": gettext("Ours"),
            "here": gettext("Theirs"),
            "base": gettext("Before both"),
        }
        keep, take = gettext("Keep ours"), gettext("Take theirs")
    options = {
        "disk": keep,
        "here": take,
        "both": gettext("Both, the left one first"),
        "other": gettext("Write another text"),
    }
    return [
        shown_clash(
            clash,
            _title(number + 1, total, above),
            {side: sides[side] for side in sides if side != "base" or clash.base},
            options,
            choices.get(number) or (_only_side(clash) if found.copy else None),
            (0, number),
        )
        for number, (clash, above) in enumerate(_placed(found))
    ]


def _placed(found: TwoTexts) -> Iterator[tuple[Clash, str]]:
    """Yield the clashes, each with the last line above it that has a word."""
    above = ""
    for part in found.parts:
        if isinstance(part, Clash):
            yield part, above
        else:
            lines = (line.strip() for line in reversed(part.split("\n")))
            above = next(filter(None, lines), above)[:_EXCERPT]


def _title(number: int, total: int, above: str) -> str:
    words = {"n": number, "total": total, "line": above}
    if not above:
        return gettext("Difference %(n)s of %(total)s") % words
    return gettext("Difference %(n)s of %(total)s, below “%(line)s”") % words


def _only_side(clash: Clash) -> Choice | None:
    if clash.disk and clash.here:
        return None
    return Choice("disk" if clash.disk else "here")


@dataclass(frozen=True, slots=True)
class FileTextQuery(ListQuery):
    """Version of a file whose text is returned."""

    rev: int | None = parameter("rev", default=None, read=whole(18))


@require_GET
def files(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the files of a workspace by path."""
    workspace = workspace_or_404(slug)
    query = FilesQuery.of(request)
    rows = workspaces.files_in(
        workspace,
        text=query.text,
        role=query.role,
        after=query.after,
        gone=query.gone,
    )
    shell = shell_of(workspace, [(gettext("Files"), request.path)])
    shown = rows[: workspaces.PAGE_SIZE]
    changed = workspaces.changed_on_disk(workspace, shown)
    context = {
        "shell": shell,
        "page": "files",
        "title": gettext("Files"),
        "query": query,
        "roles": ROLES.items(),
        "rows": [shown_row(row, changed, shell) for row in shown],
        "more": query.address(after=shown[-1].path) if len(rows) > len(shown) else "",
    }
    return render(request, "files/file_list.html", context)


@require_GET
def file(request: HtmxRequest, slug: str, path: str) -> HttpResponse:
    """Show a file: rendered, raw, blame, history or a comparison."""
    workspace = workspace_or_404(slug)
    known = {"rev": lambda seq: int(seq) <= workspace.last_seq}
    if path.endswith(".md") and not is_known(workspace, path):
        text = FileTextQuery.of_text(request, known=known)
        return _file_text(workspace, path.removesuffix(".md"), text.rev)
    query = FileQuery.of(request, known=known)
    if query.view == "text":
        query = FileQuery.of_text(request, known=known)
        return _file_text(workspace, path, query.rev)
    addresses = addresses_of(slug)
    crumbs = [(gettext("Files"), addresses.files), (path, addresses.file(path))]
    shell = shell_of(workspace, crumbs)
    page = file_page(workspace, path, query, shell)
    if page is None:
        raise Http404
    context = {
        "shell": shell,
        "page": "files",
        "title": path,
        "query": query,
        "file": page,
        "losses": page.losses,
        "comments": file_panel(workspace, path, page.version.seq, page.total, shell)
        if page.takes_comments
        else None,
        "key": uuid.uuid4().hex,
        "roles": ROLES.items(),
    }
    return render(request, "files/file_detail.html", context)


@require_POST
def role(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Give a file a role, or that of its path again; a job applies another one."""
    workspace = workspace_or_404(slug)
    chosen = request.POST.get("role", "")
    if not is_known(workspace, path) or chosen not in ("", *ROLES):
        raise Http404
    own = escape(path)
    others = [pair for pair in workspace.roles if pair[0] != own]
    roles = [[own, chosen], *others] if chosen else others
    if roles == workspace.roles:
        current_origin().reads = True
        return SeeOther(addresses_of(slug).file(path))
    job = set_roles(workspace, roles)
    if job is None:
        messages.success(request, gettext("Settings saved"))
        return SeeOther(addresses_of(slug).file(path))
    messages.success(request, gettext("Settings saved; they are being applied"))
    return SeeOther(reverse("import", args=[job.pk]))


@require_POST
def restore(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Restore a file's content of a revision as a new revision.

    409 on a conflict.
    """
    workspace = workspace_or_404(slug)
    rev, seen = (
        whole_number(request.POST.get(name, ""), digits=18) for name in ("rev", "seen")
    )
    version = version_at(workspace, path, rev) if rev is not None else None
    if version is None or seen is None:
        raise Http404
    who = Who(actor_of(request), request.POST.get("key", "")[:90] or uuid.uuid4().hex)
    home = addresses_of(slug).file(path)
    change = partial(file_services.restore, workspace, path, version, seen, who)
    text = gettext("Restored as it was at revision %(seq)s") % {"seq": version.seq}
    return answer_change(request, workspace, change, text, home)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def merge(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    """Show two texts of a file side by side, or write the one that was chosen.

    409 with the newest texts if a file was changed meanwhile.
    """
    workspace = workspace_or_404(slug)
    addresses, status = addresses_of(slug), 200
    try:
        found = two_texts(workspace, path)
        if found is not None and request.method == "POST":
            try:
                if answer := _merged(request, workspace, found):
                    return answer
                status = 422
            except Conflict:
                found, status = two_texts(workspace, path), 409
    except (FormatError, FileError) as error:
        return refused(request, error, addresses.file(path))
    if found is None:
        messages.info(request, gettext("There is nothing to merge in the file."))
        return SeeOther(addresses.file(path))
    back = addresses.file(found.path)
    files = (gettext("Files"), addresses.files)
    crumbs = [files, (found.path, back), (gettext("Merge"), "")]
    context = {
        "shell": shell_of(workspace, crumbs),
        "page": "files",
        "title": gettext("Merge %(path)s") % {"path": found.path},
        "found": found,
        "clashes": shown_clashes(found, numbered_choices(request)),
        "most": MOST_CLASHES,
        "is_stale": status == 409,
        "is_open": status == 422,
        "remove": bool(request.POST.get("remove")),
        "back": back,
        "url": addresses.merge(path),
        "key": uuid.uuid4().hex,
    }
    return render(request, "files/file_merge.html", context, status=status)


def _merged(
    request: HttpRequest, workspace: Workspace, found: TwoTexts
) -> HttpResponse | None:
    """Write the merged text and delete a ticked copy; return None without a choice.

    Raises:
        Conflict: a file was changed since the page was made.
    """
    choices = numbered_choices(request)
    picked = [choices[n] for n in range(len(found.clashes)) if n in choices]
    if request.POST.get("seen") != found.seen:
        raise Conflict(found.path, "", found.text)
    if len(picked) < len(found.clashes):
        return None
    who = Who(actor_of(request), request.POST.get("key", "")[:60] or uuid.uuid4().hex)
    remove = bool(request.POST.get("remove"))
    operations = make_one(workspace, found, picked, who, remove=remove)
    for operation in operations:
        is_copy = operation.target == found.copy
        text = gettext("%(path)s deleted") if is_copy else gettext("%(path)s written")
        say_done(request, workspace, operation, text % {"path": operation.target})
    if not operations:
        messages.success(request, gettext("The file is as before already"))
    return SeeOther(addresses_of(workspace.slug).file(found.path))


def _file_text(workspace: Workspace, path: str, rev: int | None) -> HttpResponse:
    version = version_at(workspace, path, rev)
    if version is None:
        raise Http404
    return markdown_response(bytes_of(version))
