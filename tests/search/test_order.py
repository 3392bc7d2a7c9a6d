"""Order of results on pages: titles first, decisions early, open items once."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.search.queries import search
from snapshots.queries.open_items import open_work
from tests.factories import imported

pytestmark = pytest.mark.django_db

_ROW = re.compile(
    r'data-href="([^"]+)".*?<span class="trunc">([^<]*)</span>', re.DOTALL
)
_GROUP = re.compile(r'id="group-(\w+)"')


def note(number: int) -> str:
    return f"# Webhooks {number}\n\nWebhooks webhooks: webhooks of tenant {number}.\n"


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    files = {f"memory/hooks-{n}.md": note(n) for n in range(20)}
    files["memory/2026-11-11.md"] = (
        "# 2026-11-11\n\n## 09:00 A long day\nThe relay was slow, and the proxy too."
        " The pilot tenants asked twice.\n\n### Decisions\n- Use **event-driven**"
        " webhooks over polling, as all of the pilot tenants ask for it (cheaper)\n\n"
        "## Next steps\n- [ ] document the `webhooks`\n"
    )
    files["memory/2026-11-12.md"] = (
        "# 2026-11-12\n\n## 10:00 Rain\nStill raining.\n\n"
        "## Next steps\n- [ ] document the webhooks (again)\n"
    )
    files["memory/webhooks.md"] = "# Hooks\n\nSee the others.\n"
    return imported(workspace_root, files)


def palette(client: Client, text: str) -> list[tuple[str, str]]:
    html = client.get("/w/acme/palette", {"q": text}).content.decode()
    return [(url, unescape(title)) for url, title in _ROW.findall(html)]


def test_the_palette_has_title_and_decision_early(
    client: Client, workspace: Workspace
) -> None:
    rows = palette(client, "webhooks")
    assert rows[0][1] == "webhooks"
    decisions = [place for place, (url, _) in enumerate(rows) if "/decisions/" in url]
    assert decisions and decisions[0] <= 2


def test_no_mark_of_markdown_is_shown(client: Client, workspace: Workspace) -> None:
    titles = [title for _, title in palette(client, "event-driven")]
    assert any("Use event-driven webhooks" in title for title in titles)
    page = client.get("/w/acme/search/", {"q": "event-driven document"})
    shown = page.content.decode()
    assert "**" not in shown
    assert "`webhooks`" not in shown


def test_decisions_are_among_the_first_groups(
    client: Client, workspace: Workspace
) -> None:
    html = client.get("/w/acme/search/", {"q": "webhooks"}).content.decode()
    assert "decisions" in _GROUP.findall(html)[:2]


def test_a_title_that_is_the_query_is_first(workspace: Workspace) -> None:
    for query in ("Webhooks 7", "a long day"):
        (first, *_), *_ = next(iter(search(workspace, query).groups.values()))
        assert query.casefold() in f"{first.thing.title} {first.text}".casefold()


def test_an_open_item_is_found_once(client: Client, workspace: Workspace) -> None:
    (work,) = [w for w in open_work(workspace) if "document" in w.text]
    hits = search(workspace, "document kind:item").hits
    assert {(hit.thing.kind, hit.thing.code) for hit in hits} == {("item", work.code)}
    rows = palette(client, "document the")
    assert [url for url, _ in rows if "open-items" in url] == [
        f"/w/acme/open-items/{work.code}/"
    ]
    for kind in ("todo", "items", '"open item"'):
        assert search(workspace, f"kind:{kind}").hits


def test_a_code_of_an_item_is_known(workspace: Workspace) -> None:
    (work,) = [w for w in open_work(workspace) if "document" in w.text]
    jump = search(workspace, work.code).jump
    assert jump and (jump[0].kind, jump[0].code) == ("item", work.code)


def test_the_title_of_a_file_opens_it(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    old = "# 1. Use Postgres\n\n## Status\n\nSuperseded by 3. Use SQLite per berth\n"
    new = "# 3. Use SQLite per berth\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n"
    place = "docs/adr/0003-berths.md"
    imported(workspace_root, {"docs/adr/0001-postgres.md": old, place: new})

    assert palette(client, "use sqlite per berth")[0][0] == f"/w/acme/files/{place}"
    page = client.get("/w/acme/search/", {"q": "Use SQLite per berth"})
    text = page.content.decode()
    assert text.index(f"files/{place}") < text.index("0001-postgres")


def test_what_states_no_day_comes_last_where_newer_comes_first(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    files = {
        "memory/2025-01-02.md": "# 2025-01-02\n\n- the kettle is descaled, once\n",
        "memory/2026-11-02.md": "# 2026-11-02\n\n- the kettle leaks a little bit\n",
        "memory/kettle.md": "# Kettle\n\n- kettle: the kettle is a kettle\n",
    }
    workspace = imported(workspace_root, files)
    newest = ["2026-11-02.md", "2025-01-02.md", "kettle.md"]

    by_words = search(workspace, "kettle")
    by_age = search(workspace, "kettle", recent=True)
    listed = search(workspace, "kind:file kind:note kind:topic kind:item path:memory")

    assert Path(by_words.hits[0].path).name == "kettle.md"
    assert [Path(hit.path).name for hit in by_age.hits] == newest
    assert Path(listed.hits[-1].path).name == "kettle.md"


def test_a_decision_with_a_day_in_its_row_is_dated_where_newer_comes_first(
    hub_data: Path, workspace_root: Path
) -> None:
    table = "| Date | Decision |\n|---|---|\n| 2026-11-10 | Buy a kettle of steel |\n"
    files = {
        "memory/decisions.md": f"# Decisions\n\n{table}",
        "memory/2025-01-02.md": "# 2025-01-02\n\n- the kettle is descaled, once\n",
    }
    found = search(imported(workspace_root, files), "kettle", recent=True)

    assert [Path(hit.path).name for hit in found.hits] == [
        "decisions.md", "2025-01-02.md",
    ]  # fmt: skip
