"""Names of copies that programs make of a file: two devices changed it, or a backup.

Pure. A name alone can be anybody's: a copy is one beside its file (`original_of`), and
by some names only if the texts are alike (`is_alike`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

#: Dropbox and Syncthing, and the lock files of Emacs, say it in the name.
_SAID = re.compile(
    r"(?P<stem>.+?)(?: \([^()]*conflict[^()]*\)|\.sync-conflict-\d{8}-\d{6}(?:-\w+)?)"
    r"(?P<end>\.\w+)"
)
#: iCloud appends a number, OneDrive the name of a computer, Dropbox words in brackets.
_PERHAPS = re.compile(
    r"(?P<stem>.+?)(?: \d{1,2}|-[A-Z][\w .'-]*| \([^()]+\))(?P<end>\.\w+)"
)
#: What editors and merges leave beside a file, which is not imported: backups, unsaved
#: text of Emacs, and that of vim, which is no text file.
_LEFT = (
    (re.compile(r"(.+\.\w+)(?:~|\.~\d+~|\.orig)"), "backup-copy"),
    (re.compile(r"#(.+\.\w+)#"), "backup-copy"),
    (re.compile(r"\.(.+\.\w+)\.sw[a-p]"), "swap-file"),
)
#: Share of the longer text that both texts of a conflict have at least.
_LEAST = 0.4


class Copy(NamedTuple):
    """The file that a name may be a copy of, and whether the name alone says so."""

    original: str
    is_said: bool


def original_of(path: str) -> Copy | None:
    """Return the file whose copy a path may be, in the same folder; None if none."""
    folder, slash, name = path.rpartition("/")
    if name.startswith(".#"):
        return Copy(f"{folder}{slash}{name[2:]}", is_said=True)
    for pattern in (_SAID, _PERHAPS):
        if found := pattern.fullmatch(name):
            original = f"{folder}{slash}{found['stem']}{found['end']}"
            return Copy(original, is_said=pattern is _SAID)
    return None


def backed_up(name: str) -> tuple[str, str]:
    """Return the file of a backup or swap file by its name, and the problem code.

    Both are empty for other names.
    """
    for pattern, code in _LEFT:
        if found := pattern.fullmatch(name):
            return found[1], code
    return "", ""


def is_alike(one: str, other: str) -> bool:
    """Return whether one text has every line of the other, or both much of the longer.

    Lines are weighed by their lengths.
    """
    lines = [
        {line.strip() for line in text.split("\n")} - {""} for text in (one, other)
    ]
    both, longer = lines[0] & lines[1], max(lines, key=_size)
    return (bool(both) and both in lines) or _size(both) > _LEAST * _size(longer)


def _size(lines: Iterable[str]) -> int:
    return sum(map(len, lines))
