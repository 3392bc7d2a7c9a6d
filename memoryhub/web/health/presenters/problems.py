"""Presenter of problems: text and action.

Equal problems of one file are merged into one row, however many lines have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from memoryhub.formats.secrets.detection import masked
from memoryhub.journal.losses import SectionLoss
from memoryhub.journal.models import Problem, Workspace
from memoryhub.journal.problems import (
    GONE_AT_ONCE,
    MEMORY_GONE,
    SHRANK,
    TWIN_MISSING,
    WRITE_LOST,
)
from memoryhub.journal.versions import known_paths, losses_of
from memoryhub.sync.edit.holding import held_paths
from memoryhub.values.identity import code_of
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import problem_text

#: Path of the workspace's own folder in scans.
_ROOT = "."
#: Most names listed of files that are gone at once.
_HELD = 500
#: Longest title of a section that is shown.
_TITLE = 80


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """A problem with the addresses of its place and of its remedy."""

    code: str
    path: str
    place: str
    text: str
    url: str
    action: str
    action_url: str
    restore_url: str
    since: str
    run: int | None
    run_url: str
    times: int
    #: Form that accepts the deletion of files which are gone at once.
    accept_url: str
    #: Label of the button that clears it.
    clear: str = ""
    #: Sections that lost lines, in words.
    sections: tuple[str, ...] = ()
    #: First of the files that are gone at once, and how many more there are.
    held: tuple[str, ...] = ()
    held_more: int = 0


def distinct(rows: Sequence[Problem]) -> list[tuple[Problem, int]]:
    """Merge equal problems of a file: (first row, number of rows)."""
    found: dict[tuple[str, str, str], list[Problem]] = {}
    for row in rows:
        key = row.code_name, row.path, repr(sorted(row.parameters.items()))
        found.setdefault(key, []).append(row)
    return [(same[0], len(same)) for same in found.values()]


def shown_problems(
    workspace: Workspace, rows: Sequence[Problem], shell: Shell
) -> list[ShownProblem]:
    """Return merged problems in words; only known files have a page to open."""
    return shown_distinct(workspace, distinct(rows), shell)


def shown_distinct(
    workspace: Workspace, found: Sequence[tuple[Problem, int]], shell: Shell
) -> list[ShownProblem]:
    """Return already merged problems in words."""
    paths = {row.path for row, _ in found}
    known = known_paths(workspace, paths) if paths else set()
    rows = [_shown(row, times, shell, known=row.path in known) for row, times in found]
    rows = [_with_held(workspace, row) if row.accept_url else row for row in rows]
    return _with_sections(workspace, [row for row, _ in found], rows)


def _with_held(workspace: Workspace, problem: ShownProblem) -> ShownProblem:
    paths = held_paths(workspace)
    more = max(len(paths) - _HELD, 0)
    return replace(problem, held=tuple(paths[:_HELD]), held_more=more)


def _with_sections(
    workspace: Workspace, rows: Sequence[Problem], shown: Sequence[ShownProblem]
) -> list[ShownProblem]:
    """Return the problems; those of lost lines with the sections that lost them."""
    steps = {
        place: (row.parameters["seq"], row.seq)
        for place, row in enumerate(rows)
        if row.code_name in SHRANK and row.seq is not None
    }
    losses = dict(zip(steps, losses_of(workspace, [*steps.values()]), strict=True))
    return [
        replace(problem, sections=tuple(map(_section_text, losses.get(place, ()))))
        for place, problem in enumerate(shown)
    ]


def _section_text(loss: SectionLoss) -> str:
    title = masked(loss.title[:_TITLE])[0] or gettext("before any heading")
    if loss.is_gone:
        words = {"section": title, "lost": loss.lost}
        return gettext("%(section)s −%(lost)s, the whole section") % words
    gained = f" +{loss.gained}" if loss.gained else ""
    return f"{title} −{loss.lost}{gained}"


def _shown(row: Problem, times: int, shell: Shell, *, known: bool) -> ShownProblem:
    addresses = shell.addresses
    url = addresses.file(row.path, line=row.line) if known else ""
    action, action_url, restore_url = gettext("Open") if known else "", url, ""
    seq = row.parameters.get("seq")
    if known and row.code_name in (*SHRANK, WRITE_LOST) and isinstance(seq, int):
        action = gettext("See the lost lines")
        action_url = addresses.file(row.path, view="history", vs=seq)
        restore_url = addresses.file(row.path, rev=seq)
        if row.code_name == MEMORY_GONE:
            action, action_url = "", restore_url
    about = row.parameters.get("about")
    if row.code_name == TWIN_MISSING and isinstance(about, str):
        action, action_url = gettext("Send it there"), addresses.handoff_again(about)
    again = f"{addresses.imports}again/"
    line = gettext("line %(n)s") % {"n": row.line} if row.line else ""
    return ShownProblem(
        code=code_of(row.id),
        path=row.path if row.path != _ROOT else shell.workspace.root,
        place=line,
        text=problem_text(row.code_name, row.parameters),
        url=url,
        action=action,
        action_url=action_url,
        restore_url=restore_url,
        since=shell.clock.moment(row.recorded_at),
        run=row.run_number,
        run_url=addresses.run(row.run_number) if row.run_number else "",
        times=times,
        clear=gettext("I have looked") if row.code_name in SHRANK else gettext("Clear"),
        accept_url=again if row.code_name == GONE_AT_ONCE else "",
    )
