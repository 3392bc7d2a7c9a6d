"""Settings form of a workspace."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext, gettext_lazy

from memoryhub.formats.roles import Role
from memoryhub.handoffs.queries.agents import (
    Candidate,
    able_signers,
    candidates,
    possible_signers,
)
from memoryhub.journal.models import Workspace

if TYPE_CHECKING:
    _WorkspaceForm = forms.ModelForm[Workspace]
else:
    _WorkspaceForm = forms.ModelForm

_PATTERNS = 200
_PATTERN_LENGTH = 300


@cache
def _zones() -> frozenset[str]:
    """Return the names of all time zones, cached: finding them walks files."""
    return frozenset(available_timezones())


def _offered(one: Candidate) -> str:
    """Return an agent's label in the choice of coordinators."""
    if not one.is_called_so:
        return one.name
    return gettext("%(name)s (a coordinator by its files)") % {"name": one.name}


def _signer(one: Candidate) -> str:
    """Return a person's label in the choice of signers."""
    if not one.is_called_so:
        return one.name
    return gettext("%(name)s (by their files: %(role)s)") % {
        "name": one.name,
        "role": one.role,
    }


class SettingsForm(_WorkspaceForm):
    """Settings of a workspace.

    `patterns` are the ignored paths, one per line; `roles` patterns with a role.
    """

    patterns = forms.CharField(
        required=False,
        widget=forms.Textarea({"rows": 4, "spellcheck": "false", "class": "mono"}),
        label=gettext_lazy("Ignored paths"),
        help_text=gettext_lazy(
            "One pattern per line, such as drafts/* or *.tmp.md. It matches a whole"
            " path or any part of it. Ignored files stay in the journal."
        ),
    )

    roles = forms.CharField(
        required=False,
        widget=forms.Textarea({"rows": 4, "spellcheck": "false", "class": "mono"}),
        label=gettext_lazy("Roles of files"),
        help_text=gettext_lazy(
            "One pattern and role per line, such as notes/* memory. The first that"
            " matches a path decides. Roles: memory, work list, record, instruction,"
            " document. Changing them re-reads the workspace."
        ),
    )

    class Meta:
        model = Workspace
        fields = (
            "name",
            "time_zone",
            "memory_folder",
            "max_decisions",
            "max_history",
            "review_before_writing",
            "mask_for_agents",
            "raw_context",
            "handoff_lease",
            "put_back_silent",
        )
        labels = {
            "name": gettext_lazy("Name"),
            "time_zone": gettext_lazy("Time zone"),
            "memory_folder": gettext_lazy("Memory folder"),
            "max_decisions": gettext_lazy("Decisions kept in a topic file"),
            "max_history": gettext_lazy("History lines kept in a topic file"),
            "review_before_writing": gettext_lazy("Review before writing"),
            "mask_for_agents": gettext_lazy("Mask secrets for agents"),
            "raw_context": gettext_lazy("Give OpenClaw topics unquoted"),
            "handoff_lease": gettext_lazy("Lease of a taken handoff, in minutes"),
            "put_back_silent": gettext_lazy("Put back what a silent agent holds"),
        }
        help_texts = {
            "time_zone": gettext_lazy(
                "Time zone of times that files write without one. Until you choose one,"
                " it is that of USER.md. Changing it re-reads the workspace."
            ),
            "memory_folder": gettext_lazy(
                "Where new topic files and session maps are written. Changing it"
                " re-reads the workspace."
            ),
            "max_decisions": gettext_lazy(
                "The agents' own limit. The oldest are dropped from the file when one"
                " is added; MemoryHub keeps them."
            ),
            "review_before_writing": gettext_lazy(
                "If on, edits wait on the export preview until somebody writes them;"
                " if off, they are written at once. Changes to instructions by agents"
                " always wait."
            ),
            "handoff_lease": gettext_lazy(
                "An agent that neither calls nor writes for so long is silent. With a"
                " due time its lease lasts until then."
            ),
            "put_back_silent": gettext_lazy(
                "Its handoff is open again, for the next taker; a late result of a"
                " write is refused."
            ),
            "mask_for_agents": gettext_lazy(
                "What looks like a password or a key is masked in everything that"
                " agents are given. Files on disk, REST documents and exports of files"
                " stay exact."
            ),
            "raw_context": gettext_lazy(
                "Like snap-memory. An agent's text in a topic then reads as part of"
                " another agent's system prompt."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        # The template renders the options: six hundred widgets take most of its time.
        self.zones = sorted({*_zones(), self.instance.time_zone})
        self.fields["time_zone"] = forms.ChoiceField(
            choices=[(zone, zone) for zone in self.zones],
            label=self.fields["time_zone"].label,
            help_text=self.fields["time_zone"].help_text,
        )
        for name in ("max_decisions", "max_history"):
            self.fields[name] = forms.IntegerField(
                min_value=1,
                max_value=10_000,
                label=self.fields[name].label,
                help_text=self.fields[name].help_text,
            )
        self.fields["handoff_lease"] = forms.IntegerField(
            required=False,
            min_value=1,
            max_value=100_000,
            label=self.fields["handoff_lease"].label,
            help_text=self.fields["handoff_lease"].help_text,
        )
        self.initial["roles"] = "\n".join(map(" ".join, self.instance.roles))
        self.initial["patterns"] = "\n".join(self.instance.ignore_patterns)
        self.fields["coordinators"] = forms.MultipleChoiceField(
            choices=[(one.name, _offered(one)) for one in candidates(self.instance)],
            widget=forms.CheckboxSelectMultiple,
            label=gettext_lazy("Coordinators"),
            help_text=gettext_lazy(
                "These agents may override, send back and act on the handoffs of"
                " others. What AGENTS.md says is a suggestion. Only people sign off"
                " decisions."
            ),
            required=False,
            initial=self.instance.coordinators,
        )
        able = able_signers(self.instance).intersection(self.instance.signers)
        # They stay ticked: where nobody is, every person may sign.
        gone = [] if able else self.instance.signers
        label = gettext("%(name)s (cannot sign off any more)")
        self.fields["signers"] = forms.MultipleChoiceField(
            choices=[
                *((one.name, _signer(one)) for one in possible_signers(self.instance)),
                *((name, label % {"name": name}) for name in gone),
            ],
            widget=forms.CheckboxSelectMultiple,
            label=gettext_lazy("Who may sign decisions off"),
            help_text=gettext_lazy(
                "Only these people, signed in to these pages. If none is ticked, every"
                " person may. What AGENTS.md says is a suggestion."
            ),
            required=False,
            initial=sorted(able) or gone,
        )

    @property
    def zone(self) -> str:
        """The current or submitted time zone."""
        return str(self["time_zone"].value())

    def clean_memory_folder(self) -> str:
        """Return the folder without slashes at its ends.

        Raises:
            ValidationError: It is empty or outside the workspace.
        """
        folder: str = self.cleaned_data["memory_folder"].strip("/")
        if not folder or ".." in folder.split("/") or "\\" in folder:
            raise forms.ValidationError(gettext("Enter a folder inside the workspace."))
        return folder

    def clean_handoff_lease(self) -> int:
        """Return the lease; without one it stays as it is."""
        return self.cleaned_data["handoff_lease"] or self.instance.handoff_lease

    def clean_roles(self) -> list[list[str]]:
        """Return pairs of pattern and role, one a line.

        Raises:
            ValidationError: a line has no role, or there are too many.
        """
        found = []
        for line in self._lines_of("roles"):
            role = next((one for one in Role if line.endswith(f" {one}")), None)
            if role is None:
                text = gettext("%(line)s does not end with a role.") % {"line": line}
                raise forms.ValidationError(text)
            found.append([line.removesuffix(role).strip(), role.value])
        return found

    def clean_patterns(self) -> list[str]:
        """Return the patterns.

        Raises:
            ValidationError: There are too many, or one is too long.
        """
        return self._lines_of("patterns")

    def _lines_of(self, name: str) -> list[str]:
        """Return a field's lines without empty ones and duplicates."""
        lines = [line.strip() for line in self.cleaned_data[name].splitlines()]
        patterns = list(dict.fromkeys(filter(None, lines)))
        if len(patterns) > _PATTERNS or any(
            len(pattern) > _PATTERN_LENGTH for pattern in patterns
        ):
            raise forms.ValidationError(gettext("Too long."))
        return patterns
