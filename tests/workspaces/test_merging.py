"""Two texts of one file, made into one on a page: conflict markers, and copies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.http.response import HttpResponseBase
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import current_problems
from memoryhub.journal.versions import versions_of
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

OURS, BASE, MIDDLE, THEIRS = "<<<<<<< HEAD", "||||||| 1a", "=======", ">>>>>>> branch"
MARKED = f"""# Decisions

## Ledger
{OURS}
- 2026-11-10: Use Postgres 17
{MIDDLE}
- 2026-11-10: Use SQLite
{THEIRS}
- 2026-11-11: Keep logs for 30 days
"""
PATH = "memory/decisions.md"
TOLL = "# Toll\n\n- the gate opens at six\n- the gate closes at nine\n"
COPY = "memory/toll (Kim's conflicted copy 2026-11-20).md"


def opened(client: Client, path: str) -> str:
    response = client.get(f"/w/acme/merge/{path}")
    assert response.status_code == 200
    return response.content.decode()


def sent(client: Client, path: str, html: str, **chosen: str) -> HttpResponseBase:
    """Send the form of a page as a browser does, with these choices."""
    form = html[html.index('action="/w/acme/merge/') :]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    checked = re.findall(r'name="(choice[-\d]+)" value="(\w+)"\s+checked', form)
    fields |= dict(checked) | {
        name.replace("_", "-"): value for name, value in chosen.items()
    }
    return client.post(f"/w/acme/merge/{path}", fields)


def codes(workspace: Workspace) -> list[str]:
    return [row.code_name for row in current_problems(workspace).order_by("path")]


def test_a_file_with_conflict_markers_is_offered_as_two_texts(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {PATH: MARKED})
    address = f'href="/w/acme/merge/{PATH}"'

    assert address in client.get("/w/acme/health/").content.decode()
    assert address in client.get(f"/w/acme/files/{PATH}").content.decode()
    html = opened(client, PATH)
    assert html.index("Ours") < html.index("Postgres") < html.index("SQLite")
    assert "below “## Ledger”" in html

    assert sent(client, PATH, html).status_code == 422
    assert sent(client, PATH, html, choice_0_0="here").status_code == 303
    lines = (workspace_root / PATH).read_text("utf-8").splitlines()
    assert lines[3:] == ["- 2026-11-10: Use SQLite", MARKED.splitlines()[-1]]
    assert codes(workspace) == []
    assert len(versions_of(workspace, PATH)) == 2


def test_only_what_both_sides_changed_in_the_base_is_asked(
    client: Client, workspace_root: Path
) -> None:
    text = f"# A\n{OURS}\none\nTWO\n{BASE}\none\ntwo\n{MIDDLE}\nONE\ntwo\n{THEIRS}\n"
    clash = f"{OURS}\nours\n{BASE}\nbase\n{MIDDLE}\ntheirs\n{THEIRS}\n"
    imported(workspace_root, {PATH: text + clash})

    html = opened(client, PATH)
    assert "Difference 1 of 2" in html and "Before both" in html
    sent(client, PATH, html, choice_0_0="both", choice_0_1="other", text_0_1="mine")

    written = (workspace_root / PATH).read_text("utf-8")
    assert written.endswith("\nmine\n") and "base" not in written


def test_a_copy_is_merged_into_its_file_and_stays(
    client: Client, workspace_root: Path
) -> None:
    theirs = TOLL.replace("six", "seven") + "- ask Kim for the key\n"
    workspace = imported(workspace_root, {"memory/toll.md": TOLL, COPY: theirs})

    html = opened(client, COPY)
    assert html.index("The file") < html.index("six") < html.index("seven")
    response = sent(client, COPY, html, choice_0_0="disk")

    assert response["Location"] == "/w/acme/files/memory/toll.md"
    merged = TOLL + "- ask Kim for the key\n"
    assert (workspace_root / "memory/toll.md").read_text("utf-8") == merged
    assert (workspace_root / COPY).read_text("utf-8") == theirs
    assert codes(workspace) == ["conflict-copy"]


@pytest.mark.parametrize("copy", [COPY, "memory/toll.md~"])
def test_a_copy_is_deleted_if_that_is_ticked_and_keeps_its_history(
    client: Client, workspace_root: Path, copy: str
) -> None:
    workspace = imported(workspace_root, {"memory/toll.md": TOLL, copy: TOLL})

    sent(client, copy, opened(client, copy), remove="1")

    assert not (workspace_root / "toll.md").exists()
    assert not (workspace_root / copy).exists()
    assert len(versions_of(workspace, "memory/toll.md")) == 1
    assert [version.sha256 is None for version in versions_of(workspace, copy)] == [
        True,
        False,
    ]
    sync_workspace(workspace)
    assert codes(workspace) == []
    assert client.get(f"/w/acme/files/{copy}").status_code == 200


def test_nothing_is_written_if_a_file_changed_since_the_page(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/toll.md": TOLL, COPY: f"{TOLL}- ask Kim\n"})
    html = opened(client, COPY)
    (workspace_root / COPY).write_text(f"{TOLL}- ask Bo\n", "utf-8")

    response = sent(client, COPY, html, remove="1")

    assert response.status_code == 409 and b"ask Bo" in b"".join(response)
    assert (workspace_root / "memory/toll.md").read_text("utf-8") == TOLL
    assert (workspace_root / COPY).exists()


def test_line_ends_of_the_file_are_kept(client: Client, workspace_root: Path) -> None:
    windows = TOLL.replace("\n", "\r\n")
    files = {"memory/toll.md": windows, COPY: f"{TOLL}- ask Kim\n"}
    imported(workspace_root, {name: text.encode() for name, text in files.items()})

    sent(client, COPY, opened(client, COPY))

    data = (workspace_root / "memory/toll.md").read_bytes()
    assert data.decode() == f"{windows}- ask Kim\r\n"


def test_a_file_without_two_texts_is_not_merged(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/toll.md": TOLL})

    response = client.get("/w/acme/merge/memory/toll.md", follow=True)

    assert "nothing to merge" in response.content.decode()
    assert client.get("/w/acme/merge/../secret.md").status_code in (303, 404)
