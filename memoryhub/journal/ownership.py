"""Whose a row is: the rules by which files tell an agent."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

#: What an agent that acts through the hub can be called.
AGENT_NAME = re.compile(r"\w[\w .@-]{0,79}")
#: What files call a person, whoever it is.
PEOPLE = frozenset(
    {"you", "human", "user", "operator", "person", "owner", "coordinator", "me"}
)
_IN_PATH = re.compile(r"(?:^|/)agents/([^/]+)/")
_WORKSPACE_FOLDER = re.compile(r"workspace-(.+)")


class Owner(NamedTuple):
    """An agent's or topic's row id and the rule that gave it; (None, "") is nobody."""

    id: int | None = None
    rule: str = ""


def is_agent(actor: str) -> bool:
    """Tell whether who did something through the hub is an agent, not a person."""
    return bool(AGENT_NAME.fullmatch(actor)) and not is_person(actor)


def is_person(name: str) -> bool:
    """Tell whether a name stands for a person, not for an agent."""
    return name.strip().casefold() in PEOPLE


def agent_of_root(root: str) -> str:
    """Return the agent whose workspace a folder is, by its name, or nothing.

    OpenClaw names them ``workspace-<agent>`` and ``agents/<agent>/workspace``.
    """
    path = PurePath(root)
    if found := _WORKSPACE_FOLDER.fullmatch(path.name):
        return found[1]
    if path.name == "workspace" and path.parent.parent.name == "agents":
        return path.parent.name
    return ""


def agent_of_path(path: str) -> str:
    """Return the agent whose folder a file lies in, or nothing."""
    found = _IN_PATH.search(path)
    return found[1] if found else ""
