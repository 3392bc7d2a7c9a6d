"""L3: files an agent reads again right after compaction, and how much of each.

context-memory-optimizer's order: the index, the saved task, then up to five
of the key files at 1,000 tokens each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from memoryhub.compaction.estimates import text_tokens
from memoryhub.values.limits import RESTORED_FILE_TOKENS
from memoryhub.values.tokens import SEED_CHARACTERS

INDEX = "MEMORY.md"
TASK_FILE = "memories/context.md"
FILES = 5


@dataclass(frozen=True, slots=True)
class ToRead:
    """A file to read again; index and task are read whole."""

    path: str
    limit: int | None = None

    def cut(self, text: str) -> str:
        """Return the part of a text to read."""
        if self.limit is None or text_tokens(text) <= self.limit:
            return text
        return text[: self.limit * SEED_CHARACTERS - 1]


def restore_order(key_files: Iterable[str]) -> tuple[ToRead, ...]:
    """Return the files to read again, in order."""
    first = (INDEX, TASK_FILE)
    others = (path for path in key_files if path.removeprefix("./") not in first)
    files = (ToRead(path, RESTORED_FILE_TOKENS) for path in islice(others, FILES))
    return (*map(ToRead, first), *files)
