"""The bytes of the data folder's files while the hub's server runs."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.hub import manage, prepare_hub, serving_hub
from tests.waiting import wait_for

#: One word for the search index, whose beginning no other word has.
SECRET = "Zq7rXkPlomb9Wd"
LOG = "memory/2026-11-20.md"
#: Rows that hold texts beside versions, made as their services make them.
_ROWS = f"""
from django.utils import timezone
from memoryhub.jobs.models import Job
from memoryhub.people.models import SavedView
from memoryhub.people.policy import operator
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Edit
from memoryhub.tools.models import ToolCall
from memoryhub.journal.models import Workspace
w, now = Workspace.objects.get(), timezone.now()
said = {{"text": "use {SECRET} for it"}}
done = apply_edit(w, Edit("memory/context-api.md", "add_decision", said, "ana"))
undo(w, done, "ana")
ToolCall.objects.create(workspace=w, key="k", caller="ana", tool="memory_get",
    request_sha="0", answer=said, made_at=now)
SavedView.objects.create(user=operator(), workspace=w, name="x",
    address="search/?q={SECRET}")
Job.objects.create(kind="import", workspace=w.pk, state="done", created_at=now,
    message="{SECRET}")
"""


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """Return the folder of a hub that has stored a secret wherever it stores texts."""
    log = tmp_path / "notes" / LOG
    log.parent.mkdir(parents=True)
    log.write_text("# 2026-11-20\n\n" + "Something that makes it long.\n" * 40)
    prepare_hub(tmp_path, [tmp_path / "notes"])
    for number in range(30):
        with log.open("a") as appended:
            appended.write(f"\n## 0{number % 10}:00 - Note {number}\nkey {SECRET}\n")
        if number % 6 == 0:
            manage(tmp_path, "sync")
    manage(tmp_path, "shell", "-c", _ROWS)
    spool = tmp_path / "data" / "spool" / "refused"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / "1-a").write_text(json.dumps({"text": f"say {SECRET}"}))
    return tmp_path


def traces(folder: Path) -> set[bytes]:
    """Return what betrays the secret: itself, its word, and deflated versions of it."""
    found = {SECRET.encode(), SECRET[3:].lower().encode()}
    with closing(sqlite3.connect(folder / "data/memoryhub.sqlite3")) as database:
        rows = database.execute(
            "SELECT data FROM workspaces_blob WHERE id IN"
            " (SELECT blob_id FROM workspaces_revision WHERE path = ?)",
            (LOG,),
        ).fetchall()
    # A deflated text ends with its own checksum.
    return found | {bytes(data)[-12:] for (data,) in rows[1:]}


def betrayed(folder: Path, wanted: set[bytes]) -> dict[str, int]:
    """Return how many of the traces each file of the data folder holds."""
    files = [path for path in (folder / "data").rglob("*") if path.is_file()]
    held = {str(path): path.read_bytes() for path in files}
    found = {path: sum(one in data for one in wanted) for path, data in held.items()}
    return {path: count for path, count in found.items() if count}


def test_no_byte_of_it_is_left_in_the_data_folder_of_a_running_hub(hub: Path) -> None:
    with serving_hub(hub, watch=True):
        wanted = traces(hub)
        assert len(wanted) > 5 and betrayed(hub, wanted)
        manage(hub, "forget", "--text", SECRET, "--now", "--yes", "--why", "a key")

        assert betrayed(hub, wanted) == {}
        assert "[forgotten]" in (hub / "notes" / LOG).read_text()


def test_the_server_erases_what_is_due_by_itself(hub: Path) -> None:
    with serving_hub(hub, watch=True):
        wanted = traces(hub)
        manage(hub, "forget", "--text", SECRET, "--minutes", "0", "--yes")
        wait_for(lambda: not betrayed(hub, wanted), seconds=120)


def test_a_file_and_all_its_versions_are_gone(hub: Path) -> None:
    with serving_hub(hub, watch=True):
        wanted = traces(hub)
        wanted -= {SECRET.encode(), SECRET[3:].lower().encode()}
        manage(hub, "forget", "--file", LOG, "--now", "--yes")

        assert betrayed(hub, wanted) == {}
        assert not (hub / "notes" / LOG).exists()


#: What the dashboard does with the form of the settings.
_DELETE = """
from memoryhub.journal.models import Workspace
from memoryhub.workspaces.services.removal import begin_removal
begin_removal(Workspace.objects.get())
"""


def test_a_deleted_workspace_leaves_no_byte_in_the_logs(hub: Path) -> None:
    (hub / "data/spool/refused/1-a").unlink()
    with serving_hub(hub, watch=True):
        wanted = traces(hub)
        manage(hub, "shell", "-c", _DELETE)
        wait_for(lambda: not betrayed(hub, wanted), seconds=120)
