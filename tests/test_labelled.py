"""The hand-labelled files: every label points at text that is there.

A group is a folder of `tests/labelled/` with a `labels.jsonl`;
`tests/labelled/README.md` has the rules.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import zoneinfo
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SET = Path(__file__).parent / "labelled"
GROUPS = sorted(path.parent.name for path in SET.glob("*/labels.jsonl"))
KEYS = {
    "workspace",
    "path",
    "day",
    "agent",
    "zone",
    "entries",
    "decisions",
    "directives",
    "open",
    "topics",
}
FIELDS = {
    "entries": {"first_line", "title", "time"},
    "decisions": {"text", "line", "reason", "by_person"},
    "directives": {"text", "line"},
    "open": {"text", "line", "closed_in"},
}
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
RUNS_ON = 4  # lines that a wrapped sentence may go on for


Label = dict[str, Any]


@cache
def rows(group: str) -> list[Label]:
    text = (SET / group / "labels.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def file_of(group: str, row: Label) -> Path:
    return SET / group / str(row["workspace"]) / str(row["path"])


def text_of(group: str, row: Label) -> str:
    return file_of(group, row).read_bytes().decode("utf-8-sig")


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def bare(text: str) -> str:
    """Without the marks of markdown, and with single spaces."""
    return " ".join(re.sub(r"[*_`~]", "", text).split())


def stands(text: str, lines: list[str], number: int) -> bool:
    """The text begins on that line; a wrapped sentence may run on."""
    after = bare(" ".join(lines[number - 1 : number - 1 + RUNS_ON]))
    return 0 <= after.find(bare(text)) < len(bare(lines[number - 1]))


def faults(group: str, row: Label) -> list[str]:
    if set(row) != KEYS:
        return [f"keys {sorted(set(row) ^ KEYS)}"]
    if not file_of(group, row).is_file():
        return ["no such file"]
    dt.date.fromisoformat(row["day"] or "2026-01-01")
    zoneinfo.ZoneInfo(row["zone"] or "UTC")
    lines = lines_of(text_of(group, row))
    found = []
    for kind, fields in FIELDS.items():
        seen = [(label.get(at_line(kind)), label.get("text")) for label in row[kind]]
        if len(set(seen)) != len(seen):
            found.append(f"{kind}: twice the same")
        for label in row[kind]:
            if set(label) != fields:
                found.append(f"{kind}: fields {sorted(label)}")
            elif not 1 <= label[at_line(kind)] <= len(lines):
                found.append(f"{kind}: no line {label[at_line(kind)]}")
            elif kind == "entries":
                found += entry_faults(label)
            else:
                found += text_faults(kind, label, lines)
    for label in row["open"]:
        found += closing_faults(group, row, label["closed_in"])
    return found


def at_line(kind: str) -> str:
    return "first_line" if kind == "entries" else "line"


def entry_faults(label: Label) -> list[str]:
    timed = label["time"] is None or CLOCK.fullmatch(label["time"])
    return [] if label["title"].strip() and timed else [f"entries: {label}"]


def text_faults(kind: str, label: Label, lines: list[str]) -> list[str]:
    if not bare(label["text"]) or not stands(label["text"], lines, label["line"]):
        said = lines[label["line"] - 1]
        return [f"{kind}: line {label['line']} is {said!r}, not {label['text']!r}"]
    reason = label.get("reason")
    if reason and bare(reason) not in bare(" ".join(lines)):
        return [f"{kind}: nowhere because {reason!r}"]
    return []


def closing_faults(group: str, row: Label, closed_in: str | None) -> list[str]:
    if closed_in is None:
        return []
    for later in rows(group):
        if (later["workspace"], later["path"]) == (row["workspace"], closed_in):
            if closed_in == row["path"] or (
                row["day"] and (later["day"] or "9") < row["day"]
            ):
                break
            return []
    return [f"open: {closed_in!r} is no later file of the workspace"]


@pytest.mark.parametrize("group", GROUPS)
def test_every_label_points_at_text_that_is_there(group: str) -> None:
    wrong = [
        f"{row['workspace']}/{row['path']}: {fault}"
        for row in rows(group)
        for fault in faults(group, row)
    ]

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("group", GROUPS)
def test_every_file_is_labelled_once(group: str) -> None:
    labelled = Counter(f"{row['workspace']}/{row['path']}" for row in rows(group))
    on_disk = {
        path.relative_to(SET / group).as_posix()
        for path in (SET / group).glob("*/**/*.md")
    }

    assert [name for name, count in labelled.items() if count > 1] == []
    assert on_disk - set(labelled) == set()


def test_the_set_is_large_and_various_enough() -> None:
    both = [(row, text_of(group, row)) for group in GROUPS for row in rows(group)]
    styles = Counter(style(row["path"], text) for row, text in both)
    languages = Counter(language(text) for _, text in both)

    assert len(both) >= (120 if {"tuned", "apart"} <= set(GROUPS) else 30)
    assert len([name for name, count in styles.items() if count >= 2]) >= 10, styles
    assert len([name for name, count in languages.items() if count >= 3]) >= 6, (
        languages
    )


PLACES = (
    ("skill or command", r"(^|/)\.claude/(skills|commands)/"),
    ("memory bank", r"(^|/)memory[-_]bank/"),
    ("decision records", r"(^|/)(adr|adrs|decisions)/"),
    ("handoff", r"(?i)handoff"),
    ("rollout summary", r"(^|/)rollout_summaries/"),
    ("who is who", r"(^|/)(USER|IDENTITY|SOUL|AGENTS|TOOLS)\.md$"),
)
CONTENTS = (
    ("session transcript", r"\A# Session: [\s\S]*Session Key"),
    ("task groups", r"(?m)^# Task Group"),
    ("basic-memory note", r"(?m)\A---\n[\s\S]*?^permalink:"),
    ("fact", r"(?m)\A---\n[\s\S]*?^\s*type: (user|feedback|project|reference)$"),
    ("index of facts", r"(?m)^- \[[^\]]+\]\([^)]+\.md\)"),
    ("generator", r"(?m)^memory_type:"),
    ("session sections", r"(?m)^## Session Summary"),
)
LOGS = (
    ("timed H3 below one H2", r"(?m)^### .*\d{1,2}[:：h時时点]"),
    ("timed H2", r"(?m)^##\s.*\d{1,2}([:：h時时点]|h\d\d)"),
    ("timed bullets", r"(?m)^[-*] (\*\*)?\d{1,2}[:.h]\d\d"),
    ("H2 sections", r"(?m)^## "),
    ("bullets", r"(?m)^[-*] "),
)


def style(path: str, text: str) -> str:
    text = "\n".join(lines_of(text))
    for name, pattern in PLACES:
        if re.search(pattern, path):
            return name
    for name, pattern in CONTENTS:
        if re.search(pattern, text):
            return name
    if not re.search(r"\d{4}-?\d\d-?\d\d", path.rsplit("/", 1)[-1]):
        return "curated memory" if path.endswith("MEMORY.md") else "note"
    return "log, " + next(
        (name for name, pattern in LOGS if re.search(pattern, text)), "prose"
    )


SCRIPTS = (
    ("Japanese", r"[぀-ヿ]"),
    ("Korean", r"[가-힣]"),
    ("Chinese", r"[一-鿿]"),
    ("Russian", r"[а-я]"),
)
WORDS = {
    "English": "the and with for not are was from this that",
    "Portuguese": "não os uma com para em são mais que ou",
    "German": "der die das und nicht mit ist ein wird auf",
    "Spanish": "el los las una con para más que del y",
}


def language(text: str) -> str:
    letters = len(re.findall(r"[^\W\d_]", text)) or 1
    for name, pattern in SCRIPTS:
        if len(re.findall(pattern, text)) / letters > 0.1:
            return name
    words = Counter(re.findall(r"[^\W\d_]+", text.lower()))
    return max(WORDS, key=lambda name: sum(words[word] for word in WORDS[name].split()))
