from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.task_snapshot import SECTIONS
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from snapshots.models import Snapshot
from tests.factories import imported, small, snapshot_text, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode().replace("&amp;", "&")


def url_of(number: int) -> str:
    snapshot = Snapshot.objects.get(snapshot_id=f"2026-11-20-{number:02}")
    return f"/w/acme/snapshots/{snapshot.code}/"


def headings(html: str) -> list[str]:
    return [h.replace("&amp;", "&") for h in re.findall(r"<h3[^>]*>([^<]+)</h3>", html)]


@pytest.mark.parametrize("view", ["diff", "sections"])
def test_all_eight_sections_are_there_in_order(
    client: Client, workspace_root: Path, view: str
) -> None:
    small(workspace_root)

    html = page(client, f"{url_of(2)}?view={view}")

    assert headings(html) == [*SECTIONS, "Mood"]
    assert html.count("missing in file") == 3


def test_a_section_that_comes_twice_is_shown_twice(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    log = workspace_root / "memory/2026-11-20.md"
    mood = "### [SNAPSHOT] Mood\n"
    log.write_text(log.read_text().replace(mood, f"{mood}Tense at first.\n\n{mood}"))
    sync_workspace(Workspace.objects.get())

    html = page(client, f"{url_of(2)}?view=sections")

    assert headings(html) == [*SECTIONS, "Mood", "Mood (2)"]
    assert html.index("Tense at first.") < html.index("Calm.")


def test_it_is_compared_with_the_one_before(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, url_of(2))

    assert '<span class="sr">Added: </span>1. Use events' in html
    assert "Removed: </span>1. Poll" not in html
    assert "- Progress: <mark>42</mark>%" in html
    assert '<span class="sr">Box changed: </span>1. [x] Write the test' in html


def test_the_first_of_a_topic_shows_its_sections(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, url_of(1))

    assert "<p>Calm.</p>" in html and "Compared with" not in html
    assert 'aria-label="Older snapshot, none"' in html
    assert f'href="{url_of(2)}" data-key="l"' in html


def test_another_base_can_be_chosen(client: Client, workspace_root: Path) -> None:
    blocks = [snapshot_text(n) for n in (1, 2, 3)]
    imported(workspace_root, {"memory/2026-11-20.md": "# Day\n" + "".join(blocks)})
    base = Snapshot.objects.get(snapshot_id="2026-11-20-01")

    html = page(client, f"{url_of(3)}?vs={base.code}")

    assert "<del>" in html and "<mark>41</mark>" in html
    assert f'<option value="{base.code}" selected>' in html


def test_raw_is_the_block_with_the_numbers_of_the_file(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    lines = (workspace_root / "memory/2026-11-20.md").read_text().split("\n")

    html = page(client, url_of(2) + "?view=raw")

    shown = re.findall(r'<div id="L(\d+)"><a[^>]*>\d+</a><code>(.*?)</code>', html)
    said = [
        (int(n), text.replace("&lt;", "<").replace("&gt;", ">")) for n, text in shown
    ]
    assert said and all(lines[n - 1] == text for n, text in said)
    assert any("snapshot-id: 2026-11-20-02" in text for _, text in said)


def test_md_answers_the_block(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    response = client.get(url_of(1).removesuffix("/") + ".md")

    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert snapshot_text(1).strip() in response.content.decode()


def test_recall_is_in_the_words_of_big_memory(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, url_of(1) + "?view=recall")

    assert "Restoring task state from snapshot taken at 2026-11-20T09:00:00" in html
    assert (
        "/srv/app/deliver.py" in html and "Does this match where we left off?" in html
    )


def test_a_pruned_snapshot_keeps_its_page(client: Client, workspace_root: Path) -> None:
    workspace = small(workspace_root)
    write(workspace_root, {"memory/2026-11-20.md": "# 2026-11-20\n"})
    sync_workspace(workspace)

    html = page(client, url_of(2) + "?view=raw")

    assert "no longer holds this snapshot" in html
    assert "snapshot-id: 2026-11-20-02" in html


def test_a_copy_names_the_first(client: Client, workspace_root: Path) -> None:
    block = snapshot_text(1)
    imported(
        workspace_root,
        {"memory/2026-11-20.md": "# Day\n" + block, "memory/archive/old.md": block},
    )
    copy = Snapshot.objects.get(copy_of__isnull=False)

    assert "This is a copy" in page(client, f"/w/acme/snapshots/{copy.code}/")


def test_the_id_of_the_file_leads_to_it(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    response = client.get("/w/acme/snapshots/2026-11-20-01/")

    assert response["Location"] == url_of(1)


def test_an_id_that_was_written_twice_is_asked_about(
    client: Client, workspace_root: Path
) -> None:
    twice = snapshot_text(1) + snapshot_text(1, clock="11:00")
    imported(workspace_root, {"memory/2026-11-20.md": "# Day\n" + twice})

    html = page(client, "/w/acme/snapshots/2026-11-20-01/")

    assert "Which 2026-11-20-01?" in html
    assert html.count('class="t cover"') == 2


def test_what_agents_write_is_escaped(client: Client, workspace_root: Path) -> None:
    evil = snapshot_text(1, decisions="1. <script>x</script>")
    evil = evil.replace("Deliver events", "<img src=x>").replace("Mood", "<b>Mood")
    imported(workspace_root, {"memory/2026-11-20.md": "# Day\n" + evil})

    for view in ("diff", "sections", "recall", "raw"):
        html = page(client, f"{url_of(1)}?view={view}")
        assert "<script>x" not in html and "<img" not in html and "<b>Mood" not in html


def test_long_comparisons_begin_with_400_lines(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.web.snapshots.panel._MANY_CHANGES", 6)
    monkeypatch.setattr("memoryhub.web.snapshots.panel._SHOWN_CHANGES", 4)
    many = "\n".join(f"{n}. Decision {n}" for n in range(1, 20))
    log = "# Day\n" + snapshot_text(1) + snapshot_text(2, decisions=many)
    imported(workspace_root, {"memory/2026-11-20.md": log})

    html = page(client, url_of(2))

    assert "Only the first changes are shown." in html
    assert html.count("Added: </span>") <= 4
    assert "Decision 19" in page(client, url_of(2) + "?all=1")


@pytest.mark.parametrize("path", ["nope/", "nope.md", "0000000000000/"])
def test_what_is_not_there_is_not_found(
    client: Client, workspace_root: Path, path: str
) -> None:
    small(workspace_root)

    assert client.get("/w/acme/snapshots/" + path).status_code == 404
