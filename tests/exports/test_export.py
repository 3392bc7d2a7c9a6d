"""The export preview: what would be written, conflicts, writing, downloads."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from tests.exports.previews import PAGE, opened, path_of, put, set_status

AGENT = {"id": 1, "name": "builder", "first_seq": 1}


def test_nothing_to_write_says_so(client: Client, workspace: Workspace) -> None:
    html, _ = opened(client)

    assert "0 files would change" in html
    assert "3 files are byte-identical" in html
    assert 'value="write"' not in html


def test_an_unknown_workspace_is_not_found(
    client: Client, workspace: Workspace
) -> None:
    assert client.get("/w/other/export/").status_code == 404
    assert client.get("/w/other/export/download/").status_code == 404


def test_it_names_what_would_change_and_writes_nothing(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    set_status(workspace, "api", "Done.")

    html, _ = opened(client)

    assert "1 file would change" in html
    assert "Write 1 file<" in html
    assert "status edited" in html
    assert "Live." in (workspace_root / path_of("api")).read_text()


def test_x1_what_nobody_edited_comes_back_byte_for_byte(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    sent = client.get("/w/notes/export/download/")

    archive = zipfile.ZipFile(io.BytesIO(sent.getvalue()))
    assert len(archive.namelist()) == 3
    for name in archive.namelist():
        assert archive.read(name) == (workspace_root / name).read_bytes()


def test_x2_a_file_changed_since_the_preview_stops_all_writing(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    set_status(workspace, "api", "Done.")
    set_status(workspace, "docs", "Done.")
    _, sent = opened(client)
    with (workspace_root / path_of("api")).open("a") as file:
        file.write("- 2026-11-20: by an agent\n")

    response = client.post(PAGE, {**sent, "action": "write"})

    assert response.status_code == 409
    assert "Nothing was written: memory/context-api.md" in response.content.decode()
    assert "Live." in (workspace_root / path_of("docs")).read_text()


def test_x2_choices_are_kept_when_nothing_was_written(
    client: Client, workspace_root: Path, conflict: str
) -> None:
    _, sent = opened(client)
    put(workspace_root, "billing", "Refunds soon.")

    response = client.post(PAGE, {**sent, "action": "write", conflict: "here"})

    assert response.status_code == 409
    assert f'name="{conflict}" value="here" checked' in response.content.decode()


def test_the_disk_side_of_a_conflict_has_its_own_author(
    client: Client, workspace: Workspace, conflict: str
) -> None:
    html, _ = opened(client, file=path_of("billing"))
    assert "<h3>On disk, not imported yet</h3>" in html
    assert "<h3>Here, dana, " in html

    sync_workspace(workspace)
    html, _ = opened(client, file=path_of("billing"))
    assert "<h3>In the file: on disk, " in html


def test_a_file_that_would_be_deleted_is_told(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    edit = Edit(path_of("new"), "set_status", {"text": "Begun."}, "dana")
    made = apply_edit(workspace, edit)
    client.post(PAGE, {**opened(client)[1], "action": "write"})
    made.refresh_from_db()
    undo(workspace, made, "dana")

    html, sent = opened(client)
    assert "Would be deleted" in html
    assert (workspace_root / path_of("new")).exists()
    client.post(PAGE, {**sent, "action": "write"})
    assert not (workspace_root / path_of("new")).exists()


def test_x3_a_conflict_is_left_out_and_the_rest_is_written(
    client: Client, workspace_root: Path, conflict: str
) -> None:
    html, sent = opened(client)
    assert "1 is in conflict" in html
    assert "Write 1 file<" in html

    response = client.post(PAGE, {**sent, "action": "write"})

    assert response.status_code == 303
    text = (workspace_root / path_of("billing")).read_text()
    assert "Refunds next." in text
    assert "<<<" not in text
    assert "Done." in (workspace_root / path_of("api")).read_text()


@pytest.mark.parametrize(
    ("choice", "status"),
    [
        ("disk", "Refunds next."),
        ("here", "Refunds wait."),
        ("both", "Refunds next.\nRefunds wait."),
        ("other", "Refunds paused."),
    ],
)
def test_each_choice_is_what_is_written(
    client: Client, workspace_root: Path, conflict: str, choice: str, status: str
) -> None:
    _, sent = opened(client, file=path_of("billing"))
    own = {conflict.replace("choice", "text"): "Refunds paused."}

    asked = {**sent, **own, "count": "1" if choice == "disk" else "2"}
    client.post(PAGE, {**asked, conflict: choice, "action": "write"})

    text = (workspace_root / path_of("billing")).read_text()
    assert f"## Current Status\n{status}\n\n## Key" in text
    assert not Operation.objects.filter(state="staged").exists()


@pytest.mark.parametrize(("choice", "actor"), [("here", "dana"), ("both", "operator")])
def test_a_text_that_somebody_mixed_is_theirs(
    client: Client, conflict: str, choice: str, actor: str
) -> None:
    _, sent = opened(client, file=path_of("billing"))

    client.post(PAGE, {**sent, conflict: choice, "action": "resolve"})

    waiting = Operation.objects.get(target=path_of("billing"), state="staged")
    assert waiting.actor == actor


def test_choices_that_change_the_number_on_the_button_are_shown_first(
    client: Client, workspace_root: Path, conflict: str
) -> None:
    _, sent = opened(client, file=path_of("billing"))

    response = client.post(PAGE, {**sent, conflict: "here", "action": "write"})

    html = response.content.decode()
    assert "Your choices write 2 files" in html
    assert "Write 2 files" in html
    assert "Done." not in (workspace_root / path_of("api")).read_text()


def test_a_conflict_can_be_resolved_now_and_written_later(
    client: Client, workspace_root: Path, conflict: str
) -> None:
    _, sent = opened(client, file=path_of("billing"))

    response = client.post(PAGE, {**sent, conflict: "here", "action": "resolve"})

    assert response.status_code == 303
    assert "Refunds next." in (workspace_root / path_of("billing")).read_text()
    assert "Write 2 files" in opened(client)[0]


def test_resolving_without_a_choice_keeps_the_conflict(
    client: Client, conflict: str
) -> None:
    _, sent = opened(client, file=path_of("billing"))

    response = client.post(PAGE, {**sent, "action": "resolve"})

    assert response.status_code == 422
    assert "Choose for every conflict first" in response.content.decode()


def test_the_result_can_be_looked_at_before(client: Client, conflict: str) -> None:
    _, sent = opened(client, file=path_of("billing"))

    response = client.post(PAGE, {**sent, conflict: "here", "action": "show"})

    html = response.content.decode()
    assert "Refunds wait." in html
    assert f'name="{conflict}" value="here"' in html


def test_x4_a_write_is_on_the_timeline_and_can_be_undone(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    before = (workspace_root / path_of("api")).read_bytes()
    set_status(workspace, "api", "Done.")
    _, sent = opened(client)

    page = client.post(PAGE, {**sent, "action": "write"}, follow=True)
    key = Operation.objects.get(state="applied").key
    assert f'action="/w/notes/undo/{key}/"' in page.content.decode()
    assert "dana" in client.get("/w/notes/timeline/?kind=edit").content.decode()
    workspace.review_before_writing = False
    workspace.save()
    client.post(f"/w/notes/undo/{key}/")

    assert (workspace_root / path_of("api")).read_bytes() == before


def test_an_edit_that_the_disk_says_already_is_no_conflict(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    set_status(workspace, "api", "Done.")
    put(workspace_root, "api", "Done.")
    html, sent = opened(client)
    assert "already in the file" in html

    client.post(PAGE, {**sent, "action": "write"})

    assert not Operation.objects.filter(state="staged").exists()


def test_a_full_history_names_what_is_dropped(
    client: Client, workspace: Workspace
) -> None:
    workspace.max_decisions = 1
    workspace.save()
    payload = {"text": "2026-11-20: Use webhooks (polling is slow)"}
    apply_edit(workspace, Edit(path_of("api"), "add_decision", payload, "dana"))

    html, _ = opened(client)

    assert "drops its oldest entry" in html
    assert "Poll every minute" in html


def test_a_new_file_is_named_as_new(client: Client, workspace: Workspace) -> None:
    path = "memory/context-session-map.json"
    payload = {"key": "agent:main:main", "topic": "api"}
    apply_edit(workspace, Edit(path, "bind", payload, "dana"))

    html, sent = opened(client)
    assert "New" in html
    client.post(PAGE, {**sent, "action": "write"})

    assert (Path(workspace.root) / path).is_file()


def test_text_of_files_is_escaped(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    set_status(workspace, "api", "<script>alert(1)</script>")
    put(workspace_root, "api", "<img src=x onerror=alert(1)>")

    html, _ = opened(client)

    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_a_folder_that_is_gone_is_said(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    set_status(workspace, "api", "Done.")
    workspace_root.rename(workspace_root.with_name("moved"))

    response = client.get(PAGE)

    assert response.status_code == 200
    assert "Cannot be written" in response.content.decode()


def test_the_plain_form_names_what_it_leaves_out(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    (workspace_root / "AGENTS.md").write_text("# Rules\n\nNever push on Fridays.\n")
    sync_workspace(workspace)
    sent = client.get("/w/notes/export/download/?canonical=on")
    with zipfile.ZipFile(io.BytesIO(sent.getvalue())) as packed:
        text = packed.read("left-out.txt").decode()

    assert "AGENTS.md: 2 of 2 lines are not in this form\n" in text


def test_downloads_of_a_time_and_in_the_plain_form(
    client: Client, workspace: Workspace
) -> None:
    def names(query: str) -> list[str]:
        sent = client.get(f"/w/notes/export/download/?{query}")
        data = sent.getvalue()
        return zipfile.ZipFile(io.BytesIO(data)).namelist()

    assert names("as_of=2020-01-01") == []
    assert len(names("as_of=2090-01-01T00:00")) == 3
    assert "MEMORY.md" in names("canonical=on")
    both = client.get("/w/notes/export/download/?as_of=2020-01-01&canonical=on")
    assert "--canonical --as-of 2020-01-01T23:59" in both.content.decode()
    assert both.status_code == 422
    assert client.get("/w/notes/export/download/?as_of=x").status_code == 400


def test_a_day_means_its_end_on_the_page_and_for_the_command(
    client: Client, workspace: Workspace, tmp_path: Path
) -> None:
    # In this zone the import of 23:30 UTC belongs to the next day.
    Workspace.objects.update(time_zone="Asia/Kolkata")
    at = datetime(2026, 11, 19, 23, 30, tzinfo=UTC)
    Revision.objects.update(recorded_at=at)
    for day, number in {"2026-11-19": 0, "2026-11-20": 3}.items():
        sent = client.get(f"/w/notes/export/download/?as_of={day}")
        packed = zipfile.ZipFile(io.BytesIO(sent.getvalue())).namelist()
        call_command("export", "notes", to=str(tmp_path / day), as_of=day)

        assert len(packed) == number
        found = [path for path in (tmp_path / day).rglob("*") if path.is_file()]
        assert len(found) == number
