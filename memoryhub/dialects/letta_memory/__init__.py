"""Letta's MemFS: a block of an agent's memory a file, in a repository of git.

``~/.letta/agents/<id>/memory/``: blocks below ``system/`` are always in the prompt, the
others are read when they are needed. Front matter has a ``description`` of the block,
and may have ``limit`` and ``read_only``.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from memoryhub.dialects.auto_memory import AutoMemory
from memoryhub.dialects.auto_memory import parse as parse_fact
from memoryhub.dialects.dialect import NO_RANK, Dialect, gettext_noop
from memoryhub.formats.base import NO_PATH
from memoryhub.formats.text import frontmatter

#: The label of a block behind the folder of its agent's memory, or else behind one of
#: the folders that only blocks lie in.
_OF_AGENT = re.compile(r"(?:.*/)?\.letta/agents/[^/]+/memory/(?!skills/)(.+)\.md")
_IN_FOLDER = re.compile(r"(?:.*/)?memory/((?:system|reference)/.+)\.md")
_KEYS = frozenset({"description", "limit", "read_only"})


def label_of(path: PurePosixPath) -> str:
    """Return the label of the block at a path; empty for another place."""
    place = str(path)
    found = _OF_AGENT.fullmatch(place) or _IN_FOLDER.fullmatch(place)
    return found[1].removeprefix("system/") if found else ""


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a text in such a place has a description, as a block must.

    Outside of an agent's own folder, it has another field of a block, too, and none but
    those.
    """
    if not text.startswith("---") or not label_of(path):
        return False
    matter = frontmatter.split(text)
    keys = {field.key for field in matter.fields}
    is_block = _OF_AGENT.fullmatch(str(path)) or (len(keys) > 1 and keys <= _KEYS)
    return bool(is_block and matter.get("description"))


def parse(text: str, path: PurePosixPath = NO_PATH) -> AutoMemory:
    """Return the block of any text as a fact; it never fails."""
    read = parse_fact(text)
    return AutoMemory(
        text=text,
        name=label_of(path) or path.stem,
        description=read.description,
        description_lines=read.description_lines,
        type="",
        session_id="",
        body=read.body,
        body_line=read.body_line,
    )


DIALECT = Dialect(
    name="letta_memory",
    title=gettext_noop("Memory blocks of Letta"),
    kind=gettext_noop("memory block"),
    order=55,
    matches=matches,
    parse=parse,
    at_path=True,
    in_place=lambda path: bool(_OF_AGENT.fullmatch(str(path))),
    lives_long=True,
    read_whole=True,
    recall_rank=lambda path: 3 if "system" in path.parts else NO_RANK,
)
