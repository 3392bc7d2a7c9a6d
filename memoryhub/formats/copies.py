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
#: What people call a copy that they make by hand, or a file manager for them.
_MADE = re.compile(
    r"(?:Copy of (?P<of>.+)|(?P<stem>.+?) (?:- )?(?:copy|kopie)(?: ?\(?\d+\)?)?)"
    r"(?P<end>\.\w+)",
    re.IGNORECASE,
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


class Copy(NamedTuple):
    """The file that a name may be a copy of, and how alike both have to be.

    `least` is the share of the longer text that both have; 0: the name alone says it.
    """

    original: str
    least: float


def original_of(path: str) -> Copy | None:
    """Return the file whose copy a path may be, in the same folder; None if none."""
    folder, slash, name = path.rpartition("/")
    if name.startswith(".#"):
        return Copy(f"{folder}{slash}{name[2:]}", least=0)
    for pattern, least in ((_SAID, 0), (_MADE, 0.6), (_PERHAPS, 0.4)):
        if found := pattern.fullmatch(name):
            stem = found.groupdict().get("of") or found["stem"]
            return Copy(f"{folder}{slash}{stem}{found['end']}", least)
    return None


def backed_up(name: str) -> tuple[str, str]:
    """Return the file of a backup or swap file by its name, and the problem code.

    Both are empty for other names.
    """
    for pattern, code in _LEFT:
        if found := pattern.fullmatch(name):
            return found[1], code
    return "", ""


def is_alike(one: str, other: str, least: float) -> bool:
    """Return whether one text has every line of the other, or both a share.

    Lines are weighed by their lengths.
    """
    lines = [
        {line.strip() for line in text.split("\n")} - {""} for text in (one, other)
    ]
    both, longer = lines[0] & lines[1], max(lines, key=_size)
    return (bool(both) and both in lines) or _size(both) > least * _size(longer)


def _size(lines: Iterable[str]) -> int:
    return sum(map(len, lines))
