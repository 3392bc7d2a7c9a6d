"""A workspace that holds every dialect, and seeded random changes to its files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

_ROOT = Path(__file__).parents[1]
#: Folders of samples by dialect. Its rows are compared with those of earlier versions:
#: dialects that are newer than these are left out, and have tests of their rows.
_LATER = {"agent_mail", "cline_rules", "kiro_steering", "letta_memory"}
_SAMPLES = {
    path.parent.name: path
    for path in _ROOT.glob("memoryhub/dialects/*/samples")
    if path.parent.name not in _LATER
} | {"injection": _ROOT / "tests/corpus/injection"}
_SAMPLE = _ROOT / "samples/acme-checkout"

#: Where the samples of a dialect lie in a workspace; others lie in memory/.
_PLACES = {
    "active_context": "memories/{}",
    "agent_roles": "{}",
    "agent_team": ".claude/teams/harbour/inboxes/{}",
    "auto_memory": ".claude/projects/shop/memory/{}",
    "basic_memory": "notes/{}",
    "beads": "team-{number}/.beads/{}",
    "daily_log": "memory/2026-11-0{number}-{}",
    "decision_log": "memories/{}",
    "decision_record": "docs/adr/{}",
    "dreaming": "memory/dreaming/deep/{}",
    "error_log": "memories/{}",
    "exec_plan": "plans/{}",
    "handoff": "memory/handoffs/{}",
    "memory_bank": "shop/memory-bank/{}",
    "memory_index": "team-{number}/MEMORY.md",
    "project_notes": "memories/{}",
    "handoff_note": "team-{number}/handoffs/{}",
    "instructions": "memories/skills/tide-{number}/{}",
    "raw_memories": "codex-{number}/memories/raw_memories.md",
    "rollout_summary": "memories/rollout_summaries/{}",
    "session_compact": "memory/sessions/{}",
    "session_map": "team-{number}/memory/context-session-map.json",
    "session_transcript": "memory/2026-10-0{number}-{}",
    "spec_kit": "specs/00{number}-ferry/{}",
    "task_snapshot": "memory/2026-09-0{number}-{}",
    "wiki_page": "wiki/entities/{}",
    "topic_context": "memory/context-{}",
}

_LINES = [
    "- 2026-11-09: Retry with full jitter (measured)",
    "- 2026-11-10: Retry with full jitter, again",
    "- [ ] write it down",
    "- [x] write it down",
    "## 14:30 - A new part",
    "## History",
    "## Key Decisions",
    "agent:main:telegram:direct:1",
    "plain words",
    "```",
    "",
    "<r>\n  <task_id>20261120-03</task_id>\n  <status>done</status>\n</r>",
    "- Rejected: Retry with full jitter",
    "- 2026-11-11: Compacted from 90000 to 20000 tokens",
]


def write_every_dialect(root: Path, *, small: bool = False) -> None:
    """Write samples of every dialect into a folder; with a whole workspace's files."""
    if not small:
        shutil.copytree(_SAMPLE, root, dirs_exist_ok=True)
    for name, folder in sorted(_SAMPLES.items()):
        for number, sample in enumerate(sorted(folder.iterdir()), 1):
            pattern = _PLACES.get(name, "memory/{}")
            place = root / pattern.format(sample.name, number=number)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(sample.read_bytes())


class Changer:
    """Changes the files of a workspace at random, the same way for the same seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._random = random.Random(seed)
        self._past: list[tuple[Path, bytes]] = []
        self._changes: list[Callable[[Path], None]] = [
            self._append, self._append, self._prune, self._edit, self._edit,
            self._delete, self._restore, self._move, self._copy, self._over,
            self._endings, self._touch, self._empty,
        ]  # fmt: skip

    def change(self) -> None:
        """Make one change."""
        files = sorted(p for p in self._root.rglob("*") if p.is_file())
        self._random.choice(self._changes)(self._random.choice(files))

    def _lines(self, path: Path) -> list[bytes]:
        data = path.read_bytes()
        self._past.append((path, data))
        return data.splitlines(keepends=True)

    def _append(self, path: Path) -> None:
        with path.open("ab") as file:
            for _ in range(self._random.randint(1, 3)):
                file.write(self._random.choice(_LINES).encode() + b"\n")

    def _prune(self, path: Path) -> None:
        lines = self._lines(path)
        start = self._random.randrange(len(lines) + 1)
        del lines[start : start + self._random.randint(1, 30)]
        path.write_bytes(b"".join(lines))

    def _edit(self, path: Path) -> None:
        lines = self._lines(path)
        if lines:
            number = self._random.randrange(len(lines))
            other = self._random.choice([*lines, self._random.choice(_LINES).encode()])
            lines[number] = self._random.choice([b"", other, lines[number] + other])
        path.write_bytes(b"".join(lines))

    def _delete(self, path: Path) -> None:
        self._past.append((path, path.read_bytes()))
        path.unlink()

    def _restore(self, path: Path) -> None:
        if self._past:
            place, data = self._random.choice(self._past)
            if not place.is_dir():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)

    def _move(self, path: Path) -> None:
        self._past.append((path, path.read_bytes()))
        path.rename(self._new_place(path))

    def _copy(self, path: Path) -> None:
        self._new_place(path).write_bytes(path.read_bytes())

    def _over(self, path: Path) -> None:
        place, data = self._random.choice(self._past or [(path, path.read_bytes())])
        path.write_bytes(data if place != path else path.read_bytes() + data)

    def _new_place(self, path: Path) -> Path:
        names = [
            path.name,
            f"context-{self._random.randint(1, 3)}.md",
            f"2026-11-1{self._random.randint(1, 3)}.md",
            f"note-{self._random.randint(1, 3)}.md",
            "context-session-map.json",
        ]
        folders = [path.parent, self._root / "memory", self._root / "memory/archive"]
        folder = self._random.choice(folders)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / self._random.choice(names)

    def _endings(self, path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))

    def _touch(self, path: Path) -> None:
        path.touch()

    def _empty(self, path: Path) -> None:
        self._past.append((path, path.read_bytes()))
        path.write_bytes(self._random.choice([b"", b"\xff\xfe\x00", b"{", b"# x\n"]))
