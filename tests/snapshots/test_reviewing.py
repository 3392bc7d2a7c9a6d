from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.journal.models import Workspace
from memoryhub.people.marks import mark_seen
from memoryhub.people.models import ReviewMark, SeenMark
from memoryhub.people.policy import operator
from memoryhub.sync.engine import sync_workspace
from snapshots.models import Snapshot
from tests.factories import imported, small, snapshot_text, write
from tests.growth import assert_growth_below
from tests.statements import statements
from tests.writing import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

LOG = "memory/2026-11-20.md"


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode().replace("&amp;", "&")


def code_of(number: int) -> str:
    return Snapshot.objects.get(snapshot_id=f"2026-11-20-{number:02}").code


def url_of(number: int, query: str = "") -> str:
    return f"/w/acme/snapshots/{code_of(number)}/{query}"


def grown(root: Path, *numbers: int) -> Workspace:
    """Return a workspace whose log got these snapshots, one import each."""
    workspace = imported(root, {LOG: "# Day\n"})
    text = "# Day\n"
    for number in numbers:
        text += snapshot_text(number)
        write(root, {LOG: text})
        sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def base_of(html: str) -> str:
    found = re.search(r'<option value="(\w+)" selected>([^<]*)', html)
    assert found
    return found[1]


def review_form(html: str, title: str) -> dict[str, str]:
    forms = re.findall(r'<form class="check".*?</form>', html, re.DOTALL)
    form = next(f for f in forms if f'value="{title}"' in f)
    return dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))


def press_reviewed(client: Client, number: int, title: str) -> None:
    form = review_form(page(client, url_of(number)), title)
    response = client.post(url_of(number, "reviewed/"), form)
    assert response.status_code == 303


def test_s1_the_base_is_the_last_one_that_was_seen(
    client: Client, workspace_root: Path
) -> None:
    workspace = grown(workspace_root, 1)
    mark_seen(operator(), workspace)
    say(workspace, {LOG: "# Day\n" + "".join(map(snapshot_text, (1, 2, 3)))})

    html = page(client, url_of(3))

    assert base_of(html) == code_of(1)
    assert "2026-11-20-01, last one you saw" in html
    assert "2026-11-20-02, previous" in html


def test_s1_without_anything_seen_the_base_is_the_previous_one(
    client: Client, workspace_root: Path
) -> None:
    grown(workspace_root, 1, 2, 3)

    assert base_of(page(client, url_of(3))) == code_of(2)


@pytest.mark.parametrize(("versus", "number"), [("prev", 2), ("last", 1)])
def test_s1_the_address_can_name_the_base(
    client: Client, workspace_root: Path, versus: str, number: int
) -> None:
    workspace = grown(workspace_root, 1)
    mark_seen(operator(), workspace)
    say(workspace, {LOG: "# Day\n" + "".join(map(snapshot_text, (1, 2, 3)))})

    html = page(client, url_of(3, f"?vs={versus}"))

    assert base_of(html) == code_of(number)
    assert f"view=recall&vs={versus}" in html


def test_s1_reloading_does_not_move_the_base(
    client: Client, workspace_root: Path
) -> None:
    grown(workspace_root, 1, 2, 3)
    first = base_of(page(client, url_of(3)))
    SeenMark.objects.update(viewed_at=timezone.now() - timedelta(minutes=2))

    assert base_of(page(client, url_of(3))) == first


