"""What is new on a topic's page: rows, the line, and the snapshot beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Workspace
from memoryhub.people.marks import mark_seen
from memoryhub.people.models import ReviewMark
from memoryhub.people.policy import operator
from memoryhub.sync.engine import sync_workspace
from snapshots.models import Snapshot
from tests.factories import TOPIC, imported, snapshot_text, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/topics/api/"
LOG = "memory/2026-11-20.md"
#: Without a session: no file says when that was bound, so it would be the newest row.
UNBOUND = TOPIC.replace("- **session**: agent:builder:main\n", "")
_NEW, _SEEN = 'class="new"', '<li class="seen">'


def page(client: Client, url: str = URL) -> str:
    return client.get(url).content.decode().replace("&amp;", "&")


def add_snapshots(root: Path, workspace: Workspace, *numbers: int) -> None:
    parts = ["# Day\n", *map(snapshot_text, numbers)]
    write(root, {LOG: "".join(parts)})
    sync_workspace(workspace)
    workspace.refresh_from_db()


@pytest.fixture
def visited(workspace_root: Path) -> Workspace:
    """Return a workspace whose first snapshot was seen, and then came two more."""
    files = {LOG: "# Day\n" + snapshot_text(1), "memory/context-api.md": UNBOUND}
    workspace = imported(workspace_root, files)
    mark_seen(operator(), workspace)
    add_snapshots(workspace_root, workspace, 1, 2, 3)
    return workspace


def test_new_rows_stand_above_the_line(client: Client, visited: Workspace) -> None:
    before, line, after = page(client).partition(_SEEN)

    assert line and before.count(_NEW) == 2
    assert _NEW not in after and _SEEN not in after


def test_at_a_first_visit_nothing_is_new(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {"memory/context-api.md": TOPIC})

    html = page(client)

    assert _NEW not in html and _SEEN not in html


def test_older_rows_know_what_was_seen(client: Client, visited: Workspace) -> None:
    response = client.get(URL, headers={"HX-Request": "true"})

    assert response.content.decode().count(_NEW) == 2


def test_the_snapshot_is_compared_with_the_last_one_seen(
    client: Client, visited: Workspace
) -> None:
    html = page(client)

    code = Snapshot.objects.get(snapshot_id="2026-11-20-01").code
    assert f'<option value="{code}" selected>2026-11-20-01, last one you saw' in html


def test_a_section_reviewed_here_comes_back_here(
    client: Client, visited: Workspace
) -> None:
    assert f'name="next" value="{URL}#s' in page(client)
    section = Snapshot.objects.get(snapshot_id="2026-11-20-03").sections.get(position=1)
    form = {"title": section.title, "sha": section.body_sha, "next": f"{URL}#s2"}

    answer = client.post(f"/w/acme/snapshots/{section.snapshot.code}/reviewed/", form)

    assert (answer.status_code, answer["Location"]) == (303, f"{URL}#s2")
    assert ReviewMark.objects.get().title == section.title
    assert 'aria-pressed="true"' in page(client)


def test_the_number_of_queries_does_not_grow_with_snapshots(
    client: Client, workspace_root: Path, visited: Workspace
) -> None:
    page(client)
    with CaptureQueriesContext(connection) as few:
        page(client)
    add_snapshots(workspace_root, visited, *range(1, 10))
    page(client)
    with CaptureQueriesContext(connection) as many:
        page(client)

    assert len(few) == len(many)
