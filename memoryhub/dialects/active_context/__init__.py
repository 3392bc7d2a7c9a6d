"""context-memory-optimizer's ``memories/context.md``: the task at hand, free text.

The skill overwrites it before each compaction; older ones live in the revisions. Where
several agents share a workspace, each has its own, ``memories/context-<agent>.md``.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop

TASK_FILE = "memories/context.md"
_TASK_FILE = re.compile(r"memories/context(?:-[^/]+)?\.md", re.IGNORECASE)
_ODD = re.compile(r"[^\w.-]+")
_LONGEST = 80


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the path is of an agent's task; only ``memories`` has them."""
    return path.parts[-2:-1] == ("memories",) and is_task_file(
        "/".join(path.parts[-2:])
    )


def task_file_of(agent: str) -> str:
    """Return the path of an agent's own task file; "" for the one of all."""
    if not agent:
        return TASK_FILE
    plain = _ODD.sub("-", agent.casefold())[:_LONGEST]
    if plain != agent:
        plain += "-" + sha256(agent.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"memories/context-{plain}.md"


def is_task_file(path: str) -> bool:
    """Return whether a path is of a file that a compaction overwrites."""
    return bool(_TASK_FILE.fullmatch(path))


DIALECT = Dialect(
    title=gettext_noop("Working contexts"),
    kind=gettext_noop("active context"),
    order=200,
    read_whole=True,
    recall_rank=lambda _: 2,
)
