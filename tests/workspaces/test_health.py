"""The health page and what can be mended on it."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, small, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/health/"
INDEX = """# MEMORY INDEX

## Current Project
- Name: acme, checkout | Details → memories/project.md
- Search index (scout) | Details → memory/context-search.md
"""
ERRORS = """# Errors

- 2026-11-19 17:09 scout: L2 failure 1 of 3: summary longer
- 2026-11-19 17:14 scout: L2 failure 2 of 3: timed out
- 2026-11-19 17:21 scout: L2 failure 3 of 3: timed out
- 2026-11-20 07:55 docs: FileNotFound <b>x</b>.md
"""
FILES = {
    "MEMORY.md": INDEX,
    "memories/project.md": "# Project\n",
    "memories/errors.md": ERRORS,
    "memory/context-search-index.md": "# Context: search-index\n",
}


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode()


def form_of(html: str, action: str) -> dict[str, str]:
    """Return the fields of the first form that posts to an address."""
    found = re.search(rf'<form[^>]*action="{action}">(.*?)</form>', html, re.DOTALL)
    assert found, action
    inputs = re.findall(r"<input[^>]*>", found[1])
    fields = {}
    for tag in inputs:
        named = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        fields[named["name"]] = unescape(named.get("value", ""))
    return fields


def ledger(html: str) -> list[tuple[int, int, int]]:
    """Return line, tokens and running total of the ledger's rows."""
    rows = re.findall(
        r'data-line="(\d+)".*?class="r num k">(\d+)<.*?hide-m">(\d+)</td></tr>',
        html,
        re.DOTALL,
    )
    return [(int(line), int(tokens), int(running)) for line, tokens, running in rows]


def test_e1_the_sum_of_the_ledger_is_what_the_gauge_says(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)

    html = page(client, f"{URL}?all=1")

    tokens = len(INDEX) // 4
    assert sum(row[1] for row in ledger(html)) == tokens
    assert f'id="budget-total">{tokens} of 800 tokens<' in html
    assert f'aria-label="{tokens} of 800 tokens"' in html


def test_e2_59_more_tokens_draw_the_cut_after_the_right_row(
    client: Client, workspace_root: Path
) -> None:
    lines = [f"- entry {n:02} {'x' * 24}\n" for n in range(90)]
    text = "".join(lines)
    text = text[: 742 * 4 - 1] + "\n"
    log = {"memories/errors.md": "# Errors\n"}
    workspace = imported(workspace_root, {"MEMORY.md": text} | log)
    assert 'class="cut"' not in page(client, f"{URL}?all=1")

    write(workspace_root, {"MEMORY.md": text + ("- " + "p" * 115 + "\n") * 2})
    sync_workspace(workspace)

    html = page(client, f"{URL}?all=1")
    before = html[: html.index('class="cut"')]
    last = re.findall(r'data-line="(\d+)"', before)[-1]
    rows = {line: running for line, _, running in ledger(html)}
    assert rows[int(last)] <= 800 < rows[int(last) + 1]
    assert "MEMORY.md is over its limit" in html


def test_e3_repointing_mends_the_row_and_the_file(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)
    fields = form_of(page(client), f"{URL}repoint/")
    assert fields["to"] == "memory/context-search-index.md"

    answer = client.post(f"{URL}repoint/", fields, follow=True)

    assert "Every pointer leads to a file." in answer.content.decode()
    expected = INDEX.replace("context-search.md", "context-search-index.md")
    assert (workspace_root / "MEMORY.md").read_text() == expected


def test_e3_in_review_repointing_is_in_the_export(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, FILES)
    Workspace.objects.filter(pk=workspace.pk).update(review_before_writing=True)
    fields = form_of(page(client), f"{URL}repoint/")

    answer = client.post(f"{URL}repoint/", fields, follow=True)

    assert "Not exported yet" in answer.content.decode()
    assert "not exported yet." in answer.content.decode()
    export = re.sub("<[^>]*>", "", page(client, "/w/acme/export/"))
    assert "MEMORY.md" in export and "context-search-index.md" in export


def test_repointing_from_an_old_page_is_a_conflict(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)
    fields = form_of(page(client), f"{URL}repoint/")
    write(workspace_root, {"MEMORY.md": INDEX.replace("search.md", "other.md")})

    answer = client.post(f"{URL}repoint/", fields)

    assert answer.status_code == 409
    assert "memory/context-other.md" in strip_tags(answer.content.decode())


