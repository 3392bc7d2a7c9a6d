"""Two workspaces written by hand: a harbour, and the quarry that works for it.

Topics in Chinese, entries without a time, several sessions of a topic, code fences left
open, and handoffs from the harbour whose work is done in the quarry.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace

#: When the files were last changed on disk.
ON_DISK = datetime(2026, 11, 12, 6, tzinfo=UTC)

_SNAPSHOT = """
---

## Task Snapshot -- {clock}

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: {day}T{clock}:00 -->
<!-- snapshot-id: {day}-{number:02} -->
{owner}
### [SNAPSHOT] Active Goal
{goal}

### [SNAPSHOT] Current State
- Phase: debugging
- Branch: fix/relay
- Blocked: no
- Progress: 3 of 4

### [SNAPSHOT] Files In Play
- `/srv/harbour/relay.py` -- reads the relay

### [SNAPSHOT] Decisions Made
{decisions}

### [SNAPSHOT] Code Context
{code}

### [SNAPSHOT] Key Names & Values
none

### [SNAPSHOT] Blockers & Open Questions
none

### [SNAPSHOT] Next Steps
1. Test the relay

<!-- /BIG-MEMORY-SNAPSHOT -->
"""

_HANDOFF = """# Handoff {number}

{head}
<task>
  <from>{sender}</from>
  <to>{recipient}</to>
  <task_id>{number}</task_id>
  <type>{kind}</type>
  <context>{context}</context>
  <input>the bench</input>
  <expected_output>it works</expected_output>
</task>

## Log

{log}"""


def _snapshot(number: int, clock: str, **values: str) -> str:
    said = {"day": "2026-11-21", "owner": "", "code": "none", "decisions": "none"}
    return _SNAPSHOT.format(number=number, clock=clock, **said | values)


def _handoff(
    number: str, kind: str, way: str, context: str, log: str, head: str = ""
) -> dict[str, str]:
    sender, recipient = way.split(" -> ")
    text = _HANDOFF.format(
        number=number, kind=kind, sender=sender, recipient=recipient,
        context=context, log=log, head=head,
    )  # fmt: skip
    return {f"memory/handoffs/{number}.md": text}


HARBOUR: Mapping[str, str] = {
    "USER.md": "# USER\n\n- **Name:** Ines Vale\n- **Timezone:** Asia/Shanghai\n",
    "AGENTS.md": """# AGENTS

| Agent | Responsibility |
| --- | --- |
| mei | 潮汐 model |
| kai | pumps |

## Older

<task>
  <from>mei</from>
  <to>kai</to>
  <task_id>ID-007</task_id>
  <type>write</type>
  <context>Label the valves. Nobody knows which is which.</context>
  <input>docs/valves.md</input>
</task>

<task>
  <from>rui</from>
  <to>mei</to>
  <task_id>ID-006</task_id>
  <type>read_only</type>
  <context>Which gauge is wet?</context>
</task>

<task>
  <from>kai</from>
  <to>operator</to>
  <task_id>ID-008</task_id>
  <type>read_only</type>
  <context>Is the north gate still rented?</context>
  <input>the contract</input>
</task>
""",
    "MEMORY.md": "# Memory\n\n- Gate G4 opens inward.\n- TODO: buy 2 spare floats\n",
    "memory/context-潮汐模型.md": """# 潮汐模型

## Meta
- **created**: 2026-11-02
- **session**: agent:mei:main

## Current Status
第一版已上线。等待船坞的确认。

## Key Decisions
- 2026-11-02: 用谐波分析 (比神经网络容易解释; signed off by Ines 2026-11-03)
- 2026-11-05: 每十分钟取样一次 (传感器的极限)
- 2026-11-09: Rejected: 每十分钟取样一次 (电池撑不过一周)
- 用 UTC 存储所有时间 (夏令时)
- 2026-11-12: 每三十分钟取样一次 (电池)

## History
- 2026-11-02: Context created
- 2026-11-10: Compaction completed (300→40 messages)
- 校准完成
""",
    "memory/context-pump-station.md": """# pump-station

## Meta
- **created**: 2026-11-04
- **session**: agent:kai:main

## Current Status
Pump 2 is wired. Pump 3 waits for a relay from the quarry.

