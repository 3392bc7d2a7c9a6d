from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import changes_of
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PEOPLE = "## People\n" + "".join(f"- person {n}\n" for n in range(12))
RULES = "## Rules\n" + "".join(f"- rule {n}\n" for n in range(12))
MEMORY = f"# Memory\n\n{PEOPLE}\n{RULES}"
LINK = "/w/acme/files/MEMORY.md?view=history&vs=1"


def shrunk(root: Path) -> Workspace:
    """Return a workspace whose MEMORY.md lost a section and gained a line."""
    workspace = imported(root, {"MEMORY.md": MEMORY, "notes.md": "A note.\n"})
    write(root, {"MEMORY.md": f"# Memory\n\n{RULES}- one more\n"})
    sync_workspace(workspace)
    return workspace


def page(client: Client, path: str = "") -> str:
    response = client.get(f"/w/acme/{path}", follow=True)
    assert response.status_code == 200
    text = response.content.decode().replace("&amp;", "&")
    return " ".join(text.split())


def looked_at(client: Client) -> str:
    """Press "Mark as checked" on the page of the file; return the page after that."""
    html = page(client, "files/MEMORY.md")
    code = re.search(r'name="problem" value="(\w+)"', html)
    goes_on = re.search(r'name="next" value="([^"]+)"', html)
    assert code and goes_on
    fields = {"problem": code[1], "next": goes_on[1]}
    response = client.post("/w/acme/health/clear/", fields, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_a_loss_waits_for_a_person_on_the_overview(
    client: Client, workspace_root: Path
) -> None:
    shrunk(workspace_root)

    html = page(client)

    assert "1 thing needs your answer" in html and "/w/acme/review/" in html
    assert "MEMORY.md lost 13 lines" in html and f'href="{LINK}"' in html


def test_a_log_that_lost_lines_waits_too(client: Client, workspace_root: Path) -> None:
    log = "memory/2026-11-19.md"
    workspace = imported(
        workspace_root, {log: "# 2026-11-19\n\n## 09:00 - A\nWords.\n"}
    )
    write(workspace_root, {log: "# 2026-11-19\n"})
    sync_workspace(workspace)

    assert "2026-11-19.md lost 2 lines" in page(client)


@pytest.mark.parametrize("place", ["health/", "imports/2/", "files/MEMORY.md"])
def test_pages_name_the_sections_that_lost_lines(
    client: Client, workspace_root: Path, place: str
) -> None:
    shrunk(workspace_root)

    html = page(client, place)

    assert "shrank by 13 lines" in html
    assert "People −13, the whole section" in html


def test_the_loss_waits_until_a_person_has_looked(
    client: Client, workspace_root: Path
) -> None:
    workspace = shrunk(workspace_root)

    assert "shrank by" not in looked_at(client)

    assert "MEMORY.md lost" not in page(client)
    write(workspace_root, {"MEMORY.md": f"# Memory\n\n{RULES}- one more\n- two\n"})
    sync_workspace(workspace)
    assert "MEMORY.md lost" not in page(client)


def test_the_look_is_taken_back(client: Client, workspace_root: Path) -> None:
    shrunk(workspace_root)
    undo = re.search(r'action="(/w/acme/undo/[^"]+)"', looked_at(client))
    assert undo

    client.post(undo[1])

    assert "MEMORY.md lost 13 lines" in page(client)


def test_secrets_in_titles_of_sections_are_masked(
    client: Client, workspace_root: Path
) -> None:
    title = "## password: hunter2-hunter2\n"
    old = MEMORY.replace("## People\n", title)
    workspace = imported(workspace_root, {"MEMORY.md": old})
    write(workspace_root, {"MEMORY.md": f"# Memory\n\n{RULES}"})
    sync_workspace(workspace)

    html = page(client, "health/")

    assert "the whole section" in html and "hunter2" not in html


def test_the_timeline_and_the_import_count_lines(
    client: Client, workspace_root: Path
) -> None:
    workspace = shrunk(workspace_root)

    html = page(client, "timeline/")
    assert '<span class="num">+1 −14</span>' in html
    rows = page(client, "imports/2/")
    assert re.search(r"added </span>\+1</span>.*removed </span> ?−14", rows)
    assert changes_of(workspace, [1, 2, 3]) == {1: (29, 0), 2: (1, 0), 3: (1, 14)}


def test_a_moved_file_is_compared_with_itself(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"MEMORY.md": MEMORY})
    (workspace_root / "MEMORY.md").rename(workspace_root / "OLD.md")
    sync_workspace(workspace)

    assert changes_of(workspace, [2]) == {2: (0, 0)}


def test_many_changed_files_take_as_many_queries_as_one(workspace_root: Path) -> None:
    workspace = imported(workspace_root, {f"{n}.md": "Words.\n" for n in range(40)})
    counts = []
    for seqs in ([1], list(range(2, 40))):
        with CaptureQueriesContext(connection) as queries:
            changes_of(workspace, seqs)
        counts.append(len(queries))

    assert counts[0] >= counts[1]
