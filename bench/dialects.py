"""The text of one file of each dialect, in the shapes real workspaces have.

Every function takes a `Prose` and a moment and gives back a whole file. The shares
were counted over 2,694 daily logs of 90 public workspaces.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta

from bench.prose import Prose

AGENTS = ("planner", "builder", "reviewer", "docs", "scout")
_SOURCES = ("telegram", "discord", "webchat", "feishu", "gateway:sessions.reset")
_MARKS = ("✅", "❌", "⏳", "⚠️", "🔄")
_LABELS = (
    "Next steps",
    "Blockers",
    "Lessons learned",
    "Files modified",
    "待办",
    "下一步",
)
_H1_FORMS = (
    "# {day}",
    "# {day}",
    "# {day} Daily Log",
    "# Memory — {day}",
    "# {day} (Monday)",
    "# {day} 工作日志",
)
_SESSION_HEADINGS = (
    "Session ID",
    "Project Root",
    "Objective",
    "Execution Plan",
    "Working Files (Modified)",
    "Reference Files (Read-Only)",
    "Last Action",
    "Decisions",
    "Constraints",
    "Dependencies",
    "Known Issues",
    "Changes Made",
    "Pending",
    "Notes",
)


def daily_log(prose: Prose, when: datetime) -> str:
    """A free-form log: a title, entries, and in some files task snapshots."""
    parts = []
    if prose.chance(0.02):
        parts.append(f"---\ndate: {when:%Y-%m-%d}\ntags: [{prose.name(1)}]\n---\n")
    if prose.chance(0.85):
        title = prose.rng.choice(_H1_FORMS).format(day=f"{when:%Y-%m-%d}")
        parts.append(f"{title}\n")
    if prose.chance(0.18):
        parts.append(f"{prose.paragraph(2)}\n")
    parts.extend(entry(prose, when) for _ in range(_entry_count(prose)))
    if prose.chance(0.12):
        count = prose.number(1, 2)
        parts.extend(task_snapshot(prose, when, n) for n in range(1, count + 1))
    return "\n".join(parts)


def _entry_count(prose: Prose) -> int:
    """Median 5, a tenth over 14, and now and then a log of hundreds."""
    if prose.chance(0.0005):
        return prose.number(150, 500)
    return max(1, min(60, round(prose.rng.lognormvariate(1.62, 0.75))))


def entry(prose: Prose, when: datetime) -> str:
    """One section of a log: a heading and a body of one of the usual shapes."""
    return f"{_entry_heading(prose, when)}\n\n{_entry_body(prose, when)}"


def _entry_heading(prose: Prose, when: datetime) -> str:
    clock = f"{prose.number(0, 23):02}:{prose.number(0, 59):02}"
    forms = (
        f"## {prose.title()}",
        f"## {prose.title()} ({clock} UTC)",
        f"## {clock} - {prose.title()}",
        f"## {prose.rng.choice(_MARKS)} {prose.title()}",
        f"## Session {prose.number(1, 40)}",
        f"## {when:%Y-%m-%d}: {prose.title()}",
    )
    return prose.rng.choices(forms, (43, 21, 19, 9, 4, 4))[0]


def _entry_body(prose: Prose, when: datetime) -> str:
    shapes = (bullets, _paragraph, _facts_and_bullets, checkboxes, decisions)
    rare = (_labelled_bullets, fence, table, _han_paragraph)
    weights = (42, 18, 18, 4, 3, 4, 4, 3, 4)
    shape = prose.rng.choices((*shapes, *rare), weights)[0]
    return shape(prose, when)


def _paragraph(prose: Prose, _: datetime) -> str:
    return f"{prose.paragraph(prose.number(3, 7))}\n"


def _facts_and_bullets(prose: Prose, when: datetime) -> str:
    return facts(prose) + bullets(prose, when)


def _labelled_bullets(prose: Prose, when: datetime) -> str:
    return f"**{prose.rng.choice(_LABELS)}:**\n\n{bullets(prose, when)}"


def _han_paragraph(prose: Prose, _: datetime) -> str:
    return "".join(f"{prose.han_sentence()}\n" for _ in range(prose.number(2, 7)))


def bullets(prose: Prose, _: datetime) -> str:
    """A list, a part of it with an item below an item."""
    lines = []
    for _item in range(prose.number(2, 8)):
        lines.append(f"- {prose.sentence()}\n")
        if prose.chance(0.12):
            lines.append(f"  - {prose.sentence()}\n")
    return "".join(lines)


def facts(prose: Prose) -> str:
    """Lines of a bold key and a value."""
    keys = (prose.words(1).capitalize() for _ in range(prose.number(1, 4)))
    return "".join(f"- **{key}:** {prose.sentence()}\n" for key in keys)


def checkboxes(prose: Prose, _: datetime) -> str:
    """Open and done items."""
    boxes = ("[ ]", "[x]", "[X]", "[~]")
    chosen = prose.rng.choices(boxes, (60, 36, 2, 2), k=prose.number(2, 7))
    return "".join(f"- {box} {prose.sentence()}\n" for box in chosen)


def decisions(prose: Prose, when: datetime) -> str:
    """Decisions in the forms that agents use without a format."""
    if prose.chance(0.5):
        return f"**Decision:** {prose.sentence()}\n"
    lines = (f"- {prose.sentence()} ({prose.words(5)})\n" for _ in range(3))
    return f"### Key decisions\n\n{''.join(lines)}- {when:%Y-%m-%d}: {prose.title()}\n"


def fence(prose: Prose, _: datetime) -> str:
    """A code block; in a sixth of them a line looks like a heading."""
    first = f"# {prose.title()}\n" if prose.chance(0.17) else ""
    lines = (
        f"{prose.name(1)} = {prose.name(1)}({prose.number(1, 999)})\n" for _ in range(6)
    )
    return f"{prose.sentence()}\n\n```python\n{first}{''.join(lines)}```\n"


def table(prose: Prose, _: datetime) -> str:
    """A table of three columns."""
    rows = (
        f"| {prose.words(2)} | {prose.number(1, 999)} | {prose.rng.choice(_MARKS)} |\n"
        for _ in range(prose.number(3, 8))
    )
    return f"| what | count | state |\n|---|---|---|\n{''.join(rows)}"


def task_snapshot(prose: Prose, when: datetime, number: int) -> str:
    """A block of big-memory: eight sections between two markers."""
    phase = prose.rng.choice(("planning", "implementing", "debugging", "reviewing"))
    moment = when + timedelta(minutes=17 * number)
    state = (
        f"- Phase: {phase}\n- Branch: {prose.name()}\n- Blocked: no\n"
        f"- Progress: ~{prose.number(5, 95)}%"
    )
    sections = (
        ("Active Goal", prose.sentence()),
        ("Current State", state),
        ("Files In Play", f"- `/srv/app/{prose.path()}` -- {prose.words(5)}"),
        ("Decisions Made", f"1. {prose.words(7)} -- {prose.words(6)}"),
        ("Code Context", f"```python\n{prose.name(1)} = {prose.number(1, 99)}\n```"),
        ("Key Names & Values", f"- variable: `{prose.name(1)}`"),
        ("Blockers & Open Questions", f"- Question: {prose.sentence()}"),
        ("Next Steps", f"1. {prose.sentence()}\n2. {prose.sentence()}"),
    )
    body = "\n\n".join(f"### [SNAPSHOT] {name}\n{text}" for name, text in sections)
    return (
        f"---\n\n## Task Snapshot -- {moment:%H:%M}\n\n"
        f"<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        f"<!-- timestamp: {moment:%Y-%m-%dT%H:%M:%S} -->\n"
        f"<!-- snapshot-id: {moment:%Y-%m-%d}-{number:02} -->\n\n"
        f"{body}\n\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )


def transcript(prose: Prose, when: datetime) -> str:
    """A session that OpenClaw's hook wrote: a header and raw turns."""
    agent, source = prose.rng.choice(AGENTS), prose.rng.choice(_SOURCES)
    head = (
        f"# Session: {when:%Y-%m-%d %H:%M:%S} UTC\n\n"
        f"- **Session Key**: agent:{agent}:main\n"
        f"- **Session ID**: {prose.sha()}-{prose.sha()}\n- **Source**: {source}\n"
    )
    if prose.chance(0.18):
        return head
    turns = "".join(_turn(prose, number) for number in range(prose.number(6, 26)))
    return f"{head}\n## Conversation Summary\n\n{turns}"


