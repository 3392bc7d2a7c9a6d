"""The log of decisions, one of them, and adding, replacing and rejecting them."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Operation, Workspace
from tests.factories import TOPIC, imported, small, snapshot_text
from tests.writing import say
from topics.models import Decision

LIST = "/w/acme/decisions/"
NEW = "/w/acme/decisions/new/"
PATH = "memory/context-api.md"
DRAFT = {"text": "Use events", "why": "polling is slow", "day": "2026-11-20"}

EVENTS = "- 2026-11-20: Use events (asked in 20261120-07)\n"
TASK = """<task>
<from>planner</from>
<to>builder</to>
<task_id>{id}</task_id>
<type>decision</type>
<context>{context}</context>
</task>
"""


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


def html(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def detail(text: str, part: str = "") -> str:
    return f"{LIST}{Decision.objects.get(text=text).code}/{part}"


def test_d1_a_search_marks_words_in_text_and_reason(
    client: Client, workspace: Workspace
) -> None:
    say(
        workspace, {"memory/decisions.md": "- 2026-11-02: Stop polling (polling <b>)\n"}
    )

    page = html(client, f"{LIST}?q=polling")

    assert "Stop <mark>polling</mark>" in page
    assert "<mark>polling</mark> &lt;b&gt;" in page
    assert "Poll every minute" not in page


def test_d2_superseding_shows_both_directions_at_once(
    client: Client, workspace: Workspace
) -> None:
    old = Decision.objects.get(text="Poll every minute")
    form = html(client, f"{NEW}?supersedes={old.code}&topic=api")
    seen = re.search(r'name="seen" value="([^"]*)"', form)
    draft = {**DRAFT, "text": "Push", "old": "2026-11-10: Poll every minute"}

    client.post(NEW, {**draft, "topic": "api", "seen": seen[1] if seen else ""})

    line = (
        "- 2026-11-20: Push (polling is slow; supersedes 2026-11-10: Poll every minute)"
    )
    assert line in Path(workspace.root, PATH).read_text()
    page = html(client, f"{LIST}?topic=api")
    assert (
        f'Supersedes<a class="link lift" href="{detail("Poll every minute")}"' in page
    )
    assert f'Superseded by<a class="link lift" href="{detail("Push")}"' in page
    assert "Replacements" in html(client, detail("Push"))


def test_d3_a_dropped_decision_is_listed_with_the_import_that_dropped_it(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {PATH: TOPIC})
    without = re.sub("- 2026-11-10: Poll.*\n", "- 2026-11-12: Other (why)\n", TOPIC)
    say(workspace, {PATH: without})

    page = html(client, f"{LIST}?state=gone")

    assert "Poll every minute" in page and "Other" not in page.split("<main")[1]
    assert "no longer in the agent’s file since import #2" in page
    assert "import #2" in html(client, detail("Poll every minute"))


def test_d4_a_decision_needs_its_reason(client: Client, workspace: Workspace) -> None:
    answer = client.post(NEW, {**DRAFT, "why": "  "})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'aria-describedby="d-why-error"' in page and "Use events" in page
    assert not Operation.objects.exists()


def test_d5_one_decision_in_three_places_is_one_row_with_three_sources(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    line = "2026-11-10: Poll every minute (simplest to ship)"
    log = f"# 2026-11-20\n{snapshot_text(1)}"
    files = {
        PATH: TOPIC,
        "memory/2026-11-20.md": log,
        "memory/decisions.md": f"- {line}\n",
    }
    imported(workspace_root, files)

    page = html(client, LIST)

    assert page.count("Poll every minute</a>") == 1 and "and 2 more places" in page
    shown = html(client, detail("Poll every minute"))
    assert all(path in shown for path in files)
    assert "In snapshots" in shown


def test_a_decision_of_the_workspace_is_written_to_its_log(
    client: Client, workspace: Workspace
) -> None:
    answer = client.post(NEW, {**DRAFT, "key": "form-1"})
    client.post(NEW, {**DRAFT, "key": "form-1"})

    assert (answer.status_code, answer["Location"]) == (303, detail("Use events"))
    text = Path(workspace.root, "memory/decisions.md").read_text()
    assert text == "# Decisions\n\n- 2026-11-20: Use events (polling is slow)\n"


def test_the_preview_is_the_exact_line(client: Client, workspace: Workspace) -> None:
    answer = client.get(NEW, {**DRAFT, "topic": "api"}, headers={"HX-Request": "true"})

    page = answer.content.decode()
    assert "- 2026-11-20: Use events (polling is slow)" in page and PATH in page
    assert "<html" not in page and "HX-Request" in answer["Vary"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"text": ""}, "Write what was decided."),
        ({"day": "soon"}, "Write the day as"),
        ({"topic": "nothing"}, "There is no such topic."),
        ({"old": "Never said"}, "No decision contains this."),
        ({"old": "Poll every minute", "text": "poll  every minute"}, "replace itself"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(
    client: Client, workspace: Workspace, wrong: dict[str, str], message: str
) -> None:
    answer = client.post(NEW, {**DRAFT, **wrong})

    assert answer.status_code == 422 and message in answer.content.decode()


def test_two_people_cannot_replace_the_same_decision(
    client: Client, workspace: Workspace
) -> None:
    stale = {**DRAFT, "old": "Poll every minute", "seen": "stated"}
    client.post(NEW, {**stale, "text": "Push"})

    answer = client.post(NEW, {**stale, "text": "Pull"})

    page = answer.content.decode()
    assert answer.status_code == 409 and "superseded: Push" in page and "Pull" in page
    assert not Decision.objects.filter(text="Pull").exists()


def test_rejecting_keeps_the_line_and_adds_one(
    client: Client, workspace: Workspace
) -> None:
    url = detail("Poll every minute", "reject/")

    answer = client.post(url, {"reason": "too slow", "seen": "stated"})

    assert answer.status_code == 303
    text = Path(workspace.root, PATH).read_text()
    assert "- 2026-11-10: Poll every minute" in text
    assert "Rejected: Poll every minute (too slow)" in text
    assert Decision.objects.get(text="Poll every minute").state == "rejected"
    again = client.post(url, {"reason": "x", "seen": "stated"})
    assert again.status_code == 409


def test_rejecting_needs_a_reason(client: Client, workspace: Workspace) -> None:
    answer = client.post(detail("Poll every minute", "reject/"), {"seen": "stated"})

    assert "?why=missing" in answer["Location"]
    assert "Write why it is rejected." in html(client, answer["Location"])


def test_where_edits_are_reviewed_it_waits_and_can_be_taken_back(
    client: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(review_before_writing=True)

    client.post(NEW, {**DRAFT, "text": "Use queues"})

    page = html(client, LIST)
    assert "Not exported yet" in page and "Use queues" in page
    client.post(f"/w/acme/undo/{Operation.objects.get().key}/")
    assert "Use queues" not in html(client, LIST).split("<main")[1]


def test_decisions_answer_as_text(client: Client, workspace: Workspace) -> None:
    log = client.get("/w/acme/decisions.md")
    one = client.get(detail("Poll every minute").removesuffix("/") + ".md")

    line = "- 2026-11-10: Poll every minute (simplest to ship)\n"
    assert log["Content-Type"].startswith("text/markdown")
    assert line in log.content.decode()
    assert one.content.decode().startswith(line) and PATH in one.content.decode()


def test_facets_are_links_that_narrow_and_widen(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, f"{LIST}?topic=api&month=2026-11")

    assert 'href="/w/acme/decisions/?topic=api" aria-current="true">Nov' in page
    assert "?topic=api&amp;state=stated&amp;month=2026-11" in page
    assert "No such decision" in html(client, f"{LIST}?topic=nothing")


def test_what_waits_for_a_sign_off_is_a_state_of_its_own(
    client: Client, workspace: Workspace
) -> None:
    asked = TASK.format(id="t-1", context="Use events. Polling is slow.")
    say(workspace, {"memory/handoffs.md": asked, "memory/decisions.md": EVENTS})

    page = html(client, LIST)
    only = html(client, f"{LIST}?state=unsigned")

    assert (
        'Needs sign-off <span class="n">1<' in page and "2 decisions, including" in page
    )
    assert page.count("Needs sign-off</span>") == 1  # at the decision that it asks for
    assert "1 decision found" in only and 'id="waiting-title"' in only
    assert "planner → builder" in page
    assert "Poll every minute" not in only.split("<main")[1]
    assert 'id="waiting-title"' not in html(client, f"{LIST}?state=stated")


def test_of_many_that_wait_five_stand_above_the_log(
    client: Client, workspace: Workspace
) -> None:
    asked = [TASK.format(id=f"t-{n}", context=f"Use way {n}.") for n in range(12)]
    say(workspace, {"memory/handoffs.md": "\n".join(asked)})

    page = html(client, LIST)
    only = html(client, f"{LIST}?state=unsigned")

    assert page.count('class="btn small pri"') == 5
    assert 'href="/w/acme/decisions/?state=unsigned">7 more</a>' in page
    assert only.count('class="btn small pri"') == 12
    assert " more</a>" not in only


def test_handoffs_that_cite_a_decision_stand_beside_it(
    client: Client, workspace: Workspace
) -> None:
    tasks = [
        TASK.format(id="t-1", context="We said to USE EVENTS now. Do it."),
        TASK.format(id="20261120-07", context="Ask them."),
        TASK.format(id="t-3", context="Something else."),
    ]
    say(
        workspace, {"memory/handoffs.md": "".join(tasks), "memory/decisions.md": EVENTS}
    )

    page = html(client, detail("Use events", "")).split("Handoffs that cite it")[1]

    assert "t-1" in page and "20261120-07" in page and "t-3" not in page


def test_a_year_narrows_too(client: Client, workspace: Workspace) -> None:
    Decision.objects.filter(text="Poll every minute").update(
        decided_on=date(2025, 12, 31)
    )
    workspace.save()

    assert "?month=2025" in html(client, LIST)
    old = html(client, f"{LIST}?month=2025")
    assert "1 decision found" in old and "Poll every minute" in old
    assert "Poll every minute" not in html(client, f"{LIST}?month=2026")


@pytest.mark.parametrize(
    "query",
    [
        "month=9999",
        "month=0000",
        "month=0000-13",
        "state=x",
        "before=x",
        "before=2026_1",
        "q=%00",
        "agent=x",
    ],
)
def test_odd_queries_are_answered(
    client: Client, workspace: Workspace, query: str
) -> None:
    html(client, f"{LIST}?{query}")


def test_there_are_only_decisions_that_were_taken(
    client: Client, workspace: Workspace
) -> None:
    assert client.get(f"{LIST}0000000000000/").status_code == 404
    assert client.get(f"{LIST}what/").status_code == 404
    assert client.get(detail("Poll every minute", "reject/")).status_code == 405
    assert client.post(LIST).status_code == 405


def test_the_number_of_queries_does_not_grow_and_pages_go_on(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    counts = []
    workspace = imported(workspace_root, {PATH: TOPIC})
    for number in (10, 100):
        lines = "".join(
            f"- 2026-10-{1 + i % 28:02}: Number {i} (w)\n" for i in range(number)
        )
        say(workspace, {"memory/decisions.md": lines})
        client.get(LIST)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page = html(client, LIST)
        counts.append(len(queries))

    assert counts[0] == counts[1]
    older = re.search(r'class="more" href="([^"]+)"', page)
    assert older
    seen = set(re.findall(r">Number (\d+)<", page))
    seen |= set(
        re.findall(r">Number (\d+)<", html(client, older[1].replace("&amp;", "&")))
    )
    assert len(seen) >= 99


def test_a_decision_without_a_day_is_in_no_month(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    undated = "# Facts\n\n## Decisions\n- We keep the old scanner\n"
    dated = "- 2026-10-03: Use events (polling is slow)\n"
    imported(workspace_root, {"MEMORY.md": undated, "memory/decisions.md": dated})

    page = html(client, LIST)
    rail = page.partition('aria-labelledby="rail-title"')[2].partition("</nav>")[0]

    assert "Without a day in the text" in page
    assert re.findall(r"month=([\d-]+)", rail) in ([], ["2026-10"])
    found = Decision.objects.get(text="We keep the old scanner").occurred_at
    assert "We keep the old scanner" not in html(client, f"{LIST}?month={found:%Y-%m}")


_LONG = "Move every mooring line of the northern quay to the new bollards, " * 9
_WIDE = "北码头的所有系缆桩在冬季风暴来临之前更换为新铸件，因为旧的系缆桩开裂" * 6


@pytest.mark.parametrize("text", [_LONG.strip(" ,"), _WIDE, "x" * 900])
def test_a_long_decision_has_a_short_heading_and_its_whole_text_below(
    client: Client, hub_data: Path, workspace_root: Path, text: str
) -> None:
    imported(workspace_root, {"memory/decisions.md": f"- 2026-11-01: {text}\n"})
    code = Decision.objects.get().code

    page = html(client, f"{LIST}{code}/")

    (heading,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page)
    assert text.startswith(heading.removesuffix("…")) and heading.endswith("…")
    assert 60 < len(heading) < 250 and f'why break">{text}<' in page
    assert heading in html(client, LIST) and text not in html(client, LIST)


def test_a_rejected_decision_says_when_and_why_on_its_page_and_in_the_log(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    lines = (
        "- 2026-11-01: Paint the crane yellow (seen in fog)\n"
        "- 2026-11-03: Rejected: Paint the crane yellow (no paint before spring)\n"
    )
    imported(workspace_root, {"memory/decisions.md": lines})
    (row,) = Decision.objects.all()

    for address in (LIST, f"{LIST}{row.code}/"):
        page = html(client, address)
        assert "Rejected 3 Nov: no paint before spring" in page, address
