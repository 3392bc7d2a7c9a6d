"""Agents: all of them by need, and one with what it did and will be told."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Agent, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import (
    NOON,
    TOPIC,
    imported,
    make_events,
    make_workspace_row,
    snapshot_text,
)
from tests.signing import own_program

pytestmark = pytest.mark.django_db
ROLES = "# AGENTS\n\n## Roles\n\n- builder: code and tests\n- idler: nothing\n"
LOG = """# 2026-11-20

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-11-20T08:00:00 -->
<!-- snapshot-id: s1 -->
<!-- agent: builder -->
<!-- topic: api -->

### [SNAPSHOT] Active Goal
Deliver events. Soon.

### [SNAPSHOT] Current State
- Phase: implementing
- Blocked: yes -- upstream
- Progress: 40%

### [SNAPSHOT] Next Steps
1. [ ] Write the test

<!-- /BIG-MEMORY-SNAPSHOT -->
"""


@pytest.fixture
def workspace(workspace_root: Path, hub_data: Path) -> Workspace:
    return imported(
        workspace_root,
        {
            "AGENTS.md": ROLES,
            "memory/context-api.md": TOPIC,
            "memory/2026-11-20.md": LOG,
        },
    )


def text_of(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200
    return page.content.decode()


def test_agents_are_listed_with_state_and_rule(
    client: Client, workspace: Workspace
) -> None:
    text = text_of(client, "/w/acme/agents/")

    assert "<h1>1 agent</h1>" in text
    assert "Blocked</span>" in text
    assert "Its newest snapshot is blocked" in text


def test_agents_that_are_only_named_stand_apart(
    client: Client, workspace: Workspace
) -> None:
    text = text_of(client, "/w/acme/agents/")

    apart = text.partition("Named, no activity recorded")[2]
    assert "idler" in apart
    assert "builder" not in apart


def test_an_agent_shows_role_work_sessions_and_what_it_wrote(
    client: Client, workspace: Workspace
) -> None:
    text = text_of(client, "/w/acme/agents/builder/")

    assert "code and tests" in text
    assert "/w/acme/files/AGENTS.md?view=raw#L5" in text
    assert "Deliver events" in text
    assert "agent:builder:main" in text
    assert "/w/acme/topics/api/recall/" in text
    assert "40%" in text
    assert "Session · bound" not in text  # a first import: nobody knows when


def test_an_agent_that_no_file_names_is_there_once_it_did_something(
    client: Client, workspace: Workspace
) -> None:
    text = {"text": "Endpoints live."}
    edit = Edit("memory/context-api.md", "set_status", text, "relay")

    apply_edit(workspace, edit)

    for address in ("/w/acme/", "/w/acme/agents/"):
        assert "/w/acme/agents/relay/" in text_of(client, address)
    assert "context-api.md" in text_of(client, "/w/acme/agents/relay/")


def test_an_unknown_agent_is_not_found(client: Client, workspace: Workspace) -> None:
    assert client.get("/w/acme/agents/nobody/").status_code == 404
    assert client.get("/w/nowhere/agents/").status_code == 404
    assert client.post("/w/acme/agents/").status_code == 405


@pytest.mark.parametrize("name", ["a/b", "<b>x</b>", "小明", "a b?c#d", "100%"])
def test_any_name_has_a_page(client: Client, name: str) -> None:
    workspace = make_workspace_row()
    Agent.objects.create(id=7, workspace=workspace, name=name, first_seq=1)
    make_events(workspace, 2, agent_id=7)

    text = text_of(client, "/w/acme/agents/")
    address = f"/w/acme/agents/{quote(name, safe='')}/"

    assert address in text
    assert "<b>x</b>" not in text_of(client, address)


def test_lists_take_as_many_queries_for_many_agents(client: Client) -> None:
    workspace = make_workspace_row()
    counts = []
    for size in (10, 50):
        for n in range(size):
            agent, _ = Agent.objects.get_or_create(
                id=n + 1, workspace=workspace, name=f"a{n}", first_seq=1
            )
            make_events(workspace, 2, agent=agent)
        with CaptureQueriesContext(connection) as queries:
            text_of(client, "/w/acme/agents/")
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_the_last_24_hours_of_each_agent_are_bars(client: Client) -> None:
    workspace = make_workspace_row()
    agent = Agent.objects.create(id=1, workspace=workspace, name="builder", first_seq=1)
    Workspace.objects.update(projected_seq=1, last_seq=1)
    make_events(workspace, 3, agent=agent, occurred_at=NOON - timedelta(hours=2))
    make_events(workspace, 2, agent=agent, occurred_at=NOON - timedelta(hours=30))
    make_events(workspace, 1, agent=agent, occurred_at=NOON, precision="day")

    page = text_of(client, "/w/acme/")

    assert 'class="spark"' in page and 'aria-label="3 events in 24 hours"' in page
    assert '<rect x="84" y="0" width="3" height="20"/></svg>' in page


SENT_BACK = """# Handoff 20261119-05

<task>
<from>stoker</from>
<to>mason</to>
<task_id>20261119-05</task_id>
<type>write</type>
<context>Paint the lines</context>
<input>yard</input>
<expected_output>lines</expected_output>
<constraints></constraints>
</task>

## Log

