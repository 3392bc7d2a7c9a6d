from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.events.models import Event
from tests.factories import imported, make_workspace_row, small

pytestmark = pytest.mark.django_db

URL = "/w/acme/days/2026-11-20/"


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_it_shows_entries_snapshots_and_where_they_stand(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client)

    assert "Looked at the queue." in html
    assert "memory/2026-11-20.md:3" in html and "view=raw#L3" in html
    assert "2026-11-20-01" in html and "2026-11-20-02" in html


def test_logs_of_all_agents_are_together_in_the_order_of_time(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(
        workspace_root,
        {
            "memory/2026-11-20.md": "## 09:00 Second\nb\n\n## 11:00 Fourth\n",
            "memory/2026-11-20-other.md": "## 08:00 First\na\n\n## 10:00 Third\n",
        },
    )

    html = page(client)

    places = [html.index(word) for word in ("First", "Second", "Third", "Fourth")]
    assert places == sorted(places)


def test_a_title_that_begins_a_sentence_is_not_cut_from_it(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    log = "## 15:00 배포\n배포 완료.\n\n## 16:00 Paint\nPaint. The gate is green.\n"
    imported(workspace_root, {"memory/2026-11-20.md": log})

    html = page(client)

    assert "<p>배포 완료.</p>" in html
    assert "<p>The gate is green.</p>" in html


def test_an_item_that_a_later_day_reports_is_not_shown_as_open(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(
        workspace_root,
        {
            "memory/2026-11-20.md": "## Open\n- [ ] Call the bindery\n- [ ] Buy ink\n",
            "memory/2026-11-21.md": "## 09:00 Bindery\nDone: Call the bindery ✅\n",
        },
    )

    lists = re.findall(r'(?s)<h2 id="(day-\w+)">.*?</section>', html := page(client))
    since = html[html.index('id="day-since"') :]

    assert lists[:2] == ["day-items", "day-since"]
    assert "Done since" in since and "Call the bindery" in since
    assert "Buy ink" not in since.partition("</section>")[0]


def test_open_and_done_items_have_lists_of_their_own_with_their_numbers(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    boxes = "- [ ] Order ink\n- [ ] Call the bindery\n- [x] Clean the press\n"
    imported(workspace_root, {"memory/2026-11-20.md": f"## 09:00 Press\n{boxes}"})

    html = page(client)

    heads = re.findall(
        r'<h2 id="day-(?:items|done)">(.+?)</h2>\s*<span[^>]*>(\d)', html
    )
    assert heads == [("Open items", "2"), ("Done", "1")]
    assert html.index("Call the bindery") < html.rindex("Clean the press")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Ink came at noon.", ""),
        ("Ink came at noon. Two tins leak.", "<p>Two tins leak.</p>"),
        ("- Ink came at noon\n- Two tins leak", "<li>Two tins leak</li>"),
        ("墨水到了。两罐漏了。", "<p>两罐漏了。</p>"),
    ],
)
def test_the_sentence_that_is_an_entrys_title_is_not_repeated(
    text: str, body: str, client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/2026-11-20.md": f"## 09:00\n{text}\n"})

    html = page(client)

    article = html[html.index("<article") : html.index("</article>")]
    assert article.count(text.lstrip("- ")[:4]) == 1
    assert body in article


def test_comments_and_marks_of_a_line_are_not_shown_in_lists(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    rule = "Rule: never push to main on **Mondays** without asking me"
    text = f"## 09:00 Rules\n{rule} <!-- weight: 3 -->\n"
    imported(workspace_root, {"memory/2026-11-20.md": text})

    html = page(client)

    side = html[html.index('id="day-rules"') :]
    assert "Mondays" in side
    assert "weight: 3" not in side and "**" not in side


def test_older_and_newer_lead_to_days_that_have_something(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    days = ("2026-11-02", "2026-11-09", "2026-11-20")
    log = "# Log\n\n## 09:00 Worked\ntext\n"
    imported(workspace_root, {f"memory/{day}.md": log for day in days})

    html = page(client, "/w/acme/days/2026-11-09/")

    assert 'href="/w/acme/days/2026-11-02/" rel="prev"' in html
    assert 'href="/w/acme/days/2026-11-20/" rel="next"' in html
    assert "No earlier day" in page(client, "/w/acme/days/2026-11-02/")


def test_it_answers_as_text_with_the_lines_as_they_stand(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)

    response = client.get("/w/acme/days/2026-11-20.md")

    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert "## 07:30 - Started\nLooked at the queue.\n" in response.content.decode()
    assert "<!-- memory/2026-11-20.md:3-" in response.content.decode()


def test_what_agents_write_never_runs(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    log = "# Log\n\n## 09:00 <script>alert(1)</script>\n<script>alert(2)</script>\n"
    imported(workspace_root, {"memory/2026-11-20.md": log})

    html = page(client)

    assert "<script>alert" not in html and "&lt;script&gt;alert(2)" in html


@pytest.mark.parametrize("day", ["2026-13-01", "20261120", "nonsense", "2026-1-1"])
def test_what_is_no_day_is_not_found(client: Client, day: str) -> None:
    make_workspace_row()

    assert client.get(f"/w/acme/days/{day}/").status_code == 404
    assert client.get(f"/w/acme/days/{day}.md").status_code == 404


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2026-11-20"])
def test_a_day_without_anything_says_so(client: Client, day: str) -> None:
    make_workspace_row()

    assert "No entry of this day" in page(client, f"/w/acme/days/{day}/")


def test_days_leads_to_the_last_one(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)

    assert client.get("/w/acme/days/")["Location"] == URL


def test_it_takes_as_many_queries_for_100_entries_as_for_10(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    counts = []
    for number in (10, 100):
        log = "# Log\n" + "".join(
            f"\n## 09:00 Entry {n}\nSee [it](2026-11-{n % 30 + 1:02}.md).\n"
            for n in range(number)
        )
        root = workspace_root / str(number)
        root.mkdir()
        workspace = imported_as(root, log, f"ws{number}")
        with CaptureQueriesContext(connection) as captured:
            page(client, f"/w/{workspace}/days/2026-11-20/")
        counts.append(len(captured))

    assert counts[0] == counts[1]
    assert Event.objects.filter(kind="note").count() == 110


def imported_as(root: Path, log: str, slug: str) -> str:
    workspace = imported(root, {"memory/2026-11-20.md": log})
    workspace.slug = slug
    workspace.save(update_fields=["slug"])
    return slug
