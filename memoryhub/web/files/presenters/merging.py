"""Presenter of the page that makes two texts of a file into one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext

from memoryhub.formats.text.merging import Choice, Clash
from memoryhub.web.kit.clashes import MOST_CLASHES, Shown, shown_clash
from memoryhub.workspaces.services.merging import TwoTexts

_EXCERPT = 80


def shown_clashes(found: TwoTexts, choices: Mapping[int, Choice]) -> list[Shown]:
    """Return the stretches to choose from; none if they are too many.

    Lines that only one of two files has are chosen at first: nothing is lost.
    """
    total = len(found.clashes)
    if total > MOST_CLASHES:
        return []
    if found.copy:
        sides = {"disk": gettext("The file"), "here": gettext("The copy")}
        keep, take = gettext("Keep the file’s"), gettext("Take the copy’s")
    else:
        sides = {
            "disk": gettext("Ours"),
            "here": gettext("Theirs"),
            "base": gettext("Before both"),
        }
        keep, take = gettext("Keep ours"), gettext("Take theirs")
    options = {
        "disk": keep,
        "here": take,
        "both": gettext("Both, the left one first"),
        "other": gettext("Write another text"),
    }
    return [
        shown_clash(
            clash,
            _title(number + 1, total, above),
            {side: sides[side] for side in sides if side != "base" or clash.base},
            options,
            choices.get(number) or (_only_side(clash) if found.copy else None),
            (0, number),
        )
        for number, (clash, above) in enumerate(_placed(found))
    ]


def _placed(found: TwoTexts) -> Iterator[tuple[Clash, str]]:
    """Yield the clashes, each with the last line above it that has a word."""
    above = ""
    for part in found.parts:
        if isinstance(part, Clash):
            yield part, above
        else:
            lines = (line.strip() for line in reversed(part.split("\n")))
            above = next(filter(None, lines), above)[:_EXCERPT]


def _title(number: int, total: int, above: str) -> str:
    words = {"n": number, "total": total, "line": above}
    if not above:
        return gettext("Difference %(n)s of %(total)s") % words
    return gettext("Difference %(n)s of %(total)s, below “%(line)s”") % words


def _only_side(clash: Clash) -> Choice | None:
    if clash.disk and clash.here:
        return None
    return Choice("disk" if clash.disk else "here")
