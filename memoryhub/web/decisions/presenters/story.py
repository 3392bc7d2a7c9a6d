"""Presenter of one decision's story: its sources and the change that introduced it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import Hunk, diff_lines, hunks, split_text
from memoryhub.journal.models import Revision
from memoryhub.web.kit.frame import Shell
from topics.queries.decisions import version_and_before
from topics.queries.sources import Spoken

#: Most hunks shown of the revision that introduced a decision.
_HUNKS = 3


def shown_spoken(said: Spoken, shell: Shell) -> dict[str, Any]:
    """Return one source of a decision, present or past."""
    source, addresses = said.source, shell.addresses
    path = source.file.path
    return {
        "path": path,
        "line": source.first_line,
        "url": addresses.file(path, line=source.first_line, rev=source.newest_seq),
        "reason": source.value,
        "since": _when(said.first, shell),
        "until": "" if source.last_seq is None else _when(said.last, shell),
    }


def _when(revision: Revision | None, shell: Shell) -> str:
    if revision is None:
        return gettext("not recorded")
    when = shell.clock.moment(revision.recorded_at)
    if revision.run is None:
        actor = revision.actor or gettext("the hub")
        return gettext("%(when)s, by %(actor)s") % {"when": when, "actor": actor}
    words = {"when": when, "number": revision.run.number}
    return gettext("%(when)s, import #%(number)s") % words


def introduced(
    spoken: Sequence[Spoken],
) -> tuple[Spoken | None, tuple[Hunk, ...]]:
    """Return the earliest source of a decision and the hunks around its line."""
    first = min(spoken, key=lambda said: said.source.first_seq, default=None)
    if first is None or first.first is None:
        return first, ()
    new, old = version_and_before(first.first)
    before = split_text(decode(old).text)
    found = hunks(diff_lines(before, split_text(decode(new).text)))
    return first, tuple(_near(found, first.source.first_line))


def _near(found: Sequence[Hunk], line: int) -> list[Hunk]:
    """Return up to three hunks, cut to six lines around `line`.

    A new file is a single hunk as long as itself.
    """
    lines = [
        Hunk(
            tuple(
                each
                for each in hunk.lines
                if each.new is None or abs(each.new - line) <= 6
            ),
            0,
        )
        for hunk in found
    ]
    return [hunk for hunk in lines if any(each.new for each in hunk.lines)][:_HUNKS]
