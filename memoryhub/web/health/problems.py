"""Problems in words: text and action.

Equal problems of one file are merged into one row, however many lines have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext

from memoryhub.formats.secrets.detection import masked
from memoryhub.journal.models import Problem, Workspace
from memoryhub.journal.problems import (
    CONFLICT_MARKERS,
    COPIES,
    GONE_AT_ONCE,
    MEMORY_GONE,
    SECRETS,
    SHRANK,
    TWIN_MISSING,
    WRITE_LOST,
)
from memoryhub.journal.versions import SectionLoss, known_paths, losses_of
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


@dataclass(frozen=True)
class ShownProblem:
    """A problem with the addresses of its place and of its remedy.

    `is_known`: its file has a page. `losses`: sections that lost lines.
    """

    row: Problem
    times: int
    shell: Shell
    is_known: bool
    losses: tuple[SectionLoss, ...] = ()

    @property
    def code(self) -> str:
        return code_of(self.row.id)

    @property
    def path(self) -> str:
        path = self.row.path
        return path if path != _ROOT else self.shell.workspace.root

    @property
    def text(self) -> str:
        return problem_text(self.row.code_name, self.row.parameters)

    @property
    def url(self) -> str:
        """Address of its line; empty without a page."""
        files = self.shell.addresses.file
        return files(self.row.path, line=self.row.line) if self.is_known else ""

    @property
    def lost_url(self) -> str:
        """Address of the lines that the file lost; empty for other problems."""
        seq = self._seq
        if not seq or self.row.code_name == MEMORY_GONE:
            return ""
        return self.shell.addresses.file(self.row.path, view="history", vs=seq)

    @property
    def restore_url(self) -> str:
        """Address of the version before the loss."""
        seq = self._seq
        return self.shell.addresses.file(self.row.path, rev=seq) if seq else ""

    @property
    def send_url(self) -> str:
        """Address that sends a handoff to a workspace where it is missing."""
        about = self.row.parameters.get("about")
        if self.row.code_name != TWIN_MISSING or not isinstance(about, str):
            return ""
        return self.shell.addresses.handoff_again(about)

    @property
    def action_url(self) -> str:
        return self.send_url or self.lost_url or self.restore_url or self.url

    @property
    def forget_url(self) -> str:
        """Address that forgets the secrets of its file; empty for other problems."""
        if self.row.code_name != SECRETS:
            return ""
        return self.shell.addresses.forget_secrets(self.row.path)

    @property
    def merge_url(self) -> str:
        """Address where its two texts become one; empty for other problems."""
        is_two = self.row.code_name in (CONFLICT_MARKERS, *COPIES)
        return self.shell.addresses.merge(self.row.path) if is_two else ""

    @property
    def run_url(self) -> str:
        number = self.row.run_number
        return self.shell.addresses.run(number) if number else ""

    @property
    def accept_url(self) -> str:
        """Address that accepts the deletion of files which are gone at once."""
        is_gone = self.row.code_name == GONE_AT_ONCE
        return f"{self.shell.addresses.imports}again/" if is_gone else ""

    @property
    def is_loss(self) -> bool:
        """Return whether a person has to look at it, not only to clear it."""
        return self.row.code_name in SHRANK

    @property
    def sections(self) -> list[str]:
        """Sections that lost lines, in words."""
        return [_section_text(loss) for loss in self.losses]

    @property
    def held(self) -> list[str]:
        """The first of the files that are gone at once."""
        return self._held[:_HELD]

    @property
    def held_more(self) -> int:
        return max(len(self._held) - _HELD, 0)

    @property
    def _seq(self) -> int | None:
        seq = self.row.parameters.get("seq")
        is_loss = self.row.code_name in (*SHRANK, WRITE_LOST)
        return seq if self.is_known and is_loss and isinstance(seq, int) else None

    @cached_property
    def _held(self) -> list[str]:
        return held_paths(self.shell.workspace) if self.accept_url else []


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
    losses = _losses_in(workspace, [row for row, _ in found])
    return [
        ShownProblem(row, times, shell, row.path in known, losses.get(place, ()))
        for place, (row, times) in enumerate(found)
    ]


def _losses_in(
    workspace: Workspace, rows: Sequence[Problem]
) -> dict[int, tuple[SectionLoss, ...]]:
    """Return the sections that lost lines, by the place of their problem."""
    steps = {
        place: (row.parameters["seq"], row.seq)
        for place, row in enumerate(rows)
        if row.code_name in SHRANK and row.seq is not None
    }
    losses = losses_of(workspace, [*steps.values()])
    return {place: tuple(lost) for place, lost in zip(steps, losses, strict=True)}


def _section_text(loss: SectionLoss) -> str:
    title = masked(loss.title[:_TITLE])[0] or gettext("before any heading")
    if loss.is_gone:
        words = {"section": title, "lost": loss.lost}
        return gettext("%(section)s −%(lost)s, the whole section") % words
    gained = f" +{loss.gained}" if loss.gained else ""
    return f"{title} −{loss.lost}{gained}"
