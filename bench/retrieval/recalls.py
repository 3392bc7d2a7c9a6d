"""Measure recall on hand-written workspaces: parts that 1,000 tokens must hold.

A set is a text file: files behind ``=== path``, two routine entries behind
``=== filler`` that each of many days repeats, and tasks behind ``=== tasks``. A task
names a topic, asks a question or asks for all, and lists parts of texts that must be
given. ``python -m bench.retrieval.recalls`` prints their share by language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.retrieval.indexing import index_folders

#: Budget in tokens of each task.
TOKENS = 1_000
FOLDER = Path(__file__).parent / "recall"
#: Routine days before the sets' own, with as many entries each.
_DAYS, _FIRST_DAY, _ENTRIES = 40, date(2026, 9, 20), 3
_TASK = re.compile(r"(?:topic (?P<topic>\S+)|\? (?P<question>.+?)|all) \| (?P<must>.+)")


@dataclass(frozen=True, slots=True)
class Task:
    """A recall of a workspace, and the parts of texts it must contain."""

    topic: str
    question: str
    must: tuple[str, ...]

    @property
    def asked(self) -> dict[str, object]:
        """The arguments of the tool ``recall``."""
        named = {"topic": self.topic, "question": self.question}
        return {"budget": TOKENS, **{key: text for key, text in named.items() if text}}

    def share_in(self, text: str) -> float:
        """Return the share of the parts that the text of a recall has."""
        given = " ".join(text.split())
        return sum(part in given for part in self.must) / len(self.must)


@dataclass(frozen=True, slots=True)
class RecallSet:
    """The files of a workspace by path, and its tasks."""

    name: str
    files: dict[str, str]
    tasks: tuple[Task, ...]


def recall_sets(folder: Path = FOLDER) -> list[RecallSet]:
    """Read all sets of a folder, by name."""
    return [_read(path) for path in sorted(folder.glob("*.txt"))]


def _read(path: Path) -> RecallSet:
    parts = re.split(r"(?m)^=== (.+)\n", path.read_text())
    texts = dict(zip(parts[1::2], parts[2::2], strict=True))
    tasks = tuple(map(_task, texts.pop("tasks").splitlines()))
    routine = texts.pop("filler").splitlines()
    return RecallSet(path.stem, {**_routine_days(routine), **texts}, tasks)


def _task(line: str) -> Task:
    found = _TASK.fullmatch(line)
    if not found:
        raise ValueError(f"no task: {line}")
    must = tuple(found["must"].split("; "))
    return Task(found["topic"] or "", found["question"] or "", must)


def _routine_days(lines: list[str]) -> dict[str, str]:
    """Return logs of days on which nothing of importance happened."""
    days = [_FIRST_DAY + timedelta(days=at) for at in range(_DAYS)]
    return {
        f"memory/{day}.md": f"# {day}\n\n"
        + "".join(
            f"## {9 + hour:02}:15 - Routine {at}.{hour}\n{lines[(at + hour) % 2]}\n\n"
            for hour in range(_ENTRIES)
        )
        for at, day in enumerate(days)
    }


def main() -> None:
    """Import each set into a hub of its own and print the scores of its recalls."""
    with TemporaryDirectory() as temporary:
        sets = recall_sets()
        index_folders(_written(sets, Path(temporary)), Path(temporary) / "data")
        for one in sets:
            shares = list(_shares(one))
            print(f"{one.name}: {len(shares)} tasks, {sum(shares) / len(shares):.3f}")


def _written(sets: list[RecallSet], target: Path) -> dict[str, Path]:
    """Write the files of the sets; return the folder of each by its slug."""
    for one in sets:
        for path, text in one.files.items():
            file = target / one.name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return {one.name: target / one.name for one in sets}


def _shares(one: RecallSet) -> Iterator[float]:
    from memoryhub.journal.models import Workspace
    from memoryhub.people.callers import Caller
    from memoryhub.tools.calling import call, request_of
    from memoryhub.tools.registry import tool_named

    tool = tool_named("recall")
    workspace = Workspace.objects.get(slug=one.name)
    for task in one.tasks:
        answer = call(tool, Caller(workspace, "", ""), request_of(tool, task.asked))
        yield task.share_in(answer.as_text())


if __name__ == "__main__":
    main()
