"""Instructions for agents: skills, slash commands, rules and roles of a host.

They are no memory: they are listed and searched, describe no topic and state nothing.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

from memoryhub.dialects import plain
from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.facts import Document
from memoryhub.formats.base import NO_PATH
from memoryhub.formats.text import frontmatter

#: Folders whose files hosts obey, at any depth.
OBEYED = frozenset({"skills", "rules", "commands", "prompts", "hooks", "plugins"})
#: Ends of names of files that hosts obey.
ENDS = (
    ".instructions.md", ".prompt.md", ".agent.md", ".chatmode.md", ".mdc",
)  # fmt: skip
_NAMES = frozenset(
    {
        "skill.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md",
        "copilot-instructions.md", "agents.override.md",
    }
)  # fmt: skip
#: Folders directly in a host's that hold roles, styles or texts about the others.
_OF_HOSTS = frozenset(
    {"agents", "modes", "chatmodes", "output-styles", "templates", "workflows"}
    | {"microagents"}
)
_HOSTS = frozenset(
    {
        ".claude", ".codex", ".cursor", ".github", ".gemini", ".opencode", ".agents",
        ".windsurf", ".roo", ".kiro", ".openhands",
    }
)  # fmt: skip
#: Fields that only commands, rules and roles have.
_FIELDS = frozenset(
    {"allowed-tools", "argument-hint", "disable-model-invocation", "globs"}
    | {"alwaysApply", "applyTo"}
)
#: Codex's folders of extensions, each with its own instructions.
_EXTENSIONS = frozenset({"extensions", "memories_extensions"})


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a file is instructions, by name, folder or front matter."""
    *folders, name = (part.casefold() for part in path.parts)
    if name in _NAMES or name.endswith(ENDS) or not OBEYED.isdisjoint(folders):
        return True
    if any(
        host in _HOSTS and (part in _OF_HOSTS or part.startswith("rules-"))
        for host, part in pairwise(folders)
    ):
        return True
    if name == "instructions.md" and not _EXTENSIONS.isdisjoint(folders[-2:-1]):
        return True
    if name == "readme.md" and folders[-1:] in ([".claude"], [".beads"]):
        return True
    fields = frontmatter.split(text).fields if text.startswith("---") else ()
    return any(field.key in _FIELDS for field in fields)


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the title of any text; it never fails."""
    return Document(text, plain.title_in(text))


DIALECT = Dialect(
    title=gettext_noop("Skills, commands, rules and roles"),
    kind=gettext_noop("instructions"),
    order=170,
    role=Role.INSTRUCTION,
    lives_long=None,
    read_whole=True,
)
