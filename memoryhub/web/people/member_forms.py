"""Forms of members of a workspace, and of groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import Group, User
from memoryhub.people.policy import may, workspaces
from memoryhub.people.rights import Right, Role
from memoryhub.people.roles import OPERATOR, members_of, people_of
from memoryhub.people.services.names import is_like_person


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
