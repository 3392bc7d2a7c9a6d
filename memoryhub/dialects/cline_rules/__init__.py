"""Rules of Cline and guidelines of Junie, which each adds to every task.

``.clinerules`` is a file or a folder, as ``.cline/rules/`` and ``.junie/`` are. Front
matter with ``paths`` limits a rule of Cline to some files.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

from memoryhub.dialects import plain
from memoryhub.dialects.dialect import Dialect, Role, gettext_noop
from memoryhub.dialects.instructions import Instructions
from memoryhub.formats.openclaw.memory_files import in_memory_folder
from memoryhub.formats.text import frontmatter

_FILE = ".clinerules"
_FOLDERS = frozenset({_FILE, ".junie"})


def is_in_folder(path: PurePosixPath) -> bool:
    """Return whether Cline or Junie reads a file at this path as rules."""
    folders = [part.casefold() for part in path.parts[:-1]]
    is_there = path.name.casefold() == _FILE or not _FOLDERS.isdisjoint(folders)
    is_there = is_there or (".cline", "rules") in pairwise(folders)
    return is_there and not in_memory_folder(path)


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a path is that of rules."""
    return is_in_folder(path)


def parse(text: str) -> Instructions:
    """Return the sections of any text, and its title with the files it is for."""
    read = plain.parse(text)
    paths = ", ".join(frontmatter.split(text).items("paths"))
    title = f"{read.title} ({paths})" if paths else read.title
    return Instructions(text, title, read.sections)


DIALECT = Dialect(
    name="cline_rules",
    title=gettext_noop("Rules of Cline and Junie"),
    kind=gettext_noop("rules"),
    order=167,
    matches=matches,
    parse=parse,
    is_data=True,
    scanned=r"\.clinerules",
    role=Role.INSTRUCTION,
    lives_long=None,
    read_whole=True,
)
