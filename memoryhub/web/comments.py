"""Comments: threads at their place, the list of all, actions of people on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_GET, require_POST

from memoryhub.comments.models import Thread
from memoryhub.comments.queries import (
    PAGE_SIZE,
    PlacedThread,
    in_order,
    placed,
    thread_of,
    threads_of,
    threads_on_file,
    threads_on_row,
    waits_for,
    waits_for_anybody,
)
from memoryhub.comments.rules.anchoring import Anchor, Fate
from memoryhub.comments.services import (
    Author,
    CommentRefused,
    Place,
    line_place,
    open_thread,
    reopen,
    reply,
    resolve,
)
from memoryhub.disk.files import FileError
from memoryhub.exports.review import export_review
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import earlier_paths, path_has
from memoryhub.people.policy import actor_of, me, workspace_or_404
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.files import Who
from memoryhub.values.identity import id_of
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import typed, whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import FilterLink, ListQuery, number, parameter
from memoryhub.web.kit.responses import SeeOther, back_to, conflict_page, done, refused
from snapshots.models import Snapshot
from topics.models import Decision
from topics.queries.decisions import spoken_in
from topics.services.topics import new_key

STATES: dict[str, Promise] = {
    "open": pgettext_lazy("comment", "Open"),
    "mine": gettext_lazy("Waits for you"),
    "resolved": gettext_lazy("Resolved"),
}
_FATES: dict[str, Promise] = {
    Fate.CHANGED: gettext_lazy("Outdated: the text has changed since"),
    Fate.GONE: gettext_lazy("Outdated: the text is gone"),
}
_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class CommentsQuery(ListQuery):
    """Filters and cursor of the list of threads."""

    state: str = parameter("state", default="open", choices=tuple(STATES))
    text: str = parameter("q", in_form=True)
    file: str = parameter("path", length=1_000)
    page: int = number("page", default=1)


@dataclass(frozen=True, slots=True)
class Panel:
    """The card of comments of a page, with the fields of the form of a new one."""

    threads: tuple[dict[str, Any], ...]
    resolved: tuple[dict[str, Any], ...]
    kind: str
    path: str
    seq: int = 0
    code: str = ""
    sections: tuple[str, ...] = ()
    lines: int = 0

    @property
    def marks(self) -> dict[int, list[dict[str, Any]]]:
        """Open threads by the line at which they are shown."""
        found: dict[int, list[dict[str, Any]]] = {}
        for thread in self.threads:
            if thread["line"]:
                found.setdefault(thread["line"], []).append(thread)
        return found


def file_panel(
    workspace: Workspace, path: str, seq: int, lines: int, shell: Shell
) -> Panel:
    """Return the comments on a file, and on those it was moved from."""
    paths = {path, *earlier_paths(workspace, path)}
    found = placed(workspace, threads_on_file(workspace, paths))
    here = [one for one in found if one.path == path]
    return Panel(*_parted(here, shell), Thread.Kind.FILE, path, seq, lines=lines)


def row_panel(
    workspace: Workspace,
    kind: str,
    code: str,
    path: str,
    shell: Shell,
    sections: Iterable[str] = (),
) -> Panel:
    """Return the comments on a decision or a snapshot."""
    found = placed(workspace, threads_on_row(workspace, kind, code))
    parts = _parted(found, shell)
    return Panel(*parts, kind, path, code=code, sections=tuple(sections))


def _parted(
    found: Iterable[PlacedThread], shell: Shell
) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    """Return the open threads, and the resolved ones."""
    shown = shown_threads(list(in_order(found)), shell)
    is_open = tuple(one for one in shown if not one["thread"].is_resolved)
    return is_open, tuple(one for one in shown if one["thread"].is_resolved)


def shown_threads(found: Sequence[PlacedThread], shell: Shell) -> list[dict[str, Any]]:
    """Return threads in words."""
    return [_shown(one, shell) for one in found]


def _shown(found: PlacedThread, shell: Shell) -> dict[str, Any]:
    row, clock = found.thread, shell.clock
    waits = [] if row.is_resolved else row.waits_for
    is_section = row.kind == Thread.Kind.SNAPSHOT
    return {
        "thread": row,
        "url": shell.addresses.thread(row.pk),
        "place": row.section if is_section and row.section else found.place,
        "place_url": place_url(found, shell),
        "line": found.spot.line if row.kind == Thread.Kind.FILE else 0,
        "quote": "" if is_section else row.quote.strip(),
        "outdated": str(_FATES.get(found.spot.fate, "")),
        "waits": _waiting(waits),
        "waits_for_me": waits_for(waits, me()),
        "resolved": _resolved_text(row, shell),
        "comments": tuple(
            {
                "comment": each,
                "iso": clock.local(each.made_at).isoformat(timespec="seconds"),
                "when": clock.moment(each.made_at),
                "mine": not each.is_agent and each.author == me(),
            }
            for each in found.comments
        ),
    }


def _waiting(names: Sequence[str]) -> str:
    """Return for whom a thread waits, in words; "" for nobody."""
    if not names:
        return ""
    if waits_for_anybody(names):
        names = [gettext("everybody")]
    return gettext("waiting for %(names)s") % {"names": ", ".join(names)}


def _resolved_text(row: Thread, shell: Shell) -> str:
    if row.resolved_at is None:
        return ""
    words = {"name": row.resolved_by, "when": shell.clock.moment(row.resolved_at)}
    return gettext("Resolved by %(name)s, %(when)s") % words


def place_url(found: PlacedThread, shell: Shell) -> str:
    """Return the address of the page that shows a thread, with its anchor."""
    row, addresses = found.thread, shell.addresses
    pages = {
        Thread.Kind.DECISION: lambda: addresses.decision(row.code),
        Thread.Kind.SNAPSHOT: lambda: addresses.snapshot(row.code),
        Thread.Kind.FILE: lambda: addresses.file(found.path, view="raw"),
    }
    return f"{pages[Thread.Kind(row.kind)]()}#c{row.pk}"


def state_links(query: CommentsQuery, counts: dict[str, int]) -> list[FilterLink]:
    """Return the links that filter by state."""
    return [
        FilterLink(
            str(label),
            query.address(state=state),
            counts[state],
            current=query.state == state,
        )
        for state, label in STATES.items()
    ]


@require_GET
def comments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the threads of a workspace, the last active first."""
    workspace = workspace_or_404(slug)
    query = CommentsQuery.of(request)
    shell = shell_of(workspace, [(gettext("Comments"), request.path)])
    rows = _found(workspace, query)
    start = (max(query.page, 1) - 1) * PAGE_SIZE
    some = list(_in_state(rows, query.state)[start : start + PAGE_SIZE + 1])
    is_more = len(some) > PAGE_SIZE
    context = {
        "shell": shell,
        "page": "comments",
        "title": gettext("Comments"),
        "query": query,
        "threads": shown_threads(placed(workspace, some[:PAGE_SIZE]), shell),
        "states": state_links(query, _counts(rows)),
        "paths": _open_paths(workspace),
        "next": query.address(page=max(query.page, 1) + 1) if is_more else "",
        "key": new_key(),
    }
    return render(request, "comments/comment_list.html", context)


