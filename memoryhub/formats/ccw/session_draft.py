"""Preparation of a session by ``/memory:compact`` before its text is written.

Chooses the plan of the best source, makes paths absolute, and reports violations of the
command's own checklist. No disk access.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memoryhub.formats.base import Problem
from memoryhub.formats.big_memory.snapshot_fields import is_absolute
from memoryhub.formats.ccw.session_analysis import Pairs, SessionAnalysis

#: Sources of a plan, the best first.
PLAN_SOURCES = ("workflow", "todo", "user-stated", "inferred")
#: How many working files a session should name.
FEWEST_FILES, MOST_FILES = 3, 8

_MARKS = {"completed": "x", "in_progress": ">"}
_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")


def todo_plan(todos: Iterable[tuple[str, str]]) -> str:
    """Return the plan of a todo list, from pairs of status and content."""
    return "\n".join(f"- [{_MARKS.get(done, ' ')}] {what}" for done, what in todos)


def with_best_plan(
    analysis: SessionAnalysis, plans: Iterable[tuple[str, str]]
) -> SessionAnalysis:
    """Return a copy with the plan of the best source, of pairs of source and plan.

    The analysis' own plan is one of them; a plan without text is none.
    """
    own = (analysis.plan_source, analysis.plan)
    told = [pair for pair in (own, *plans) if pair[1].strip()]
    if not told:
        return analysis
    source, plan = min(told, key=_rank)
    return replace(analysis, plan_source=source, plan=plan)


def _rank(plan: tuple[str, str]) -> int:
    source = plan[0]
    return PLAN_SOURCES.index(source) if source in PLAN_SOURCES else len(PLAN_SOURCES)


def with_absolute_paths(analysis: SessionAnalysis) -> SessionAnalysis:
    """Return a copy whose files have absolute paths, below the project's root."""
    root = analysis.project_root
    if not is_absolute(root):
        return analysis
    return replace(
        analysis,
        working_files=_absolute(root, analysis.working_files),
        reference_files=_absolute(root, analysis.reference_files),
    )


def _absolute(root: str, files: Pairs) -> Pairs:
    join, normal = posixpath.join, posixpath.normpath
    if _WINDOWS.match(root):
        join, normal = ntpath.join, ntpath.normpath
    return tuple(
        (path if is_absolute(path) or not path else normal(join(root, path)), role)
        for path, role in files
    )


def validate(analysis: SessionAnalysis) -> tuple[Problem, ...]:
    """Return the violations of the command's checklist in a session."""
    return tuple(_problems(analysis))


def _problems(analysis: SessionAnalysis) -> Iterator[Problem]:
    if not is_absolute(analysis.project_root):
        root = analysis.project_root
        yield Problem("project-root-not-absolute", 0, {"path": root})
    for name in ("objective", "plan", "last_action"):
        if not getattr(analysis, name).strip():
            yield Problem("section-empty", 0, {"title": name.replace("_", " ")})
    for path, _ in (*analysis.working_files, *analysis.reference_files):
        if not is_absolute(path):
            yield Problem("path-relative", 0, {"path": path})
    count = len(analysis.working_files)
    if not FEWEST_FILES <= count <= MOST_FILES:
        yield Problem("working-files-count", 0, {"count": count})
    for decision, reasoning in analysis.decisions:
        if not reasoning.strip():
            yield Problem("decision-without-reason", 0, {"text": decision})
