"""Lines ``key: value`` that Codex writes before a model's text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryhub.formats.base import Field, Lines

_FIELD = re.compile(r"\ufeff?([a-z_]{2,40}):[ \t]*([^\r\n]*)[\r\n]*")
_MOST = 12


def fields_at(lines: Sequence[str], first: int) -> tuple[Field, ...]:
    """Parse consecutive fields from line number `first` on."""
    fields: list[Field] = []
    for number, line in enumerate(lines[first - 1 : first - 1 + _MOST], first):
        found = _FIELD.fullmatch(line)
        if found is None:
            break
        fields.append(Field(found[1], found[2].strip(), Lines(number, number)))
    return tuple(fields)
