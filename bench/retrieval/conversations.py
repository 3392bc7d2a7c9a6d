"""Conversations as workspaces of daily logs, and questions with their evidence lines.

The public set is LoCoMo (snap-research/locomo, CC BY-NC 4.0). It is downloaded, never
part of this project. A folder in the same form can be given instead.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

_SOURCE = (
    "https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json"
)
_QUESTIONS = "queries.jsonl"
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D\d+:\d+")
#: Category of questions that have no answer in the conversation.
_UNANSWERABLE = 5

Evidence = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question on a workspace; `evidence` are paths with line numbers."""

    workspace: str
    text: str
    category: int
    evidence: tuple[Evidence, ...]


def questions_in(folder: Path) -> list[Question]:
    """Read the questions of a folder."""
    rows = map(json.loads, (folder / _QUESTIONS).read_text().splitlines())
    return [
        Question(
            row["workspace"], row["question"], row["category"],
            tuple((path, line) for path, line in row["evidence"]),
        )
        for row in rows
    ]  # fmt: skip


def copy_workspaces(folder: Path, names: set[str], target: Path) -> tuple[str, ...]:
    """Copy workspaces into a folder; return their slugs there, "w" and the name."""
    for name in names:
        shutil.copytree(
            folder / name, target / f"w{name}", copy_function=shutil.copyfile
        )
    return tuple(sorted(f"w{name}" for name in names))


def download(target: Path) -> Path:
    """Download the public set and write it as workspaces with questions.

    Raises:
        OSError: there is no network.
    """
    with urlopen(_SOURCE, timeout=60) as answer:
        conversations = json.load(answer)
    rows = [row for one in conversations for row in _written(one, target)]
    (target / _QUESTIONS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return target


def _written(conversation: dict[str, Any], target: Path) -> Iterator[dict[str, Any]]:
    """Write a conversation's daily logs; yield its questions."""
    name = conversation["sample_id"].removeprefix("conv-")
    logs, places = daily_logs(conversation["conversation"])
    for path, lines in logs.items():
        file = target / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n")
    for asked in conversation["qa"]:
        turns = [turn for text in asked["evidence"] for turn in _TURN.findall(text)]
        evidence = list(dict.fromkeys(places[turn] for turn in turns if turn in places))
        if evidence and asked["category"] != _UNANSWERABLE:
            yield {
                "workspace": name,
                "question": asked["question"],
                "category": asked["category"],
                "evidence": evidence,
            }


def daily_logs(
    conversation: dict[str, Any],
) -> tuple[dict[str, list[str]], dict[str, Evidence]]:
    """Return the lines of each day's log, and the place of each turn by its id."""
    people = f"{conversation['speaker_a']} and {conversation['speaker_b']}"
    numbers = map(_SESSION.fullmatch, conversation)
    sessions = sorted((int(found[1]), found[0]) for found in numbers if found)
    logs: dict[str, list[str]] = {}
    places: dict[str, Evidence] = {}
    for _, session in sessions:
        began = conversation[f"{session}_date_time"]
        at = datetime.strptime(began, "%I:%M %p on %d %B, %Y")
        path = f"memory/{at:%Y-%m-%d}.md"
        log = logs.setdefault(path, [f"# {at:%Y-%m-%d}"])
        log += ["", f"## {at:%H:%M} Conversation {people}", ""]
        for turn in conversation[session]:
            log.append(_line(turn))
            places[turn["dia_id"]] = (path, len(log))
    return logs, places


def _line(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    text = " ".join(turn["text"].split())
    photo = f" [shares {' '.join(caption.split())}]" if caption else ""
    return f"- **{turn['speaker']}**: {text}{photo}"
