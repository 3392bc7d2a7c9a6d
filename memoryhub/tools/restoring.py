"""Files for an agent to read again after a compaction."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from memoryhub.compaction.levels import cut_to, restore_order
from memoryhub.compaction.messages import text_tokens
from memoryhub.journal.models import Workspace
from memoryhub.journal.versions import file_at, newest_text
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer
from memoryhub.tools.quoting import block, may_read


class Restored(Answer):
    """A file to read again; without a text it is the agent's to read.

    `limit` is how many tokens of it are read at most; `cut` if that left some out.
    """

    path: str
    known: bool
    text: str
    tokens: int
    limit: int | None
    cut: bool

    def as_text(self) -> str:
        """Return the text, quoted, or a request to read the file."""
        if self.known:
            return block(f"{self.path}, cut" if self.cut else self.path, self.text)
        most = f", at most {self.limit} tokens of it" if self.limit else ""
        return f"Read {self.path} yourself{most}."


def restored(caller: Caller, key_files: Iterable[str]) -> list[Restored]:
    """Return the files to read again in order; only memory files have their text.

    A file for private sessions only is left out for other callers.
    """
    order = restore_order(key_files)
    return [_restored(caller, *one) for one in order if may_read(caller, one[0])]


def _restored(caller: Caller, asked: str, limit: int | None) -> Restored:
    path = _inside(caller.workspace, asked)
    file = file_at(caller.workspace, path)
    known = file is not None and file.present and may_read(caller, path)
    whole = newest_text(caller.workspace, path) if known else ""
    text = cut_to(whole, limit)
    return Restored(
        path=asked,
        known=known,
        text=text,
        tokens=text_tokens(text) if known else 0,
        limit=limit,
        cut=len(text) < len(whole),
    )


def _inside(workspace: Workspace, path: str) -> str:
    """Return a path relative to the workspace's root, if it is inside."""
    place = PurePosixPath(path)
    root = PurePosixPath(workspace.root)
    return str(place.relative_to(root) if place.is_relative_to(root) else place)
