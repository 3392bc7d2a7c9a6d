"""Lines of a workspace that its canonical export does not contain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.sync.export import ExportFile

#: Name of the list in a zip.
LIST = "left-out.txt"
#: Files whose bytes are read in one query.
_AT_ONCE = 50
_MARKS = re.compile(r"^[\s#>*+\-]*(?:\d+\.\s+)?(?:\[[ xX]\]\s+)?")


class LeftOut(NamedTuple):
    """A file with the number of lines left out of the export, and of all its lines."""

    path: str
    lines: int
    of: int


def left_out(workspace: Workspace, written: Iterable[bytes]) -> Iterator[LeftOut]:
    """Compare the present files with the written ones; yield files that lost lines.

    Marks of headings and lists are ignored, and lines are looked for in all files.
    """
    carried = {line for data in written for line in _lines(data)}
    present = SourceFile.objects.filter(workspace=workspace, present=True)
    rows = list(present.exclude(blob=None).order_by("path").values_list("path", "blob"))
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        texts = bytes_by_id([blob_id for _, blob_id in part])
        for path, blob_id in part:
            lines = _lines(texts.get(blob_id, b""))
            missing = sum(line not in carried for line in lines)
            if missing:
                yield LeftOut(path, missing, len(lines))


def with_left_out(
    workspace: Workspace, files: Iterable[ExportFile]
) -> Iterator[ExportFile]:
    """Yield files, then a list of their omissions, which no import reads."""
    written = []
    for file in files:
        written.append(file.data)
        yield file
    lost = [
        f"{path}: {lines} of {of} lines are not in this form\n"
        for path, lines, of in left_out(workspace, written)
    ]
    if lost:
        yield ExportFile(LIST, "".join(lost).encode("utf-8", "replace"))


def _lines(data: bytes) -> list[str]:
    lines = (_MARKS.sub("", line).strip() for line in decode(data).text.splitlines())
    return [line for line in lines if line]
