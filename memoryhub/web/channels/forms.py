"""Form of a channel: address, kinds of notices, timing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from memoryhub.notices.channels import Rules, base_of, channels_of, rules_of
from memoryhub.notices.models import Channel
from memoryhub.people.models import User
from memoryhub.people.roles import workspaces_of
from memoryhub.timeline.queries.turns import KINDS

#: What may wait for a person, in words.
KIND_LABELS: dict[str, Promise] = {
    "sign-off": gettext_lazy("Sign-offs"),
    "question": gettext_lazy("Questions to you"),
    "review": gettext_lazy("Results to review"),
    "message": gettext_lazy("Messages to you"),
    "comment": gettext_lazy("Comments for you"),
    "conflict": gettext_lazy("Conflicts"),
    "staged": gettext_lazy("Edits to be written"),
    "gone": gettext_lazy("Files that disappeared"),
    "shrank": gettext_lazy("Lost lines"),
    "secrets": gettext_lazy("Secrets in files"),
    "memory": gettext_lazy("Memory to review"),
    "deadlock": gettext_lazy("Deadlocks"),
    "breaker": gettext_lazy("Open circuit breakers"),
    "overlap": gettext_lazy("Overlapping writes"),
    "claims": gettext_lazy("Files that two agents hold"),
    "silent": gettext_lazy("Silent assignees"),
    "stuck": gettext_lazy("Work that cannot start"),
    "overdue": gettext_lazy("Overdue work"),
    "unknown-recipient": gettext_lazy("Unknown recipients"),
    "lane": gettext_lazy("Stalled write lanes"),
    "blocked": gettext_lazy("Blocked work"),
    "failed": gettext_lazy("Failed work"),
    "unreadable": gettext_lazy("Files not read"),
}
#: Rules of a new channel.
DEFAULT = Rules(quiet_from=22, quiet_to=7)
_HOURS = [(str(hour), f"{hour:02}:00") for hour in range(24)]


class _HourField(forms.TypedChoiceField):
    """Choice of an hour, or of none; its value is a number or None."""

    def __init__(self, label: str | Promise, none: str | Promise) -> None:
        super().__init__(
            choices=[("", none), *_HOURS], coerce=int, empty_value=None, required=False
        )
        self.label = label  # type: ignore[assignment]


class ChannelForm(forms.Form):
    """A channel; the address is never shown again, and may be left out in a change."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=2_000,
        widget=forms.TextInput(
            {"autocomplete": "off", "spellcheck": "false", "class": "mono"}
        ),
        help_text=gettext_lazy(
            "An Apprise URL, such as ntfy://topic, tgram://token/chat, slack://… or"
            " mailtos://name:password@example.org. It is stored encrypted and not"
            " shown again."
        ),
    )
    digest = _HourField(gettext_lazy("Send"), gettext_lazy("At once"))
    quiet_from = _HourField(gettext_lazy("Quiet from"), gettext_lazy("never"))
    quiet_to = _HourField(gettext_lazy("Quiet until"), gettext_lazy("never"))
    urgent = forms.BooleanField(
        label=gettext_lazy("Sign-offs and deadlocks at once, at any hour"),
        required=False,
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("What"),
        choices=list(KIND_LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one.")},
    )
    workspaces = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Workspaces"),
        widget=forms.CheckboxSelectMultiple,
        coerce=int,
        required=False,
        help_text=gettext_lazy("None chosen: all, also later ones."),
    )
    base = forms.CharField(
        label=gettext_lazy("Address of this hub in links"),
        max_length=200,
        help_text=gettext_lazy(
            "As your phone or computer reaches it. Links open pages; nothing happens"
            " before you confirm there."
        ),
        widget=forms.TextInput({"class": "mono", "spellcheck": "false"}),
    )
    paused = forms.BooleanField(label=gettext_lazy("Paused"), required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        person: User,
        channel: Channel | None = None,
        base: str = "",
    ) -> None:
        super().__init__(data, label_suffix="", initial=_initial(channel, base))
        self._others = {one.name for one in channels_of(person) if one != channel}
        self.fields["digest"].choices = [  # type: ignore[attr-defined]
            ("", gettext("At once")),
            *(
                (key, gettext("Once a day at %(hour)s") % {"hour": at})
                for key, at in _HOURS
            ),
        ]
        known = sorted((one.name, one.pk) for one in workspaces_of(person))
        choices = [(pk, name) for name, pk in known]
        self.fields["workspaces"].choices = choices  # type: ignore[attr-defined]
        if channel is not None:
            self.fields["address"].required = False
            self.fields["address"].help_text = gettext_lazy(
                "Empty: it stays the same. The stored address is not shown."
            )

    def clean_name(self) -> str:
        """Return the name.

        Raises:
            ValidationError: another channel of the person has it.
        """
        name: str = self.cleaned_data["name"]
        if name in self._others:
            raise forms.ValidationError(gettext("Another channel has this name."))
        return name

    def clean_base(self) -> str:
        """Return the hub's URL, with a slash at its end.

        Raises:
            ValidationError: it is no address of the web.
        """
        if not (base := base_of(self.cleaned_data["base"])):
            raise forms.ValidationError(gettext("Enter an address with https://."))
        return base

    def clean(self) -> dict[str, Any]:
        """Check that quiet hours have a start and an end."""
        found = self.cleaned_data
        if (found.get("quiet_from") is None) != (found.get("quiet_to") is None):
            self.add_error("quiet_to", gettext("Choose both hours, or none."))
        return found

    def rules(self) -> Rules:
        """Return the rules of a valid form."""
        data = self.cleaned_data
        return Rules(
            kinds=() if set(data["kinds"]) == set(KINDS) else tuple(data["kinds"]),
            workspaces=tuple(data["workspaces"]),
            digest=data["digest"],
            quiet_from=data["quiet_from"],
            quiet_to=data["quiet_to"],
            urgent=data["urgent"],
            paused=data["paused"],
        )


def _initial(channel: Channel | None, base: str) -> dict[str, Any]:
    rules = rules_of(channel) if channel else DEFAULT
    return {
        "name": channel.name if channel else "",
        "base": channel.base if channel else base,
        "kinds": rules.kinds or KINDS,
        "workspaces": rules.workspaces,
        "digest": rules.digest,
        "quiet_from": rules.quiet_from,
        "quiet_to": rules.quiet_to,
        "urgent": rules.urgent,
        "paused": rules.paused,
    }
