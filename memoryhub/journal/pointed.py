"""Notes that a workspace's ``MEMORY.md`` points to: memory, wherever they lie."""

from __future__ import annotations

from posixpath import normpath

from memoryhub.formats.optimizer import memory_index
from memoryhub.formats.text.decoding import decode
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Revision
from memoryhub.journal.prepared import Prepared

_INDEX = "MEMORY.md"
#: Blobs of the index of a workspace, up to a seq, newest first.
_VERSIONS: Prepared[int | None] = Prepared(
    lambda workspace_id, until: (
        Revision.objects.filter(workspace_id=workspace_id, path=_INDEX, seq__lte=until)
        .order_by("-seq")
        .values_list("blob_id", flat=True)[:1]
    ),
    int,
    int,
)
_NEWEST = 2**62


def pointed_notes(workspace_id: int, until: int = _NEWEST) -> frozenset[str]:
    """Return the paths that the root's ``MEMORY.md`` names, in its version at a seq."""
    blobs = [blob for blob in _VERSIONS(workspace_id, until) if blob is not None]
    pointers = (
        pointer
        for data in bytes_by_id(blobs).values()
        for pointer in memory_index.parse(decode(data).text).pointers
    )
    return frozenset(normpath(pointer.target) for pointer in pointers)
