"""The figures of handoffs: each with its finding in words, a plot and a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.board import figures, median_leads
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from memoryhub.web.handoffs.figures import _within, figures_of
from memoryhub.web.kit.clock import Clock
from tests.factories import imported, make_workspace_row, write

pytestmark = pytest.mark.django_db
SENT = datetime(2026, 11, 20, 9, tzinfo=UTC)
URL = "/w/acme/handoffs/figures/"

WITHDRAWN = """<task>
<from>planner</from><to>builder</to><task_id>20261120-{0}</task_id>
<type>write</type>
</task>

## Log

- 2026-11-20T08:00:00Z planner: sent
- 2026-11-20T09:00:00Z planner: withdrawn
- 2026-11-20T10:00:00Z planner: handed off again 20261120-9{0}
"""


def make_done(workspace: Workspace, number: int, *, to: str = "builder") -> None:
    first = Handoff.objects.count()
    Handoff.objects.bulk_create(
        Handoff(
            id=first + n + 1,
            workspace=workspace,
            file_id=1,
            position=n,
            first_line=1,
            last_line=1,
            first_seq=1,
            task_id=f"t{first + n}",
            sender="planner",
            recipient=to,
            type="write",
            state="done",
            occurred_at=SENT,
            precision="second",
            taken_at=SENT + timedelta(minutes=5),
            finished_at=SENT + timedelta(minutes=10 * (n + 1)),
            times_sent_back=n % 2,
        )
        for n in range(number)
    )


def text_of(client: Client) -> str:
    page = client.get(URL)
    assert page.status_code == 200
    return page.content.decode()


def test_each_figure_has_its_finding_and_a_table(client: Client) -> None:
    make_done(make_workspace_row(), 10)

    text = text_of(client)

    assert (
        "Half of 10 handoffs were done within 55 min, nine of ten within 90 min."
        in text
    )
    assert "Half of 10 handoffs were taken within 5 min" in text
    assert "builder takes longest: half within 55 min." in text
    assert "5 of 10 handoffs came back at least once, 50%." in text
    assert text.count('<svg class="plot" ') >= 4
    assert text.count("Show as table") >= 4


def test_without_any_handoff_there_are_sentences(client: Client) -> None:
    make_workspace_row()

    text = text_of(client)

    assert "No lead time is recorded." in text
    assert 'class="plot"' not in text


def test_what_was_read_in_one_go_has_no_lead_time(client: Client) -> None:
    make_done(make_workspace_row(), 3)
    Handoff.objects.update(finished_at=SENT, taken_at=None)

    assert "No lead time is recorded." in text_of(client)


def test_what_took_seconds_was_done_within_a_minute(client: Client) -> None:
    make_done(make_workspace_row(), 3)
    Handoff.objects.update(finished_at=SENT + timedelta(seconds=20))

    text = text_of(client)

    assert "Half of 3 handoffs were done within 1 min, nine of ten within 1 min" in text


def test_what_was_withdrawn_counts_for_nothing_when_handed_off_again(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(
        workspace_root,
        {f"memory/handoffs/20261120-{n}.md": WITHDRAWN.format(n) for n in range(5)},
    )

    found = figures_of(workspace, Clock.of("UTC"))

    assert not median_leads([workspace])
    assert found[0].finding == "No lead time is recorded."
    assert found[3].finding == "No handoff was sent yet."


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo"])
def test_days_end_with_the_workspaces_today(zone: str) -> None:
    workspace = make_workspace_row()
    make_done(workspace, 10)
    at = SENT.replace(hour=4 if zone.startswith("America") else 20)
    Handoff.objects.update(finished_at=at)

    throughput = figures_of(workspace, Clock(ZoneInfo(zone), at))[4]

    assert throughput.finding.startswith("10 handoffs were done in thirty days")
    assert "20 Nov: 10" in throughput.svg
    assert "21 Nov" not in throughput.svg


def test_names_of_agents_are_escaped(client: Client) -> None:
    make_done(make_workspace_row(), 3, to="<script>alert(1)</script>")

    assert "<script>alert" not in text_of(client)


def test_the_page_holds_thousands_in_as_many_queries_and_few_bytes(
    client: Client,
) -> None:
    workspace = make_workspace_row()
    make_done(workspace, 10)
    with CaptureQueriesContext(connection) as few:
        text_of(client)
    make_done(workspace, 2_000)
    with CaptureQueriesContext(connection) as many:
        text = text_of(client)

    assert len(few) == len(many)
    assert len(text) < 60_000


def test_news_elsewhere_leave_the_figures_as_they_are(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"memory/h.md": WITHDRAWN.format(1)})
    found = figures(workspace)
    for path, is_kept in (("memory/note.md", True), ("memory/i.md", False)):
        write(workspace_root, {path: WITHDRAWN.format(2) if not is_kept else "# N\n"})
        sync_workspace(workspace)
        workspace.refresh_from_db()

        assert (figures(workspace) is found) is is_kept


def test_a_rebuild_makes_the_figures_anew(hub_data: Path, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {"memory/h.md": WITHDRAWN.format(1)})
    found = figures(workspace)
    rebuild(workspace)
    workspace.refresh_from_db()

    assert figures(workspace) == found
    assert figures(workspace) is not found


def test_the_trends_have_the_lead_times(client: Client) -> None:
    make_done(make_workspace_row(), 10)

    assert "Lead time of handoffs" in client.get("/w/acme/trends/").content.decode()


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(0, "1 min"), (75, "75 min"), (120, "2 h"), (121, "3 h"), (2821, "2 days")],
)
def test_no_time_is_told_shorter_than_it_was(minutes: int, said: str) -> None:
    assert _within(timedelta(minutes=minutes)) == said


@pytest.mark.parametrize(
    ("number", "half", "ninth"),
    [(1, 10, 10), (2, 15, 20), (10, 55, 90), (11, 60, 100), (20, 105, 180)],
)
def test_a_group_has_the_middle_and_the_ninth_of_ten_of_its_times(
    number: int, half: int, ninth: int
) -> None:
    workspace = make_workspace_row()
    make_done(workspace, number)

    (lead,) = figures(workspace).lead_by_type
    (agent,) = figures(workspace).lead_by_agent
    (wait,) = figures(workspace).wait_by_type

    assert (lead.name, agent.name, wait.name) == ("write", "builder", "write")
    assert lead.times == tuple(600 * (n + 1) for n in range(number)) == agent.times
    assert (lead.median, lead.p90) == (
        timedelta(minutes=half),
        timedelta(minutes=ninth),
    )
    assert set(wait.times) == {300}


def test_groups_are_in_the_order_of_their_names_and_copies_count_nowhere() -> None:
    workspace = make_workspace_row()
    for name in ("mason", "builder", "clerk"):
        make_done(workspace, 2, to=name)
    Handoff.objects.filter(recipient="clerk").update(twin="mill/1")
    Handoff.objects.filter(recipient="mason").update(type="read_only")

    found = figures(workspace)

    assert [spread.name for spread in found.lead_by_agent] == ["builder", "mason"]
    assert [spread.name for spread in found.lead_by_type] == ["read_only", "write"]
    assert found.sent_back == (("read_only", 1, 2), ("write", 1, 2))
    assert len(found.done_at) == 4


@pytest.mark.parametrize(
    "changes",
    [{"precision": "none"}, {"finished_at": SENT}, {"state": "failed"},
     {"last_seq": 9}, {"finished_at": None}],
)  # fmt: skip
def test_a_usual_time_is_of_five_that_are_done_and_have_times(
    changes: dict[str, object],
) -> None:
    workspace = make_workspace_row()
    make_done(workspace, 5)
    assert median_leads([workspace, workspace]) == {"write": timedelta(minutes=30)}

    Handoff.objects.filter(task_id="t0").update(**changes)

    assert median_leads([workspace, workspace]) == {}


def test_a_usual_time_is_that_of_the_newest_three_hundred() -> None:
    workspace = make_workspace_row()
    make_done(workspace, 310)
    for row in Handoff.objects.all():
        minutes = 100 if int(row.task_id[1:]) < 10 else 10
        row.last_at = SENT + timedelta(minutes=int(row.task_id[1:]))
        row.finished_at = SENT + timedelta(minutes=minutes)
        row.save(update_fields=["last_at", "finished_at"])
    Handoff.objects.filter(task_id="t9").update(type="decision")

    assert median_leads([workspace]) == {"write": timedelta(minutes=10)}


def test_times_that_no_file_gives_are_no_waiting_time() -> None:
    workspace = make_workspace_row()
    make_done(workspace, 3)
    Handoff.objects.filter(task_id="t0").update(precision="none")
    Handoff.objects.filter(task_id="t1").update(taken_at=None, finished_at=None)

    found = figures(workspace)

    spreads = (*found.lead_by_type, *found.wait_by_type)
    assert [len(spread.times) for spread in spreads] == [1, 1]
    assert (len(found.done_at), found.sent_back) == (2, (("write", 1, 3),))


def test_work_elsewhere_counts_for_the_agent_as_its_sender_calls_it(
    both: tuple[Workspace, Workspace],
) -> None:
    shop, mill = both
    make_done(mill, 2)
    Handoff.objects.update(origin="shop")

    here, there = figures(shop), figures(mill)

    names = [spread.name for one in (here, there) for spread in one.lead_by_agent]
    assert names == ["mill/builder", "builder"]
