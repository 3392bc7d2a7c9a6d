"""The sample: a copy of its own for each hub, as if its last day were today."""

from __future__ import annotations

import shutil
import uuid
from datetime import date
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from memoryhub.formats.text.moved_dates import newest_date, with_dates_moved
from memoryhub.sync.uploads import samples_folder
from memoryhub.workspaces.services.adding import refuse_removed

#: The sample that the wizard and `make run` open.
SAMPLE = "acme-checkout"


def sample_folder() -> Path:
    """Return the folder of the hub's copy of the sample, made if missing.

    Raises:
        BeingRemoved: the last copy is still being deleted.
    """
    target = samples_folder() / SAMPLE
    refuse_removed(str(target))
    if not target.is_dir():
        draft = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
        copy_until(settings.BASE_DIR / "samples" / SAMPLE, draft, timezone.localdate())
        draft.rename(target)
    return target


def copy_until(source: Path, target: Path, today: date) -> None:
    """Copy a sample with all its dates moved, the newest in a name to `today`."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]
    names = [path.relative_to(source).as_posix() for path in files]
    newest = newest_date(names)
    if newest is None:
        shutil.copytree(source, target)
        return
    days = (today - newest).days
    for name in names:
        place = target / with_dates_moved(name, days, newest)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (source / name).read_bytes().decode("utf-8", "surrogateescape")
        moved = with_dates_moved(text, days, newest)
        place.write_bytes(moved.encode("utf-8", "surrogateescape"))
