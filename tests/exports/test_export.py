"""The export preview: what would be written, conflicts, writing, downloads."""

from __future__ import annotations

import io
import re
import zipfile
from copy import copy
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.events.models import Event
from memoryhub.journal.models import Agent, Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.engine import sync_workspace
from memoryhub.web.exports import views
from tests.conftest import MakeWorkspace

TEXT = """# Context: {name}

## Meta
- **created**: 2026-11-01

## Current Status
{status}

## Key Decisions
- 2026-11-10: Poll every minute (simplest to ship)

## History
- 2026-11-01: Context created
"""
PAGE = "/w/notes/export/"
AGENT = {"id": 1, "name": "builder", "first_seq": 1}


def path_of(name: str) -> str:
    return f"memory/context-{name}.md"


def put(root: Path, name: str, status: str) -> None:
    place = root / path_of(name)
    place.parent.mkdir(exist_ok=True)
    place.write_text(TEXT.format(name=name, status=status))


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    for name in ("api", "billing", "docs"):
        put(workspace_root, name, "Live.")
    found = make_workspace(workspace_root)
    found.review_before_writing = True
    found.save()
    sync_workspace(found)
    return found


def set_status(workspace: Workspace, name: str, text: str, base: str = "Live.") -> None:
    edit = Edit(path_of(name), "set_status", {"text": text}, "dana", base=base)
    apply_edit(workspace, edit)


def fields(html: str) -> dict[str, list[str]]:
    """Return the hidden fields of the page, as a browser would send them."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(
        r'<input type="hidden" name="(seen|file|count)" value="([^"]*)"', html
    ):
        found.setdefault(name, []).append(value)
    return found


def opened(client: Client, **query: str) -> tuple[str, dict[str, list[str]]]:
    html = client.get(PAGE, query).content.decode()
    return html, fields(html)


@pytest.fixture
def conflict(workspace: Workspace, workspace_root: Path) -> str:
    """One file in conflict, one that can be written; the name of the choice."""
    set_status(workspace, "billing", "Refunds wait.")
    set_status(workspace, "api", "Done.")
    put(workspace_root, "billing", "Refunds next.")
    seq = Operation.objects.get(target=path_of("billing")).seq
    return f"choice-{seq}-0"


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
    assert "<h3>On disk, Import #2, " in html

    Event.objects.update(agent=Agent.objects.create(**AGENT, workspace=workspace))
    html, _ = opened(client, file=path_of("billing"))
    assert "<h3>On disk, builder, " in html


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
    assert "With your choices 2 files are written" in html
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
    assert client.get("/w/notes/export/download/?as_of=x").status_code == 400


def test_the_number_of_queries_does_not_grow_with_files(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    counts = []
    for names in (range(2), range(2, 20)):
        for n in names:
            put(workspace_root, f"more{n}", "Live.")
        sync_workspace(workspace)
        for n in names:
            set_status(workspace, f"more{n}", "Done.")
        with CaptureQueriesContext(
            connection,
        ) as asked:
            client.get(PAGE)
        counts.append(len(asked))

    assert counts[0] == counts[1]


def test_a_preview_has_the_files_there_is_time_for(
    client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_SECONDS", 0)
    for name in ("api", "billing", "docs"):
        set_status(workspace, name, "Done.")
    html, form = opened(client)
    assert len(form["seen"]) == 1 and "2 more files wait" in html
    (following,) = re.findall(r'href="([^"]*)">Other files', html)
    second = client.get(following.replace("&amp;", "&")).content.decode()
    assert path_of("billing") in fields(second)["seen"][0]
    (row,) = re.findall(r'class="cover" href="([^"]*)"', second)
    again = client.get(row.replace("&amp;", "&")).content.decode()
    assert fields(again)["file"] == [path_of("billing")]

    client.post(PAGE, {**form, "more": "2", "action": "write"})

    states = Operation.objects.order_by("seq").values_list("state", flat=True)
    assert list(states) == ["applied", "staged", "staged"]


def test_a_preview_of_very_many_files_is_a_bounded_page(
    client: Client, workspace: Workspace
) -> None:
    set_status(workspace, "api", "Done.")
    first = Operation.objects.get()
    rows = [copy(first) for _ in range(10_000)]
    for number, row in enumerate(rows, 1):
        row.pk, row.seq = None, first.seq + number
        row.key, row.target = f"k{number}", path_of(f"other-{number}")
    Operation.objects.bulk_create(rows)

    html, form = opened(client)

    assert 0 < len(form["seen"]) <= 500
    assert f"{10_001 - len(form['seen'])} more files wait" in html


def test_a_download_that_takes_too_long_names_the_command(
    client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_DOWNLOAD_SECONDS", 0)

    for query in ({}, {"canonical": "on"}, {"as_of": "2030-01-01T00:00"}):
        answer = client.get(f"{PAGE}download/", query)

        assert answer.status_code == 503
        assert "memoryhub export notes --zip notes.zip" in answer.content.decode()
