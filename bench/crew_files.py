"""Read handoffs from files as an agent without the hub does.

The last verb of a log that leads to a state decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"<(task|r)>.*?</\1>", re.DOTALL)
_TYPE = re.compile(r"<type>(\w+)</type>")
_TO = re.compile(r"<to>(.*?)</to>")
_DUE = re.compile(r"^- due: (\S+)", re.MULTILINE)
_LINE = re.compile(r"- \S+Z (\S+): ([a-z ]+?)(?: ([\w.-]*\d[\w.-]*))?(?: -- (.*))?")
#: Where a verb leads to; nothing for those that change no state.
STATES = {
    "sent": "open",
    "signed off": "",
    "sent back": "returned",
    "revised": "open",
    "reopened": "open",
    "taken": "in_progress",
    "put back": "open",
    "blocked": "blocked",
    "done": "done",
    "accepted": "done",
    "said": "",
    "failed": "failed",
    "withdrawn": "withdrawn",
    "overridden": "",
    "handed off again": "",
}


@dataclass(frozen=True, slots=True)
class LogLine:
    """Actor, verb and reason of a log line; agents as in their own workspace."""

    actor: str
    verb: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HandoffFile:
    """One file: the task's type, its log, how many results it has."""

    slug: str
    task_id: str
    type: str
    log: tuple[LogLine, ...]
    results: int
    #: Lines of its log that no reader could make sense of.
    odd: tuple[str, ...]
    #: The work is done in another workspace.
    away: bool
    recipient: str = ""
    #: The repository that a write touches; empty for any.
    repository: str = ""
    priority: str = "normal"
    due: str = ""
    sender: str = ""
    #: Who accepts the result; empty for nobody.
    review: str = ""

    @property
    def name(self) -> str:
        """Unique key of a handoff over all workspaces."""
        return f"{self.slug}/{self.task_id}"

    @property
    def state(self) -> str:
        states = (self.state_of(line.verb) for line in reversed(self.log))
        return next(filter(None, states), "open")

    def state_of(self, verb: str) -> str:
        """Return the state that a verb leads to; "" for those that change none."""
        return "review" if self.review and verb == "done" else STATES.get(verb, "")


def read_handoffs(roots: Mapping[str, Path]) -> dict[str, HandoffFile]:
    """Return every handoff of workspaces, by its name."""
    found = (
        _read(slug, path)
        for slug, root in roots.items()
        for path in sorted((root / "memory/handoffs").glob("*.md"))
    )
    return {file.name: file for file in found}


def _read(slug: str, path: Path) -> HandoffFile:
    text = path.read_text()
    kind, to = _TYPE.search(text), _TO.search(text)
    results = sum(found[1] == "r" for found in _BLOCK.finditer(text))
    log, odd = list[LogLine](), list[str]()
    for line in _log_of(_BLOCK.sub("", text)):
        found = _LINE.fullmatch(line)
        if found and found[2] in STATES:
            actor = found[1].rpartition("/")[2]
            log.append(LogLine(actor, found[2], found[4] or ""))
        else:
            odd.append(line)
    return HandoffFile(
        slug,
        path.stem,
        kind[1] if kind else "",
        tuple(log),
        results,
        tuple(odd),
        away=bool(to and "/" in to[1]),
        recipient=to[1] if to else "",
        repository=_value("repository", text),
        priority=_value("priority", text) or "normal",
        due=due[1] if (due := _DUE.search(text)) else "",
        sender=_value("from", text),
        review=_value("review", text),
    )


def _value(tag: str, text: str) -> str:
    """Return the text of a child of the task; the first one is the task's own."""
    found = re.search(rf"^\s*<{tag}>(.*?)</{tag}>", text, re.MULTILINE)
    return found[1] if found else ""


def _log_of(text: str) -> Iterator[str]:
    lines = iter(text.split("\n"))
    for line in lines:
        if line == "## Log":
            break
    yield from (line for line in lines if line.strip())


def memory_lines(roots: Iterable[Path]) -> Iterator[str]:
    """Give every line that the memory says, handoffs left out."""
    for root in roots:
        for path in (root / "memory").glob("*.md"):
            yield from path.read_text().split("\n")
