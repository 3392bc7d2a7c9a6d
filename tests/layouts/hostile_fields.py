"""Files of today's hosts whose every field holds hostile text, a hundred a group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

_SIZE = 100
_LABELS = ("Done", "Next steps", "Blockers", "Failed approaches")
_CATEGORIES = ("decision", "todo", "preference", "fact")


def hostile_files(texts: Sequence[str]) -> dict[str, str]:
    """Return files by path in which each text stands in each kind of field."""
    files: dict[str, str] = {}
    for number in range(0, len(texts), _SIZE):
        group = _Group(number // _SIZE, texts[number : number + _SIZE])
        files.update(group.of_teams())
        files.update(group.of_notes())
        files.update(group.of_plans())
        files.update(group.of_codex())
    issues = "".join(_issues(texts))
    return {**files, ".beads/issues.jsonl": issues}


def _issues(texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        issue = {"id": f"h-{number}", "title": text, "assignee": text}
        issue |= {"status": ("open", "closed")[number % 2], "close_reason": text}
        issue |= {"closed_at": "2026-11-20T15:00:00Z"} if number % 2 else {}
        yield json.dumps(issue) + "\n"


class _Group:
    """Some texts, and the number by which their files are called."""

    def __init__(self, number: int, texts: Sequence[str]) -> None:
        self._number, self._texts = number, texts
        self._name = f"g{number:02}"

    def of_teams(self) -> dict[str, str]:
        said = [
            {"from": text, "text": text, "summary": text}
            | {"timestamp": f"2026-11-{1 + self._number:02}T09:12:44Z"}
            for text in self._texts
        ]
        members = [{"name": text, "agentType": text} for text in self._texts]
        team = {"name": self._texts[0], "members": members}
        tasks = {
            f".claude/tasks/{self._name}/{at}.json": json.dumps(
                {"subject": text, "status": "pending", "owner": text}
                | {"blockedBy": [text]}
            )
            for at, text in enumerate(self._texts[::10])
        }
        folder = f".claude/teams/{self._name}"
        return {
            f"{folder}/inboxes/lead.json": json.dumps(said),
            f"{folder}/config.json": json.dumps(team),
            **tasks,
        }

    def of_notes(self) -> dict[str, str]:
        one, other = self._texts[:2]
        labelled = "".join(
            f"## {label}\n{self._bullets(at)}\n" for at, label in enumerate(_LABELS)
        )
        observed = "".join(
            f"- [{_CATEGORIES[at % 4]}] {text} #{text} ({text})\n- {text} [[{text}]]\n"
            for at, text in enumerate(self._texts)
        )
        claims = "".join(
            f"  - text: {json.dumps(text)}\n    status: {json.dumps(text)}\n"
            f"    evidence:\n      - path: {json.dumps(text)}\n        lines: 1-2\n"
            for text in self._texts
        )
        blocks = "\n§\n".join(self._texts)
        return {
            f"handoffs/{self._name}.md": f"# {one}\n\nFrom: {other}\nTo: {one}\n\n"
            + labelled,
            f"notes/{self._name}.md": f"---\ntitle: {json.dumps(one)}\n"
            f"permalink: {self._name}\n---\n\n{observed}",
            f"wiki/{self._name}.md": f"---\npageType: entity\nid: {self._name}\n"
            f"title: {json.dumps(one)}\nclaims:\n{claims}questions:\n"
            f"  - {json.dumps(other)}\n---\n\n{one}\n",
            f"memories/{self._name}/MEMORY.md": blocks,
            f"memory/report-{self._name}-2026-10-{1 + self._number:02}.md": f"# {one}"
            f"\n\n{other}\n",
        }

    def of_plans(self) -> dict[str, str]:
        one, other = self._texts[2:4]
        boxes = "".join(f"- [ ] T0{at} {text}\n" for at, text in enumerate(self._texts))
        decided = "".join(
            f"- Decision: {text}\n  Rationale: {text}\n  Date/Author: 2026-05-01 / x\n"
            for text in self._texts
        )
        logged = "".join(
            f"## November {at % 28 + 1}, 2026 - {text}\n\n**Decision:** {text}\n\n"
            for at, text in enumerate(self._texts)
        )
        return {
            f"specs/0{self._name[1:]}-x/tasks.md": f"# Tasks: {one}\n\n{boxes}",
            f"specs/0{self._name[1:]}-x/spec.md": f"# Feature Specification: {one}\n\n"
            f"**Status**: {other}\n\n[NEEDS CLARIFICATION: {other}]\n",
            f"plans/{self._name}.md": f"# {one}\n\n## Progress\n\n{boxes}\n"
            f"## Decision Log\n\n{decided}",
            f"docs/adr/00{self._name[1:]}-x.md": f"# {one}\n\n## Status\n\nAccepted\n\n"
            f'## Decision\n\nChosen option: "{other}", because {one}\n',
            f"{self._name}/memory-bank/decisionLog.md": logged,
            f"{self._name}/memory-bank/activeContext.md": "# Active Context\n\n"
            f"## Current Focus\n\n{one}\n\n## Next Steps\n{self._bullets(0)}",
        }

    def of_codex(self) -> dict[str, str]:
        one, other = self._texts[4:6]
        rollout = (
            f"thread_id: t-{self._number}\nupdated_at: 2026-11-03T10:40:02+00:00\n"
            f"cwd: /home/x/{other}\n\n# {one}\n\n## Task 1: {other}\n\nOutcome: {one}\n"
        )
        raw = "".join(
            f"## Thread `{self._number}-{at}`\nupdated_at: 2026-11-03T10:40:02+00:00\n"
            f"cwd: {text}\n\ndescription: {text}\ntask_outcome: {text}\n\n"
            for at, text in enumerate(self._texts[:30])
        )
        folder = f"codex/{self._name}"
        return {
            f"{folder}/rollout_summaries/2026-11-03T09-00-00-a-x.md": rollout,
            f"{folder}/raw_memories.md": f"# Raw Memories\n\n{raw}",
            f"{folder}/memory_summary.md": f"v1\n\n## {one}\n\n{other}\n",
        }

    def _bullets(self, start: int) -> str:
        return "".join(f"- {text}\n" for text in self._texts[start::4])
