"""Kiro's steering, ``.kiro/steering/*.md``: instructions, and when they apply.

Front matter says when: ``inclusion: always``, ``fileMatch`` with a pattern of files,
``auto`` by its description, or ``manual``. Without it, always.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

from memoryhub.dialects import plain
from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.facts import Document
from memoryhub.formats.base import NO_PATH
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.text import frontmatter


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether Kiro reads a note at this path as steering."""
    folders = pairwise(part.casefold() for part in path.parts[:-1])
    return (".kiro", "steering") in folders and not in_memory_folder(path)


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the title of any text, with when it counts."""
    matter = frontmatter.split(text)
    title = plain.title_in(text) or matter.get("name") or matter.get("description")
    mode = matter.get("inclusion")
    when = ", ".join(matter.items("fileMatchPattern")) if mode == "fileMatch" else ""
    when = when or (mode if mode != "always" else "")
    return Document(text, f"{title} ({when})".strip() if when else title)


DIALECT = Dialect(
    title=gettext_noop("Steering of Kiro"),
    kind=gettext_noop("steering"),
    order=165,
    role=Role.INSTRUCTION,
    lives_long=None,
    read_whole=True,
)