def test_s2_a_reviewed_section_stays_so_and_closes(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    press_reviewed(client, 2, "Current State")

    html = page(client, url_of(2))
    assert "1 reviewed" in html
    assert html.count('aria-pressed="true"') == 1
    section = html[html.index('id="s2"') : html.index('id="s3"')]
    assert "<details>" in section


def test_s2_the_same_text_in_a_newer_snapshot_is_reviewed_too(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    press_reviewed(client, 2, "Decisions Made")
    log = (workspace_root / LOG).read_text()
    same = "1. Use events\n2. Poll every minute -- simplest to ship"
    say(workspace, {LOG: log + snapshot_text(3, decisions=same)})

    html = page(client, url_of(3, f"?vs={code_of(1)}"))

    assert review_form(html, "Decisions Made")["clear"] == "1"


def test_s2_another_text_clears_the_mark(client: Client, workspace_root: Path) -> None:
    workspace = small(workspace_root)
    press_reviewed(client, 2, "Decisions Made")
    log = (workspace_root / LOG).read_text()
    say(workspace, {LOG: log + snapshot_text(3, decisions="1. Ask nobody")})

    html = page(client, url_of(3))

    assert "clear" not in review_form(html, "Decisions Made")


def test_s2_pressing_again_takes_the_mark_back(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    press_reviewed(client, 2, "Current State")
    press_reviewed(client, 2, "Current State")

    assert not ReviewMark.objects.exists()


def test_the_key_r_is_on_the_first_section_that_waits(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    html = page(client, url_of(2))
    assert html.count('data-key="r"') == 1

    press_reviewed(client, 2, "Current State")

    form = page(client, url_of(2)).split('data-key="r"')[0].rsplit("<form", 1)[1]
    assert 'value="Decisions Made"' in form


@pytest.mark.parametrize(
    "form", [{}, {"title": "Mood", "sha": "x"}, {"title": "Nope", "sha": ""}]
)
def test_only_sections_of_the_snapshot_can_be_reviewed(
    client: Client, workspace_root: Path, form: dict[str, str]
) -> None:
    small(workspace_root)

    assert client.post(url_of(2, "reviewed/"), form).status_code == 404
    assert client.get(url_of(2, "reviewed/")).status_code == 405


def test_after_reviewing_one_does_not_end_up_elsewhere(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)
    form = review_form(page(client, url_of(2)), "Current State")

    response = client.post(
        url_of(2, "reviewed/"), {**form, "next": "https://example.org/"}
    )

    assert response["Location"] == url_of(2)


def test_s3_at_the_end_there_is_no_link(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client, url_of(2))

    assert 'aria-disabled="true" aria-label="Newer snapshot, none"' in html
    assert 'data-key="h"' in html and 'data-key="l"' not in html


def test_s3_older_and_newer_stay_inside_the_filter(
    client: Client, workspace_root: Path
) -> None:
    other = snapshot_text(2).replace("agent: builder", "agent: tester")
    log = "# Day\n" + snapshot_text(1) + other + snapshot_text(3)
    imported(workspace_root, {LOG: log})

    html = page(client, url_of(3, "?kind=snapshot&agent=builder"))

    assert f'{code_of(1)}/?kind=snapshot&agent=builder" data-key="h"' in html
    assert f'{code_of(2)}/" data-key="h"' in page(client, url_of(3))


def test_s4_what_is_missing_is_said_and_what_is_unknown_comes_last(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, url_of(2))

    section = html[html.index('id="s5"') : html.index('id="s6"')]
    assert "Code Context" in section and "missing in file" in section
    assert html.index("Next Steps") < html.rindex("Mood")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_s5_the_text_is_the_bytes_of_the_file(
    client: Client, workspace_root: Path, ending: str
) -> None:
    log = "# Day\n" + snapshot_text(1) + "\nAfter.\n"
    data = log.replace("\n", ending).encode()
    imported(workspace_root, {LOG: data})
    snapshot = Snapshot.objects.get()

    answer = client.get(f"/w/acme/snapshots/{snapshot.code}.md").content

    lines = data.split(b"\n")[snapshot.first_line - 1 : snapshot.last_line]
    assert answer == b"\n".join(lines) + b"\n"
    assert answer in data


def test_s5_bytes_that_are_no_utf8_stay_as_they_are_where_text_says_them(
    client: Client, workspace_root: Path
) -> None:
    log = "# Day\n" + snapshot_text(1).replace("Calm.", "Café.")
    imported(workspace_root, {LOG: log.encode("cp1252")})

    answer = client.get(f"/w/acme/snapshots/{code_of(1)}.md").content

    assert "Café." in answer.decode()


def test_s6_long_snapshots_are_compared_in_time_that_grows_with_them(
    client: Client, workspace_root: Path
) -> None:
    newer = {125: 2, 500: 4}
    log = "# Day\n"
    for size, number in newer.items():
        old = "\n".join(f"{n}. Decision {n} of many" for n in range(size))
        new = "\n".join(f"{n}. Choice {n * 7 % size} of many" for n in range(size))
        log += snapshot_text(number - 1, decisions=old)
        log += snapshot_text(number, decisions=new)
    imported(workspace_root, {LOG: log})

    assert_growth_below(3, lambda size: page(client, url_of(newer[size])), 125)


def test_a_renumbered_list_is_no_change(client: Client, workspace_root: Path) -> None:
    old, new = "1. Poll\n2. Push", "1. Ask\n2. Poll\n3. Push"
    log = "# Day\n" + snapshot_text(1, decisions=old) + snapshot_text(2, decisions=new)
    imported(workspace_root, {LOG: log})

    html = page(client, url_of(2))

    section = html[html.index('id="s4"') : html.index('id="s5"')]
    assert section.count("Added: </span>") == 1 and "Removed" not in section


def test_the_recall_card_warns_of_a_decision_that_was_replaced(
    client: Client, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    topic = (workspace_root / "memory/context-api.md").read_text()
    newer = "- 2026-11-21: Push (quota; supersedes 2026-11-10: Poll every minute)\n"
    say(
        workspace,
        {"memory/context-api.md": topic.replace("\n## Hist", f"{newer}\n## Hist")},
    )

    html = page(client, url_of(2, "?view=recall"))

    assert "“Poll every minute”, now “Push”" in html


@pytest.mark.parametrize("view", ["diff", "sections", "recall", "raw"])
def test_a_snapshot_takes_the_same_queries_however_many_there_are(
    client: Client, workspace_root: Path, view: str
) -> None:
    asked = []
    for number in (3, 19):
        blocks = (snapshot_text(n % 15, clock=f"{n:02}:00") for n in range(1, number))
        imported(workspace_root, {LOG: f"# Day\n{''.join(blocks)}"})
        newest = Snapshot.objects.latest("occurred_at")
        url = f"/w/acme/snapshots/{newest.code}/?view={view}"
        asked.append(statements(lambda: page(client, url)))  # noqa: B023

    assert asked[0] == asked[1]
