"""The import wizard: choose, check, import, and what came of it."""

from __future__ import annotations

import io
import re
import threading
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.events.models import Event
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.runtime.local_work import LOCAL
from memoryhub.runtime.worker import Worker
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.factories import imported as recorded
from tests.signing import signed_in

NEW = "/imports/new/"
FILES = {
    "acme/memory/context-api.md": b"# Context: api\n\n## Current Status\nLive.\n",
    "acme/memory/crlf.md": b"\xef\xbb\xbf# A\r\n\r\nB\r\n",
    "acme/memory/latin.md": b"caf\xe9",
    "acme/memory/empty.md": b"",
    "acme/memory/context-session-map.json": b"{no json",
}

pytestmark = pytest.mark.usefixtures("hub_data", "db")


@pytest.fixture
def client() -> Client:
    """Return the browser of somebody who sits at the server."""
    return signed_in(SERVER_NAME="localhost")


def archive(files: dict[str, bytes] | None = None) -> SimpleUploadedFile:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in (FILES if files is None else files).items():
            made.writestr(name, data)
    return SimpleUploadedFile("acme.zip", out.getvalue())


def uploaded(client: Client, sent: SimpleUploadedFile) -> str:
    response = client.post(NEW, {"source": "upload", "archive": sent})
    assert response.status_code == 303, response.content.decode()
    return str(response["Location"])


def imported(client: Client, page: str) -> str:
    client.post(f"{page}start/")
    Worker(threading.Event(), LOCAL).run_all()
    return client.get(page).content.decode()


def test_first_run_offers_three_choices(client: Client) -> None:
    html = client.get("/").content.decode()

    for words in ("Look at the sample", "Import a folder or .zip", "Connect a path"):
        assert words in html


def test_the_check_counts_formats_and_records_nothing(client: Client) -> None:
    page = uploaded(client, archive())

    html = client.get(page).content.decode()
    assert "5 memory files found" in html
    assert "Topics (context-*.md)" in html
    assert "memory/latin.md" in html
    assert not Workspace.objects.exists()


def test_an_upload_becomes_a_workspace_with_a_summary(client: Client) -> None:
    html = imported(client, uploaded(client, archive()))

    assert Workspace.objects.get().name == "acme"
    assert "Import #1" in html
    assert "5 added" in html
    assert "memory/context-session-map.json" in html


def test_i1_the_same_zip_twice_adds_no_event(client: Client) -> None:
    imported(client, uploaded(client, archive()))
    before = Event.objects.count()

    html = imported(client, uploaded(client, archive()))

    assert "No changes since import #1" in html
    assert (Event.objects.count(), Workspace.objects.count()) == (before, 1)


def test_another_upload_of_that_name_can_be_a_workspace_of_its_own(
    client: Client,
) -> None:
    imported(client, uploaded(client, archive()))
    page = uploaded(client, archive())
    assert "As a new workspace" in client.get(page).content.decode()

    client.post(f"{page}start/", {"as_new": "1"})
    Worker(threading.Event(), LOCAL).run_all()

    assert SourceFile.objects.count() == 2 * len(FILES)
    assert {Path(w.root).name for w in Workspace.objects.all()} == {"acme", "acme-2"}


def test_i2_a_zip_that_is_refused_says_why(client: Client) -> None:
    sent = archive({"../a.md": b""})
    response = client.post(NEW, {"source": "upload", "archive": sent})

    assert response.status_code == 422
    assert "leads out of the folder" in response.content.decode()
    assert not Job.objects.exists()


def test_a_name_that_no_disk_stores_is_refused_and_shown_with_escapes(
    client: Client,
) -> None:
    sent = SimpleUploadedFile("a.md", b"# a\n")
    fields = {"source": "upload", "files": sent, "paths": '["ws/a\\u0000\\nb.md"]'}
    response = client.post(NEW, fields)

    assert response.status_code == 422
    page = response.content.decode()
    assert "“ws/a\\u{0}\\u{a}b.md” cannot be stored: Invalid argument." in page
    assert "\x00" not in page and not Job.objects.exists()