def _turn(prose: Prose, number: int) -> str:
    role = ("user", "assistant")[number % 2]
    heading = f"\n## {prose.title()}\n" if prose.chance(0.04) else ""
    return f"{role}: {prose.paragraph(prose.number(1, 5))}\n{heading}"


def topic_context(prose: Prose, when: datetime) -> str:
    """A topic file of snap-memory."""
    dates = [when - timedelta(days=days) for days in range(prose.number(6, 24), 0, -1)]
    chosen = "".join(
        f"- {day:%Y-%m-%d}: {prose.words(9).capitalize()} ({prose.words(5)})\n"
        for day in dates[-20:]
    )
    past = "".join(f"- {day:%Y-%m-%d}: {prose.sentence()}\n" for day in dates)
    return (
        f"# {prose.name()}\n\n## Meta\n- **created**: {dates[0]:%Y-%m-%d}\n"
        f"- **session**: agent:{prose.rng.choice(AGENTS)}:main\n"
        f"- **updated**: {when:%Y-%m-%d}\n\n"
        f"## Current Status\n{prose.paragraph(2)}\n\n"
        f"## Key Decisions\n{chosen}\n## History\n{past}"
    )


def session_map(prose: Prose, topics: Iterable[str]) -> str:
    """The bindings of sessions to topics, as snap-memory keeps them."""
    bound = {
        f"agent:{prose.rng.choice(AGENTS)}:telegram:direct:{number}": topic
        for number, topic in enumerate(topics)
    }
    return json.dumps(bound, indent=2, ensure_ascii=False)


