"""Tools that create context-memory-optimizer's files, and build a prompt of them."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from memoryhub.dialects.memory_index.scaffold import (
    CHECKLIST,
    MEMORY_RULES,
    PREWARMING,
    starting_files,
)
from memoryhub.dialects.memory_index.scaffold import prompt_sections as sections_of
from memoryhub.health.queries import memory_path
from memoryhub.journal.models import Operation
from memoryhub.journal.scopes import Scope
from memoryhub.journal.versions import newest_text
from memoryhub.people.callers import Caller
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, Item, Request, tool
from memoryhub.tools.quoting import may_read
from memoryhub.workspaces.services.optimizer import begin


class Role(Request):
    """An agent and its role."""

    agent: str = Field(min_length=1, max_length=60, description="The agent's name.")
    responsibility: str = Field(min_length=1, max_length=300)


class ReferencedFile(Request):
    """A file that is worth reading again."""

    path: str = Field(min_length=1, max_length=300)
    purpose: str = Field(max_length=300, description="What it is, in a few words.")


class ScaffoldRequest(Request):
    """Facts about the project; all but the name are optional."""

    project: str = Field("", max_length=200, description="The project's name.")
    task: str = Field("", max_length=5000, description="The task at hand.")
    constraints: list[Item] = Field(
        default=[], max_length=30, description="Key constraints, 30 characters each."
    )
    files: list[ReferencedFile] = Field(
        default=[], max_length=30, description="Recently referenced files."
    )
    roles: list[Role] = Field(
        default=[], max_length=50, description="The agents of the workspace."
    )


class Scaffolded(Answer):
    """Files created and left alone, and text for the system prompt."""

    made: list[str]
    staged: list[str]
    kept: list[str]
    failed: dict[str, str]
    prompt_rules: str
    checklist: list[str]
    #: Lines that the workspace's `.gitignore` lacks.
    gitignore: list[str] = []

    def as_text(self) -> str:
        """Return the lists, the checklist and the rules."""
        parts = [
            f"{word}: {', '.join(paths)}"
            for word, paths in (
                ("Made", self.made),
                ("Staged for review", self.staged),
                ("Kept as they are", self.kept),
                ("To be added to .gitignore", self.gitignore),
                ("Failed", [f"{p} ({why})" for p, why in self.failed.items()]),
            )
            if paths
        ]
        checks = [f"- [ ] {item}" for item in self.checklist]
        rules = "For the static section of the system prompt:"
        return "\n".join([*parts, "", *checks, "", rules, "", self.prompt_rules])


@tool("Begin a workspace's memory files", Scope.MEMORY)
def scaffold(caller: Caller, request: ScaffoldRequest) -> Scaffolded:
    """Make the files of context-memory-optimizer that are missing; touch no other.

    Use it once in a workspace without MEMORY.md, memories/ or AGENTS.md. The answer
    has the rules to put into the system prompt, and the checklist of the skill.
    """
    files = starting_files(
        request.project.strip() or caller.workspace.name,
        caller.now(),
        task=request.task,
        constraints=request.constraints,
        files=[(file.path, file.purpose) for file in request.files],
        roles=[(role.agent, role.responsibility) for role in request.roles],
    )
    who = Who(caller.actor, caller.operation_key("scaffold"))
    begun = begin(caller.workspace, files, who)
    staged = [o.target for o in begun.made if o.state == Operation.State.STAGED]
    return Scaffolded(
        made=[o.target for o in begun.made if o.target not in staged],
        staged=staged,
        kept=list(begun.kept),
        failed=dict(begun.failed),
        prompt_rules=f"{MEMORY_RULES}\n{PREWARMING}",
        checklist=list(CHECKLIST),
        gitignore=_not_ignored(Path(caller.workspace.root)),
    )


def _not_ignored(root: Path) -> list[str]:
    """Return the line that a Git repository's `.gitignore` lacks; none elsewhere."""
    if not any((place / ".git").exists() for place in (root, *root.parents)):
        return []
    try:
        text = (root / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    lines = {line.strip().strip("/") for line in text.splitlines()}
    return [] if "memories" in lines else ["memories/"]


class PromptRequest(Request):
    """The inputs of the prompt."""

    static: str = Field(
        "",
        max_length=200_000,
        description="Role, tool rules and constraints: nothing that ever changes. "
        "Left out, it is the skill's own rules.",
    )
    task: str = Field("", max_length=2000, description="The current task.")


class Prompt(Answer):
    """The two sections, and both as one text."""

    static: str
    dynamic: str
    text: str

    def as_text(self) -> str:
        """Return the prompt itself."""
        return self.text


@tool("A system prompt in two sections", Scope.READ)
def prompt_sections(caller: Caller, request: PromptRequest) -> Prompt:
    """Make a system prompt: rules first, then MEMORY.md, task and time at the end.

    Use it to build a prompt whose unchanging part can be cached. MEMORY.md is quoted
    so that nothing in it reads as an instruction of the prompt; in the session of a
    group it is left out.
    """
    path = memory_path(caller.workspace)
    is_given = bool(path) and may_read(caller, path)
    made = sections_of(
        request.static or f"{MEMORY_RULES}\n{PREWARMING}",
        newest_text(caller.workspace, path) if is_given else "",
        request.task,
        f"{caller.now():%Y-%m-%d %H:%M %Z}",
    )
    return Prompt(static=made.static, dynamic=made.dynamic, text=made.text)


TOOLS = (scaffold, prompt_sections)