def test_i3_the_import_needs_no_open_page(client: Client) -> None:
    page = uploaded(client, archive())
    client.post(f"{page}start/")

    Worker(threading.Event(), LOCAL).run_all()

    assert SourceFile.objects.count() == 5
    assert "Import #1" in signed_in().get(page).content.decode()


def test_i4_every_file_is_imported_or_listed(client: Client) -> None:
    imported(client, uploaded(client, archive()))

    known = set(SourceFile.objects.values_list("path", flat=True))
    listed = set(Problem.objects.values_list("path", flat=True))
    assert {name.removeprefix("acme/") for name in FILES} <= known | listed


def test_a_folder_is_uploaded_with_its_paths(client: Client) -> None:
    files = [SimpleUploadedFile("a.md", b"A"), SimpleUploadedFile("a.md", b"B")]
    paths = '["notes/memory/a.md", "notes/memory/deep/a.md"]'
    response = client.post(NEW, {"source": "upload", "files": files, "paths": paths})

    html = imported(client, response["Location"])

    assert "2 added" in html
    assert set(SourceFile.objects.values_list("path", flat=True)) == {
        "memory/a.md",
        "memory/deep/a.md",
    }


def test_more_than_a_hundred_files_are_taken(client: Client) -> None:
    files = [SimpleUploadedFile(f"{n}.md", b"x") for n in range(150)]
    response = client.post(NEW, {"source": "upload", "files": files})

    assert response.status_code == 303


def test_a_path_is_connected(client: Client, workspace_root: Path) -> None:
    (workspace_root / "MEMORY.md").write_text("# MEMORY\n")
    response = client.post(NEW, {"source": "path", "path": str(workspace_root)})

    imported(client, response["Location"])

    assert Workspace.objects.get().root == str(workspace_root)


@pytest.mark.parametrize("path", ["", "relative", "/no/such/folder", "/", "/\x00"])
def test_a_path_that_is_no_workspace_is_refused(client: Client, path: str) -> None:
    response = client.post(NEW, {"source": "path", "path": path})

    assert response.status_code == 422


def test_the_hubs_own_folder_is_refused_by_name(client: Client, hub_data: Path) -> None:
    page = client.post(NEW, {"source": "path", "path": str(hub_data)})

    assert "own folder cannot be imported" in page.content.decode()


def test_a_path_is_for_who_is_signed_in_however_near_another_is(
    client: Client, workspace_root: Path
) -> None:
    sent = {"source": "path", "path": str(workspace_root)}

    stranger = Client(SERVER_NAME="localhost").post(NEW, sent)
    assert (stranger.status_code, Job.objects.count()) == (401, 0)
    assert "Connect a path" in client.get(NEW).content.decode()
    assert client.post(NEW, sent, REMOTE_ADDR="192.0.2.7").status_code == 303


def test_the_sample_is_imported_from_a_copy(client: Client, hub_data: Path) -> None:
    response = client.post(NEW, {"source": "sample"})
    imported(client, response["Location"])

    workspace = Workspace.objects.get()
    assert Path(workspace.root) == hub_data / "samples/acme-checkout"
    assert "Sample data" in client.get("/w/acme-checkout/timeline/").content.decode()


def test_progress_is_a_part_of_the_page_and_told_at_each_quarter(
    client: Client,
) -> None:
    page = uploaded(client, archive())
    client.post(f"{page}start/")
    path = "memory/2026-11-18.md"
    Job.objects.update(state="running", done=24, total=38, message=path)

    part = client.get(f"{page}?announced=1", headers={"HX-Request": "true"})
    again = client.get(f"{page}?announced=2", headers={"HX-Request": "true"})

    assert f"Reading 24 of 38 files, {path}" in part.content.decode()
    assert (
        '<progress aria-labelledby="p-h" max="38" value="24">' in part.content.decode()
    )
    assert "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]
    assert ("50 %" in part["HX-Trigger"], "HX-Trigger" in again) == (True, False)
    assert 'http-equiv="refresh"' in client.get(page).content.decode()


@pytest.mark.parametrize("announced", ["", "34", "x", "-1"])
def test_a_quarter_that_is_none_counts_as_the_start(
    client: Client, announced: str
) -> None:
    page = uploaded(client, archive())
    client.post(f"{page}start/")

    assert client.get(f"{page}?announced={announced}").status_code == 200


