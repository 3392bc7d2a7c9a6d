"""Importer of agents; ownership of files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

from memoryhub.dialects import facts
from memoryhub.formats.base import NOWHERE
from memoryhub.formats.identities import NAMED_IN, named_agent
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text.dates import title_without_time
from memoryhub.formats.text.decoding import storable
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.fold import fold_sources
from memoryhub.journal.models import Agent, Source, SourceFile
from memoryhub.journal.ownership import (
    Owner,
    agent_of_folder,
    agent_of_path,
    agent_of_place,
    agent_of_root,
    agent_with_memory,
    identity_near,
    is_agent,
    one_name,
)
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Entities, Rows
from memoryhub.values.identity import derive

#: The agent that a heading names: ``Scout: x``, ``[scout] x``, ``x (Scout)``.
_BEFORE = re.compile(
    r"[\W_]{0,6}(\w[\w .@-]{0,60}?)[*_`]{0,3}(?:[ \t]?[:：|·\])）】]|[ \t][—–-][ \t])"
)
_BEHIND = re.compile(r"[(（\[]@?([\w .@-]{1,60})[)）\]]\W{0,4}\Z")


class AgentImporter:
    """Importer of agents; determines the owner of each file."""

    def __init__(self, workspace: WorkspaceFacts, *, empty: bool) -> None:
        self._uuid = workspace.uuid
        self._entities = Entities(Agent, workspace.id, empty=empty)
        declared = [row for row in self._entities.load_all() if row["declared"]]
        self._declared = {row["id"] for row in declared}
        #: Names of declared agents as they were written first, by those in one case.
        self._spelled: dict[str, str] = {
            row["name"].casefold(): row["name"] for row in declared[::-1]
        }
        self._root = workspace.root
        self._root_agent = agent_of_root(workspace.root)
        self._named_root = agent_of_folder(PurePosixPath(workspace.root))
        self._people = workspace.people
        #: Names by folder, and there by the file that gives each.
        self._identities = defaultdict[PurePosixPath, dict[PurePosixPath, str]](dict)
        for path, name in () if empty else self._stated(workspace.id):
            self._identities[path.parent][path] = name
        self._workspace_id, self._empty = workspace.id, empty
        #: Of the files taken: subagents of which a folder holds the memory, or "".
        self._subagents = set[str]()

    def take(self, change: Change) -> None:
        """Import the agents that a revision declares."""
        if self._root_agent:
            self.declare(change, self._root_agent)
        subagent = agent_with_memory(self._root, change.path)
        self.declare(change, subagent)
        self._subagents.add(subagent)
        for session in change.stated(facts.Session):
            self.declare(change, _own_name(session.key))
        for author in change.stated(facts.Author):
            identity = identity_near(change.pure_path, self._identities)
            name = one_name(author.name, identity)
            self.declare(change, self.as_declared(name))
        roles = []
        for agent in change.stated(facts.Agent):
            row_id = self.declare(change, agent.name, agent.responsibility)
            if row_id is not None and agent.lines != NOWHERE:
                roles.append((row_id, agent.lines, agent.responsibility, None))
        fold_sources(change, Source.Target.AGENT, roles)
        before = PurePosixPath(change.previous_path) if change.previous_path else None
        if _names_agents(change.pure_path) or (before and _names_agents(before)):
            if before:
                self._identities[before.parent].pop(before, None)
            self._take_identity(change)

    def named(self, change: Change, name: str) -> int | None:
        """Return the id of an agent by name, creating its row; None if empty."""
        name = name.strip()[:200]
        return self._known(name, change.seq) if name else None

    def as_declared(self, name: str) -> str:
        """Return a name as its agent was declared: an author's case does not count."""
        return self._spelled.get(name.strip().casefold(), name)

    def author_in(self, heading: str) -> str:
        """Return the declared agent that a heading begins or ends with; "" if none.

        Before a name the heading may have a time.
        """
        folded = heading.casefold() if self._spelled else ""
        if not any(name in folded for name in self._spelled):
            return ""
        bare = title_without_time(heading)
        found = (_BEFORE.match(bare), _BEHIND.search(bare))
        names = (one[1].strip().casefold() for one in found if one)
        return next((self._spelled[n] for n in names if n in self._spelled), "")

    def acted(self, actor: str, seq: int) -> int | None:
        """Return the id of the acting agent, creating its row; None for a person."""
        return self._known(actor, seq) if is_agent(actor, self._people) else None

    def _known(self, name: str, seq: int) -> int:
        row_id = derive(self._uuid, Agent.__name__, name)
        if self._entities.get(row_id) is None:
            self._entities.put(row_id, name=name, first_seq=seq)
        return row_id

    def declare(self, change: Change, name: str, role: str = "") -> int | None:
        """Create or update an agent that a file declares as the workspace's own."""
        row_id = self.named(change, name)
        if row_id is None:
            return None
        if row_id not in self._declared:
            self._entities.put(row_id, declared=True)
            self._declared.add(row_id)
            name = self.name_of(row_id)
            self._spelled.setdefault(name.casefold(), name)
        if role:
            self._entities.put(row_id, role=role)
        return row_id

    def owner(
        self, change: Change, *, marker: str = "", session_key: str = ""
    ) -> Owner:
        """Return the owner of a row of this revision.

        An explicit marker decides, then a session key, then the workspace's or the
        folder's agent, then the only declared agent, if it has no folder of its own
        elsewhere. The agent that the folder's identity names is also its ``main``.
        """
        identity = identity_near(change.pure_path, self._identities)
        if marker:
            return Owner(self.named(change, one_name(marker, identity)), "marker")
        if agent := parse_session_key(session_key).agent:
            name = one_name(agent, identity)
            if change.stated(facts.Session):
                # A session's key has the agent's name in small letters.
                name = self.as_declared(name)
            return Owner(self.named(change, name), "session")
        if name := agent_of_place(self._root, change.path, identity):
            return Owner(self.named(change, name), "workspace")
        if len(self._declared) == 1:
            only = next(iter(self._declared))
            if not self._has_folder(self.name_of(only)):
                return Owner(only, "only")
        return Owner()

    @cached_property
    def _subagents_before(self) -> set[str]:
        """Names of subagents of which a folder of the files so far holds the memory."""
        paths = () if self._empty else _OF_SUBAGENTS(self._workspace_id)
        return {agent_with_memory(self._root, path) for path in paths}

    def _has_folder(self, name: str) -> bool:
        """Return whether an agent has a folder of its own among those of others."""
        return name in self._subagents | self._subagents_before or any(
            self._of_folder(f"{folder}/") and name in names.values()
            for folder, names in self._identities.items()
        )

    def name_of(self, row_id: int) -> str:
        """Return the name of an agent; empty for an unknown id."""
        row = self._entities.get(row_id)
        return str(row["name"]) if row else ""

    def _of_folder(self, path: str) -> str:
        return agent_with_memory(self._root, path) or agent_of_path(path)

    def flush(self, rows: Rows) -> None:
        """Write the changed agents to `rows`."""
        self._entities.flush(rows)

    def _take_identity(self, change: Change) -> None:
        """Import the name that a file gives the agent of its folder."""
        path = change.pure_path
        stated = named_agent(path, change.text) if _names_agents(path) else None
        names = self._identities[path.parent]
        names.pop(path, None)
        sources = []
        if stated:
            # Sessions and handoffs call an agent by the name of its folder.
            folder = self._of_folder(change.path) or self._named_root
            name = folder or one_name(stated[0], self._root_agent)
            called = stated[0] if folder.casefold() != stated[0].casefold() else ""
            row_id = self.declare(change, name, called if folder else "")
            names[path] = name
            if row_id is not None:
                sources = [(row_id, stated[1], "", None)]
        fold_sources(change, Source.Target.IDENTITY, sources)

    def _stated(self, workspace_id: int) -> Iterator[tuple[PurePosixPath, str]]:
        """Yield the names of folders' agents that files state now."""
        for path, row_id in _STATED(workspace_id):
            if row := self._entities.get(row_id):
                yield PurePosixPath(path), row["name"]


_OF_SUBAGENTS: Prepared[str] = Prepared(
    lambda workspace_id: SourceFile.objects.filter(
        workspace_id=workspace_id, path__contains="agent-memory"
    ).values_list("path", flat=True),
    int,
)

_STATED: Prepared[tuple[str, int]] = Prepared(
    lambda workspace_id: Source.objects.filter(
        workspace_id=workspace_id,
        target_kind=Source.Target.IDENTITY,
        last_seq__isnull=True,
    ).values_list("file__path", "target_id"),
    int,
)


def _names_agents(path: PurePosixPath) -> bool:
    """Return whether a file of this name gives the agent of its folder a name."""
    return path.name.casefold() in NAMED_IN


def _own_name(key: str) -> str:
    """Return the agent that a session's key names; ``main`` is no name."""
    name = parse_session_key(storable(key)).agent
    return "" if name.casefold() == "main" else name
