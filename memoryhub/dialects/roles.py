"""Roles of files: what is read from each. Pure.

Path and dialect decide the role, unless a setting of the workspace does. A dialect
is found by path, front matter and text.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from unicodedata import normalize

from memoryhub.dialects import instructions, plain
from memoryhub.dialects.dialect import READ as READ
from memoryhub.dialects.dialect import Role as Role
from memoryhub.dialects.registry import by_name
from memoryhub.formats.openclaw.memory_files import MEMORY_FOLDERS

#: Files that hosts load as a model's instructions, in any folder.
_HOST_FILES = frozenset(
    {
        "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md",
        "qwen.md", "copilot-instructions.md", "skill.md", "soul.md", "identity.md",
        "tools.md", "heartbeat.md", "boot.md", "bootstrap.md",
    }
)  # fmt: skip
#: The same, where they do not lie among notes.
_RULE_FILES = frozenset(
    {"persona.md", "system.md", "prompt.md", "instructions.md", "rules.md"}
)
#: Files that hosts read as settings; hidden files count too.
_SETTINGS = frozenset(
    {
        "settings.json", "settings.local.json", "config.json", "config.yaml",
        "config.yml", "mcp.json", "hooks.json", "plugin.json", "marketplace.json",
        "package.json", "openclaw.json", "clawdbot.json", "opencode.json",
    }
)  # fmt: skip
#: Folders of notes, at any depth above them.
_MEMORY = (MEMORY_FOLDERS - {".claude", ".beads"}) | frozenset(
    {"memorybank", "agent-memory", "agent-memory-local", "topics", "snapshots"}
    | {"sessions", "handoffs", "journal", "logs"}
)
#: Folders and names of texts about something else than the work of agents.
_EXAMPLES = frozenset({"templates", "template", "examples"})
_ABOUT = frozenset(
    {"readme", "changelog", "contributing", "license", "code_of_conduct", "security"}
    | {"checklist", "task_completion"}
)
_DOCUMENTS = frozenset(
    {"docs", "doc", "documentation", "guides", "guide", "wiki", "reports", "report"}
)
_WORK_FOLDERS = frozenset({"plans", "tasks", "todos", "backlog"})
_WORK_NAMES = frozenset(
    {"todo", "todos", "task", "tasks", "backlog", "plan", "plans", "roadmap"}
)
_NOTES = (".md", ".markdown")


def chosen_role(path: str, chosen: Iterable[tuple[str, str]]) -> Role | None:
    """Return the role that settings give a path: that of the first pattern it matches.

    `chosen` are pairs of pattern and role; ``*`` stands for slashes, too.
    """
    roles = (Role(role) for pattern, role in chosen if fnmatchcase(path, pattern))
    return next(roles, None)


def role_of(
    path: PurePosixPath,
    dialect: str,
    memory_folder: str = "",
    *,
    dated: bool = False,
    pointed: bool = False,
) -> Role:
    """Return the role of a file, by its path in the workspace and its dialect.

    `memory_folder` is the one from the settings; a note is `dated` if its name or
    front matter has the day that it is of, and `pointed` if ``MEMORY.md`` names it.
    """
    *folders, name = (normalize("NFKC", part).casefold() for part in path.parts)
    stem = name.partition(".")[0].replace("-", "_")
    own = PurePosixPath(memory_folder).parts
    is_own = bool(own) and path.parts[: len(own)] == own
    in_memory = is_own or not _MEMORY.isdisjoint(folders)
    given = by_name(dialect).role
    given = given(path) if callable(given) else given
    is_rule = given is Role.INSTRUCTION or name in _HOST_FILES
    in_rules = not instructions.OBEYED.isdisjoint(folders)
    obeyed = in_rules or (given is None and is_obeyed(path))
    is_about = stem in _ABOUT or stem.endswith("template")
    is_own_day = dated or dialect != plain.NAME
    is_note = name.endswith(_NOTES)
    is_work = stem.rpartition("_")[2] in _WORK_NAMES
    if is_rule or (obeyed and not in_memory):
        role = Role.INSTRUCTION
    elif given is not None:
        role = given
    elif is_about or not _EXAMPLES.isdisjoint(folders):
        role = Role.DOCUMENT
    elif in_memory:
        role = Role.MEMORY
    elif is_note and (is_work or not _WORK_FOLDERS.isdisjoint(folders)):
        role = Role.WORK
    elif (is_note and pointed) or (is_own_day and _DOCUMENTS.isdisjoint(folders)):
        role = Role.MEMORY
    else:
        role = Role.DOCUMENT
    return role


def is_obeyed(place: PurePosixPath) -> bool:
    """Return whether hosts treat a file as instructions or settings, by its path."""
    *folders, name = (normalize("NFKC", part).casefold() for part in place.parts)
    is_named = name in _HOST_FILES or name in _RULE_FILES or name in _SETTINGS
    is_named = is_named or name.startswith(".") or name.endswith(instructions.ENDS)
    return is_named or not instructions.OBEYED.isdisjoint(folders)
