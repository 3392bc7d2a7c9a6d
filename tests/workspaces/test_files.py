from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.web.files import pages as file_pages
from memoryhub.web.files.pages import kind_of
from tests.factories import imported, small, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

FILES = "/w/acme/files/"


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode()


def change(workspace: Workspace, root: Path, files: dict[str, str]) -> None:
    write(root, files)
    sync_workspace(workspace)


def test_the_list_names_every_file(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client, FILES)

    assert f'href="{FILES}memory/context-api.md"' in html
    assert html.count('class="path"') == 3
    assert page(client, FILES + "?q=CONTEXT").count('class="path"') == 1


def test_the_list_goes_on(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.timeline.queries.frame.PAGE_SIZE", 2)
    small(workspace_root)

    html = page(client, FILES)
    more = re.search(r'class="more" href="([^"]+)"', html)

    assert more and page(client, more[1]).count('class="path"') == 1


def test_a_file_is_rendered_with_its_front_matter(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, FILES + "MEMORY.md")

    assert '<h2 id="h-memory">Memory</h2>' in html
    assert "<dt>name</dt><dd>&lt;b&gt;index&lt;/b&gt;</dd>" in html
    assert "import #1" in html


def test_links_lead_to_files_that_are_known(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)

    html = page(client, FILES + "memory/context-api.md")
    assert f'<a href="{FILES}memory/2026-11-20.md">the log</a>' in html
    assert "gone.md" not in html

    change(workspace, workspace_root, {"memory/gone.md": "There now.\n"})
    html = page(client, FILES + "memory/context-api.md")
    assert f'<a href="{FILES}memory/gone.md">nothing</a>' in html


def test_scripts_in_a_file_are_text(client: Client, workspace_root: Path) -> None:
    imported(
        workspace_root,
        {"a.md": "<script>x</script> <img src=x onerror=x> [y](javascript:x)\n"},
    )

    for view in ("rendered", "raw"):
        html = page(client, f"{FILES}a.md?view={view}")
        assert "<script>x" not in html and "<img" not in html
        assert 'href="javascript' not in html


@pytest.mark.parametrize(
    "path",
    [
        "a note with spaces.md",
        "skill:greeter:status.md",
        "日志-配送费.md",
        "[draft] (v2) #3 & more?.md",
        "percent%20encoded%2F.md",
        "<img src=x onerror=alert(1)>.md",
        "a\nb.md",
        "data.json",
    ],
)
def test_every_path_has_its_page(
    client: Client, workspace_root: Path, path: str
) -> None:
    imported(workspace_root, {f"memory/{path}": "Hello there.\n"})

    (link,) = re.findall(r'class="cover mono" href="([^"]+)"', page(client, FILES))

    assert link == FILES + quote(f"memory/{path}")
    assert "Hello there." in page(client, link)
    assert client.get(link + "?view=text").content == b"Hello there.\n"


def test_raw_lines_have_anchors(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {"a.md": "one\r\ntwo & three\n"})

    html = page(client, FILES + "a.md?view=raw")

    assert '<div id="L2">' in html and 'href="#L2"' in html
    assert "<code>two &amp; three</code>" in html and 'id="L3"' not in html


@pytest.mark.parametrize("view", ["raw", "rendered"])
def test_long_files_are_shown_in_part(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    monkeypatch.setattr(file_pages, "LINE_LIMIT", 5)
    imported(workspace_root, {"a.md": "".join(f"w{n}x\n" for n in range(9))})

    html = page(client, f"{FILES}a.md?view={view}")

    assert "w4x" in html and "w5x" not in html
    assert "w8x" in page(client, f"{FILES}a.md?view={view}&all=1")


def test_the_history_names_versions_and_what_changed(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"a.md": "one\ntwo\nthree\n"})
    change(workspace, workspace_root, {"a.md": "one\n2\nthree\nfour\n"})

    html = page(client, FILES + "a.md?view=history")
    assert "+2</span>" in html and "−1</span>" in html
    assert 'href="/w/acme/imports/2/"' in html

    html = page(client, FILES + "a.md?view=history&rev=2&vs=1")
    assert "From revision 1 to 2" in html
    assert '<del><span class="sr">Removed: </span>two</del>' in html
    assert '<ins><span class="sr">Added: </span>four</ins>' in html


def test_an_older_version_says_so(client: Client, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"a.md": "old words\n"})
    change(workspace, workspace_root, {"a.md": "new words, more of them\n"})

    html = page(client, FILES + "a.md?rev=1")

    assert "old words" in html and "This is an older version" in html
    assert "new words" in page(client, FILES + "a.md")


def test_a_deleted_file_keeps_its_page(client: Client, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"a.md": "last words\n", "b.md": "b\n"})
    (workspace_root / "a.md").unlink()
    sync_workspace(workspace)

    html = page(client, FILES + "a.md")

    assert "last words" in html and "was deleted" in html
    assert "a.md" not in page(client, FILES)
    assert f'href="{FILES}a.md"' in page(client, FILES + "?show=gone")
    assert "gone" in page(client, FILES + "a.md?view=history")


def test_a_moved_file_is_found_from_both_names(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"a.md": "the same words\n"})
    (workspace_root / "a.md").rename(workspace_root / "b.md")
    sync_workspace(workspace)

    assert "moved to b.md" in page(client, FILES + "a.md")
    assert "the same words" in page(client, FILES + "b.md?rev=1")
    assert "from a.md" in page(client, FILES + "b.md?view=history")


def test_md_after_the_path_answers_the_bytes(
    client: Client, workspace_root: Path
) -> None:
    data = "\ufeffcaf\u00e9\r\n".encode()
    imported(workspace_root, {"a.md": data})

    response = client.get(FILES + "a.md.md")

    assert response.content == data
    assert response["Content-Type"] == "text/markdown; charset=utf-8"


def test_what_was_never_imported_is_not_found(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    for path in ("nope.md", "../../etc/passwd", "MEMORY.md/", "a%00b", "%FF"):
        assert client.get(FILES + path).status_code == 404


def test_nonsense_in_the_address_is_harmless(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    for query in ("view=zzz", "rev=-1", "rev=²", "rev=9" + "9" * 30, "vs=1&rev=x"):
        assert client.get(f"{FILES}MEMORY.md?{query}").status_code == 200


def test_the_list_takes_as_many_queries_for_20_files_as_for_10(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {f"a{n}.md": f"a{n}\n" for n in range(10)})
    few = queries(client, FILES)
    change(workspace, workspace_root, {f"b{n}.md": f"b{n}\n" for n in range(10)})

    assert queries(client, FILES) == few


def queries(client: Client, url: str) -> int:
    page(client, url)
    with CaptureQueriesContext(connection) as captured:
        page(client, url)
    return len(captured)


def test_a_file_says_from_where_on_its_host_reads_nothing(
    client: Client, workspace_root: Path
) -> None:
    lines = [f"- [Fact {n}](fact-{n}.md) — a fact\n" for n in range(1, 211)]
    imported(workspace_root, {"MEMORY.md": "".join(lines)})

    said = "Claude Code reads 200 lines or 25 kB of this file: from line 201 on"
    for view in ("rendered", "raw"):
        html = page(client, f"{FILES}MEMORY.md?view={view}")
        assert said in " ".join(html.split())
    before, after = html.split("From here on your agent reads nothing")
    assert 'id="L200"' in before and 'id="L201"' in after


def test_each_dialect_has_a_name_in_the_language_of_the_page() -> None:
    with override("zh-hans"):
        assert kind_of("memory_index") == "记忆索引"
    assert kind_of("memory_index") == "memory index" and kind_of("of_old") == "of old"
