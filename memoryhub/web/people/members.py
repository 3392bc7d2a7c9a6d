"""Members of a workspace, and groups of people, with their forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.audit.recording import record
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, Membership, User
from memoryhub.people.policy import actor_of, may, workspace_or_404, workspaces
from memoryhub.people.rights import Right, Role
from memoryhub.people.roles import (
    OPERATOR,
    grant,
    hub_administrators,
    keeping_administrators,
    members_of,
    people_of,
    withdraw,
)
from memoryhub.people.services.names import is_like_person
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.labels import clauses
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.responses import SeeOther

#: Kinds of holders of a role, in addresses.
PERSON, GROUP = "person", "group"
#: Most names of a group's people that its row lists.
_NAMES = 8


def last_administrator(error: ToolError) -> str:
    """Return the text of a page for the refusal ``last-administrator``."""
    words = {
        "name": error.parameters["holder"],
        "workspace": error.parameters["workspace"],
    }
    text = gettext(
        "%(name)s is the last administrator of %(workspace)s. Make another one first."
    )
    return text % words


class MemberForm(forms.Form):
    """A person or a group, and the role that it gets in a workspace."""

    name = forms.CharField(
        label=gettext_lazy("Person or group"),
        max_length=150,
        widget=forms.TextInput(
            {"list": "holders", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=[(role.word, role.label) for role in Role],
        initial=Role.VIEWER.word,
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, workspace: Workspace
    ) -> None:
        super().__init__(data, label_suffix="")
        known = {(row.user_id, row.group_id) for row in members_of(workspace)}
        people = User.objects.filter(is_active=True).exclude(username=OPERATOR)
        self._known: dict[str, User | Group] = {
            str(one): one for one in Group.objects.all() if (None, one.pk) not in known
        }
        self._known |= {str(one): one for one in people if (one.pk, None) not in known}

    @property
    def names(self) -> list[str]:
        """People and groups without a role of their own yet, to choose from.

        Of people those with whom the request's person shares a workspace: others are
        found by their exact user name alone.
        """
        shared = {one.pk for place in workspaces() for one in people_of(place)}
        found = (
            name
            for name, one in self._known.items()
            if isinstance(one, Group) or may(Right.PEOPLE, "") or one.pk in shared
        )
        return sorted(found, key=str.casefold)

    @property
    def holder(self) -> User | Group:
        """The person or group of a valid form."""
        return self._known[self.cleaned_data["name"]]

    @property
    def chosen_role(self) -> Role:
        """The role of a valid form."""
        return Role.of_word(self.cleaned_data["role"]) or Role.VIEWER

    def clean_name(self) -> str:
        """Return the name of a person or group without a role of its own yet.

        Raises:
            ValidationError: there is none of this name.
        """
        name: str = self.cleaned_data["name"]
        if name not in self._known:
            words = gettext_lazy("No person or group without a role has this name.")
            raise forms.ValidationError(words)
        return name


class GroupForm(forms.ModelForm):  # type: ignore[type-arg]
    """A group's name and its people."""

    class Meta:
        model = Group
        fields = ["name", "members"]
        labels = {"name": gettext_lazy("Name"), "members": gettext_lazy("People")}
        widgets = {"members": forms.CheckboxSelectMultiple}

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, instance: Group | None = None
    ) -> None:
        super().__init__(data, instance=instance, label_suffix="")
        people = User.objects.filter(is_active=True).exclude(username=OPERATOR)
        members = self.fields["members"]
        members.queryset = people.order_by("username")  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        """Return the name; `ValidationError` if it looks like that of a person."""
        name: str = self.cleaned_data["name"]
        if is_like_person(name):
            raise forms.ValidationError(gettext_lazy("A person has this name."))
        return name


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
