"""Who changed a file: one answer for every door."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import PurePosixPath

from django.utils.translation import gettext

from memoryhub.journal.models import Agent, Source, Workspace
from memoryhub.journal.ownership import Identities, agent_of_place, identity_near
from memoryhub.journal.page_cache import cached


def agent_id_named(workspace_id: int, name: str) -> int:
    """Return the id of an agent; 0 for an unknown name, which no row has."""
    rows = Agent.objects.filter(workspace=workspace_id, name=name)
    return rows.values_list("id", flat=True).first() or 0


def changed_by(actor: str, owner: str) -> str:
    """Return who changed a file, in words.

    A person or agent that did it by an operation or a hook; else the disk, with the
    agent whose file it is as a guess.
    """
    if actor:
        return actor
    if owner:
        return gettext("on disk, probably %(owner)s (owner)") % {"owner": owner}
    return gettext("on disk")


def owners_of(workspace: Workspace) -> Callable[[str], str]:
    """Return a function from a path to the agent whose file it is; "" if none."""
    identities, only = cached(workspace, "owners", lambda: _named(workspace))

    def owner(path: str) -> str:
        identity = identity_near(PurePosixPath(path), identities)
        return agent_of_place(workspace.root, path, identity) or only

    return owner


def _named(workspace: Workspace) -> tuple[Identities, str]:
    """Return the agents that folders' files name, and the only declared one or ""."""
    stated = Source.objects.filter(
        workspace=workspace,
        target_kind=Source.Target.IDENTITY,
        last_seq__isnull=True,
    ).values_list("file__path", "target_id")
    agents = Agent.objects.filter(workspace=workspace)
    names = dict(agents.values_list("pk", "name"))
    declared = agents.filter(declared=True).values_list("name", flat=True)[:2]
    found: dict[PurePosixPath, dict[PurePosixPath, str]] = defaultdict(dict)
    for path, row_id in stated:
        file = PurePosixPath(path)
        found[file.parent][file] = names.get(row_id, "")
    return dict(found), declared[0] if len(declared) == 1 else ""
