"""Rules of Cline and guidelines of Junie, which each adds to every task.

``.clinerules`` is a file or a folder, as ``.cline/rules/`` and ``.junie/`` are. Front
matter with ``paths`` limits a rule of Cline to some files.
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

_FILE = ".clinerules"
_FOLDERS = frozenset({_FILE, ".junie"})


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether Cline or Junie reads a file at this path as rules."""
    folders = [part.casefold() for part in path.parts[:-1]]
    is_there = path.name.casefold() == _FILE or not _FOLDERS.isdisjoint(folders)
    is_there = is_there or (".cline", "rules") in pairwise(folders)
    return is_there and not in_memory_folder(path)


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the title of any text, with the files that it is for."""
    paths = ", ".join(frontmatter.split(text).items("paths"))
    title = plain.title_in(text)
    return Document(text, f"{title} ({paths})" if paths else title)


DIALECT = Dialect(
    title=gettext_noop("Rules of Cline and Junie"),
    kind=gettext_noop("rules"),
    order=167,
    is_data=True,
    scanned=r"\.clinerules",
    role=Role.INSTRUCTION,
    lives_long=None,
    read_whole=True,
)
