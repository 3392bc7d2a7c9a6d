"""Imports that people begin: chosen, looked at, started as a job, or given up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from memoryhub.disk.files import text_path
from memoryhub.jobs import services as jobs
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.sync.checking import Check, check_folder
from memoryhub.sync.uploads import (
    Upload,
    copy_sample,
    discard,
    samples_folder,
    take_files,
    take_zip,
    uploads_folder,
)
from memoryhub.workspaces.services.adding import (
    add_workspace,
    refuse_removed,
    usable_folder,
)

#: The sample that `make run` opens too.
SAMPLE = "acme-checkout"
#: How many names of each kind the page of a check lists.
_LISTED = 50


def draft_of_zip(archive: IO[bytes], file_name: str) -> Job:
    """Return the draft of an import of a zip.

    Raises:
        UploadRefused: it is not taken in.
    """
    return _draft_of_upload(take_zip(archive, Path(file_name).stem))


def draft_of_files(files: Iterable[tuple[str, IO[bytes]]]) -> Job:
    """Return the draft of an import of an uploaded folder.

    Raises:
        UploadRefused: it is not taken in.
    """
    return _draft_of_upload(take_files(files, "upload"))


def draft_of_path(text: str) -> Job:
    """Return the draft of an import of a folder of this server.

    Raises:
        NotAFolder: there is no such folder.
        NotAWorkspace: it is the whole disk, or the hub's own folder.
        BeingRemoved: it was one, and is still being deleted.
    """
    root = usable_folder(text)
    refuse_removed(text_path(str(root)))
    return _draft("path", root, root, "")


def draft_of_sample() -> Job:
    """Return the draft of an import of the sample, in a copy of the hub's own.

    Raises:
        BeingRemoved: the last one is still being deleted.
    """
    refuse_removed(str(samples_folder() / SAMPLE))
    root = copy_sample(settings.BASE_DIR / "samples" / SAMPLE)
    return _draft("sample", root, root, "")


def begin(job: Job, *, as_new: bool = False) -> Workspace:
    """Make the workspace of a draft known and give the import to the worker.

    With `as_new` an upload becomes a workspace of its own, also where another upload
    has its name.
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


def import_again(workspace: Workspace, *, accept_deletions: bool = False) -> Job:
    """Return a job that imports what changed in a workspace's folder.

    Files that are gone at once are taken for deleted only where that is accepted.
    """
    payload = {"source": "again", "root": workspace.root, **_state_of(workspace)}
    if accept_deletions:
        payload["accept_deletions"] = True
    return jobs.enqueue(Job.Kind.IMPORT, workspace.pk, payload)


def give_up(job: Job) -> None:
    """Forget a draft and what was uploaded for it."""
    forgotten, _ = Job.objects.filter(pk=job.pk, state=Job.State.DRAFT).delete()
    if forgotten and (incoming := job.payload.get("incoming")):
        discard(Path(incoming))


def _free(root: Path) -> Path:
    """Return a folder beside this one that is not there yet."""
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
    """Return a check as JSON, its lists cut to what a page shows."""
    return {
        **asdict(check),
        "plain": check.plain[:_LISTED],
        "plain_count": len(check.plain),
        "problems": [asdict(problem) for problem in check.problems[:_LISTED]],
        "problem_count": len(check.problems),
    }


def _state_of(workspace: Workspace) -> dict[str, int]:
    """Return where the journal stands before an import."""
    return {"before": workspace.last_run, "seq": workspace.last_seq}
