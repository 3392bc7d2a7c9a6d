"""Adding workspaces."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from memoryhub.audit.recording import record
from memoryhub.disk.files import disk_path, text_path
from memoryhub.journal.models import Workspace
from memoryhub.sync.scan.walk import scan
from memoryhub.sync.uploads import is_closed, is_sample
from memoryhub.values.identity import workspace_uuid

_NAME_SIZE = 200
#: Minutes for which nobody in a sample counts as silent: the day it is opened.
_SAMPLE_LEASE = 24 * 60


class NotAFolder(Exception):
    """The path of a workspace is not a readable folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} is not a folder"


class NotAWorkspace(NotAFolder):
    """The folder is the whole disk or the hub's own: not usable as a workspace."""

    def __str__(self) -> str:
        return f"{self.path} is the whole disk, or a folder of the hub's own"


class SlugTaken(Exception):
    """The slug belongs to another workspace."""


class BeingRemoved(Exception):
    """The previous workspace of the folder is still being removed."""


def refuse_removed(root: str) -> None:
    """Refuse a folder whose workspace is still being removed.

    Raises:
        BeingRemoved: it is; its rows would share ids with the new ones.
    """
    if Workspace.everything.filter(root=root, removed_at__isnull=False).exists():
        raise BeingRemoved(
            f"the workspace of {root} is still being deleted: try again soon"
        )


def add_workspace(
    path: Path | str, *, slug: str | None = None, name: str | None = None
) -> Workspace:
    """Return the workspace of a folder, created if missing.

    Files are first read by the next sync.

    Raises:
        NotAFolder: the folder does not exist.
        SlugTaken: another workspace has this slug.
        BeingRemoved: its previous workspace is still being deleted.
    """
    root = usable_folder(path)
    with transaction.atomic():
        known = Workspace.objects.filter(root=text_path(str(root))).first()
        if known is not None:
            return known
        refuse_removed(text_path(str(root)))
        if slug and Workspace.objects.filter(slug=slug).exists():
            raise SlugTaken(f"another workspace is called {slug}")
        made = Workspace.objects.create(
            uuid=_free_uuid(root),
            slug=slug or free_slug(_name_of(root)),
            name=_clean(name or _name_of(root)),
            root=text_path(str(root)),
            created_at=timezone.now(),
            time_zone=settings.MACHINE_ZONE,
            **({"handoff_lease": _SAMPLE_LEASE} if is_sample(str(root)) else {}),
        )
        record("workspace.added", workspace=made.slug, subject=made.root)
        return made


def usable_folder(path: Path | str) -> Path:
    """Resolve a folder and check that it can be a workspace.

    Raises:
        NotAFolder: the folder does not exist.
        NotAWorkspace: it is the whole disk, or the hub's own folder.
    """
    root = Path(path).expanduser()
    try:
        root = root.resolve()
        is_there = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise NotAFolder(root) from error
    if not is_there:
        raise NotAFolder(root)
    if is_closed(root):
        raise NotAWorkspace(root)
    return root


def is_known(root: Path) -> bool:
    """Return whether a folder is a workspace."""
    return Workspace.objects.filter(root=text_path(str(root))).exists()


def _free_uuid(root: Path) -> UUID:
    """Return an unused uuid for a workspace at a folder.

    The folder's own one is in use if a workspace has moved away from it.
    """
    location = root.as_uri()
    names = (location, *(f"{location}#{number}" for number in range(2, 1_000)))
    return next(
        found
        for found in map(workspace_uuid, names)
        if not Workspace.everything.filter(uuid=found).exists()
    )


def workspaces_in(path: Path | str) -> list[Path]:
    """Return the folders of workspaces inside a folder."""
    root = Path(path).expanduser().resolve()
    places = (root / disk_path(inner) for inner in sorted(scan(root).inner))
    return [place for place in places if not is_closed(place)]


def free_slug(name: str) -> str:
    """Return an unused slug for a name."""
    base = slugify(name, allow_unicode=True)[:70] or "workspace"
    slug, number = base, 2
    while Workspace.objects.filter(slug=slug).exists():
        slug, number = f"{base}-{number}", number + 1
    return slug


def _name_of(root: Path) -> str:
    """Return the display name of a workspace: its folder without OpenClaw's prefix."""
    name = root.name.removeprefix("workspace-").lstrip(".") or "workspace"
    if root.name == "workspace" and root.parent.parent.name == "agents":
        name = root.parent.name
    return name


def _clean(name: str) -> str:
    """Return a name that the database stores: of whole characters, and not too long."""
    return name.encode(errors="replace").decode()[:_NAME_SIZE]
