"""Form that requests a forgetting."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy, ngettext

from memoryhub.forgetting.forgettings import Target
from memoryhub.forgetting.models import Forgetting

_KINDS = {
    Forgetting.Kind.TEXT: gettext_lazy("A text, wherever it is"),
    Forgetting.Kind.SECRETS: gettext_lazy("The secrets that were found in a file"),
    Forgetting.Kind.REGEX: gettext_lazy("Everything that matches a regular expression"),
    Forgetting.Kind.FILE: gettext_lazy("A file: all its versions"),
    Forgetting.Kind.VERSION: gettext_lazy("A file: one version"),
    Forgetting.Kind.ENTRY: gettext_lazy("An entry: a note, decision, snapshot ..."),
}
#: Choices of the undo window, in minutes.
_WAITS = (10, 60, 1440)


class ForgetForm(forms.Form):
    """A forgetting's target: text, pattern, file, version or an entry's address."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Type"), choices=[(k.value, v) for k, v in _KINDS.items()]
    )
    text = forms.CharField(
        label=gettext_lazy("Text or path"),
        strip=False,
        required=False,
        max_length=20_000,
        widget=forms.Textarea(
            {"rows": 3, "spellcheck": "false", "autocomplete": "off", "class": "mono"}
        ),
        help_text=gettext_lazy(
            "The text or the pattern; the path of the file; or the address of the"
            " entry's page. Empty for the secrets of all files."
        ),
    )
    seq = forms.IntegerField(
        label=gettext_lazy("Revision"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("Only for one version of a file."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy(
            "Stays permanently in place of the removed versions. Do not repeat the"
            " forgotten text."
        ),
    )
    minutes = forms.TypedChoiceField(
        label=gettext_lazy("Undo possible for"), coerce=int
    )
    keep_files = forms.BooleanField(
        label=gettext_lazy("Leave files on disk as they are"),
        required=False,
        help_text=gettext_lazy(
            "They still contain it, and a later change in them imports it again."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        waits = sorted({*_WAITS, settings.MEMORYHUB_FORGET_MINUTES})
        field = self.fields["minutes"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(minutes, _time(minutes)) for minutes in waits]
        field.initial = settings.MEMORYHUB_FORGET_MINUTES

    def clean(self) -> dict[str, Any]:
        """Check that there is a target, and a revision for a single version."""
        found: dict[str, Any] = super().clean() or {}
        if found.get("kind") != Forgetting.Kind.SECRETS and not found.get("text"):
            self.add_error("text", self.fields["text"].error_messages["required"])
        if found.get("kind") == Forgetting.Kind.VERSION and not found.get("seq"):
            self.add_error("seq", gettext_lazy("Enter the version."))
        return found

    def wanted(self) -> Target:
        """Return the validated request."""
        found = self.cleaned_data
        text = found["text"].replace("\r\n", "\n").strip("\n")
        kinds = Forgetting.Kind
        of_file = found["kind"] in (kinds.FILE, kinds.VERSION, kinds.SECRETS)
        return Target(
            kind=found["kind"],
            text="" if of_file else text,
            path=text.strip() if of_file else "",
            seq=found["seq"] or 0,
            reason=found["reason"],
            keep_files=found["keep_files"],
            minutes=found["minutes"],
        )


def _time(minutes: int) -> str:
    if minutes and minutes % 1440 == 0:
        days = minutes // 1440
        return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
    if minutes and minutes % 60 == 0:
        hours = minutes // 60
        return ngettext("%(n)s hour", "%(n)s hours", hours) % {"n": hours}
    return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
