"""Forms of the import wizard."""

from __future__ import annotations

import json
from typing import IO, Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.utils.translation import gettext


class PathForm(forms.Form):
    """Form field for a folder on this server."""

    path = forms.CharField(max_length=4000, strip=True)

    def clean_path(self) -> str:
        path: str = self.cleaned_data["path"]
        if not path.startswith(("/", "~")):
            raise forms.ValidationError(gettext("Write the whole path, from / or ~."))
        return path


def uploaded_folder(request: HttpRequest) -> list[tuple[str, IO[bytes]]]:
    """Return an uploaded folder's files with their relative paths.

    Django drops the folders of a file's name, so the page sends the paths as a JSON
    list in the order of the files.
    """
    files: list[Any] = request.FILES.getlist("files")
    try:
        paths = json.loads(request.POST.get("paths", "") or "[]")
    except ValueError:
        paths = []
    if not isinstance(paths, list) or len(paths) != len(files):
        paths = [file.name for file in files]
    return [(str(path), file) for path, file in zip(paths, files, strict=True)]


def uploaded_zip(request: HttpRequest) -> UploadedFile[Any] | None:
    """Return the uploaded zip; None if there is none."""
    found = request.FILES.get("archive")
    return found if isinstance(found, UploadedFile) else None