## Key Decisions
- 2026-11-06: Run pumps in rotation (wear is even)
- 2026-11-08: Stop all pumps below 4 degrees (ice)
- 2026-11-15: Buy the relay from the quarry (two weeks sooner)
- Use blue tags for live lines

## History
- 2026-11-04: Context created
- 2026-11-14: Compaction completed (211→33 messages)
""",
    "memory/context-session-map.json": """{
  "agent:mei:main": "潮汐模型",
  "agent:kai:main": "pump-station",
  "agent:kai:telegram:9": "pump-station",
  "agent:mei:discord:group:5": "pump-station",
  "agent:rui:main": "pump-station"
}""",
    "memory/2026-11-21.md": """# 2026-11-21

## 10:15 Gate names

**Decision:** Name gates by compass -- the crew does already.

## 潮汐会议

决定：每周公布潮汐表。
"""
    + _snapshot(
        1,
        "11:20",
        owner="<!-- agent: kai -->\n<!-- topic: pump-station -->\n",
        goal="Wire pump 3.",
        decisions="1. Run pumps in rotation -- wear is even\n2. Solder it -- salt",
        code="```py\ndef relay():\n    pass",
    )
    + _snapshot(
        2,
        "12:45",
        owner="<!-- agent: mei -->\n<!-- topic: 潮汐模型 -->\n",
        goal="发布新的潮汐表。",
        code="~~~\nx = 1",
    )
    + _snapshot(3, "14:30", goal="Look at the float sensor."),
    "memory/decisions.md": """# Decisions

- 2026-11-01: Keep paper logs for a year (insurer; signed off by Ines 2026-11-01)
- Paint all gates yellow (visible in fog)
""",
    **_handoff(
        "20261119-01",
        "decision",
        "kai -> mei",
        "Stop all pumps below 4 degrees. Ice broke a valve.",
        "- 2026-11-19T08:00:00Z kai: sent\n",
        "- topic: pump-station\n",
    ),
    **_handoff(
        "20261119-02",
        "write",
        "mei -> kai",
        "Move the gauge to pier 2.",
        "- 2026-11-19T09:00:00Z mei: sent\n- 2026-11-19T09:30:00Z kai: taken\n",
    ),
}

QUARRY: Mapping[str, str] = {
    "AGENTS.md": "# AGENTS\n\n| Agent | Responsibility |\n| --- | --- |\n"
    "| dirk | mill |\n| ada | saw |\n",
    "memory/context-relay.md": """# relay

## Meta
- **created**: 2026-11-18
- **session**: agent:dirk:main

## Current Status
Housing is on the mill.

## Key Decisions
- 2026-11-19: Brass, not steel (salt)
- Rejected: Plastic housing (melts)

## History
- 2026-11-18: Context created
""",
    "memory/2026-11-20.md": "# 2026-11-20\n\n## 08:05\n\nSaw wet.\n\n```\nleft open\n"
    + _snapshot(1, "16:00", day="2026-11-20", goal="Mill the housing."),
    **_handoff(
        "20261120-01",
        "decision",
        "harbour/kai -> dirk",
        "Buy the relay from the quarry. Two weeks sooner.",
        "- 2026-11-20T07:00:00Z harbour/kai: sent\n",
        "- origin: harbour\n- due: 2026-11-22\n",
    ),
    **_handoff(
        "20261120-02",
        "write",
        "harbour/kai -> dirk",
        "Machine the relay housing.",
        "- 2026-11-20T07:10:00Z harbour/kai: sent\n"
        "- 2026-11-20T08:00:00Z dirk: taken\n",
        "- origin: harbour\n",
    ),
    **_handoff(
        "20261120-03",
        "read_only",
        "harbour/mei -> human",
        "石料的密度是多少？",
        "- 2026-11-20T07:20:00Z harbour/mei: sent\n",
        "- origin: harbour\n",
    ),
}


def both_imported(base: Path) -> tuple[Workspace, Workspace]:
    """Return the harbour and the quarry, written below a folder and imported."""
    found = []
    for slug, files in {"harbour": HARBOUR, "quarry": QUARRY}.items():
        for path, text in files.items():
            place = base / slug / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            os.utime(place, (ON_DISK.timestamp(), ON_DISK.timestamp()))
        found.append(add_workspace(base / slug, slug=slug))
    for workspace in found:
        sync_workspace(workspace)
        workspace.refresh_from_db()
    harbour, quarry = found
    return harbour, quarry