def test_repointing_survives_lines_above_and_is_taken_back(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)
    fields = form_of(page(client), f"{URL}repoint/")
    write(workspace_root, {"MEMORY.md": "\n" + INDEX})

    assert client.post(f"{URL}repoint/", fields).status_code == 303
    assert "search-index.md" in (workspace_root / "MEMORY.md").read_text()
    client.post(f"/w/acme/undo/{fields['key']}/")

    assert (workspace_root / "MEMORY.md").read_text() == "\n" + INDEX


def test_a_target_that_no_pointer_can_name_is_refused(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)
    fields = form_of(page(client), f"{URL}repoint/") | {"to": "two words"}

    assert client.post(f"{URL}repoint/", fields).status_code == 303
    assert (workspace_root / "MEMORY.md").read_text() == INDEX


def test_no_line_of_the_ledger_leads_to_a_page_that_is_not_there(
    client: Client, workspace_root: Path
) -> None:
    index = INDEX + (
        "- Search again | Details → memory/context-search.md\n"
        "- Home | Details → ~/notes.md\n"
        "- Notes | Details → memory/\n"
    )
    imported(workspace_root, FILES | {"MEMORY.md": index})

    ledger = page(client).partition('class="tbl ledger"')[2].partition("</table>")[0]

    links = {unescape(link) for link in re.findall(r'href="([^"#]+)', ledger)}
    assert "/w/acme/files/memories/project.md" in links
    assert {link: client.get(link).status_code for link in links} == dict.fromkeys(
        links, 200
    )
    assert ledger.count('class="bad"') == 2


