"""Memory folders of this machine: which are workspaces already, and adding others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memoryhub.discovery.discover import (
    SECONDS,
    Discovery,
    Found,
    discover,
    workspaces_inside,
)
from memoryhub.disk.files import folder_of, text_path
from memoryhub.journal.models import Workspace
from memoryhub.sync.uploads import is_closed
from memoryhub.workspaces.services.adding import (
    BeingRemoved,
    NotAFolder,
    add_workspace,
    free_slug,
    is_known,
    usable_folder,
)
from memoryhub.workspaces.services.moving import moved_here


@dataclass(frozen=True, slots=True)
class Offer:
    """A memory folder, and its workspace if it was added."""

    found: Found
    workspace: Workspace | None


@dataclass(frozen=True, slots=True)
class Offers:
    """The result of a discovery, with the workspaces of its folders."""

    discovery: Discovery
    offers: tuple[Offer, ...]

    @property
    def new(self) -> list[Found]:
        """The readable folders that are no workspaces yet."""
        return [
            offer.found
            for offer in self.offers
            if offer.workspace is None and not offer.found.is_unreadable
        ]


@dataclass(frozen=True, slots=True)
class Added:
    """Outcome of adding folders: new workspaces, and skipped folders.

    `moved` pairs a folder with the workspace whose files it seems to hold.
    """

    workspaces: list[Workspace]
    moved: list[tuple[Found, Workspace]]
    refused: list[tuple[Found, str]]


def offers_here(
    home: Path | None = None,
    repositories: Sequence[Path] = (),
    *,
    seconds: float = SECONDS,
) -> Offers:
    """Discover the memory folders of a home folder and of repositories.

    Without `home` it is that of the settings. Nothing is added, and no file is read.

    Raises:
        NotAFolder: a named folder does not exist.
    """
    place = settings.MEMORYHUB_HOME if home is None else usable_folder(home)
    named = [usable_folder(folder) for folder in repositories]
    return marked(discover(place, named, seconds=seconds))


def marked(discovery: Discovery) -> Offers:
    """Pair the folders of a discovery with their workspaces."""
    known = {workspace.root: workspace for workspace in Workspace.objects.all()}
    return Offers(
        discovery,
        tuple(
            Offer(found, known.get(text_path(str(found.place.root))))
            for found in discovery.found
        ),
    )


def offers_inside(workspace: Workspace, *, seconds: float = SECONDS) -> list[Found]:
    """Return the folders inside a workspace that its imports leave out.

    They are workspaces of their own, not added yet.
    """
    root = folder_of(workspace.root)
    ignore = tuple(workspace.ignore_patterns)
    found = workspaces_inside(root, ignore=ignore, seconds=seconds)
    return [
        one
        for one in found
        if one.files and not is_known(one.place.root) and not is_closed(one.place.root)
    ]


def add_found(chosen: Iterable[Found]) -> Added:
    """Make discovered folders workspaces; their files are read by the next sync.

    A folder that looks like that of a workspace that moved is left out.
    """
    added = Added([], [], [])
    for found in chosen:
        root = found.place.root
        if moved := moved_here(root):
            added.moved.append((found, moved))
            continue
        try:
            added.workspaces.append(_added(found))
        except (NotAFolder, BeingRemoved) as error:
            added.refused.append((found, str(error)))
    return added


def _added(found: Found) -> Workspace:
    name = found.place.name or None
    slug = free_slug(name) if name else None
    return add_workspace(found.place.root, slug=slug, name=name)
