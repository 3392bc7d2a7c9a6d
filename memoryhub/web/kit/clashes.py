"""Clashes of two texts in a form: both sides with what can be chosen, and the choice.

Templates: ``exports/_clash.html``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from django.http import HttpRequest
from django.utils.functional import Promise

from memoryhub.formats.text.diffing import common_pairs
from memoryhub.formats.text.merging import KINDS, Choice, Clash

#: Values of a clash for a template.
Shown = dict[str, object]

#: Most differences that a form shows to choose from.
MOST_CLASHES = 200
_CHOICE = re.compile(r"choice-([0-9]{1,18})-([0-9]{1,6})")
_MARKED_LENGTH = 4_000
_WORD = re.compile(r"\s+|\S+")


def choices_of(request: HttpRequest) -> dict[tuple[int, int], Choice]:
    """Return the choices by (seq, clash number); "other" carries its own text."""
    found = {}
    for name, value in request.POST.items():
        match = _CHOICE.fullmatch(name)
        kind = next((kind for kind in KINDS if kind == value), None)
        if match and kind:
            seq, number = int(match[1]), int(match[2])
            text = request.POST.get(f"text-{seq}-{number}", "")
            found[seq, number] = Choice(kind, text.replace("\r\n", "\n"))
    return found


def numbered_choices(request: HttpRequest) -> dict[int, Choice]:
    """Return the choices of a form about one text, by the clash's number."""
    return {number: choice for (_, number), choice in choices_of(request).items()}


def shown_clash(
    clash: Clash,
    title: str,
    sides: Mapping[str, str | Promise],
    options: Mapping[str, str | Promise],
    choice: Choice | None,
    place: tuple[int, int],
) -> Shown:
    """Return a clash in words.

    `sides`: labels of ``disk`` and ``here``, and of ``base`` where that is shown;
    `options`: labels by kind of choice; `place`: seq and number of its choice.
    """
    seq, number = place
    kind = choice.kind if choice else ""
    old, new = _marked(clash.disk, clash.here)
    parts = {"base": ((clash.base, False),), "disk": old, "here": new}
    return {
        "title": title,
        "name": f"choice-{seq}-{number}",
        "text_name": f"text-{seq}-{number}",
        "sides": [
            {
                "label": label,
                "parts": parts[side] if getattr(clash, side) else (),
                "picked": kind in (side, "both"),
            }
            for side, label in sides.items()
        ],
        "options": [(value, label, value == kind) for value, label in options.items()],
        "text": choice.text if choice and kind == "other" else clash.here,
        "mixable": "other" in options,
    }


def _marked(
    old: str, new: str
) -> tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]:
    """Split both texts into words; mark the words that only one side has."""
    if len(old) + len(new) > _MARKED_LENGTH:
        return ((old, False),), ((new, False),)
    before, after = _WORD.findall(old), _WORD.findall(new)
    pairs = common_pairs(before, after)
    left = _joined(before, {at for at, _ in pairs})
    return left, _joined(after, {at for _, at in pairs})


def _joined(words: Sequence[str], same: set[int]) -> tuple[tuple[str, bool], ...]:
    """Join neighbours; True marks text of words whose places are not the same."""
    runs = groupby(enumerate(words), lambda word: word[0] not in same)
    return tuple(("".join(text for _, text in run), marked) for marked, run in runs)
