"""The first minute on memory as today's hosts lay it out: pages tell of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Agent, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.workspaces.services.adding import add_workspace
from snapshots.models import LogEntry
from snapshots.queries.open_items import open_count
from tests.layouts.places import LAYOUTS, lay_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

each_layout = pytest.mark.parametrize("name", LAYOUTS)
_PAGES = (
    "", "timeline/", "decisions/", "open-items/", "topics/", "agents/", "sessions/",
    "unassigned/", "files/", "health/", "trends/",
)  # fmt: skip


def first_import(name: str, home: Path) -> Workspace:
    workspace = add_workspace(lay_out(name, home), slug="acme", name="Acme")
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def main_of(client: Client, address: str) -> str:
    """Return what a page shows beside the navigation."""
    page = client.get(f"/w/acme/{address}", follow=True)
    assert page.status_code == 200, address
    return page.content.decode().partition("<main")[2].partition("</main>")[0]


@each_layout
def test_the_overview_tells_of_what_the_files_have(
    client: Client, name: str, tmp_path: Path
) -> None:
    first_import(name, tmp_path)

    overview = main_of(client, "")

    assert LAYOUTS[name].overview in overview
    assert "Connect an agent" in overview
    assert 'class="none"' not in overview and 'class="empty"' not in overview
    assert not re.search(r"·\s*</p>", overview)


@each_layout
def test_the_newest_day_tells_of_it_too(
    client: Client, name: str, tmp_path: Path
) -> None:
    first_import(name, tmp_path)

    day = main_of(client, "days/")

    assert LAYOUTS[name].day in day
    assert "No entry of this day" not in day


@each_layout
def test_there_is_an_agent_and_none_is_at_work_because_of_an_import(
    client: Client, name: str, tmp_path: Path
) -> None:
    workspace = first_import(name, tmp_path)

    names = Agent.objects.filter(workspace=workspace).values_list("name", flat=True)

    assert LAYOUTS[name].agent in names
    assert "Working</span>" not in main_of(client, "agents/")


def test_an_item_without_a_day_is_as_old_as_its_file(
    client: Client, tmp_path: Path
) -> None:
    first_import("memory_bank", tmp_path)

    overview = main_of(client, "")

    assert "Gravar a confirmação de entrega" in overview
    assert "open since today" not in overview


@each_layout
def test_no_page_says_what_is_false(client: Client, name: str, tmp_path: Path) -> None:
    workspace = first_import(name, tmp_path)
    has_sessions = LogEntry.objects.filter(kind="session").exists()

    for address in _PAGES:
        text = main_of(client, address)
        assert "No MEMORY.md in this workspace" not in text, address
        assert "Everything is assigned" not in text, address
        assert not (has_sessions and "No sessions yet" in text), address
        assert not (open_count(workspace) and "Nothing waits" in text), address
        assert not (open_count(workspace) and "Nothing is open" in text), address


@each_layout
def test_a_first_import_is_no_event_of_what_it_found(
    client: Client, name: str, tmp_path: Path
) -> None:
    workspace = first_import(name, tmp_path)
    number = workspace.sourcefiles.count()

    timeline, inside = main_of(client, "timeline/"), main_of(client, "timeline/?run=1")

    assert f"First import: {number} files read" in timeline
    assert timeline.count('<li class="ev') == inside.count('<li class="ev') + 1
    assert ">read " not in timeline and ">on disk 1" not in timeline


def test_the_day_is_one_click_from_everywhere(client: Client, tmp_path: Path) -> None:
    first_import("daily_notes", tmp_path)

    for address in _PAGES:
        page = client.get(f"/w/acme/{address}").content.decode()
        assert '<a href="/w/acme/days/"' in page.partition("<main")[0], address


def test_marks_of_markdown_are_never_raw_in_lists(
    client: Client, workspace_root: Path
) -> None:
    log = (
        "# 2026-11-20\n\n## 09:00 - **Frost** in `house 2`\n\n"
        "Decision: **Close** the `vents` at night, because *frost* comes early\n\n"
        "- [ ] order **two** more `mats`\n"
    )
    (workspace_root / "memory").mkdir()
    (workspace_root / "memory/2026-11-20.md").write_text(log)
    (workspace_root / "IDENTITY.md").write_text("- **Name:** Fennel\n")
    sync_workspace(add_workspace(workspace_root, slug="acme", name="Acme"))

    for address in ("", "days/", "timeline/", "open-items/", "agents/", "unassigned/"):
        text = main_of(client, address)
        assert "Close the vents" in text or "Frost in house 2" in text or "mats" in text
        assert "**" not in text and "`" not in text, address


@each_layout
def test_all_files_come_out_as_they_went_in(name: str, tmp_path: Path) -> None:
    workspace = first_import(name, tmp_path)
    root = Path(workspace.root)

    written = {file.path: file.data for file in workspace_files(workspace)}

    assert written == {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")
    }


def test_five_plain_notes_have_an_overview_and_say_what_to_do_next(
    client: Client, workspace_root: Path
) -> None:
    for number in range(5):
        note = f"# Garden bed {number}\n\nSown with **{number} rows** of beans.\n"
        (workspace_root / f"bed-{number}.md").write_text(note)
    sync_workspace(add_workspace(workspace_root, slug="acme", name="Acme"))

    overview = main_of(client, "")

    assert "bed-3.md" in overview
    assert "Sown with <strong>0 rows</strong> of beans." in overview
    assert "memoryhub install claude-code" in overview
    assert 'class="none"' not in overview


def test_an_open_loss_is_never_under_a_headline_of_nothing(
    client: Client, tmp_path: Path
) -> None:
    workspace = first_import("openclaw", tmp_path)
    (Path(workspace.root) / "MEMORY.md").write_text("# MEMORY.md\n")
    sync_workspace(workspace)

    overview = main_of(client, "")

    assert "<h1>1 thing needs your answer</h1>" in overview
    assert re.search("MEMORY.md.*?−[678]<", overview)
