"""Services of the import wizard: drafts, start, re-import, found folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.text import slugify
from django.utils.translation import gettext, ngettext

from memoryhub.discovery.discover import Found
from memoryhub.disk.files import text_path
from memoryhub.jobs import services as jobs
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.sync.checking import Check, check_folder
from memoryhub.sync.uploads import (
    Upload,
    discard,
    take_files,
    take_zip,
    uploads_folder,
)
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.links import addresses_of
from memoryhub.workspaces.services.adding import (
    NotAFolder,
    add_workspace,
    is_known,
    refuse_removed,
    usable_folder,
)
from memoryhub.workspaces.services.discovering import (
    Offer,
    Offers,
    offers_here,
    offers_inside,
)
from memoryhub.workspaces.services.sample import sample_folder

#: Seconds that a page may look for folders.
_SECONDS = 1.5
#: Rows shown at first, and at most.
_SHOWN, _MOST = 6, 200
#: Most names of each kind on a check's page.
_LISTED = 50


def discovered(request: HttpRequest) -> dict[str, Any]:
    """Return the memory folders on this computer for a page, new ones first.

    `folder` of the request is a repository to look into too.
    """
    folder = request.GET.get("folder", "").strip().replace("\x00", "")
    try:
        offers = offers_here(None, [Path(folder)] if folder else [], seconds=_SECONDS)
        wrong = ""
    except NotAFolder:
        offers = offers_here(seconds=_SECONDS)
        wrong = gettext("%(path)s is not a folder on this computer.") % {"path": folder}
    rows = _rows(offers)
    return {
        "rows": rows[:_SHOWN],
        "more": rows[_SHOWN:_MOST],
        "left": max(len(rows) - _MOST, 0),
        "new": len(offers.new),
        "was_cut": offers.discovery.was_cut,
        "home": text_path(str(offers.discovery.home)),
        "folder": folder,
        "wrong": wrong,
    }


def inside_rows(workspace: Workspace, clock: Clock) -> list[dict[str, Any]]:
    """Return the folders that the imports leave out, as workspaces of their own.

    They are looked for after an import, not for each page.
    """
    found = cached(
        workspace, "inside", lambda: offers_inside(workspace, seconds=_SECONDS)
    )
    new = [one for one in found if not is_known(one.place.root)]
    return [_inside_row(one, workspace, clock) for one in new]


def _inside_row(found: Found, workspace: Workspace, clock: Clock) -> dict[str, Any]:
    path = text_path(str(found.place.root)).removeprefix(f"{workspace.root}/")
    return {
        "key": found.place.key,
        "title": path,
        "place": path,
        "facts": (*_counts(found), *_age(found, clock)),
        "url": "",
        "can_be_added": not found.is_unreadable,
    }


def _rows(offers: Offers) -> list[dict[str, Any]]:
    clock = Clock.of(settings.TIME_ZONE)
    ordered = sorted(offers.offers, key=lambda offer: offer.workspace is not None)
    return [_row(offer, offers.discovery.home, clock) for offer in ordered]


def _row(offer: Offer, home: Path, clock: Clock) -> dict[str, Any]:
    found, workspace = offer.found, offer.workspace
    place = _short(str(found.place.root), home)
    return {
        "key": found.place.key,
        "title": _short(found.place.project, home) or place,
        "place": place,
        "facts": (found.place.host, *_counts(found), *_age(found, clock)),
        "url": addresses_of(workspace.slug).base if workspace else "",
        "can_be_added": workspace is None and not found.is_unreadable,
    }


def _counts(found: Found) -> tuple[str, ...]:
    if found.is_unreadable:
        return (gettext("cannot be read"),)
    if found.was_cut:
        return (gettext("more than %(n)s files") % {"n": found.files},)
    files = ngettext("%(n)s file", "%(n)s files", found.files) % {"n": found.files}
    return files, filesizeformat(found.size)


def _age(found: Found, clock: Clock) -> tuple[str, ...]:
    if found.newest is None:
        return ()
    return (gettext("changed %(age)s") % {"age": clock.age(found.newest)},)


def _short(path: str, home: Path) -> str:
    """Return a path with ``~`` for the home folder."""
    if path == str(home):
        return "~"
    inner = path.removeprefix(f"{home}/")
    return text_path(path if inner == path else f"~/{inner}")


def draft_of_zip(archive: IO[bytes], file_name: str) -> Job:
    """Create the draft of an import from a zip.

    Raises:
        UploadRefused: It is damaged, encrypted, too large, unsafe or without memory
        files.
    """
    return _draft_of_upload(take_zip(archive, Path(file_name).stem))


def draft_of_files(files: Iterable[tuple[str, IO[bytes]]]) -> Job:
    """Create the draft of an import from an uploaded folder.

    Raises:
        UploadRefused: It is too large, unsafe or without memory files.
    """
    return _draft_of_upload(take_files(files, "upload"))


def draft_of_path(text: Path | str) -> Job:
    """Create the draft of an import from a folder of this server.

    Raises:
        NotAFolder: There is no such folder.
        NotAWorkspace: It is the whole disk, or the hub's own folder.
        BeingRemoved: Its former workspace is still being deleted.
    """
    root = usable_folder(text)
    refuse_removed(text_path(str(root)))
    return _draft("path", root, root, "")


def draft_of_sample() -> Job:
    """Create the draft of an import from the sample, copied into the hub's data.

    Raises:
        BeingRemoved: The last copy is still being deleted.
    """
    root = sample_folder()
    return _draft("sample", root, root, "")


def begin(job: Job, *, as_new: bool = False) -> Workspace:
    """Register the workspace of a draft and queue its import.

    With `as_new` an upload becomes a workspace of its own even if another upload has
    its name.
    """
    root = Path(job.payload["root"])
    if job.payload["source"] == "upload":
        root = _free(root) if as_new else root
        root.mkdir(parents=True, exist_ok=True)
        job.payload["root"] = str(root)
    with transaction.atomic():
        workspace = add_workspace(root, name=job.payload["name"] or None)
        job.payload |= _state_of(workspace)
        jobs.start(job, workspace.pk)
    return workspace


def import_again(
    workspace: Workspace, *, accept_deletions: bool = False, restorer: str = ""
) -> Job:
    """Queue a job that imports the changes of a workspace's folder.

    Files that are gone at once count as deleted only with `accept_deletions`. For a
    `restorer`, the person who wants it, all missing files are written back.
    """
    payload = {"source": "again", "root": workspace.root, **_state_of(workspace)}
    if accept_deletions:
        payload["accept_deletions"] = True
    if restorer:
        payload["restore_missing"] = restorer
    return jobs.enqueue(Job.Kind.IMPORT, workspace.pk, payload)


def give_up(job: Job) -> None:
    """Delete a draft and its upload."""
    forgotten, _ = Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).delete()
    if forgotten and (incoming := job.payload.get("incoming")):
        discard(Path(incoming))


def _free(root: Path) -> Path:
    """Return `root`, or a free sibling with a number appended."""
    numbered = (root.with_name(f"{root.name}-{number}") for number in count(2))
    return root if not root.exists() else next(p for p in numbered if not p.exists())


def _draft_of_upload(upload: Upload) -> Job:
    slug = slugify(upload.name, allow_unicode=True)[:70] or "upload"
    root = uploads_folder() / slug
    job = _draft("upload", root, upload.folder, upload.name)
    job.payload |= {"incoming": str(upload.folder), "skipped": upload.skipped}
    job.save(update_fields=["payload"])
    return job


def _draft(source: str, root: Path, look_at: Path, name: str) -> Job:
    check = _listed(check_folder(look_at))
    payload = {"source": source, "root": str(root), "name": name, "check": check}
    return jobs.draft(Job.Kind.IMPORT, payload)


def _listed(check: Check) -> dict[str, Any]:
    """Return a check as JSON, its lists cut to the page's limits."""
    return {
        **asdict(check),
        "plain": check.plain[:_LISTED],
        "plain_count": len(check.plain),
        "problems": [asdict(problem) for problem in check.problems[:_LISTED]],
        "problem_count": len(check.problems),
    }


def _state_of(workspace: Workspace) -> dict[str, int]:
    """Return the last run and seq before an import."""
    return {"before": workspace.last_run, "seq": workspace.last_seq}
