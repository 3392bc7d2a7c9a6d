"""Access tokens of a workspace: create, list, revoke."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import AccessToken
from memoryhub.people.policy import check_right, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.people.services.tokens import (
    NewToken,
    extend_token,
    make_token,
    revoke_token,
    rotate_token,
    rows_of,
    scopes_of,
    states_of,
    tokens_of,
)
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import typed
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.forms import TokenForm
from memoryhub.web.rights import opens


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@takes("agent")
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """List the tokens of a workspace; create one, whose secret only this page shows."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        blank = TokenForm(workspace=workspace)
        blank.initial["agent"] = typed(request.GET, "agent", size=80)
        return _page(request, workspace, blank)
    form = TokenForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return _page(request, workspace, form)
    data = form.cleaned_data
    scopes = map(Scope, data["scopes"])
    with transaction.atomic():
        new = make_token(
            workspace,
            data["agent"],
            scopes,
            days=int(data["days"]),
            reader=data["reader"],
            profile=data["profile"],
        )
        for other in data["also"]:
            extend_token(new.row, other)
    return _page(request, workspace, TokenForm(workspace=workspace), new=new)


@require_POST
def revoke(request: HttpRequest, slug: str) -> HttpResponse:
    """Revoke a token."""
    workspace = workspace_or_404(slug)
    gone = revoke_token(workspace, typed(request.POST, "token"))
    if gone is None:
        raise Http404
    text = gettext("The token of %(agent)s is no longer valid") % {"agent": gone.agent}
    messages.success(request, text)
    return SeeOther(addresses_of(slug).tokens)


@never_cache
@require_POST
def rotate(request: HttpRequest, slug: str) -> HttpResponse:
    """Replace a token in all its workspaces; the page shows the new secret once.

    The person needs the right in each of them.
    """
    workspace = workspace_or_404(slug)
    prefix = typed(request.POST, "token")
    row = next((row for row in tokens_of(workspace) if row.prefix == prefix), None)
    if row is None:
        raise Http404
    for other in rows_of(row):
        check_right(Right.TOKENS, other.workspace.slug)
    return _page(
        request, workspace, TokenForm(workspace=workspace), new=rotate_token(row)
    )


def _page(
    request: HttpRequest,
    workspace: Workspace,
    form: TokenForm,
    *,
    new: NewToken | None = None,
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    title = gettext("Access tokens")
    crumbs = [(gettext("Settings"), addresses.settings), (title, addresses.tokens)]
    crumbs = [crumb for crumb in crumbs if opens(crumb[1])]
    shell = shell_of(workspace, crumbs)
    context = {
        "shell": shell,
        "page": "settings",
        "title": title,
        "form": form,
        "new": new,
        "tokens": _shown_all(workspace, shell.clock),
    }
    status = 422 if form.errors else 200
    return render(request, "people/token_list.html", context, status=status)


def _shown_all(workspace: Workspace, clock: Clock) -> list[dict[str, Any]]:
    rows = tokens_of(workspace)
    states = states_of(rows)
    return [_shown(row, clock) | {"state": states[row.pk]} for row in rows]


def _shown(token: AccessToken, clock: Clock) -> dict[str, Any]:
    used, ends = token.last_used_at, token.expires_at
    return {
        "agent": token.agent,
        "prefix": token.prefix,
        "scopes": [scope.value for scope in Scope if scope in scopes_of(token)],
        "shared": token.shared,
        "private": token.private,
        "profile": token.profile,
        "maker": token.maker.get_username() if token.maker else "",
        "ends": clock.moment(ends) if ends else "",
        "used": clock.age(used) if used else "",
    }
