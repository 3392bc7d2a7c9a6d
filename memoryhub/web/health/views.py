"""Health page and its repairs: pointers, breakers, problems."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.backups.ledger import known_backups
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.health.queries import workspace_health
from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.journal.problems import GONE_AT_ONCE, MEMORY_GONE, SECRETS
from memoryhub.notices.channels import channel_states
from memoryhub.people.policy import (
    actor_of,
    person_of,
    rights_now,
    workspace_or_404,
)
from memoryhub.people.rights import Right
from memoryhub.repair.checkup import last_look
from memoryhub.sync import files
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.holding import held_files
from memoryhub.sync.files import PointerChange, Who
from memoryhub.sync.scan.pending import pending
from memoryhub.timeline.queries.workspaces import (
    never_read,
    open_problems,
    staged_payloads,
)
from memoryhub.values.identity import id_of
from memoryhub.web.health.presenters.backups import (
    shown_backups,
    shown_channels,
    shown_disk,
    shown_look,
    shown_meaning,
    shown_signers,
    shown_tokens,
)
from memoryhub.web.health.presenters.health import (
    freshness,
    headline,
    issue_count,
    sentence,
    shown_budget,
    tiles,
)
from memoryhub.web.health.presenters.problems import distinct, shown_distinct
from memoryhub.web.health.presenters.rows import (
    quiet_text,
    shown_breakers,
    shown_errors,
    shown_pointers,
    shown_sizes,
)
from memoryhub.web.imports.discovered import inside_rows
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, whole_number
from memoryhub.web.kit.labels import problem_text, secrets_found
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.listing import ListQuery, number, parameter
from memoryhub.web.kit.responses import back_to, conflict_page, done, refused
from topics.queries.topics import quiet_topics

#: Rows of each list, and problems per page.
_ROWS, _PROBLEMS = 10, 50
_LONGEST = 2_000
#: Scans of a watched folder are closer together than this.
_WATCHED = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class HealthQuery(ListQuery):
    """Where the problems begin, and whether lists are shown whole."""

    first: int = number("from", digits=6)
    everything: bool = parameter("all", default=False, read=bool)


@require_GET
def health(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show health: budget, pointers, topics, errors, breakers, problems."""
    workspace = workspace_or_404(slug)
    shell = shell_of(workspace, [(gettext("Health"), request.path)])
    found, quiet = workspace_health(workspace), quiet_topics(workspace)
    problems = distinct(open_problems(workspace))
    failed = {row.path for row, _ in problems if row.code_name == "unreadable"}
    query = HealthQuery.of(request)
    first, everything = query.first, query.everything
    page = problems[first : first + _PROBLEMS]
    data = Path(settings.MEMORYHUB_DATA)
    rows = None if everything else _ROWS
    known = [
        shown_signers(workspace),
        *shown_channels(channel_states(person_of(request)), shell.clock),
    ]
    rights = rights_now()
    if Right.TOKENS in rights:
        known += shown_tokens(workspace, shell.clock)
    if Right.BACKUPS in rights:
        known += [
            shown_look(last_look(data), shell.clock),
            shown_backups(known_backups(data), shell.clock),
            shown_disk(data),
            shown_meaning(),
        ]
    hub_state = [row for row in known if row]
    faults = sum(row.glyph == "failed" for row in hub_state)
    issues = issue_count(found, len(quiet), len(problems), faults)
    context = {
        "shell": shell,
        "page": "health",
        "title": gettext("Health"),
        "query": query,
        "headline": headline(issues),
        "sentence": sentence(found, len(quiet), len(problems), faults),
        "tiles": tiles(found, len(quiet), shell.topics_total),
        "health": found,
        "everything": everything,
        "budget": found.budget and shown_budget(found, shell, everything=everything),
        "pointers": shown_pointers(found, staged_payloads(workspace, "repoint"), shell),
        "breakers": shown_breakers(found, shell)[:rows],
        "quiet": [(topic, quiet_text(silence)) for topic, silence in quiet[:rows]],
        "quiet_total": len(quiet),
        "errors": shown_errors(found.errors.groups[:rows], shell),
        "problems": shown_distinct(workspace, page, shell),
        "problem_total": len(problems),
        "secrets": _secrets(problems),
        "missing": _missing(workspace, [row.code_name for row, _ in problems]),
        "more": _more(request.path, first, len(page), len(problems)),
        "sizes": shown_sizes(found, shell)[:rows],
        "unindexed": found.unindexed[:rows],
        "freshness": freshness(
            found.files + never_read(workspace, failed),
            len(failed),
            _unread(workspace),
            gone=any(row.code_name == GONE_AT_ONCE for row, _ in problems),
        ),
        "hub_state": hub_state,
        "inside": inside_rows(workspace, shell.clock),
        "key": uuid.uuid4().hex,
    }
    return render(request, "health/health.html", context)