def note(prose: Prose, when: datetime) -> str:
    """An undated note of sections and lists."""
    sections = (
        f"## {prose.title()}\n\n{_entry_body(prose, when)}\n"
        for _ in range(_entry_count(prose))
    )
    return f"# {prose.title()}\n\n{prose.paragraph(2)}\n\n{''.join(sections)}"


def handoff(prose: Prose, when: datetime, task_id: str) -> str:
    """A task, its log and in most files its result."""
    sender, receiver = prose.rng.sample(AGENTS, 2)
    kind = prose.rng.choice(("read_only", "write", "decision"))
    end = prose.rng.choice(("done", "failed", "blocked"))
    stamp = f"{when:%Y-%m-%dT%H:%M:%SZ}"
    task = handoff_task(prose, task_id, (sender, receiver), kind)
    result = handoff_result(prose, task_id, end)
    log = f"- {stamp} {sender}: sent\n- {stamp} {receiver}: taken\n"
    tail = f"- {stamp} {receiver}: {end}\n\n{result}" if prose.chance(0.8) else ""
    return f"# Handoff {task_id}\n\n{task}\n## Log\n\n{log}{tail}"


def handoff_task(prose: Prose, task_id: str, agents: tuple[str, str], kind: str) -> str:
    """The block of a task that the first agent gives to the second."""
    sender, receiver = agents
    return (
        f"<task>\n  <from>{sender}</from>\n  <to>{receiver}</to>\n"
        f"  <task_id>{task_id}</task_id>\n  <type>{kind}</type>\n"
        f"  <context>{prose.words(20)}</context>\n  <input>{prose.path()}</input>\n"
        f"  <expected_output>{prose.sentence()}</expected_output>\n"
        f"  <constraints>{prose.words(8)}</constraints>\n</task>\n"
    )


def handoff_result(prose: Prose, task_id: str, status: str) -> str:
    """The block of a result."""
    return (
        f"<r>\n  <task_id>{task_id}</task_id>\n  <status>{status}</status>\n"
        f"  <o>{prose.paragraph(3)}</o>\n  <side_effects>none</side_effects>\n"
        f"  <memory_update>{prose.sentence()}</memory_update>\n</r>\n"
    )


def session_memory(prose: Prose, when: datetime, memory_id: str) -> str:
    """A session memory of ccw with its fourteen sections."""
    bodies = {
        "Session ID": f"WFS-{prose.name()}",
        "Project Root": f"/srv/{prose.name(1)}",
        "Execution Plan": _execution_plan(prose),
        "Working Files (Modified)": "\n".join(
            f"- /srv/app/{prose.path()} (role: {prose.words(2)})" for _ in range(5)
        ),
        "Decisions": f"- {prose.title()}: {prose.sentence()}",
        "Dependencies": "(none)",
    }
    sections = (
        f"## {heading}\n{bodies.get(heading) or f'- {prose.sentence()}'}"
        for heading in _SESSION_HEADINGS
    )
    front = f"---\nid: {memory_id}\ncreated: {when:%Y-%m-%dT%H:%M:%SZ}\n---\n\n"
    return front + "\n\n".join(sections)


def _execution_plan(prose: Prose) -> str:
    steps = (
        f"- [{prose.rng.choice('x> ')}] {prose.sentence()}\n"
        for _ in range(prose.number(4, 16))
    )
    return (
        "### Source: todo (TodoWrite)\n\n<details>\n"
        "<summary>Full Execution Plan (Click to expand)</summary>\n\n"
        f"{''.join(steps)}\n</details>"
    )


def dreaming(prose: Prose, when: datetime) -> str:
    """A generated report on candidates for long-term memory."""
    candidates = (
        f"- Candidate: {prose.sentence()}\n  - confidence: 0.{prose.number(10, 99)}\n"
        f"  - evidence: memory/{when:%Y-%m-%d}.md:{prose.number(1, 300)}-333\n"
        f"  - recalls: {prose.number(0, 9)}\n  - status: staged\n"
        for _ in range(prose.number(3, 25))
    )
    return f"# Light Sleep\n\n{''.join(candidates)}"


def auto_memory(prose: Prose, when: datetime) -> str:
    """One fact of Claude Code's auto-memory."""
    kind = prose.rng.choice(("project", "project", "feedback", "reference"))
    return (
        f"---\nname: {prose.title()}\ndescription: {prose.words(9)}\n"
        f"type: {kind}\n---\n\n"
        f"{prose.paragraph(3)}\n\n**Why:** {prose.sentence()}\n\n"
        f"**How to apply:** {prose.sentence()} Since {when:%Y-%m-%d}.\n"
    )


def memory_index(prose: Prose, when: datetime) -> str:
    """A curated MEMORY.md."""
    pointers = "".join(
        f"- {prose.title()} | {prose.words(4)} → memory/{prose.name()}.md\n"
        for _ in range(12)
    )
    return (
        f"# MEMORY.md - Long-Term Memory\n\n_Updated: {when:%Y-%m-%d %H:%M}_\n\n"
        f"## Current Project\n{facts(prose)}\n## Pointers\n{pointers}\n"
        f"## Lessons\n{bullets(prose, when)}\n{table(prose, when)}"
    )