def test_e4_without_memory_md_there_is_no_gauge(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/context-a.md": "# Context: a\n"})

    html = page(client)

    assert "No MEMORY.md is imported from the top of the folder" in html
    assert 'class="gauge' not in html and 'class="tbl ledger"' not in html


def test_a_memory_md_that_is_a_link_is_said_to_be_one(
    client: Client, workspace_root: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.md").write_text("# Memory\n")
    workspace_root.mkdir(exist_ok=True)
    (workspace_root / "MEMORY.md").symlink_to(tmp_path / "elsewhere.md")
    imported(workspace_root, {"memory/context-a.md": "# Context: a\n"})

    html = page(client)

    assert "is a link that is not followed" in " ".join(html.split())
    assert "No MEMORY.md is imported from the top of the folder" in html


def test_e5_a_problem_of_many_lines_is_one_row(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    rows = Problem.objects.filter(code_name="section-missing")
    texts = {(row.path, row.parameters["title"]) for row in rows}
    assert rows.count() > len(texts)

    html = unescape(page(client))

    for _, title in texts:
        assert (
            html.count(f'<p class="break">the snapshot has no section “{title}”') == 1
        )
    assert "2 times" in html


def test_clearing_a_problem_takes_its_row_away(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    html = page(client)
    count = html.count('name="problem"')
    fields = form_of(html, f"{URL}clear/")

    answer = client.post(f"{URL}clear/", fields, follow=True)

    assert answer.content.decode().count('name="problem"') == count - 1
    operation = Operation.objects.get()
    client.post(f"/w/acme/undo/{operation.key}/")
    assert page(client).count('name="problem"') == count


def test_a_problem_that_is_not_there_cannot_be_cleared(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)

    for code in ("", "0000000000001", "<b>"):
        assert client.post(f"{URL}clear/", {"problem": code}).status_code == 404
    assert client.get(f"{URL}clear/").status_code == 405


def test_the_breaker_is_open_and_is_cleared_with_a_reason(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)
    html = page(client)
    assert "scout: open since" in html and "1 open circuit breaker" in html
    fields = form_of(html, f"{URL}breaker/") | {"reason": "A faster model"}

    answer = client.post(f"{URL}breaker/", fields, follow=True)

    assert "scout: closed" in answer.content.decode()
    log = (workspace_root / "memories/errors.md").read_text()
    assert log.startswith(ERRORS) and log.count("\n") == ERRORS.count("\n") + 1
    assert "operator: circuit breaker of scout cleared: A faster model\n" in log


def test_a_breaker_is_not_cleared_without_a_reason_or_log(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, FILES)
    fields = form_of(page(client), f"{URL}breaker/")

    client.post(f"{URL}breaker/", fields | {"reason": " "})
    other = client.post(f"{URL}breaker/", {"path": "MEMORY.md", "reason": "x"})

    assert other.status_code == 404
    assert (workspace_root / "memories/errors.md").read_text() == ERRORS


def test_agents_text_is_escaped(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, FILES)

    html = page(client)

    assert "<b>x</b>.md" not in html and "&lt;b&gt;x&lt;/b&gt;.md" in html


def test_secrets_are_not_told(client: Client, workspace_root: Path) -> None:
    line = "- password: hunter2-hunter2\n"
    imported(workspace_root, {"MEMORY.md": line, "memories/errors.md": line})

    assert "hunter2" not in page(client)


def test_a_shrunken_log_has_a_way_back(client: Client, workspace_root: Path) -> None:
    log = "# 2026-11-19\n\n" + "One more line.\nAnd another.\n" * 9
    workspace = imported(workspace_root, {"memory/2026-11-19.md": log})
    write(workspace_root, {"memory/2026-11-19.md": "# 2026-11-19\n"})
    sync_workspace(workspace)

    html = page(client)
    back = "/w/acme/files/memory/2026-11-19.md?rev=1"
    assert "See the lost lines" in html and f'href="{back}"' in html
    fields = form_of(page(client, back), "/w/acme/restore/memory/2026-11-19.md")
    client.post("/w/acme/restore/memory/2026-11-19.md", fields)

    assert (workspace_root / "memory/2026-11-19.md").read_text() == log
    assert "Everything was read." in page(client)


def test_the_page_asks_as_often_of_many_files(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, FILES)
    counts = []
    page(client)
    write(workspace_root, {"memory/more.md": "# More\n"})
    sync_workspace(workspace)
    for number in (10, 100):
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            page(client)
        counts.append(len(queries))
        lines = "".join(f"- gone | Details → memory/n{n}.md\n" for n in range(number))
        write(workspace_root, {"MEMORY.md": INDEX + lines})
        write(workspace_root, {f"memory/n-{n}.md": f"# N{n}\n" for n in range(number)})
        sync_workspace(workspace)
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        page(client)

    # An import leaves the facts of its workspace for the next page.
    assert len(queries) <= counts[0] == counts[1]


def test_problems_are_on_this_page_by_now(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, FILES)

    assert client.get("/w/acme/problems/")["Location"] == f"{URL}#problems"
    assert client.get("/w/nobody/health/").status_code == 404
    assert client.post(URL).status_code == 405


def test_it_says_what_changed_on_disk_where_nobody_watches(
    client: Client, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, FILES)
    write(workspace_root, {"memory/new.md": "# New\n", "MEMORY.md": "# Other\n"})
    (workspace_root / "memories/errors.md").unlink()
    assert "changed on disk" not in page(client)

    Workspace.objects.update(checked_at=timezone.now() - timedelta(hours=3))
    assert "checked 3 h ago. 4 files on disk, all imported." in page(client)
    assert "3 files changed on disk since then." in page(client)

    workspace_root.rename(workspace_root.with_name("away"))
    assert "The folder is not there now." in page(client)
    assert workspace.last_run == 1


def test_it_says_how_many_files_are_there_and_what_became_of_them(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = imported(workspace_root, FILES)
    assert "4 files on disk, all imported." in page(client)

    monkeypatch.setattr("django.conf.settings.MEMORYHUB_MAX_FILE_BYTES", 500)
    write(workspace_root, {"memory/new.md": "x" * 600, "memory/other.md": "y\n"})
    write(workspace_root, {"memories/project.md": "# Project\n" * 60})
    sync_workspace(workspace)

    told = "6 files on disk: 4 imported, 2 could not be read."
    assert told in page(client)


def test_lines_past_the_hosts_limit_are_told_though_tokens_are_left(
    client: Client, workspace_root: Path
) -> None:
    facts = [f"- [Fact {n}](fact-{n}.md)\n" for n in range(1, 204)]
    imported(workspace_root, {"MEMORY.md": "".join(facts)})

    html = " ".join(page(client).split())

    assert "3 lines left out" in html and "too many" not in html
    assert (
        "Claude Code gives its agent 200 lines or 25 kB: 3 lines are left out" in html
    )


def test_the_ledger_shows_where_a_host_stops_and_where_it_reads_on(
    client: Client, workspace_root: Path
) -> None:
    facts = "".join(f"- Fact {n}: {'x' * 500}\n" for n in range(1, 61))
    imported(workspace_root, {"MEMORY.md": facts, "SOUL.md": "# Soul\n"})

    html = " ".join(page(client, f"{URL}?all=1").split())

    assert "OpenClaw gives its agent 20000 characters: " in html
    assert html.count("From here on your agent reads nothing") == 1
    given, rest = html.split("From here on your agent reads nothing")
    cut, back = rest.split("From here on your agent reads again")
    assert 'data-line="1"' in given and 'data-line="40"' in cut
    assert 'data-line="60"' in back
