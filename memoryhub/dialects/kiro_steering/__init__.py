"""Kiro's steering, ``.kiro/steering/*.md``: instructions, and when they apply.

Front matter says when: ``inclusion: always``, ``fileMatch`` with a pattern of files,
``auto`` by its description, or ``manual``. Without it, always.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

from memoryhub.dialects import plain
from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.instructions import Instructions
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.text import frontmatter


def is_in_folder(path: PurePosixPath) -> bool:
    """Return whether Kiro reads a note at this path as steering."""
    folders = pairwise(part.casefold() for part in path.parts[:-1])
    return (".kiro", "steering") in folders and not in_memory_folder(path)


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a path is that of a steering file."""
    return is_in_folder(path)


def parse(text: str) -> Instructions:
    """Return the sections of any text, and its title with when it counts."""
    read, matter = plain.parse(text), frontmatter.split(text)
    title = read.title or matter.get("name") or matter.get("description")
    mode = matter.get("inclusion")
    when = ", ".join(matter.items("fileMatchPattern")) if mode == "fileMatch" else ""
    when = when or (mode if mode != "always" else "")
    title = f"{title} ({when})".strip() if when else title
    return Instructions(text, title, read.sections)


DIALECT = Dialect(
    name="kiro_steering",
    title=gettext_noop("Steering of Kiro"),
    kind=gettext_noop("steering"),
    order=165,
    matches=matches,
    parse=parse,
    role=Role.INSTRUCTION,
    lives_long=None,
    read_whole=True,
)
