"""Blame and restore, as pages and as operations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from tests.factories import imported, write
from tests.growth import assert_growth_below

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PATH = "memory/lessons.md"
PAGE = f"/w/acme/files/{PATH}"
TEXTS = (
    "# Lessons\none\ntwo\n",
    "# Lessons\none\ntwo\nthree\n",
    "# Lessons\nONE\ntwo\nthree\n",
    "# Lessons\nONE\ntwo\nthree\nfour\n",
    "# Lessons\nONE\nnew\ntwo\nthree\nfour\n",
)
BLOCK = re.compile(
    r"Import #(\d)\".*?<div class=\"source\">(.*?)</div></div>", re.DOTALL
)


def five_imports(root: Path) -> Workspace:
    workspace = imported(root, {PATH: TEXTS[0]})
    for text in TEXTS[1:]:
        write(root, {PATH: text})
        sync_workspace(workspace)
    return workspace


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode()


def blamed(html: str) -> list[tuple[str, int]]:
    """Return each line with the import that blame names for it."""
    return [
        (text, int(number))
        for number, block in BLOCK.findall(html)
        for text in re.findall(r"<code>(.*?)</code>", block)
    ]


def test_f1_each_line_names_the_import_that_last_changed_it(
    client: Client, workspace_root: Path
) -> None:
    five_imports(workspace_root)

    assert blamed(page(client, f"{PAGE}?view=blame")) == [
        ("# Lessons", 1),
        ("ONE", 3),
        ("new", 5),
        ("two", 1),
        ("three", 2),
        ("four", 4),
    ]


def test_blame_before_a_change_is_that_of_the_version_before(
    client: Client, workspace_root: Path
) -> None:
    five_imports(workspace_root)

    html = page(client, f"{PAGE}?view=blame&rev=2")

    assert blamed(html)[1] == ("one", 1)
    newest = page(client, f"{PAGE}?view=blame").replace("&amp;", "&")
    assert f'href="{PAGE}?view=blame&rev=2#L2"' in newest


def test_blame_follows_a_file_that_was_moved(
    client: Client, workspace_root: Path
) -> None:
    workspace = five_imports(workspace_root)
    (workspace_root / PATH).rename(workspace_root / "memory/learned.md")
    sync_workspace(workspace)

    html = page(client, "/w/acme/files/memory/learned.md?view=blame")

    assert blamed(html)[:2] == [("# Lessons", 1), ("ONE", 3)]


def test_f1_lines_that_a_person_wrote_name_them(
    client: Client, workspace_root: Path
) -> None:
    workspace = five_imports(workspace_root)
    client.post(f"/w/acme/restore/{PATH}", {"rev": 2, "seen": 5})
    write(workspace_root, {PATH: TEXTS[1] + "after\n"})
    sync_workspace(workspace)

    html = page(client, f"{PAGE}?view=blame")

    assert '<span class="author">operator</span>' in html


def test_blame_asks_as_often_at_5_and_at_30_versions(
    client: Client, workspace_root: Path
) -> None:
    workspace = five_imports(workspace_root)
    counts = []
    page(client, f"{PAGE}?view=blame")
    write(workspace_root, {PATH: TEXTS[4] + "one more\n"})
    sync_workspace(workspace)
    for _ in range(2):
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            page(client, f"{PAGE}?view=blame")
        counts.append(len(queries))
        for number in range(25 * (len(counts) == 1)):
            write(workspace_root, {PATH: TEXTS[4] + f"line {number}\n" * (number + 1)})
            sync_workspace(workspace)

    assert counts[0] == counts[1]


def test_f2_restore_makes_a_new_revision_and_rewrites_none(
    client: Client, workspace_root: Path
) -> None:
    workspace = five_imports(workspace_root)
    before = list(Revision.objects.order_by("seq").values())

    answer = client.post(f"/w/acme/restore/{PATH}", {"rev": 1, "seen": 5})

    assert answer.status_code == 303 and answer["Location"] == PAGE
    assert (workspace_root / PATH).read_text() == TEXTS[0]
    revisions = list(Revision.objects.order_by("seq").values())
    assert revisions[: len(before)] == before
    assert [r["kind"] for r in revisions[len(before) :]] == ["written"]
    rebuild(workspace)
    assert TEXTS[0].split()[-1] in page(client, f"{PAGE}?view=raw")


def test_a_restore_is_taken_back(client: Client, workspace_root: Path) -> None:
    five_imports(workspace_root)
    client.post(f"/w/acme/restore/{PATH}", {"rev": 1, "seen": 5, "key": "once"})
    client.post(f"/w/acme/restore/{PATH}", {"rev": 1, "seen": 5, "key": "once"})

    assert client.post("/w/acme/undo/once/").status_code in (302, 303)

    assert (workspace_root / PATH).read_text() == TEXTS[4]


def test_a_file_that_is_gone_is_restored(client: Client, workspace_root: Path) -> None:
    workspace = five_imports(workspace_root)
    (workspace_root / PATH).unlink()
    sync_workspace(workspace)

    html = page(client, PAGE)
    (seen,) = re.findall(r'name="seen" value="(\d+)"', html)
    client.post(f"/w/acme/restore/{PATH}", {"rev": 5, "seen": seen})

    assert (workspace_root / PATH).read_text() == TEXTS[4]


def test_a_restore_over_a_newer_version_is_a_conflict(
    client: Client, workspace_root: Path
) -> None:
    five_imports(workspace_root)
    stale = client.post(f"/w/acme/restore/{PATH}", {"rev": 1, "seen": 4})
    write(workspace_root, {PATH: "somebody else\n"})
    unread = client.post(f"/w/acme/restore/{PATH}", {"rev": 1, "seen": 5})

    assert (stale.status_code, unread.status_code) == (409, 409)
    assert "somebody else" in unread.content.decode()
    assert (workspace_root / PATH).read_text() == "somebody else\n"


def test_in_review_a_restore_waits(client: Client, workspace_root: Path) -> None:
    workspace = five_imports(workspace_root)
    Workspace.objects.filter(pk=workspace.pk).update(review_before_writing=True)

    answer = client.post(f"/w/acme/restore/{PATH}", {"rev": 1, "seen": 5}, follow=True)

    assert "Not exported yet" in answer.content.decode()
    assert (workspace_root / PATH).read_text() == TEXTS[4]
    assert Operation.objects.get().state == "staged"


def test_what_cannot_be_restored_is_not_found(
    client: Client, workspace_root: Path
) -> None:
    five_imports(workspace_root)

    for data in ({}, {"rev": "x", "seen": 5}, {"rev": 1}, {"rev": "9" * 30, "seen": 1}):
        assert client.post(f"/w/acme/restore/{PATH}", data).status_code == 404
    assert client.get(f"/w/acme/restore/{PATH}").status_code == 405


SECRET = "hunter2-hunter2"


def test_secrets_are_counted_and_never_told(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"a.md": f"**Password:** {SECRET}\n"})
    write(workspace_root, {"a.md": f"**Password:** {SECRET}\nMore.\n"})
    sync_workspace(workspace)

    for view in ("rendered", "raw", "blame", "history&rev=2"):
        assert SECRET not in page(client, f"/w/acme/files/a.md?view={view}"), view
    html = page(client, "/w/acme/files/a.md")
    assert "1 string looks like a secret." in html
    assert SECRET in page(client, "/w/acme/files/a.md?view=raw&show=secrets")


def test_the_lines_of_memory_md_that_name_a_file_are_named(
    client: Client, workspace_root: Path
) -> None:
    imported(
        workspace_root,
        {"MEMORY.md": f"# M\n- [Lessons]({PATH}) — read\n", PATH: "x\n"},
    )

    html = page(client, PAGE)

    assert 'href="/w/acme/files/MEMORY.md?view=raw#L2">MEMORY.md, line 2</a>' in html


def test_f3_hostile_text_stays_text_in_blame(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"a.md": "<script>alert(1)</script>\n<img onerror=x>\n"})

    html = page(client, "/w/acme/files/a.md?view=blame")

    assert "<script>alert" not in html and "<img onerror" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


@pytest.mark.parametrize("view", ["raw", "blame", "rendered"])
def test_f4_a_large_file_shows_its_first_2000_lines(
    client: Client, workspace_root: Path, view: str
) -> None:
    lines = [f"- entry {n}: {'words ' * 14}\n" for n in range(11_000)]
    sizes = (100, 2_750, 11_000)
    imported(workspace_root, {f"{n}.md": "".join(lines[:n]) for n in sizes})

    def shown(size: int) -> str:
        return page(client, f"/w/acme/files/{size}.md?view={view}")

    shown(100)  # what every page makes once
    assert_growth_below(2, shown, 2_750)
    html = shown(11_000)
    assert "11000 lines in total" in html and "entry 2001:" not in html
    assert 'id="L2000"' in html or view == "rendered"
