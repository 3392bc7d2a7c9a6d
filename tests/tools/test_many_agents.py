"""Fifty agents in one workspace, with programs that know nothing of the hub.

What was acknowledged is in the files, once and in order; or an editor saved its old
copy over it, and the hub has it and says so.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser.hub import manage, prepare_hub, serving_hub
from tests.crowd import SLUG
from tests.warm import python

ROOT = Path(__file__).parents[2]
#: Door, first agent, and how many there are behind it.
_AGENTS = (("rest", 0, 16), ("rest", 16, 16), ("direct", 32, 16), ("cli", 48, 2))
#: Nobody but the hub replaces these, and two editors these.
_SHARED = ("memory/context-everybody.md", "memory/2026-11-20.md")
_EDITED = ("memory/context-some-1.md", "memory/2026-11-19.md")
_LINE = re.compile(r"(?:agent|program)-\d\d (?:did|decided|noted|wants|added) \d{5}")
_NAMED_CONFLICTS = {"conflict", "file-busy"}
Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was acknowledged, by whom; what was refused; and where it all went."""

    written: Mapping[str, list[str]]
    careless: Mapping[str, list[str]]
    refused: list[list[Any]]
    files: Mapping[str, str]
    reported: str

    def missing(self) -> list[str]:
        """Return the lines that are in no file."""
        held = set(_LINE.findall("".join(self.files.values())))
        lines = (line for lines in self.written.values() for line in lines)
        return [line for line in lines if line not in held]


def crowd(folder: Path, seconds: float) -> Outcome:
    """Let everybody work for so many seconds."""
    root = folder / SLUG
    for path in (*_SHARED, *_EDITED):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    prepare_hub(folder, [root])
    _keep_all(folder / "data")
    with serving_hub(folder, watch=True) as address:
        port = address.rpartition(":")[2]
        agents = [
            _started(folder, seconds, "agents", door, str(first), str(count), port)
            for door, first, count in _AGENTS
        ]
        programs = [
            _started(folder, seconds, "appending", name, *_places(root, paths))
            for name, paths in (("program-01", _SHARED), ("program-02", _SHARED))
        ]
        careless = [
            _started(
                folder, seconds, "appending", "program-03", *_places(root, _EDITED)
            )
        ]
        editors = [
            _started(folder, seconds, "editing", f"editor-{number}", str(root / path))
            for number, path in enumerate(_EDITED)
        ]
        told = [_told(process) for process in (*agents, *programs)]
        late = [_told(process) for process in (*careless, *editors)]
    manage(folder, "sync")
    return Outcome(
        {name: lines for each in told for name, lines in each["written"].items()},
        late[0]["written"],
        [refusal for each in told for refusal in each.get("refused", ())],
        {str(p.relative_to(root)): p.read_text() for p in root.rglob("*.md")},
        _reported(folder / "data"),
    )


def _keep_all(data: Path) -> None:
    """Let topics grow, so that nothing is pruned in the meantime."""
    with closing(sqlite3.connect(data / "memoryhub.sqlite3")) as hub, hub:
        hub.execute(
            "UPDATE workspaces_workspace SET max_decisions = 99999, max_history = 99999"
        )


def _places(root: Path, paths: tuple[str, ...]) -> list[str]:
    return [str(root / path) for path in paths]


def _started(
    folder: Path, seconds: float, role: str, *arguments: str
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        python("-m", "tests.crowd", role, seconds, *arguments),
        cwd=ROOT,
        env={**os.environ, "MEMORYHUB_DATA": str(folder / "data")},
        stdout=subprocess.PIPE,
    )


def _told(process: subprocess.Popen[bytes]) -> Told:
    said, _ = process.communicate()
    assert process.returncode == 0
    told: Told = json.loads(said)
    return told


_REPORTED = """
    SELECT operation.payload FROM workspaces_problem AS problem
    JOIN workspaces_revision AS revision
        ON revision.seq = json_extract(problem.parameters, '$.seq')
    JOIN workspaces_blob AS blob ON blob.id = revision.blob_id
    JOIN workspaces_operation AS operation ON operation.after_sha = blob.sha256
    WHERE problem.code_name = 'write-lost' AND problem.until_seq IS NULL
"""


def _reported(data: Path) -> str:
    """Return what was asked of the hub and is reported as overwritten."""
    with closing(sqlite3.connect(data / "memoryhub.sqlite3")) as hub:
        return "\n".join(payload for (payload,) in hub.execute(_REPORTED))


def assert_nothing_is_lost_or_doubled(outcome: Outcome) -> None:
    refused = [each for each in outcome.refused if _code(each) not in _NAMED_CONFLICTS]
    assert not refused
    lines = Counter(_LINE.findall("".join(outcome.files.values())))
    assert [line for line, count in lines.items() if count > 1] == []
    reported = set(_LINE.findall(outcome.reported))
    assert [line for line in outcome.missing() if line not in reported] == []
    for path, text in outcome.files.items():
        assert_in_order(path, _LINE.findall(text))


def _code(refusal: list[Any]) -> str:
    return str(refusal[2].get("error", {}).get("code", ""))


def assert_in_order(path: str, lines: list[str]) -> None:
    """Assert that each writer's lines of a kind are as it wrote them; newest first too.

    A topic's lists begin with what is newest.
    """
    by_writer: dict[str, list[str]] = {}
    for line in lines:
        by_writer.setdefault(line[:-6], []).append(line)
    for written in by_writer.values():
        assert written in (sorted(written), sorted(written, reverse=True)), path


def test_agents_and_programs_write_at_once(tmp_path: Path) -> None:
    outcome = crowd(tmp_path, 4)

    assert sum(map(len, outcome.written.values())) > 50
    assert_nothing_is_lost_or_doubled(outcome)


@pytest.mark.soak
def test_agents_and_programs_write_at_once_for_long(tmp_path: Path) -> None:
    outcome = crowd(tmp_path, float(os.environ.get("MEMORYHUB_SOAK_SECONDS", "60")))

    assert_nothing_is_lost_or_doubled(outcome)
