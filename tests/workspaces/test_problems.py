from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.sync.engine import sync_workspace
from memoryhub.web.kit.labels import problem_text
from tests.factories import imported, small, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/health/"
LOG = "# 2026-11-19\n\n" + "".join(
    f"## 0{n}:00 - Entry\nWords {n}.\n" for n in range(9)
)


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


def test_each_problem_leads_to_its_line(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client)

    assert "problems in the files" in html
    assert "the snapshot has no section “Code Context”" in html
    assert 'href="/w/acme/files/memory/2026-11-20.md?view=raw#L' in html


def test_a_shrunken_log_leads_to_the_lines_it_lost(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"memory/2026-11-19.md": LOG})
    write(workspace_root, {"memory/2026-11-19.md": LOG[:60]})
    sync_workspace(workspace)

    link = "/w/acme/files/memory/2026-11-19.md?view=history&vs=1"

    assert f'href="{link}"' in page(client) and "See the lost lines" in page(client)
    assert '<span class="sr">Removed: </span>Words 8.' in page(client, link)


def test_a_file_that_was_never_read_has_no_link(
    client: Client, workspace_root: Path
) -> None:
    workspace_root.joinpath("dangling.md").symlink_to("nowhere.md")
    imported(workspace_root, {"a.md": "a\n"})

    html = page(client)

    assert "a link that is not followed" in html
    assert "files/dangling.md" not in html


def test_nothing_wrong_is_said_plainly(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {"a.md": "a\n"})

    assert "Everything was read." in page(client)


def test_the_list_goes_on(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.web.health.pages._PROBLEMS", 2)
    small(workspace_root)

    assert f'href="{URL}?from=2#problems"' in page(client)
    assert "the snapshot" in page(client, URL + "?from=2")


def test_a_code_without_words_is_spelled_out() -> None:
    assert problem_text("very-odd", {"path": "a", "n": 2}) == "very odd (path a, n 2)"
    assert problem_text("log-shrank", {}) == "unknown problem"
    assert "does not say its phase" in problem_text("phase-unknown", {"phase": ""})
