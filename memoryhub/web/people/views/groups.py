"""Groups of people: list, make, change, delete; for administrators of the hub."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memoryhub.audit.recording import record
from memoryhub.errors.base import ToolError
from memoryhub.people.models import Group
from memoryhub.people.rights import Role
from memoryhub.people.roles import keeping_administrators
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.member_forms import GroupForm, last_administrator


@require_http_methods(["GET", "HEAD", "POST"])
def groups(request: HttpRequest) -> HttpResponse:
    """List the groups, or make one."""
    form = GroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        group = _saved(form)
        messages.success(request, gettext("Group %(name)s made") % {"name": group})
        return SeeOther(reverse("group", args=[group.pk]))
    rows = Group.objects.annotate(
        people=Count("members", distinct=True),
        places=Count("memberships", distinct=True),
    )
    context = {
        "title": gettext("Groups"),
        "groups": rows.order_by("name"),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "people/group_list.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def group(request: HttpRequest, number: int) -> HttpResponse:
    """Show a group with its roles; save its name and people, or delete it."""
    found = get_object_or_404(Group, pk=number)
    name = found.name
    form = GroupForm(request.POST or None, instance=found)
    if request.method == "POST" and request.POST.get("delete"):
        done = gettext("Group %(name)s deleted") % {"name": name}
        return _after(request, lambda: _delete(found), done)
    if request.method == "POST" and form.is_valid():
        return _after(request, lambda: _saved(form), gettext("Group saved"))
    held = found.memberships.select_related("workspace")
    context = {
        "title": name,
        "crumbs": [(gettext("Groups"), reverse("groups")), (name, "")],
        "form": form,
        "group": found,
        "roles": [(row.workspace, Role(row.role).label) for row in held],
    }
    status = 422 if form.errors else 200
    return render(request, "people/group_detail.html", context, status=status)


def _after(
    request: HttpRequest, change: Callable[[], object], done: str
) -> HttpResponse:
    """Do a change, unless a workspace would lose its last administrator by it."""
    try:
        change()
        messages.success(request, done)
    except ToolError as error:
        messages.error(request, last_administrator(error))
        return SeeOther(request.path)
    return SeeOther(reverse("groups"))


def _delete(group: Group) -> None:
    """Delete a group, with its roles in the audit log: its people lose them."""
    with keeping_administrators(group):
        held = group.memberships.select_related("workspace")
        roles = [f"{row.workspace.slug} {Role(row.role).word}" for row in held]
        record("permission.group", subject=f"{group} deleted: {', '.join(roles)}")
        group.delete()


def _saved(form: GroupForm) -> Group:
    """Save a group, with its people in the audit log: their roles change with it."""
    with keeping_administrators(form.instance):
        group: Group = form.save()
        people = group.members.order_by("username").values_list("username", flat=True)
        record("permission.group", subject=f"{group}: {', '.join(people)}")
    return group
