"""The files of templates: indented for who edits them, and sent without indentation."""

from __future__ import annotations

import re

from django.template.base import Origin
from django.template.loaders import filesystem

_INDENTATION = re.compile(r"\n[ \t]+")


class Loader(filesystem.Loader):
    """Read templates without their indentation, a third of the bytes of a page.

    Each line break stays: lines of errors are those of the file, and whitespace
    between elements is still there.
    """

    def get_contents(self, origin: Origin) -> str:
        """Return the text of a template that starts each line at its first word."""
        return _INDENTATION.sub("\n", super().get_contents(origin))
