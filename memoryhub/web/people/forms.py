"""Forms of a person's preferences, saved views and tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.models import SavedView, User
from memoryhub.people.policy import may, team_member, workspaces
from memoryhub.people.rights import Right
from memoryhub.people.roles import role_of
from memoryhub.people.services.names import checked_agent
from memoryhub.people.services.saved_views import MOST_VIEWS, view_address
from memoryhub.people.services.tokens import DAYS, FOR_EVER, scopes_for


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]
    """Preferences of one person."""

    class Meta:
        model = User
        fields = ["theme", "density", "time_zone", "language", "single_keys"]
        labels = {
            "theme": gettext_lazy("Theme"),
            "density": gettext_lazy("Density"),
            "time_zone": gettext_lazy("Time zone"),
            "language": gettext_lazy("Language"),
            "single_keys": gettext_lazy("Single-key shortcuts"),
        }
        help_texts = {
            "time_zone": gettext_lazy(
                "Such as Europe/Berlin. Empty: times are those of each workspace."
            ),
        }
        widgets = {
            "time_zone": forms.TextInput(
                attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}
            ),
            "language": forms.Select(
                choices=[("", gettext_lazy("Browser")), *settings.LANGUAGES]
            ),
        }

    def clean_time_zone(self) -> str:
        """Return the name of the zone; empty for none.

        Raises:
            ValidationError: There is no such zone.
        """
        name: str = self.cleaned_data["time_zone"].strip()
        if name and name not in available_timezones():
            raise forms.ValidationError(gettext_lazy("There is no such time zone."))
        return name

    def clean_language(self) -> str:
        """Return a language of the pages; empty for any other."""
        chosen: str = self.cleaned_data["language"]
        return chosen if chosen in dict(settings.LANGUAGES) else ""


class SaveViewForm(forms.Form):
    """A name for an address below a workspace's own."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    address = forms.CharField(widget=forms.HiddenInput, max_length=4_000)

    def __init__(
        self, data: Mapping[str, Any], *, person: User, workspace: Workspace
    ) -> None:
        super().__init__(data)
        self._others = SavedView.objects.filter(user=person, workspace=workspace)

    def clean_address(self) -> str:
        """Return the normalised address.

        Raises:
            ValidationError: It is no filtered timeline or list.
        """
        address = view_address(self.cleaned_data["address"])
        if not address:
            words = gettext_lazy("Only a filtered timeline or list can be saved.")
            raise forms.ValidationError(words)
        return address

    def clean_name(self) -> str:
        """Return the name.

        Raises:
            ValidationError: The person has the most views allowed.
        """
        name: str = self.cleaned_data["name"]
        if self._others.exclude(name=name).count() >= MOST_VIEWS:
            words = gettext_lazy("There are 20 saved views; remove one first.")
            raise forms.ValidationError(words)
        return name


class TokenForm(forms.Form):
    """A token for an agent: name, scopes, validity, access to private memory."""

    agent = forms.CharField(
        label=gettext_lazy("Agent"),
        max_length=80,
        help_text=gettext_lazy(
            "Its actions are recorded in the journal under this name."
        ),
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Permissions"),
        choices=[
            (Scope.READ.value, gettext_lazy("read and search")),
            (Scope.MEMORY.value, gettext_lazy("write memory folders")),
            (
                Scope.INSTRUCTIONS.value,
                gettext_lazy("change instructions, each change after a review"),
            ),
            (Scope.HANDOFF.value, gettext_lazy("send and take handoffs")),
            (Scope.ADMIN.value, gettext_lazy("full access")),
        ],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ.value],
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        choices=[
            ("30", gettext_lazy("30 days")),
            ("90", gettext_lazy("90 days")),
            ("365", gettext_lazy("a year")),
            (str(FOR_EVER), gettext_lazy("until it is revoked")),
        ],
        coerce=int,
        empty_value=str(DAYS),
        required=False,
        initial=str(DAYS),
    )
    reader = forms.ChoiceField(
        label=gettext_lazy("Private memory (MEMORY.md)"),
        choices=[
            ("", gettext_lazy("for requests that name a private session")),
            ("private", gettext_lazy("always: it is for the agent's main session")),
            ("shared", gettext_lazy("never: it is for sessions of groups")),
        ],
        required=False,
    )
    profile = forms.ChoiceField(
        label=gettext_lazy("Tools that MCP lists"),
        choices=[
            ("", gettext_lazy("what an agent at work needs")),
            ("coordinator", gettext_lazy("those of a coordinator")),
            ("worker", gettext_lazy("those of a worker: memory and its handoffs")),
            ("memory", gettext_lazy("memory only")),
            ("all", gettext_lazy("all that its permissions allow")),
        ],
        help_text=gettext_lazy("A short list saves context; it grants nothing."),
        required=False,
    )
    also = forms.MultipleChoiceField(
        label=gettext_lazy("Also in these workspaces"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, workspace: Workspace
    ) -> None:
        super().__init__(data, label_suffix="")
        self._workspace = workspace
        self._others = {
            one.slug: one
            for one in workspaces()
            if one != workspace and may(Right.TOKENS, one.slug)
        }
        self.fields["also"].choices = [  # type: ignore[attr-defined]
            (slug, one.name) for slug, one in self._others.items()
        ]
        maker = team_member()
        if maker is not None:
            given = {scope.value for scope in scopes_for(role_of(maker, workspace))}
            choices = self.fields["scopes"].choices  # type: ignore[attr-defined]
            kept = [choice for choice in choices if choice[0] in given]
            self.fields["scopes"].choices = kept  # type: ignore[attr-defined]

    def clean_also(self) -> list[Workspace]:
        """Return the further workspaces."""
        return [self._others[slug] for slug in self.cleaned_data["also"]]

    def clean(self) -> dict[str, Any]:
        """Check the agent's name in each workspace."""
        data = self.cleaned_data
        try:
            for place in (self._workspace, *data.get("also", ())):
                data["agent"] = checked_agent(data.get("agent", ""), place)
        except ToolError as error:
            if "agent" not in self.errors:
                self.add_error("agent", _name_text(error))
        return data


def _name_text(error: ToolError) -> str:
    if error.code == "agent-look-alike":
        text = gettext("That looks like %(other)s, another agent of this workspace.")
        return text % error.parameters
    return gettext("This is not a valid agent name.")