- 2026-11-19T12:00:00Z stoker: sent
- 2026-11-19T12:10:00Z mason: sent back -- which lines?
"""


def test_nobody_waits_for_who_sent_work_back(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    reviewed = SENT_BACK.replace("-05", "-06").replace("stoker", "cook")
    reviewed = reviewed.replace("<context>", "<review>porter</review>\n<context>")
    reviewed = reviewed.replace("sent back -- which lines?", "taken") + (
        "- 2026-11-19T12:20:00Z mason: done\n"
    )
    files = {"05": SENT_BACK, "06": reviewed}
    imported(
        workspace_root,
        {f"memory/handoffs/20261119-{n}.md": text for n, text in files.items()},
    )

    stoker = text_of(client, "/w/acme/agents/stoker/")
    cook = text_of(client, "/w/acme/agents/cook/")
    board = text_of(client, "/w/acme/handoffs/")

    assert "Waits for" not in stoker and "nothing since" not in stoker
    assert ">porter</a>" in cook.partition("Waits for")[2][:300]
    assert "1 wait<" in board


@pytest.mark.parametrize(
    ("language", "type", "colon"),
    [("en", "read only", ": "), ("zh-hans", "只读", "：")],
)
def test_a_timeline_has_the_words_of_the_reader(
    client: Client,
    workspace_root: Path,
    hub_data: Path,
    language: str,
    type: str,
    colon: str,
) -> None:
    task = SENT_BACK.replace("<type>write", "<type>read_only")
    imported(workspace_root, {"memory/handoffs/20261119-05.md": task})
    header = {"accept-language": language}
    page = client.get("/w/acme/timeline/", headers=header).content.decode()

    assert f">{type}</span>" in page and "read_only" not in page
    kinds = set(re.findall(r'<span class="sr">([^<]*)</span><a class="cover"', page))
    assert kinds and all(kind.endswith(colon) for kind in kinds)


@pytest.mark.parametrize("cause", ["waits for the {}", "Waiting on {}", "{}"])
def test_a_page_says_once_that_it_waits(
    client: Client, workspace_root: Path, hub_data: Path, cause: str
) -> None:
    stated = cause.format("tide of Friday")
    log = LOG.replace("yes -- upstream", f"yes -- {stated}")
    imported(workspace_root, {"memory/2026-11-20.md": log})

    for place in ("agents/", "agents/builder/", ""):
        page = text_of(client, f"/w/acme/{place}")
        words = re.sub(r"<[^>]+>|\s+", " ", page)
        assert re.search(r"(?i)waits for +tide of Friday", words), place


@pytest.mark.parametrize("went_on", [False, True])
def test_who_sent_blocked_work_waits(
    client: Client, workspace_root: Path, hub_data: Path, went_on: bool
) -> None:
    blocked = SENT_BACK.replace("sent back -- which lines?", "taken")
    blocked += "- 2026-11-19T12:20:00Z mason: blocked -- no paint left\n"
    files = {"memory/handoffs/20261119-05.md": blocked}
    done = snapshot_text(1, percent=100).replace("builder", "stoker")
    files |= {"memory/2026-11-20.md": f"# 2026-11-20\n{done}"} if went_on else {}
    imported(workspace_root, files)

    page, board = (
        text_of(client, f"/w/acme/{p}/") for p in ("agents/stoker", "handoffs")
    )
    rule = "is not finished" if went_on else "nothing since"
    assert "Waiting</span>" in page and rule in page
    assert "Idle" not in page and "No open work" not in page
    assert ">mason</a>" in page.partition("Waits for")[2][:300] and "1 wait<" in board


@pytest.mark.parametrize(("number", "said"), [(60, "60"), (61, "60+")])
def test_a_number_of_agents_that_is_cut_says_so(
    client: Client, workspace_root: Path, hub_data: Path, number: int, said: str
) -> None:
    tasks = "".join(
        f"<task>\n<from>cook{n:02}</from>\n<to>cook{n:02}</to>\n<task_id>t{n}</task_id>"
        f"\n<type>read_only</type>\n<context>Look {n}</context>\n</task>\n\n"
        for n in range(number)
    )
    imported(workspace_root, {"AGENTS.md": f"# AGENTS\n\n{tasks}"})

    listed, overview = text_of(client, "/w/acme/agents/"), text_of(client, "/w/acme/")

    assert f"{said} agents" in listed and f"{said} agents:" in overview
    assert ("Only the first 60" in listed) == (said == "60+")


def test_a_compaction_is_of_the_agent_of_its_session(
    client: Client, workspace_root: Path, hub_data: Path
) -> None:
    key = "agent:winch:main"
    topic = (
        f"# crane\n\n## Meta\n- **session**: {key}\n\n## Current Status\nUp.\n\n"
        "## History\n- 2026-11-19: Compaction completed (90→12 messages)\n"
    )
    identity = "# IDENTITY.md\n\n- **Name:** Otter\n"
    imported(
        workspace_root, {"IDENTITY.md": identity, "memory/context-crane.md": topic}
    )

    wrote = "Compacted 90 → 12 messages"
    assert wrote in text_of(client, "/w/acme/agents/winch/")
    assert wrote not in text_of(client, "/w/acme/agents/Otter/")
    sessions = text_of(client, "/w/acme/sessions/")
    assert "last 90 → 12" in sessions and "winch" in sessions
    events = (
        own_program()
        .get("/api/v1/workspaces/acme/events?kind=compaction")
        .json()["data"]
    )
    assert [event["agent"] for event in events] == ["winch"]