def _found(workspace: Workspace, query: CommentsQuery) -> QuerySet[Thread]:
    rows = threads_of(workspace)
    if query.file:
        rows = rows.filter(path=query.file)
    if query.text:
        said = Q(comments__text__icontains=query.text) | path_has(query.text)
        rows = rows.filter(said).distinct()
    return rows


def _in_state(rows: QuerySet[Thread], state: str) -> QuerySet[Thread]:
    if state == "resolved":
        return rows.filter(resolved_at__isnull=False).order_by("-resolved_at")
    rows = rows.filter(resolved_at=None)
    if state != "mine":
        return rows
    waiting = rows.values_list("pk", "waits_for")
    return rows.filter(pk__in=[pk for pk, names in waiting if waits_for(names, me())])


def _counts(rows: QuerySet[Thread]) -> dict[str, int]:
    return {state: _in_state(rows, state).count() for state in ("open", "mine")} | {
        "resolved": rows.filter(resolved_at__isnull=False).count()
    }


def _open_paths(workspace: Workspace) -> list[str]:
    """Return the files with open comments, by path."""
    rows = Thread.objects.filter(workspace=workspace, resolved_at=None)
    return list(rows.order_by("path").values_list("path", flat=True).distinct())


@require_GET
def thread(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Redirect to the place of a thread."""
    workspace = workspace_or_404(slug)
    found = _thread_or_404(workspace, number)
    (one,) = placed(workspace, [found])
    return redirect(place_url(one, shell_of(workspace)))


@require_POST
def new_thread(request: HttpRequest, slug: str) -> HttpResponse:
    """Open a thread on a line of a file, a decision or a section of a snapshot."""
    workspace = workspace_or_404(slug)
    home = addresses_of(slug).comments
    try:
        place = _place(request, workspace)
        made = open_thread(workspace, place, _text(request), _author(request))
    except CommentRefused as error:
        return refused(request, error, home)
    messages.success(request, gettext("Comment added"))
    return SeeOther(f"{back_to(request, home).partition('#')[0]}#c{made.pk}")


def _place(request: HttpRequest, workspace: Workspace) -> Place:
    """Return the place that a form names; raise `Http404` if it is unknown."""
    kind, code = typed(request.POST, "kind"), typed(request.POST, "code")
    if kind == Thread.Kind.FILE:
        line = whole_number(typed(request.POST, "line"), digits=8) or 0
        seq = whole_number(typed(request.POST, "seq"), digits=18)
        path = typed(request.POST, "path", size=_TEXT)
        return line_place(workspace, path, line, seq)
    makers: dict[str, Callable[[], Place]] = {
        Thread.Kind.DECISION: lambda: _decision_place(workspace, code),
        Thread.Kind.SNAPSHOT: lambda: _snapshot_place(
            workspace, code, typed(request.POST, "section")
        ),
    }
    try:
        return makers[kind]()
    except (KeyError, ValueError) as error:
        raise Http404 from error


def _decision_place(workspace: Workspace, code: str) -> Place:
    row = Decision.objects.filter(workspace=workspace, pk=id_of(code)).first()
    if row is None:
        raise Http404
    source = next((spoken.source for spoken in spoken_in(row)), None)
    path, line = (source.file.path, source.first_line) if source else ("", 0)
    return Place(Thread.Kind.DECISION, path, code=code, anchor=Anchor(line, row.text))


def _snapshot_place(workspace: Workspace, code: str, section: str) -> Place:
    rows = Snapshot.objects.filter(workspace=workspace, pk=id_of(code))
    row = rows.select_related("file").first()
    if row is None:
        raise Http404
    shas = dict(row.sections.values_list("title", "body_sha"))
    if section and section not in shas:
        raise Http404
    anchor = Anchor(row.first_line, shas.get(section, ""))
    return Place(
        Thread.Kind.SNAPSHOT, row.file.path, code=code, section=section, anchor=anchor
    )


@require_POST
def add_reply(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Answer a thread; with ``resolve`` it is resolved too."""
    workspace = workspace_or_404(slug)
    found = _thread_or_404(workspace, number)
    home = addresses_of(slug).thread(number)
    if request.POST.get("resolve") and not _text(request).strip():
        return _resolved(request, found, home)
    try:
        reply(found, _text(request), _author(request))
    except CommentRefused as error:
        return refused(request, error, home)
    if request.POST.get("resolve"):
        return _resolved(request, found, home)
    messages.success(request, gettext("Reply added"))
    return _back_at(request, found, home)


def _resolved(request: HttpRequest, found: Thread, home: str) -> HttpResponse:
    if resolve(found, actor_of(request), timezone.now()):
        messages.success(request, gettext("Comment resolved"))
    else:
        messages.info(request, gettext("It was resolved already."))
    return _back_at(request, found, home)


@require_POST
def reopen_thread(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Reopen a resolved thread."""
    workspace = workspace_or_404(slug)
    found = _thread_or_404(workspace, number)
    if reopen(found, actor_of(request), timezone.now()):
        messages.success(request, gettext("Comment reopened"))
    else:
        messages.info(request, gettext("It was open already."))
    return _back_at(request, found, addresses_of(slug).thread(number))


@require_POST
def export_comments(request: HttpRequest, slug: str) -> HttpResponse:
    """Write the open comments on a file into a review file; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    home = addresses_of(slug).comments
    path = typed(request.POST, "path", size=_TEXT)
    who = Who(actor_of(request), typed(request.POST, "key")[:90] or new_key())
    try:
        operation = export_review(workspace, path, who, timezone.now())
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=home)
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    words: dict[str, Any] = {"path": operation.target}
    text = gettext("The open comments are in %(path)s") % words
    return done(request, workspace, operation, text, home)


def _thread_or_404(workspace: Workspace, number: int) -> Thread:
    found = thread_of(workspace, number)
    if found is None:
        raise Http404
    return found


def _back_at(request: HttpRequest, found: Thread, home: str) -> HttpResponse:
    return SeeOther(f"{back_to(request, home).partition('#')[0]}#c{found.pk}")


def _text(request: HttpRequest) -> str:
    return request.POST.get("text", "")[:_TEXT]


def _author(request: HttpRequest) -> Author:
    key = typed(request.POST, "key")[:90]
    return Author(actor_of(request), timezone.now(), key=key)