def _secrets(problems: Sequence[tuple[Problem, int]]) -> str:
    """Return how many secrets are in how many files, in words; empty for none."""
    counts = [
        row.parameters["count"] for row, _ in problems if row.code_name == SECRETS
    ]
    return secrets_found(sum(counts), len(counts)) if counts else ""


def _unread(workspace: Workspace) -> int | None:
    """Return how many files changed on disk since the last scan.

    0 if the folder is watched; None if it is missing.
    """
    looked = workspace.checked_at
    if looked is not None and timezone.now() - looked < _WATCHED:
        return 0
    found = pending(workspace)
    return None if found is None else len(found)


def _missing(workspace: Workspace, codes: Sequence[str]) -> int:
    """Return how many files one button restores: held ones, and losses by deletion."""
    held = held_files(workspace).count() if GONE_AT_ONCE in codes else 0
    return held + codes.count(MEMORY_GONE)


def _more(path: str, first: int, shown: int, total: int) -> str:
    if first + shown >= total:
        return ""
    return with_query(path, **{"from": first + shown}) + "#problems"


@require_GET
def problems(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect the former address of the problems."""
    return redirect(addresses_of(workspace_or_404(slug).slug).problems)


@require_POST
def repoint(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the target of a pointer in ``MEMORY.md``."""
    workspace = workspace_or_404(slug)
    change = PointerChange(
        text=_field(request, "text"),
        line=whole_number(_field(request, "line"), digits=8) or 0,
        base=_field(request, "base"),
        to=_field(request, "to").strip(),
    )
    index = _field(request, "index")
    if not index:
        raise Http404
    return _answer(
        request,
        workspace,
        lambda: files.repoint(workspace, index, change, _who(request)),
        gettext("Pointer changed"),
    )


@require_POST
def clear_breaker(request: HttpRequest, slug: str) -> HttpResponse:
    """Close an agent's breaker: append the reason to the error log that opened it."""
    workspace = workspace_or_404(slug)
    found = workspace_health(workspace)
    path, agent = _field(request, "path"), _field(request, "agent")
    if path not in found.errors.paths:
        raise Http404
    reason = " ".join(_field(request, "reason").split())
    return _answer(
        request,
        workspace,
        lambda: files.clear_breaker(workspace, path, agent, reason, _who(request)),
        gettext("Breaker cleared"),
    )


@require_POST
def clear_problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark a problem as cleared: nothing need be done about it."""
    workspace = workspace_or_404(slug)
    row = _problem_or_404(workspace, _field(request, "problem"))
    label = f"{row.path}: {problem_text(row.code_name, row.parameters)}"
    return _answer(
        request,
        workspace,
        lambda: files.clear_problem(workspace, row, label, actor_of(request)),
        gettext("Problem cleared"),
    )


def _problem_or_404(workspace: Workspace, code: str) -> Problem:
    try:
        row = Problem.objects.filter(workspace=workspace, pk=id_of(code)).first()
    except ValueError:
        row = None
    if row is None:
        raise Http404
    return row


def _answer(
    request: HttpRequest,
    workspace: Workspace,
    change: Callable[[], Operation],
    text: str,
) -> HttpResponse:
    """Run a change and redirect to the health page with its undo; 409 on a conflict."""
    home = addresses_of(workspace.slug).health
    try:
        operation = change()
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=back_to(request, home))
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    return done(request, workspace, operation, text, home)


def _field(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\x00", "")[:_LONGEST]


def _who(request: HttpRequest) -> Who:
    return Who(actor_of(request), _field(request, "key")[:90] or uuid.uuid4().hex)
