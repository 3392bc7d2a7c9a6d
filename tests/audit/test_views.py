"""The audit log as administrators read it: page, CSV, command."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memoryhub.audit.models import AuditEntry
from memoryhub.audit.origins import Door, Origin, entered
from memoryhub.audit.recording import record
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from tests.factories import make_workspace_row

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def log(client: Client) -> None:
    AuditEntry.objects.all()._raw_delete("default")
    with entered(Origin(Door.MCP, "builder", "mhub_a1b2", address="10.1.2.3")):
        record("write.set_status", workspace="acme", subject="memory/a.md", at=NOON)
        record("tool.handoff_take", workspace="beta", outcome="refused", at=NOON)
    with entered(Origin(Door.PAGE, "=cmd|' /C calc'!A0")):
        record("sign-in", at=NOON.replace(day=22))


def page(client: Client, query: str = "", at: str = "/audit/") -> str:
    answer = client.get(f"{at}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"write.set_status", "tool.handoff_take", "sign-in"}),
        ("?who=builder", {"write.set_status", "tool.handoff_take"}),
        ("?kind=write", {"write.set_status"}),
        ("?kind=sign-in", {"sign-in"}),
        ("?workspace=beta", {"tool.handoff_take"}),
        ("?outcome=refused", {"tool.handoff_take"}),
        ("?since=2026-11-21", {"sign-in"}),
        ("?until=2026-11-20", {"write.set_status", "tool.handoff_take"}),
        ("?who=nobody", set()),
    ],
)
def test_the_page_filters(client: Client, query: str, shown: set[str]) -> None:
    html = page(client, query)

    rows = html.partition('class="rows audit"')[2]
    actions = {"write.set_status", "tool.handoff_take", "sign-in"}
    assert {action for action in actions if f'break">{action}<' in rows} == shown
    assert ("No entry matches" in html) == (not shown)


@pytest.mark.usefixtures("log")
def test_a_row_says_who_from_where_and_with_what_outcome(client: Client) -> None:
    html = page(client, "?outcome=refused")

    for text in ("builder", "mhub_a1b2", "MCP", "10.1.2.3", "beta", "Refused"):
        assert text in html


@pytest.mark.usefixtures("log")
def test_a_spreadsheet_finds_no_formula(client: Client) -> None:
    answer = client.get("/audit/log.csv?kind=sign-in")

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(answer).decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["actor"] == "'=cmd|' /C calc'!A0"
    assert row["at"] == "2026-11-22T12:00:00+00:00"
    newest = AuditEntry.objects.first()
    assert newest and newest.action == "export.audit"


@pytest.mark.parametrize("first", [*"=+-@＝＋－＠\t\r"])
def test_no_first_character_begins_a_formula(client: Client, first: str) -> None:
    record("write.set_status", subject=f"{first}1+1", at=NOON)

    answer = client.get("/audit/log.csv?kind=write")

    text = b"".join(answer).decode()
    assert [
        row["subject"] for row in csv.DictReader(io.StringIO(text, newline=""))
    ] == [f"'{first}1+1"]


@pytest.mark.usefixtures("log")
def test_a_long_log_has_pages_with_the_same_number_of_queries(client: Client) -> None:
    counts = []
    for number in (1, 150):
        for _ in range(number):
            record("command.sync", at=NOON)
        with CaptureQueriesContext(connection) as queries:
            html = page(client)
        counts.append(len(queries))

    assert counts[0] == counts[1] and "Older entries" in html
    older = html.partition('class="more" href="')[2].partition('"')[0]
    assert "write.set_status" in page(client, older, at="")


@pytest.mark.usefixtures("log")
def test_in_a_team_administrators_alone_see_it(settings: Settings) -> None:
    settings.MEMORYHUB_TEAM = True
    acme, beta = make_workspace_row("acme"), make_workspace_row("beta")
    ada = User.objects.create(username="ada")
    grant(acme, ada, Role.ADMINISTRATOR)
    grant(beta, ada, Role.EDITOR)
    client = Client()
    client.force_login(ada)

    assert client.get("/audit/").status_code == 403
    assert client.get("/w/beta/audit/").status_code == 403
    assert client.get("/w/beta/audit/log.csv").status_code == 403
    html = page(client, at="/w/acme/audit/")
    assert "memory/a.md" in html and "tool.handoff_take" not in html
    # Nor the names of those who did nothing here.
    assert ">builder<" in html and "calc" not in html
    granted = AuditEntry.objects.filter(action="permission.granted")
    assert set(granted.values_list("subject", flat=True)) == {
        "ada administrator",
        "ada editor",
    }


def test_a_workspace_shows_nothing_of_an_earlier_one_of_its_name(
    client: Client, log: None
) -> None:
    Workspace.objects.filter(slug="acme").delete()
    made = make_workspace_row("acme")
    Workspace.objects.filter(pk=made.pk).update(created_at=NOON.replace(hour=13))
    record("token.made", workspace="acme", subject="newer", at=NOON.replace(hour=14))

    html = page(client, "?since=2026-11-01", at="/w/acme/audit/")
    text = b"".join(client.get("/w/acme/audit/log.csv")).decode()

    for shown in (html, text):
        assert "newer" in shown and "memory/a.md" not in shown
    assert ">builder<" not in html


def output(*line: str) -> str:
    out = io.StringIO()
    call_command("audit", *line, stdout=out)
    return out.getvalue()


@pytest.mark.usefixtures("log")
def test_the_command_lists_and_verifies(hub_data: object) -> None:
    assert "10.1.2.3  tool.handoff_take  refused  beta" in output(
        "list", "--outcome=refused"
    )
    whole = output("verify")
    head = whole.partition("Head: ")[2].strip()
    assert "3 entries from 1 on are whole" in whole
    assert "are whole" in output("verify", f"--head={head}")

    AuditEntry.objects.filter(action="tool.handoff_take").update(outcome="done")

    with pytest.raises(SystemExit) as ended:
        output("verify")
    assert ended.value.code == 1
    with pytest.raises(CommandError, match="no head"):
        output("verify", "--head=3:x")


def test_a_workspace_without_entries_says_so(
    client: Client, make_workspace: object, db: None
) -> None:
    made: Workspace = make_workspace_row("quiet")

    assert "Nothing was recorded yet" in page(client, at=f"/w/{made.slug}/audit/")
