"""What a person can choose about how pages are shown."""

from __future__ import annotations

from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy

from memoryhub.people.models import User


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
                choices=[("", gettext_lazy("As the browser")), *settings.LANGUAGES]
            ),
        }

    def clean_time_zone(self) -> str:
        """Return the zone's name; raise `ValidationError` on one there is not."""
        name: str = self.cleaned_data["time_zone"].strip()
        if name and name not in available_timezones():
            raise forms.ValidationError(gettext_lazy("There is no such time zone."))
        return name

    def clean_language(self) -> str:
        """Return a language the pages are written in, else none."""
        chosen: str = self.cleaned_data["language"]
        return chosen if chosen in dict(settings.LANGUAGES) else ""
