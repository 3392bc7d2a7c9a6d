"""Groups of people: list, make, change, delete; for administrators of the hub."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memoryhub.audit.recording import record
from memoryhub.people.models import Group
from memoryhub.people.rights import Role
from memoryhub.web.kit.responses import SeeOther
from memoryhub.web.people.member_forms import GroupForm


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
        _delete(found)
        messages.success(request, gettext("Group %(name)s deleted") % {"name": name})
        return SeeOther(reverse("groups"))
    if request.method == "POST" and form.is_valid():
        _saved(form)
        messages.success(request, gettext("Group saved"))
        return SeeOther(reverse("groups"))
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


@transaction.atomic
def _delete(group: Group) -> None:
    """Delete a group, with its roles in the audit log: its people lose them."""
    held = group.memberships.select_related("workspace")
    roles = [f"{row.workspace.slug} {Role(row.role).word}" for row in held]
    record("permission.group", subject=f"{group} deleted: {', '.join(roles)}")
    group.delete()


@transaction.atomic
def _saved(form: GroupForm) -> Group:
    """Save a group, with its people in the audit log: their roles change with it."""
    group: Group = form.save()
    people = group.members.order_by("username").values_list("username", flat=True)
    record("permission.group", subject=f"{group}: {', '.join(people)}")
    return group
