"""Pages above the workspaces: all of them, one's first page, and the health check."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from http import HTTPStatus
from tempfile import TemporaryFile

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware import csrf
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.defaults import server_error

from memoryhub.accounts.second_factor import lacks_second_factor
from memoryhub.api.failures import unavailable
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import admit, may, visitor, workspace_or_404, workspaces
from memoryhub.people.rights import Right
from memoryhub.timeline.queries.frame import WorkspaceCard, workspace_cards
from memoryhub.timeline.queries.turns import (
    NOT_COUNTED,
    TurnCounts,
    answers_in,
    turn_counts,
)
from memoryhub.web.imports.pages import choices
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell, Version, shell_of
from memoryhub.web.kit.http import redirect_with_query
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.refusals import refusal_or_none
from snapshots.queries.open_items import open_counts

_log = logging.getLogger(__name__)
#: Addresses of a workspace's pages, and characters of a missing one's name.
_IN_WORKSPACE = re.compile(r"/w/([^/]+)/")
_WANTED = 100
#: Beginnings of Django's reasons if a form came from another origin.
_OTHER_ORIGIN = tuple(
    one.partition("%")[0] for one in (csrf.REASON_BAD_ORIGIN, csrf.REASON_BAD_REFERER)
)


@require_GET
@takes("all", "into", "folder")
def home(request: HttpRequest) -> HttpResponse:
    """List the workspaces; redirect to the only one; without any show the import.

    Who may add none gets an empty list.
    """
    known = workspaces()
    if not known and may(Right.WORKSPACES, ""):
        return choices(request)
    if len(known) == 1 and "all" not in request.GET:
        return redirect_with_query(request, addresses_of(known[0].slug).base)
    turns = turn_counts(known, timezone.now())
    is_open = open_counts(known)
    cards = [_shown(card, turns, is_open) for card in workspace_cards(known)]
    context = {
        "cards": cards,
        "counting": any(shown["counting"] for shown in cards),
        "title": gettext("Workspaces"),
        "version": Version.of(known),
        "turn_count": answers_in(turns.values()),
    }
    return render(request, "workspaces/workspace_list.html", context)


def _shown(
    card: WorkspaceCard, turns: Mapping[int, TurnCounts], is_open: Mapping[int, int]
) -> dict[str, object]:
    clock = Clock.of(card.workspace.time_zone)
    checked, pk = card.workspace.checked_at, card.workspace.pk
    return {
        "card": card,
        "counts": _counts(card, is_open.get(pk, 0)),
        "counting": pk in turns and (pk not in is_open or turns[pk] == NOT_COUNTED),
        "turns": turns.get(pk),
        "addresses": addresses_of(card.workspace.slug),
        "checked": clock.age(checked) if checked else "",
    }


def _counts(card: WorkspaceCard, is_open: int) -> str:
    """Return a workspace's contents in words: its files and other records."""
    counted = (
        (is_open, ngettext("%(n)s open item", "%(n)s open items", is_open)),
        (card.topics, ngettext("%(n)s topic", "%(n)s topics", card.topics)),
        (card.decisions, ngettext("%(n)s decision", "%(n)s decisions", card.decisions)),
        (card.snapshots, ngettext("%(n)s snapshot", "%(n)s snapshots", card.snapshots)),
    )
    files = ngettext("%(n)s file", "%(n)s files", card.files) % {"n": card.files}
    return " · ".join([files, *(words % {"n": n} for n, words in counted if n)])


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address without a page: in the frame of its workspace, if it has one.

    The page offers the list that the address is in, and a search for its last part.
    """
    title = gettext("Not found")
    context = {"title": title, "unknown": getattr(exception, "unknown", ())}
    if workspace := _workspace_of(request):
        shell = shell_of(workspace, [(title, request.path)])
        wanted = request.path.rstrip("/").rpartition("/")[2]
        context |= {
            "shell": shell,
            "wanted": wanted[:_WANTED] if wanted != workspace.slug else "",
            "listing": _listing_of(request.path, shell),
        }
    return render(request, "404.html", context, status=HTTPStatus.NOT_FOUND)


def _workspace_of(request: HttpRequest) -> Workspace | None:
    """Return the workspace that an address names, for who may see it."""
    found = _IN_WORKSPACE.match(request.path_info)
    user = getattr(request, "user", None)
    if found is None or user is None or not user.is_authenticated:
        return None
    if lacks_second_factor(request):
        return None
    if visitor() is None:
        # An address of no page: nobody was admitted to it.
        with suppress(PermissionDenied, Http404):
            admit(user, Right.READ, found[1])
    try:
        return workspace_or_404(found[1])
    except Http404:
        return None


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a person whose role is too low: in the frame of the workspace, if any."""
    workspace = _workspace_of(request)
    title = gettext("Not allowed")
    context: dict[str, object] = {"title": title}
    if workspace is not None:
        context["shell"] = shell_of(workspace, [(title, request.path)])
    response = render(request, "403.html", context, status=HTTPStatus.FORBIDDEN)
    if request.headers.get("HX-Request"):
        # Reload the page: its buttons are those of a former role.
        messages.error(request, gettext("Your role does not allow this"))
        response["HX-Refresh"] = "true"
    return response


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a valid CSRF token, or from another origin: 403.

    Programs get the reason as a line of text.
    """
    if not request.accepts("text/html"):
        text = f"refused: {reason}\n"
        return HttpResponse(text, "text/plain; charset=utf-8", HTTPStatus.FORBIDDEN)
    # The referrer, not a field: the body is not read.
    origin = request.headers.get("Referer", "")
    is_own = url_has_allowed_host_and_scheme(origin, {request.get_host()})
    is_foreign = reason.startswith(_OTHER_ORIGIN)
    outdated, foreign = gettext("This form is outdated"), gettext("Form refused")
    context = {
        "title": foreign if is_foreign else outdated,
        "is_foreign": is_foreign,
        "back": origin if is_own else "",
    }
    return render(request, "403_csrf.html", context, status=HTTPStatus.FORBIDDEN)


def too_many(request: HttpRequest) -> HttpResponse:
    """Answer attempts over a limit of accounts: 429; programs get a line of text."""
    title, status = gettext("Too many attempts"), HTTPStatus.TOO_MANY_REQUESTS
    if request.accepts("text/html"):
        response = render(request, "429.html", {"title": title}, status=status)
    else:
        response = HttpResponse(f"{title}\n", "text/plain; charset=utf-8", status)
    response["Retry-After"] = "60"
    return response


def _listing_of(path: str, shell: Shell) -> tuple[str, str] | None:
    """Return name and address of the list of pages that an address is in."""
    lists = [(item.label, item.url) for item in shell.nav]
    lists.append((gettext("Topics"), shell.addresses.topics))
    inside = (one for one in lists if one[1] != shell.addresses.base)
    return next((one for one in inside if path.startswith(one[1])), None)


def failed(request: HttpRequest) -> HttpResponse:
    """Answer a failed request: 503 with the cause if the machine hinders, else 500.

    Called while the error is handled. No page of it may ask the database.
    """
    error = sys.exc_info()[1]
    refusal = refusal_or_none(error) if error else None
    if refusal is None or refusal.status != HTTPStatus.SERVICE_UNAVAILABLE:
        return server_error(request)
    return unavailable(request, refusal)


@login_not_required
@require_GET
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Return whether pages can be served, for process managers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM workspaces_workspace LIMIT 1")
    except DatabaseError:
        return HttpResponse("no database\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_GET
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Return whether the hub can write, by writing; a second's requests share a try."""
    if reason := unwritable(int(time.monotonic())):
        return HttpResponse(f"{reason}\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@lru_cache(maxsize=1)
def unwritable(second: int) -> str:
    """Return why the hub cannot write; "" if a file and a commit were written."""
    try:
        with TemporaryFile(dir=settings.MEMORYHUB_DATA, buffering=0) as probe:
            probe.write(bytes(1 << 16))
            os.fsync(probe.fileno())
        with transaction.atomic(), connection.cursor() as cursor:
            # The number of the schema, unchanged: this writes a page of the database.
            (number,) = cursor.execute("PRAGMA user_version").fetchone()
            cursor.execute(f"PRAGMA user_version = {int(number)}")
    except (DatabaseError, OSError) as error:
        _log.error("the hub cannot write: %s", error)
        return "cannot write"
    return ""
