"""Ownership rules: the agent of a row, by its file."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import PurePath, PurePosixPath
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import get_user_model

from memoryhub.formats.identities import NAMED_IN
from memoryhub.journal.prepared import Prepared

#: Valid names of agents that act through the hub.
AGENT_NAME = re.compile(r"\w[\w .@-]{0,79}")
#: Actor of what the hub does by itself; no agent.
HUB = "memoryhub"
#: Words for a person in files.
PEOPLE = frozenset(
    {"you", "human", "user", "operator", "person", "owner", "coordinator", "me"}
)
#: Folders of agents' workspaces, and of the memory of Claude Code's subagents, but
#: not Claude Code's own folder of roles.
_IN_PATH = re.compile(
    r"(?:^|/)(?:(?<!\.claude/)agents|(agent-memory(?:-local)?))/([^/]+)/"
)
_AGENT_MEMORY = frozenset({"agent-memory", "agent-memory-local"})
#: Folders of Claude Code in which several agents' tasks and messages lie.
_OF_SEVERAL = frozenset({"tasks", "teams"})
_WORKSPACE_FOLDER = re.compile(r"workspace-(.+)")
#: Folders in which a host keeps the memory of its agent.
_HOSTS = {
    ".claude": "claude",
    ".codex": "codex",
    ".gemini": "gemini",
    ".hermes": "hermes",
    ".serena": "serena",
}


class Owner(NamedTuple):
    """Id of the owner (agent or topic) and the deciding rule; (None, "") for nobody."""

    id: int | None = None
    rule: str = ""


def is_agent(actor: str, people: Collection[str] = ()) -> bool:
    """Return whether an actor is an agent: no person, not of `people`, nor the hub."""
    is_named = bool(AGENT_NAME.fullmatch(actor)) and actor != HUB
    is_named = is_named and actor.casefold() not in people
    return is_named and not is_person(actor)


def names_of_people() -> frozenset[str]:
    """Return the names under which people sign in, casefolded."""
    return frozenset(str(name).casefold() for name in _SIGN_INS())


_SIGN_INS: Prepared[str] = Prepared(
    lambda: get_user_model()._default_manager.values_list(
        get_user_model().USERNAME_FIELD, flat=True
    )
)


class _Names:
    """User names of a team, read again after a while or when one has changed."""

    def __init__(self) -> None:
        self._names: frozenset[str] = frozenset()
        self._until = 0.0

    def __call__(self) -> frozenset[str]:
        if not settings.MEMORYHUB_TEAM:
            return frozenset()
        if time.monotonic() >= self._until:
            self._names = names_of_people()
            self._until = time.monotonic() + _NAMES_SECONDS
        return self._names

    def forget(self, **_: object) -> None:
        """Have the names read again: a receiver of signals."""
        self._until = 0.0


#: Age of the names; another process may have added one.
_NAMES_SECONDS = 10.0
#: User names, casefolded; none without team mode.
TEAM_NAMES = _Names()


def is_person(name: str) -> bool:
    """Return whether a name is a word for a person, or a user name of the team."""
    folded = name.strip().casefold()
    return folded in PEOPLE or folded in TEAM_NAMES()


@lru_cache(maxsize=32)
def agent_of_root(root: str) -> str:
    """Return the agent of a workspace folder by its name; empty if none.

    Other hosts than OpenClaw have one agent, except where there is a folder for each of
    several.
    """
    path = PurePath(root)
    if named := agent_of_folder(path):
        return named
    if path.name in _AGENT_MEMORY or path.name in _OF_SEVERAL:
        return ""
    return next((_HOSTS[part] for part in path.parts if part in _HOSTS), "")


def agent_of_folder(path: PurePath) -> str:
    """Return the agent that a workspace folder is called by; empty if none.

    ``workspace-<agent>`` and ``agents/<agent>/workspace`` in OpenClaw, a folder of
    ``agent-memory`` in Claude Code.
    """
    if found := _WORKSPACE_FOLDER.fullmatch(path.name):
        return found[1]
    if path.name == "workspace" and path.parent.parent.name == "agents":
        return path.parent.name
    return path.name if path.parent.name in _AGENT_MEMORY else ""


def agent_of_path(path: str) -> str:
    """Return the agent whose folder contains a file; empty if none."""
    found = _IN_PATH.search(path)
    return found[2] if found else ""


@lru_cache(maxsize=32)
def _is_agent_memory(root: str) -> bool:
    return PurePath(root).name in _AGENT_MEMORY


def agent_with_memory(root: str, path: str) -> str:
    """Return the subagent of Claude Code whose memory a file is; empty if none.

    Its folder lies in ``agent-memory``, which may be the workspace itself.
    """
    if _is_agent_memory(root):
        folder, slash, _ = path.partition("/")
        return folder if slash else ""
    found = _IN_PATH.search(path)
    return found[2] if found and found[1] else ""


#: Names of agents that files state, by folder, and there by the file that states each.
Identities = Mapping[PurePosixPath, Mapping[PurePosixPath, str]]


def identity_near(path: PurePosixPath, identities: Identities) -> str:
    """Return the name that the nearest folder's files give its agent; "" if none."""
    names = next(filter(None, map(identities.get, path.parents)), None)
    if not names:
        return ""
    return names[min(names, key=lambda one: NAMED_IN.index(one.name.casefold()))]


def one_name(name: str, identity: str) -> str:
    """Return an agent's name; `main` is resolved by the identity file."""
    if not identity:
        return name
    if name.casefold() == "main":
        return identity
    return identity if name.casefold() == identity.casefold() else name


def agent_of_place(root: str, path: str, identity: str) -> str:
    """Return the agent whose file one is by its place; empty if none."""
    folder = agent_with_memory(root, path) or agent_of_path(path) or agent_of_root(root)
    return one_name(folder, identity) if folder else identity
