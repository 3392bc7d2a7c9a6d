"""The session values of ``/memory:compact``: prepared, checked, rendered as its text.

The plan of the best source is chosen, paths become absolute, and violations of the
command's own checklist are reported. No disk access.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from memoryhub.formats.base import Problem
from memoryhub.formats.big_memory.snapshot_parts import is_absolute

SESSION_ID = "Session ID"
PROJECT_ROOT = "Project Root"
OBJECTIVE = "Objective"
PLAN = "Execution Plan"
WORKING_FILES = "Working Files (Modified)"
REFERENCE_FILES = "Reference Files (Read-Only)"
LAST_ACTION = "Last Action"
DECISIONS = "Decisions"
CONSTRAINTS = "Constraints"
DEPENDENCIES = "Dependencies"
KNOWN_ISSUES = "Known Issues"
CHANGES_MADE = "Changes Made"
PENDING = "Pending"
NOTES = "Notes"

#: All headings of a session text, in their order.
TITLES = (
    SESSION_ID,
    PROJECT_ROOT,
    OBJECTIVE,
    PLAN,
    WORKING_FILES,
    REFERENCE_FILES,
    LAST_ACTION,
    DECISIONS,
    CONSTRAINTS,
    DEPENDENCIES,
    KNOWN_ISSUES,
    CHANGES_MADE,
    PENDING,
    NOTES,
)

NONE = "(none)"

#: Wording of two of the plan's sources in the text; others are used verbatim.
SOURCE_LABELS = {"workflow": "workflow (IMPL_PLAN.md)", "todo": "todo (TodoWrite)"}

PLAN_OPENING = (
    "\n\n<details>\n<summary>Full Execution Plan (Click to expand)</summary>\n\n"
)
PLAN_CLOSING = "\n\n</details>"
SOURCE_OPENING = "### Source: "

Pairs = tuple[tuple[str, str], ...]

#: Sources of a plan, the best first.
PLAN_SOURCES = ("workflow", "todo", "user-stated", "inferred")
#: How many working files a session should name.
FEWEST_FILES, MOST_FILES = 3, 8

_MARKS = {"completed": "x", "in_progress": ">"}
_WINDOWS = re.compile(r"[A-Za-z]:|\\\\")


@dataclass(frozen=True, slots=True)
class SessionAnalysis:
    """The values of a session. Pairs are (path, role) and (decision, reasoning)."""

    session_id: str = ""
    project_root: str = ""
    objective: str = ""
    plan_source: str = ""
    plan: str = ""
    working_files: Pairs = ()
    reference_files: Pairs = ()
    last_action: str = ""
    decisions: Pairs = ()
    constraints: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    known_issues: tuple[str, ...] = ()
    changes_made: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    notes: str = ""


def render_session(analysis: SessionAnalysis) -> str:
    """Return the session text exactly as ccw's `generateStructuredText` writes it.

    Nothing is escaped there: a value with a newline goes on in the next line.
    """
    bodies = {
        SESSION_ID: analysis.session_id or NONE,
        PROJECT_ROOT: analysis.project_root,
        OBJECTIVE: analysis.objective,
        PLAN: _plan(analysis),
        WORKING_FILES: _files(analysis.working_files),
        REFERENCE_FILES: _files(analysis.reference_files),
        LAST_ACTION: analysis.last_action,
        DECISIONS: _listed(f"{what}: {why}" for what, why in analysis.decisions),
        CONSTRAINTS: _listed(analysis.constraints),
        DEPENDENCIES: _listed(analysis.dependencies),
        KNOWN_ISSUES: _listed(analysis.known_issues),
        CHANGES_MADE: _listed(analysis.changes_made),
        PENDING: _listed(analysis.pending),
        NOTES: analysis.notes or NONE,
    }
    return "\n\n".join(f"## {title}\n{bodies[title]}" for title in TITLES)


def _plan(analysis: SessionAnalysis) -> str:
    label = SOURCE_LABELS.get(analysis.plan_source, analysis.plan_source)
    return f"{SOURCE_OPENING}{label}{PLAN_OPENING}{analysis.plan}{PLAN_CLOSING}"


def _files(files: Pairs) -> str:
    return _listed(f"{path} (role: {role})" for path, role in files)


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or NONE


def analysis_from_json(mapping: Mapping[str, object]) -> SessionAnalysis:
    """Return the analysis of ccw's JSON object; missing and odd values are empty."""
    plan = mapping.get("executionPlan")
    plan = plan if isinstance(plan, Mapping) else {}
    return SessionAnalysis(
        session_id=_text(mapping.get("sessionId")),
        project_root=_text(mapping.get("projectRoot")),
        objective=_text(mapping.get("objective")),
        plan_source=_text(plan.get("source")),
        plan=_text(plan.get("content")),
        working_files=_pairs(mapping.get("workingFiles"), ("absolutePath", "role")),
        reference_files=_pairs(mapping.get("referenceFiles"), ("absolutePath", "role")),
        last_action=_text(mapping.get("lastAction")),
        decisions=_pairs(mapping.get("decisions"), ("decision", "reasoning")),
        constraints=_texts(mapping.get("constraints")),
        dependencies=_texts(mapping.get("dependencies")),
        known_issues=_texts(mapping.get("knownIssues")),
        changes_made=_texts(mapping.get("changesMade")),
        pending=_texts(mapping.get("pending")),
        notes=_text(mapping.get("notes")),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list | tuple) else ()


def _pairs(value: object, keys: tuple[str, str]) -> Pairs:
    items = value if isinstance(value, list | tuple) else ()
    maps = (item for item in items if isinstance(item, Mapping))
    return tuple((_text(item.get(keys[0])), _text(item.get(keys[1]))) for item in maps)


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
    usable = [pair for pair in (own, *plans) if pair[1].strip()]
    if not usable:
        return analysis
    source, plan = min(usable, key=_rank)
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
