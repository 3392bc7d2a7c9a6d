"""Tool of ``/memory:compact``: a session's analysis as ccw's text, optionally saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from django.conf import settings
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from memoryhub.dialects.session_compact import (
    FEWEST_FILES,
    MOST_FILES,
    SessionAnalysis,
    analysis_from_json,
    render_session,
    todo_plan,
    validate,
    with_absolute_paths,
    with_best_plan,
)
from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    recovery_banner,
)
from memoryhub.formats.text.javascript import trim
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, FreeText, Item, Request, tool
from memoryhub.tools.core_memory import MOST_TEXT
from snapshots.services.memories import import_memory, memory_id_of

#: Most items of a list; most characters of an item.
_ITEMS, _ITEM = 1000, 20_000
#: Files and folders that mark a project's folder.
_MARKERS = (".git", "package.json", ".claude")

_WORDS = {
    "project-root-not-absolute": "the project root is not an absolute path: {path}",
    "section-empty": "nothing is said of the {title}",
    "path-relative": "the path is not absolute: {path}",
    "working-files-count": (
        f"{{count}} working files, name {FEWEST_FILES} to {MOST_FILES}"
    ),
    "decision-without-reason": "a decision has no reasoning: {text}",
}


class _Part(Request):
    """Base of the analysis and its parts: camelCase names in JSON."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SessionFile(_Part):
    """A file and its role; a relative path is taken from the project's root."""

    absolute_path: str = Field(max_length=4000)
    role: str = Field("", max_length=_ITEM)


class SessionDecision(_Part):
    """A choice and why it was made."""

    decision: str = Field(max_length=_ITEM)
    reasoning: str = Field("", max_length=_ITEM)


class ExecutionPlan(_Part):
    """A plan, verbatim, and where it is from."""

    source: str = Field(
        "inferred",
        max_length=100,
        description="workflow, todo, user-stated or inferred.",
    )
    content: FreeText = Field("", max_length=MOST_TEXT, description="The whole plan.")


class Todo(_Part):
    """An entry of the session's todo list."""

    content: str = Field(max_length=_ITEM)
    status: str = Field("pending", max_length=40)


class SessionTextRequest(_Part):
    """The analysis of a session, as ccw's command makes it; nothing is required."""

    session_id: str | None = Field(
        None, max_length=200, description="WFS-… of an active workflow session."
    )
    project_root: str = Field(
        "",
        max_length=4000,
        description="The topmost folder with .git, package.json or .claude; without"
        " it the one around the workspace.",
    )
    objective: str = Field("", max_length=_ITEM, description="The goal, and why.")
    execution_plan: ExecutionPlan = Field(
        default_factory=lambda: ExecutionPlan.model_validate({})
    )
    working_files: list[SessionFile] = Field(
        default=[], max_length=_ITEMS, description="3 to 8 files that were modified."
    )
    reference_files: list[SessionFile] = Field(
        default=[], max_length=_ITEMS, description="Files that were only read."
    )
    last_action: str = Field("", max_length=_ITEM, description="And its result.")
    decisions: list[SessionDecision] = Field(default=[], max_length=_ITEMS)
    constraints: list[Item] = Field(default=[], max_length=_ITEMS)
    dependencies: list[Item] = Field(default=[], max_length=_ITEMS)
    known_issues: list[Item] = Field(default=[], max_length=_ITEMS)
    changes_made: list[Item] = Field(default=[], max_length=_ITEMS)
    pending: list[Item] = Field(
        default=[], max_length=_ITEMS, description="Next steps."
    )
    notes: FreeText = Field("", max_length=MOST_TEXT)
    plans: list[ExecutionPlan] = Field(
        default=[],
        max_length=20,
        description="Other plans there are: the best source's is taken.",
    )
    todos: list[Todo] = Field(
        default=[], max_length=_ITEMS, description="The todo list, as a plan."
    )
    save: bool = Field(False, description="Save it as a session memory, too.")
    description: str = Field(
        "", max_length=2000, description="With save: a description of the memory."
    )
    tags: list[Item] = Field(
        default=[], max_length=50, description="With save: words to find it by."
    )


class SessionText(Answer):
    """The text; the id and the banner of the memory, if it was saved."""

    text: str
    plan_source: str
    problems: list[str]
    id: str = ""
    state: str = ""
    banner: str = ""

    def as_text(self) -> str:
        """Return the banner of a saved session, else its text; then the problems."""
        parts = [self.banner or self.text, *(f"! {said}" for said in self.problems)]
        return "\n".join(parts)


@tool("A session as recoverable text", Scope.MEMORY)
def session_text(caller: Caller, request: SessionTextRequest) -> SessionText:
    """Make the text of /memory:compact from an analysis of the session, and save it.

    Use it before a context is compacted or a session ends. With save it becomes a
    session memory; show its recovery id to the user. Paths are made absolute; of
    several plans the workflow's comes first, then todo, user-stated and inferred.
    """
    analysis = _analysis(caller, request)
    text = render_session(analysis)
    answer = SessionText(
        text=text,
        plan_source=analysis.plan_source,
        problems=[_WORDS[p.code].format(**p.parameters) for p in validate(analysis)],
    )
    if not request.save:
        return answer
    record = MemoryRecord(
        "", trim(text), summary=request.description, tags=tuple(request.tags)
    )
    who = Who(caller.actor, caller.operation_key("session"))
    operation = import_memory(caller.workspace, record, who, caller.now())
    memory_id = memory_id_of(operation)
    banner = recovery_banner(memory_id, caller.workspace.slug)
    saved = {"id": memory_id, "state": operation.state, "banner": banner}
    return answer.model_copy(update=saved)


def _analysis(caller: Caller, request: SessionTextRequest) -> SessionAnalysis:
    said = analysis_from_json(request.model_dump(by_alias=True))
    if not said.project_root.strip() and not caller.bound:
        said = replace(said, project_root=_project_root(Path(caller.workspace.root)))
    plans = [(plan.source, plan.content) for plan in request.plans]
    if request.todos:
        pairs = [(todo.status, todo.content) for todo in request.todos]
        plans.append(("todo", todo_plan(pairs)))
    return with_absolute_paths(with_best_plan(said, plans))


def _project_root(folder: Path) -> str:
    """Return the topmost folder with a project's marker around a folder, else "".

    The home folder and those above it are no projects: hosts keep settings there.
    """
    home = Path(settings.MEMORYHUB_HOME)
    around = (place for place in (folder, *folder.parents) if place not in _no(home))
    marked = [p for p in around if any((p / name).exists() for name in _MARKERS)]
    return str(marked[-1]) if marked else ""


def _no(home: Path) -> frozenset[Path]:
    return frozenset((home, *home.parents))


TOOLS = (session_text,)
