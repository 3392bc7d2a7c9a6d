"""Sessions, what they are bound to, and rows that a person assigns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.events.models import Event
from memoryhub.journal.models import Agent, Operation, Workspace
from memoryhub.people.callers import Caller
from snapshots.models import LogEntry
from tests.factories import TOPIC, imported
from tests.tools.asking import asked
from tests.writing import say
from topics.models import SessionBinding, Topic

LIST = "/w/acme/sessions/"
MAP = "memory/context-session-map.json"
KEYS = {
    "agent:main:telegram:direct:42/7": "ui",
    "agent:other:cli:direct:<b>": "ui",
    "cron:nightly": "ui",
}
ODD = "/w/acme/sessions/agent:main:telegram:direct:42%2F7/"


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    log = "# 2026-11-20\n\n## 07:30 - Started\nLooked at the queue.\n"
    files = {
        "memory/context-api.md": TOPIC,
        "memory/context-ui.md": TOPIC.replace("agent:builder:main", "-"),
        "memory/2026-11-20.md": log,
        MAP: json.dumps(KEYS),
    }
    return imported(workspace_root, files)


def html(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    return found[1] if found else ""


def test_the_list_tells_what_binds_each_session(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, LIST)

    assert "agent:other:cli:direct:&lt;b&gt;" in page and "<b>" not in page
    assert "by session map" in page and "by topic’s Meta" in page
    assert "1, last 280 → 45" in page
    assert "1 skipped by rule" in page and "cron:nightly" in page


def test_a_session_is_as_active_as_what_names_it_else_its_agent_is_named(
    client: Client, workspace: Workspace
) -> None:
    key = "agent:other:cli:direct:<b>"
    other = Caller(workspace, "other", agent="other")
    note = {"topic": "ui", "sessionId": key, "status": "Moved on"}
    asked(other, "context_snap", action="checkpoint", **note)
    say(workspace, {MAP: json.dumps({**KEYS, "agent:other:cli:direct:2": "ui"})})

    page = html(client, f"{LIST}{key}/")
    assert "1 event in 24 hours" in page and "last event of" not in page
    Event.objects.filter(kind="session").delete()
    page = html(client, f"{LIST}agent:other:cli:direct:2/")
    assert "last event of other" in page and "other: 1 event in 24 hours" in page


def test_a_key_with_colons_and_slashes_round_trips_in_the_address(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, LIST)

    assert f'href="{ODD}"' in page
    assert "agent:main:telegram:direct:42/7</h1>" in html(client, ODD)


def test_a_binding_of_the_first_import_has_no_time_of_its_own(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, ODD)

    assert re.search(r"<span class=.muted.>\s*by session map\s*</span>", page)
    assert "since ," not in page


def test_rebinding_writes_the_map_and_is_taken_back(
    client: Client, workspace: Workspace
) -> None:
    seen = hidden(html(client, ODD), "seen")

    answer = client.post(ODD, {"topic": "api", "seen": seen})

    assert (answer.status_code, answer["Location"]) == (303, ODD)
    said = json.loads(Path(workspace.root, MAP).read_text())
    assert said["agent:main:telegram:direct:42/7"] == "api"
    client.post(f"/w/acme/undo/{Operation.objects.get().key}/")
    assert json.loads(Path(workspace.root, MAP).read_text()) == KEYS


def test_rebinding_shows_in_the_export_where_edits_are_reviewed(
    client: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(review_before_writing=True)

    client.post(ODD, {"topic": "api", "seen": "ui"})

    page = html(client, ODD)
    assert "not exported yet" in page and hidden(page, "seen") == "api"
    assert Operation.objects.get().state == "staged"


def test_rebinding_what_another_rebound_is_a_conflict(
    client: Client, workspace: Workspace
) -> None:
    client.post(ODD, {"topic": "api", "seen": "ui"})

    answer = client.post(ODD, {"topic": "", "seen": "ui"})

    assert answer.status_code == 409
    page = answer.content.decode()
    assert re.search(r"<del>.*?ui.*?</del>", page) and re.search(r"<ins>.*?api", page)


def test_two_sessions_on_one_topic_are_both_listed_there(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, "/w/acme/topics/ui/sessions/")

    assert f'href="{ODD}"' in page and "agent:other:cli:direct:&lt;b&gt;" in page


def test_only_known_sessions_and_topics(client: Client, workspace: Workspace) -> None:
    assert client.get(f"{LIST}agent:none/").status_code == 404
    assert client.post(ODD, {"topic": "none", "seen": "ui"}).status_code == 404
    assert client.post(LIST).status_code == 405


def test_a_row_is_assigned_and_that_is_taken_back(
    client: Client, workspace: Workspace
) -> None:
    page = html(client, "/w/acme/unassigned/?kind=entry")
    url = re.search(r'href="(/w/acme/assign/entry/[^"]+)"', page)
    assert url and "Started" in page
    form = html(client, url[1])
    ui, builder = Topic.objects.get(name="ui"), Agent.objects.get(name="builder")
    said = {"agent": builder.code, "topic": ui.code, "seen": hidden(form, "seen")}

    answer = client.post(url[1], said)

    assert answer.status_code == 303
    assert LogEntry.objects.get().topic == ui
    assert "All of these have an agent and a topic" in html(client, answer["Location"])
    client.post(f"/w/acme/undo/{Operation.objects.get().key}/")
    assert LogEntry.objects.get().topic is None


def test_of_two_who_assign_the_second_is_told(
    client: Client, workspace: Workspace
) -> None:
    url = f"/w/acme/assign/entry/{LogEntry.objects.get().code}/"
    ui = Topic.objects.get(name="ui")
    client.post(url, {"topic": ui.code, "seen": ""})

    answer = client.post(url, {"topic": "", "seen": ""})

    assert answer.status_code == 409 and "ui" in answer.content.decode()
    assert client.post(url, {"topic": "x", "seen": ui.code}).status_code == 404
    assert LogEntry.objects.get().topic == ui


@pytest.mark.parametrize(
    "end", ["entry/x/", "none/0000000000000/", "item/000000000000a/"]
)
def test_there_is_nothing_else_to_assign(
    client: Client, workspace: Workspace, end: str
) -> None:
    assert client.get(f"/w/acme/assign/{end}").status_code == 404


def test_the_number_of_queries_does_not_grow(
    client: Client, workspace: Workspace
) -> None:
    counts = []
    for number in (10, 100):
        keys = {f"agent:main:cli:direct:{n}": f"t{n}" for n in range(number)}
        say(workspace, {MAP: json.dumps(keys)})
        client.get(LIST)
        with CaptureQueriesContext(connection) as queries:
            html(client, LIST)
        counts.append(len(queries))

    assert SessionBinding.objects.count() > 100
    assert counts[0] == counts[1]


def test_operations_of_a_session_are_found_by_an_index(
    client: Client, workspace: Workspace
) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get(LIST)

    column = f'"{Operation._meta.db_table}"."session" IN'
    of_sessions = [query["sql"] for query in queries if column in query["sql"]]
    assert of_sessions
    with connection.cursor() as cursor:
        for statement in of_sessions:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
            assert "operation_session" in str(cursor.fetchall())
