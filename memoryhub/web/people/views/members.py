"""Members of a workspace: list, give a role, change it, take it away."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, Membership, User
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, hub_administrators, members_of, withdraw
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.labels import clauses
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.member_forms import MemberForm, last_administrator

#: Kinds of holders of a role, in addresses.
PERSON, GROUP = "person", "group"
#: Most names of a group's people that its row lists.
_NAMES = 8


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List who has a role in a workspace; give a person or a group one."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        return _page(request, workspace, MemberForm(workspace=workspace))
    form = MemberForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return _page(request, workspace, form)
    made = grant(workspace, form.holder, form.chosen_role, actor_of(request))
    messages.success(request, _granted(made))
    return SeeOther(addresses_of(slug).members)


@require_POST
def member(request: HttpRequest, slug: str, kind: str, number: int) -> HttpResponse:
    """Change the role of a person or a group, or take it away."""
    workspace = workspace_or_404(slug)
    holder = _holder_or_404(workspace, kind, number)
    role = Role.of_word(request.POST.get("role", ""))
    try:
        if request.POST.get("remove"):
            withdraw(workspace, holder)
            text = gettext("%(name)s has no role here any more")
            messages.success(request, text % {"name": holder})
        elif role is not None:
            made = grant(workspace, holder, role, actor_of(request))
            messages.success(request, _granted(made))
    except ToolError as error:
        messages.error(request, last_administrator(error))
    return SeeOther(addresses_of(slug).members)


def _holder_or_404(workspace: Workspace, kind: str, number: int) -> User | Group:
    """Return a person or group with a role in a workspace, by its id."""
    if kind not in (PERSON, GROUP):
        raise Http404
    for row in members_of(workspace):
        holder = row.user if kind == PERSON else row.group
        if holder is not None and holder.pk == number:
            return holder
    raise Http404


def _granted(made: Membership) -> str:
    words = {"name": made.holder, "role": Role(made.role).label}
    return gettext("%(name)s: %(role)s") % words


def _page(request: HttpRequest, workspace: Workspace, form: MemberForm) -> HttpResponse:
    title = gettext("Members")
    shell = shell_of(workspace, [(title, request.path)])
    context = {
        "shell": shell,
        "page": "members",
        "title": title,
        "form": form,
        "members": [_shown(row, shell) for row in members_of(workspace)],
        "runners": [person.get_username() for person in hub_administrators()],
        "roles": [(role.word, role.label) for role in Role],
    }
    status = 422 if form.errors else 200
    return render(request, "people/member_list.html", context, status=status)


def _shown(row: Membership, shell: Shell) -> dict[str, Any]:
    kind, holder = (PERSON, row.user) if row.user else (GROUP, row.group)
    return {
        "name": str(holder),
        "is_group": kind == GROUP,
        "is_gone": bool(row.user and not row.user.is_active),
        "people": _people_in(row.group) if row.group else "",
        "role": Role(row.role).word,
        "label": Role(row.role).label,
        "since": shell.clock.moment(row.granted_at),
        "by": row.granted_by,
        "url": f"{shell.addresses.members}{kind}/{holder.pk}/" if holder else "",
    }


def _people_in(group: Group) -> str:
    names = sorted(person.get_username() for person in group.members.all())
    if not names:
        return gettext("nobody yet")
    more = len(names) - _NAMES
    rest = [gettext("%(n)s more") % {"n": more}] if more > 0 else []
    return clauses([*names[:_NAMES], *rest])
