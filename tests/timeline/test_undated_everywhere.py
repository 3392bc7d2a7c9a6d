"""Things of every kind with and without a time, at every door that lists them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from tests.factories import imported
from tests.signing import own_program
from tests.writing import say

pytestmark = pytest.mark.django_db(transaction=True)

TASK = """<task>
  <from>{sender}</from>
  <to>planner</to>
  <task_id>{id}</task_id>
  <type>decision</type>
  <context>{word} handoff</context>
</task>
"""
SNAPSHOT = """## Task Snapshot

<!-- BIG-MEMORY-SNAPSHOT v1 -->
{stamp}<!-- snapshot-id: {id} -->
<!-- agent: {agent} -->
<!-- topic: {topic} -->

### [SNAPSHOT] Active Goal
Reach the {word} goal

### [SNAPSHOT] Current State
- Phase: implementing

### [SNAPSHOT] Next Steps
1. [ ] Take the {word} step

<!-- /BIG-MEMORY-SNAPSHOT -->
"""
CONTEXT = """# Context: {topic}

## Meta
{created}- **session**: agent:{agent}:main

## Current Status
The {word} status

## Key Decisions
- {day}Order the {word} rope

## History
- {day}The {word} line
"""
DATED = {
    "memory/2026-05-02.md": "# 2026-05-02\n\n## 10:00 - The Dated entry\nText.\n\n"
    "Decision: keep the Dated pump\n\n- [ ] Order the Dated gasket\n\n"
    + TASK.format(sender="scout", id="20260502-01", word="Dated")
    + SNAPSHOT.format(
        stamp="<!-- timestamp: 2026-05-02T12:00:00 -->\n",
        id="2026-05-02-01", agent="scout", topic="aft", word="Dated",
    ),
    "memory/context-aft.md": CONTEXT.format(
        topic="aft", created="- **created**: 2026-05-01\n", agent="scout",
        word="Dated", day="2026-05-02: ",
    ),
    "AGENTS.md": "# Agents\n\n## Directives\n- 2026-05-02: Never touch the Dated valve\n",
}  # fmt: skip
UNDATED = {
    "memory/zz.md": "# zz\n\n## The Undated entry\nText.\n\n## Decisions\n"
    "- Keep the Undated pump\n\n"
    + SNAPSHOT.format(stamp="", id="odd", agent="pilot", topic="bow", word="Undated"),
    "memory/context-bow.md": CONTEXT.format(
        topic="bow", created="", agent="pilot", word="Undated", day="",
    ),
    "tasks.md": "# Tasks\n\n- [ ] Order the Undated gasket\n",
    "memory/tasks.md": TASK.format(sender="pilot", id="x-1", word="Undated"),
    "MEMORY.md": "# Memory\n\n## Directives\n- Never touch the Undated valve\n",
}  # fmt: skip


@pytest.fixture(params=["at once", "later"])
def workspace(
    request: pytest.FixtureRequest, workspace_root: Path, hub_data: Path
) -> Workspace:
    if request.param == "at once":
        return imported(workspace_root, UNDATED | DATED)
    workspace = imported(workspace_root, DATED)
    say(workspace, {**UNDATED})
    return workspace


PAGES = """
timeline/ timeline/?kind=decision timeline/?kind=note timeline/?kind=snapshot timeline/?kind=session
timeline/?kind=topic timeline/?kind=handoff timeline/?kind=history timeline/?kind=memory timeline/?q=Keep timeline/?group=session timeline/?since=last
decisions/ decisions/?sort=oldest open-items/ open-items/?sort=oldest handoffs/ handoffs/?view=list
sessions/ snapshots/ topics/ agents/ agents/scout/ agents/pilot/ files/ search/?q=dated search/?q=undated+dated topics/aft/ topics/bow/
directives/ memory/ days/ trends/ timeline.atom recall/ review/ health/ your-turn/
""".split()


def test_probe(client: Client, workspace: Workspace) -> None:
    import html, re
    for address in ["", *PAGES]:
        r = client.get(f"/w/acme/{address}", follow=True)
        page = r.content.decode()
        m = page.find("<main")
        text = re.sub(r"(?s)<script.*?</script>|<svg.*?</svg>", "", page[m:] if m > 0 else page)
        text = html.unescape(re.sub(r"(?s)<[^>]+>", " ", text))
        print("=====", address, r.status_code, r.redirect_chain[-1:] )
        if r.status_code == 200:
            print("\n".join(l for l in (" ".join(x.split()) for x in re.sub(r"\n\s*\n", "\n", text).splitlines()) if l))
    program = own_program()
    for what in ("decisions", "directives", "open-items", "handoffs", "events", "events?kind=decision", "events?kind=note&q=entry", "snapshots", "topics", "agents", "files", "sessions", "entries", "log-entries", "items", "search?q=dated", "memories", "history"):
        r = program.get(f"/api/v1/workspaces/acme/{what}")
        print("=====API", what, r.status_code)
        if r.status_code == 200:
            for row in r.json()["data"]:
                print("   ", json.dumps({k: v for k, v in row.items() if v and k not in ("source",)})[:400])
