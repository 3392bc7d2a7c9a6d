"""A workspace whose every field that files feed holds hostile text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

#: How many payloads go into the files of one group.
SIZE = 100

_SECTIONS = (
    "Active Goal",
    "Current State",
    "Files In Play",
    "Decisions Made",
    "Code Context",
    "Key Names & Values",
    "Blockers & Open Questions",
    "Next Steps",
)
_CMEM_SECTIONS = (
    "Session ID", "Project Root", "Objective", "Execution Plan",
    "Working Files (Modified)", "Reference Files (Read-Only)", "Last Action",
    "Decisions", "Constraints", "Dependencies", "Known Issues", "Changes Made",
    "Pending", "Notes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """Some payloads and the topic, day and task that they are written to."""

    number: int
    texts: list[str]

    @property
    def topic(self) -> str:
        return f"hostile-{self.number:02}"

    @property
    def day(self) -> str:
        return f"2026-10-{self.number + 1:02}"

    @property
    def task(self) -> str:
        return f"20261020-{self.number:02}"

    def at(self, index: int) -> str:
        return self.texts[index % len(self.texts)]

    def bullets(self, start: int, count: int) -> str:
        return "".join(f"- {self.at(start + i)}\n" for i in range(count))


def groups_of(texts: list[str]) -> list[Group]:
    """Return the payloads in groups."""
    starts = range(0, len(texts), SIZE)
    return [Group(n, texts[start : start + SIZE]) for n, start in enumerate(starts)]


def write_hostile(root: Path, groups: list[Group]) -> None:
    """Write the workspace."""
    for group in groups:
        day = _log(group) + _snapshot(group, "08") + _snapshot(group, "17")
        _write(root, f"memory/context-{group.topic}.md", _topic(group))
        _write(root, f"memory/{group.day}.md", day)
        _write(root, f"memory/handoffs/{group.task}.md", _handoff(group))
        _write(root, f"memory/sessions/CMEM-202610{group.number + 1:02}-100000.md",
               _session_memory(group))  # fmt: skip
        for index in range(0, SIZE, 12):
            _write(root, _file_name(group, index), f"# {group.at(index)}\n")
    _write(root, "MEMORY.md", _index(groups))
    _write(root, "AGENTS.md", _roles(groups))
    _write(root, "memory/context-session-map.json", _sessions(groups))
    _write(root, "memories/errors.md", _errors(groups))
    _write(root, "memories/decisions.md", _decisions(groups))
    _write(root, "memories/context.md", _current(groups[0]))


def write_changes(root: Path, groups: list[Group], now: datetime) -> None:
    """Change long-lived files of the workspace, with entries of logs that say why."""
    for group in groups:
        path = root / f"memory/context-{group.topic}.md"
        text = path.read_bytes().decode()
        _write(
            root, f"memory/context-{group.topic}.md", f"{text}\n{group.bullets(0, 9)}"
        )
        _write(root, f"memory-bank/{_bank_name(group)}.md", f"# {group.at(5)}\n")
    added = "".join(f"## {group.at(4)}\n{group.bullets(5, 30)}" for group in groups)
    index = (root / "MEMORY.md").read_bytes().decode()
    _write(root, "MEMORY.md", index + added)
    entries = "".join(
        f"## {now:%H:%M} — {group.at(6)}\n\n{group.at(7)}\n\n" for group in groups
    )
    _write(root, f"memory/{now:%Y-%m-%d}.md", f"# {now:%Y-%m-%d}\n\n{entries}")


def _bank_name(group: Group) -> str:
    """Return a payload as the name of a file, as far as a file system takes it."""
    name = group.at(3).replace("/", "∕").replace("\0", "").strip(". ")
    return name.encode()[:120].decode(errors="ignore") or group.topic


def _write(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8", newline="")


def _file_name(group: Group, index: int) -> str:
    """Return a path that is a payload, as far as a file system takes it."""
    name = group.at(index).replace("/", "∕").replace("\0", "")
    cut = name.encode()[:180].decode(errors="ignore")
    kind = ("context-", "topic-", "")[index % 3]
    return f"memory/{kind}{cut}.md"


def _topic(group: Group) -> str:
    decisions = "".join(
        f"- {group.day}: {text} ({group.at(i + 1)})\n"
        for i, text in enumerate(group.texts)
    )
    history = "".join(f"- {group.day}: {text}\n" for text in group.texts)
    return (
        f"# {group.at(0)}\n\n## Meta\n- **created**: {group.at(1)}\n"
        f"- **updated**: {group.day}\n- **session**: agent:{group.at(2)}:main\n\n"
        f"## Current Status\n{group.at(3)}\n\n{group.bullets(4, 40)}\n"
        f"## Key Decisions\n{decisions}\n## History\n{history}"
    )


def _log(group: Group) -> str:
    entries = "".join(
        f"## {i % 24:02}:{i % 60:02} — {text}\n\n{text}\n\n"
        f"**Decision:** {text} -- {group.at(i + 1)}\n\n"
        for i, text in enumerate(group.texts)
    )
    return f"# {group.day} {group.at(0)}\n\n{entries}---\n\n"


def _snapshot(group: Group, hour: str) -> str:
    sections = "".join(
        f"### [SNAPSHOT] {name}\n{_section(group, name, 7 * n + int(hour))}\n"
        for n, name in enumerate([*_SECTIONS, group.at(int(hour))])
    )
    return (
        f"## Task Snapshot -- {hour}:00\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        f"<!-- timestamp: {group.day}T{hour}:00:00 -->\n"
        f"<!-- snapshot-id: {group.day}-{hour} -->\n"
        f"<!-- agent: {group.at(11)} -->\n<!-- topic: {group.topic} -->\n\n"
        f"{sections}<!-- /BIG-MEMORY-SNAPSHOT -->\n\n---\n\n"
    )


def _section(group: Group, name: str, start: int) -> str:
    if name == "Current State":
        labels = ("Phase", "Branch", "Blocked", "Progress", group.at(start))
        return "".join(
            f"- {label}: {group.at(start + i)}\n" for i, label in enumerate(labels)
        )
    if name == "Code Context":
        return f"```js {group.at(start)}\n{group.at(start + 1)}\n```\n"
    return f"{group.at(start)}\n{group.bullets(start + 1, 20)}"


def _handoff(group: Group) -> str:
    fields = ("from", "to", "context", "input", "expected_output", "constraints")
    values = "".join(
        f"  <{name}>{group.at(20 + i)}</{name}>\n" for i, name in enumerate(fields)
    )
    return (
        f"# Handoff {group.task}\n\n- due: {group.at(1)}\n- topic: {group.topic}\n\n"
        f"<task>\n{values}  <task_id>{group.task}</task_id>\n"
        "  <type>decision</type>\n</task>\n\n"
        f"<r>\n  <task_id>{group.task}</task_id>\n  <status>blocked</status>\n"
        f"  <o>{group.at(30)}</o>\n  <side_effects>{group.at(31)}</side_effects>\n"
        f"</r>\n\n## Log\n\n- {group.day}T08:10:00Z {group.at(32)}: sent\n"
        f"- {group.day}T09:10:00Z {group.at(33)}: blocked -- {group.at(34)}\n"
    )


def _session_memory(group: Group) -> str:
    sections = "".join(
        f"## {name}\n{group.at(5 * n)}\n{group.bullets(5 * n + 1, 8)}\n"
        for n, name in enumerate(_CMEM_SECTIONS)
    )
    stamp = f"{group.day}T10:00:00Z"
    return (
        f"---\nid: CMEM-202610{group.number + 1:02}-100000\ncreated: {stamp}\n"
        f"updated: {group.at(0)}\narchived: false\ntags: [{group.at(1)}]\n---\n\n"
        f"{sections}"
    )


def _index(groups: list[Group]) -> str:
    lines = "".join(
        f"- {text} | Status: {text} | Details → memory/{group.at(i + 1)}.md\n"
        for group in groups
        for i, text in enumerate(group.texts[:40])
    )
    return f"# MEMORY INDEX\n\n## {groups[0].at(0)}\n{lines}"


def _roles(groups: list[Group]) -> str:
    rows = "".join(
        f"| {text.replace('|', '')} | {text} | `{text}` |\n"
        for group in groups
        for text in group.texts[:4]
    )
    return f"# AGENTS\n\n## Roles\n\n| Agent | Responsibility |\n| --- | --- |\n{rows}"


def _sessions(groups: list[Group]) -> str:
    bindings = {
        f"agent:{text}:{group.at(i + 1)}:{i}": (group.topic, text)[i % 2]
        for group in groups
        for i, text in enumerate(group.texts[:10])
    }
    return json.dumps(bindings, indent=2, ensure_ascii=False)


def _errors(groups: list[Group]) -> str:
    lines = "".join(
        f"- {group.day} 09:00 {group.at(i)}: {text}\n"
        for group in groups
        for i, text in enumerate(group.texts)
    )
    return f"# Errors\n\n{lines}"


def _decisions(groups: list[Group]) -> str:
    lines = "".join(
        f"- {group.day}: {text} ({text}; supersedes {group.day}: {group.at(i + 1)})\n"
        for group in groups
        for i, text in enumerate(group.texts[50:60])
    )
    return f"# Decisions\n\n{lines}"


def _current(group: Group) -> str:
    return (
        f"# Current task\n\n{group.at(0)}\n\n<summary>\n- Completed:\n"
        f"  - {group.at(1)}\n- Pending:\n  - {group.at(2)}\n"
        f"- Key files: {group.at(3)}\n- Current task: {group.at(4)}\n</summary>\n\n"
        f"{group.bullets(5, 90)}"
    )
