"""Specifications of a feature: ``specs/001-name/`` with ``spec``, ``plan``, ``tasks``.

GitHub's spec-kit writes them; Kiro and OpenSpec have the same tasks in folders of
their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Literal

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.dialects.dialect import Role as FileRole
from memoryhub.dialects.facts import Document, Topic, dated
from memoryhub.dialects.plain import first_heading, first_paragraph
from memoryhub.formats.base import NO_PATH, NOWHERE, Lines
from memoryhub.formats.text.source import fenced_lines, split_lines, split_sections
from memoryhub.prose.stated import OpenItem, Stated, find_stated

Role = Literal["", "spec", "plan", "tasks"]

_ROLES: dict[str, Role] = {
    "spec": "spec",
    "requirements": "spec",
    "proposal": "spec",
    "plan": "plan",
    "design": "plan",
    "tasks": "tasks",
}
_NUMBERED = re.compile(r"[0-9]{3,}-\w[\w.-]*")
_TITLE = re.compile(
    r"(?:feature specification|specification|implementation plan|tasks|plan|proposal"
    r"|requirements|design)[ \t]*(?:document)?[ \t]*[:：-]?[ \t]*",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(r"\[NEEDS CLARIFICATION:?[ \t]*([^\]\n]{0,300})\]")
_STATUS = re.compile(r"\n\**Status\**[ \t]*[:：]\**[ \t]*([^\n|]{1,60})")
#: The number of a task, and the marks behind it: parallel, story.
_TASK = re.compile(r"(T[0-9]{3,4})[ \t]+(?:\[[A-Z0-9]{1,5}\][ \t]+)*")


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a path is that of a feature's file."""
    return bool(role_of(path))


def role_of(path: PurePosixPath) -> Role:
    """Return the role of a file of a feature; empty for any other file."""
    role = _ROLES.get(path.stem.casefold(), "")
    if path.suffix.casefold() != ".md" or len(path.parts) < 3 or not role:
        return ""
    *above, parent, feature, _ = ("", *path.parts)
    is_kits = parent == "specs" and _NUMBERED.fullmatch(feature) is not None
    is_kiros = parent == "specs" and above[-1] == ".kiro"
    is_open = parent == "changes" and above[-1] == "openspec"
    return role if is_kits or is_kiros or is_open else ""


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the topic that a feature's folder is; only its spec has a status.

    The role of a file is told by its path, else by its title; it never fails.
    """
    heading = first_heading(split_sections(text))
    role = role_of(path) or _titled(heading)
    title = _TITLE.sub("", heading, count=1).strip() or heading
    status, place = _status(text) if role == "spec" else ("", None)
    name, folder = path.parent.name, str(path.parent)
    return Document(
        text,
        title,
        told=(Topic("bank", name, title, status, place or NOWHERE, folder),),
        stated=_stated(find_stated(text), text, role),
        time=dated(None, path),
        names_people=True,
    )


def _titled(title: str) -> Role:
    first = title.casefold().partition(":")[0].split()
    return "tasks" if "tasks" in first else "plan" if "plan" in first else "spec"


def _status(text: str) -> tuple[str, Lines | None]:
    """Return the status that a spec states, else its first paragraph."""
    head = "\n" + text[:4_000]
    if found := _STATUS.search(head):
        line = head.count("\n", 0, found.start() + 1)
        return found[1].strip(" *\r"), Lines(line, line)
    return first_paragraph(text)


def _stated(stated: Stated, text: str, role: Role) -> Stated:
    """Return the statements of a file; checkboxes are open items in the tasks only."""
    if role == "tasks":
        items = tuple(
            one._replace(text=_TASK.sub(r"\1 ", one.text, count=1))
            for one in stated.open_items
        )
        return stated._replace(open_items=items)
    kept = [one for one in stated.open_items if not one.mark]
    items = tuple(sorted((*kept, *_unclear(text)), key=lambda one: one.lines))
    return stated._replace(open_items=items)


def _unclear(text: str) -> Iterator[OpenItem]:
    """Yield the questions that a spec marks as unclear, once a line."""
    fenced = fenced_lines(text)
    if "NEEDS CLARIFICATION" not in text:
        return
    for number, line in enumerate(split_lines(text), 1):
        found = _UNCLEAR.search(line)
        if found and found[1].strip() and number not in fenced:
            yield OpenItem(found[1].strip(), False, "", Lines(number, number))


DIALECT = Dialect(
    title=gettext_noop("Specifications of features"),
    kind=gettext_noop("spec kit"),
    order=50,
    in_place=lambda path: bool(role_of(path)),
    role=FileRole.WORK,
    in_rows=lambda path: ".kiro" in map(str.casefold, path.parts[:-1]),
)
