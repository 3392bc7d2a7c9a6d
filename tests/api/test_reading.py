"""What programs read by REST."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memoryhub.dialects.handoff import Result, Task
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import report
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.calling import call, request_of
from memoryhub.tools.registry import tool_named
from tests.factories import make_events

BASE = "/api/v1/workspaces/acme"


def get(client: Client, path: str, **query: str) -> Any:
    response = client.get(BASE + path, query)
    assert response.status_code == 200, response.content
    return response.json()


def test_workspaces_are_listed(program: Client, workspace: Workspace) -> None:
    listed = program.get("/api/v1/workspaces").json()

    assert [found["slug"] for found in listed["data"]] == ["acme"]
    assert get(program, "")["data"] == listed["data"][0]


def test_a_topic_is_given_by_code_and_by_slug(
    program: Client, workspace: Workspace
) -> None:
    (listed,) = get(program, "/topics")["data"]

    by_code = get(program, f"/topics/{listed['code']}")["data"]
    assert by_code == get(program, "/topics/api")["data"]
    assert by_code["latest_snapshot"]["snapshot_id"] == "2026-11-20-02"
    assert "Poll every minute" in {said["text"] for said in by_code["decisions"]}


def test_a_snapshot_has_its_sections(program: Client, workspace: Workspace) -> None:
    newest, older = get(program, "/snapshots", topic="api", agent="builder")["data"]

    given = get(program, f"/snapshots/{newest['code']}")["data"]
    assert given["percent"] == 42 and older["percent"] == 41
    assert given["sections"][0]["title"] == "Active Goal"
    assert given["source"]["path"] == "memory/2026-11-20.md"


def test_a_day_is_what_all_wrote_down(program: Client, workspace: Workspace) -> None:
    day = get(program, "/days/2026-11-20")["data"]

    assert day["complete"] and len(day["snapshots"]) == 2
    assert day["entries"][0]["text"] == "Looked at the queue."
    for date in ("0001-01-01", "9999-12-31"):
        assert get(program, f"/days/{date}")["data"]["entries"] == []


def test_decisions_are_narrowed(program: Client, workspace: Workspace) -> None:
    listed = get(program, "/decisions", topic="api", q="events")["data"]

    assert [said["text"] for said in listed] == ["Use events"]
    code = listed[0]["code"]
    assert get(program, f"/decisions/{code}")["data"] == listed[0]
    assert get(program, "/decisions", topic="none")["data"] == []


def test_what_became_of_handoffs_is_asked_for_by_sender_and_time(
    program: Client, workspace: Workspace
) -> None:
    task = Task("", "planner", "builder", "read_only", "Audit the keys", "keys.md")
    sent = send(workspace, task, Author("planner", at=timezone.now())).handoff
    before = timezone.now().isoformat()
    report(sent, Result("", "done", "All rotated"), Author("builder"))

    given = get(program, f"/handoffs/{sent.task_id}")["data"]
    assert given == get(program, f"/handoffs/{sent.code}")["data"]
    assert (given["standing"], given["waits"]) == ("3 done, builder", "it is done")
    (done,) = get(program, "/handoffs", **{"from": "planner"}, since=before)["data"]
    tool = tool_named("handoff_list")
    listed = request_of(tool, {"sender": "planner", "since": before})
    answer = call(tool, Caller(workspace, "planner", "planner"), listed)

    assert (done["state"], done["result"]) == ("done", "All rotated")
    assert done == {name: given[name] for name in done}
    assert [row["state"] for row in answer.model_dump()["handoffs"]] == ["done"]
    assert get(program, "/handoffs", **{"from": "builder"})["data"] == []
    later = timezone.now().isoformat()
    assert get(program, "/handoffs", since=later)["data"] == []


@pytest.mark.parametrize("since", ["yesterday", "0.5", "1700000000", "2026-11-20"])
def test_a_time_without_a_zone_or_in_seconds_is_refused(
    program: Client, workspace: Workspace, since: str
) -> None:
    assert program.get(f"{BASE}/handoffs", {"since": since}).status_code == 422


def test_files_and_handoffs_are_listed(program: Client, workspace: Workspace) -> None:
    paths = [file["path"] for file in get(program, "/files")["data"]]

    assert paths == ["MEMORY.md", "memory/2026-11-20.md", "memory/context-api.md"]
    assert get(program, "/files", gone="true")["data"] == []
    assert get(program, "/handoffs", state="open", to="a")["data"] == []


def test_a_list_goes_on_where_it_ended(program: Client, workspace: Workspace) -> None:
    make_events(workspace, 120)
    first = get(program, "/events", kind="note")
    second = get(program, "/events", kind="note", cursor=first["next"])

    codes = [event["code"] for event in first["data"] + second["data"]]
    assert len(codes) == len(set(codes)) == 100
    assert get(program, "/events", agent="nobody")["data"] == []


@pytest.mark.parametrize(
    "path",
    [
        "/topics/none",
        "/snapshots/none",
        "/handoffs/none",
        "/decisions/0000000000000",
        "/nothing",
        "/x/y",
    ],
)  # fmt: skip
def test_what_there_is_not_is_not_found_in_the_error_shape(
    program: Client, workspace: Workspace, path: str
) -> None:
    response = program.get(BASE + path)

    assert response.status_code == 404
    assert set(response.json()["error"]) == {"code", "message", "details"}


@pytest.mark.parametrize("path", ["topics", "files", "events", "snapshots"])
@pytest.mark.parametrize("cursor", ["x", "WyJcdWQ4MDAiXQ", "MTI", "WzEsMl0", "\x00"])
def test_a_made_up_cursor_is_refused(
    program: Client, workspace: Workspace, path: str, cursor: str
) -> None:
    response = program.get(f"{BASE}/{path}", {"cursor": cursor})

    assert response.status_code == 404
    assert response.json()["error"]["code"] == "cursor-invalid"
