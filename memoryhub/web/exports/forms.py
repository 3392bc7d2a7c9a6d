"""Forms of the export preview: conflict choices, seen hashes, download options."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import unquote

from django import forms
from django.http import HttpRequest

from memoryhub.exports.past import moment_of


def seen_in(request: HttpRequest) -> dict[str, str]:
    """Return the hash on disk per path, as of when the page was rendered."""
    pairs = (value.partition(" ") for value in request.POST.getlist("seen"))
    return {unquote(path): sha256 for sha256, _, path in pairs}


class DownloadForm(forms.Form):
    """Download options: as of a time, in canonical form, or current files."""

    as_of = forms.CharField(required=False)
    canonical = forms.BooleanField(required=False)

    def __init__(self, *args: object, zone: str) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._zone = zone

    def clean_as_of(self) -> datetime | None:
        """Return the moment; a day means its end, in the workspace's zone.

        Raises:
            ValidationError: The text is no date or time.
        """
        text: str = self.cleaned_data["as_of"].strip()
        try:
            return moment_of(text, self._zone) if text else None
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
