"""Services of the import wizard: drafts, start, re-import, cancellation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import IO, Any

from django.db import transaction
from django.utils.text import slugify

from memoryhub.disk.files import text_path
from memoryhub.jobs import services as jobs
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.sync.checking import Check, check_folder
from memoryhub.sync.uploads import (
    Upload,
    discard,
    take_files,
    take_zip,
    uploads_folder,
)
from memoryhub.workspaces.services.adding import (
    add_workspace,
    refuse_removed,
    usable_folder,
)
from memoryhub.workspaces.services.sample import sample_folder

#: Most names of each kind on a check's page.
_LISTED = 50


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
