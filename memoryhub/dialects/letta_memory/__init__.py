"""Letta's MemFS: a block of an agent's memory a file, in a repository of git.

``~/.letta/agents/<id>/memory/``: blocks below ``system/`` are always in the prompt, the
others are read when they are needed. Front matter has a ``description`` of the block,
and may have ``limit`` and ``read_only``.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import PurePosixPath

from memoryhub.dialects.auto_memory import topic_of
from memoryhub.dialects.dialect import NO_RANK, Dialect, gettext_noop
from memoryhub.dialects.facts import Document, Recalled
from memoryhub.formats.base import NO_PATH
from memoryhub.formats.text import frontmatter
from memoryhub.prose.stated import find_stated

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


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the topic that the block of any text is; it never fails."""
    topic = topic_of(frontmatter.split(text), path, label_of(path) or path.stem)
    told = (Recalled("", of_person=False), topic)
    return Document(text, told=told, stated=partial(find_stated, text), has_day=True)


DIALECT = Dialect(
    title=gettext_noop("Memory blocks of Letta"),
    kind=gettext_noop("memory block"),
    order=55,
    in_place=lambda path: bool(_OF_AGENT.fullmatch(str(path))),
    lives_long=True,
    read_whole=True,
    recall_rank=lambda path: 3 if "system" in path.parts else NO_RANK,
)