def test_a_draft_can_be_given_up(client: Client, hub_data: Path) -> None:
    page = uploaded(client, archive())

    client.post(f"{page}give-up/")

    assert not Job.objects.exists()
    assert not list((hub_data / "uploads").iterdir())


def test_an_import_that_was_begun_is_offered_again(client: Client) -> None:
    page = uploaded(client, archive())

    assert f'href="{page}"' in client.get(NEW).content.decode()


def test_a_workspace_is_imported_again(
    client: Client, make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    make_workspace(workspace_root)
    assert "/imports/new/?into=notes" in client.get("/w/notes/imports/new/")["Location"]
    assert "Import what changed" in client.get(f"{NEW}?into=notes").content.decode()

    response = client.post("/w/notes/imports/again/")
    Worker(threading.Event(), LOCAL).run_all()

    assert "No memory files" in client.get(response["Location"]).content.decode()


def test_files_that_are_gone_at_once_wait_for_a_word(
    client: Client, workspace_root: Path, make_workspace: MakeWorkspace
) -> None:
    names = ("a.md", "b.md")
    for name in names:
        (workspace_root / name).write_text("# A\n")
    sync_workspace(make_workspace(workspace_root))
    for name in names:
        (workspace_root / name).unlink()

    page = again(client)
    assert "2/2 files disappeared at once" in page and str(workspace_root) in page
    health = client.get("/w/notes/health/").content.decode()
    assert "They were deleted" in health
    assert "2 known files, not all on disk" in health

    assert "2 deleted" in again(client, accept_deletions="1")


def again(client: Client, **said: str) -> str:
    answer = client.post("/w/notes/imports/again/", said)
    Worker(threading.Event(), LOCAL).run_all()
    return client.get(answer["Location"]).content.decode()


def test_the_number_of_queries_does_not_grow_with_files_and_problems(
    client: Client,
) -> None:
    counts = []
    for files in (3, 30):
        odd = {f"n{files}/memory/{n}.md": b"caf\xe9" for n in range(files)}
        page = uploaded(client, archive(odd))
        imported(client, page)
        with CaptureQueriesContext(connection) as asked:
            client.get(page)
        counts.append(len(asked))

    assert counts[0] == counts[1]


def test_file_names_are_escaped(client: Client) -> None:
    page = uploaded(client, archive({"<img src=x onerror=1>.md": b"x"}))

    assert "<img src=x" not in client.get(page).content.decode()


@pytest.mark.parametrize("page", ["/imports/99/", "/imports/99999999999999999999/"])
def test_an_unknown_import_is_not_found(client: Client, page: str) -> None:
    assert client.get(page).status_code == 404


def test_changes_are_posts(client: Client) -> None:
    page = uploaded(client, archive())

    assert client.get(f"{page}start/").status_code == 405
    assert client.get(f"{page}give-up/").status_code == 405


def test_the_summary_leads_to_what_that_import_brought(client: Client) -> None:
    page = uploaded(client, archive())
    html = imported(client, page)
    found = re.search(r'href="(/w/[^"]+/timeline/\?run=1)">(\d+) new event', html)
    assert found

    shown = client.get(found[1]).content.decode()

    assert 'aria-current="true">Import #1</a>' in shown
    assert f'All <span class="n">{found[2]}</span>' in shown


def test_a_folder_with_the_files_of_a_lost_one_is_offered_to_be_moved_to(
    client: Client, workspace_root: Path, tmp_path: Path
) -> None:
    files = {f"memory/{n}.md": f"# {n}\n" * (n + 1) for n in range(4)}
    workspace = recorded(workspace_root, files)
    moved = Path(workspace.root).rename(tmp_path / "elsewhere")

    page = client.post(NEW, {"source": "path", "path": str(moved)})["Location"]
    html = client.get(page).content.decode()
    compared = client.post(f"/w/{workspace.slug}/move/", {"path": str(moved)})

    assert f'action="/w/{workspace.slug}/move/#move"' in html
    assert f'name="path" value="{moved}"' in html
    assert "Move there" in compared.content.decode()
