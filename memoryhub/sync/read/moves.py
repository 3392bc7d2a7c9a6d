"""Moved files: new files with the bytes of a missing one, or with most of its text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from unicodedata import normalize

from memoryhub.disk.files import UnreadableFile
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.likeness import continued
from memoryhub.journal.blobs import bytes_by_hash
from memoryhub.sync.read.reader import place_at, read_saved
from memoryhub.sync.scan.plan import KnownFile, SyncPlan

#: Bytes: larger files, and those beyond a total, move only unchanged.
_LARGEST, _IN_ALL = 1_000_000, 16_000_000
#: Files that stay, compared to recognise text that many files have.
_OTHERS, _OTHER_BYTES = 60, 2_000_000


def find_moves(
    root: Path, plan: SyncPlan, known: Mapping[str, KnownFile], limit: int
) -> dict[str, str]:
    """Return the missing file that each moved file was, by its new path.

    Another Unicode form of the name first, then equal bytes, and of these those of
    equal name; then texts that are alike. An empty file never moves. Files of more than
    `limit` bytes are not read.
    """
    come = [file.path for file in plan.read if file.path not in known]
    if not come or not plan.gone:
        return {}
    hashes, texts = _read(root, come, limit)
    left = {path: known[path].sha256 for path in plan.gone if known[path].size}
    forms = {normalize("NFC", path): path for path in left if not path.isascii()}
    found = ((path, forms.get(normalize("NFC", path))) for path in hashes)
    moves = {path: before for path, before in found if before}
    left = {path: sha for path, sha in left.items() if path not in moves.values()}
    moves |= _equal({p: sha for p, sha in hashes.items() if p not in moves}, left)
    new = {path: text for path, text in texts.items() if path not in moves}
    sizes = {path: known[path].size for path in left.keys() - set(moves.values())}
    old = _stored(_within(sizes, _IN_ALL), known)
    if old and new:
        moves |= continued(
            old, new, _stored(_others(plan, known, come), known).values()
        )
    return moves


def _read(
    root: Path, paths: Iterable[str], limit: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the hashes of files by path, and the texts of those not too large."""
    hashes, texts, size = {}, {}, 0
    for path in paths:
        try:
            data = read_saved(place_at(root, path), 0, limit)
        except UnreadableFile:
            continue
        if data.size:
            hashes[path] = data.sha256
            size += data.size
        if 0 < data.size <= _LARGEST and size <= _IN_ALL:
            texts[path] = _text_of(data.data)
    return hashes, texts


def _equal(come: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """Pair new and missing files of equal hashes; those of equal names first."""
    candidates: dict[str, list[str]] = {}
    for path, digest in gone.items():
        candidates.setdefault(digest, []).append(path)
    moves: dict[str, str] = {}
    for by_name in (True, False):
        for path in sorted(come.keys() - moves):
            found = candidates.get(come[path], [])
            fitting = [p for p in found if not by_name or _name(p) == _name(path)]
            if fitting:
                moves[path] = fitting[0]
                found.remove(fitting[0])
    return moves


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _within(sizes: Mapping[str, int], most: int) -> Iterator[str]:
    """Yield the paths of files that are not too large, up to a total of bytes."""
    size = 0
    for path in sorted(sizes):
        size += sizes[path]
        if sizes[path] <= _LARGEST and size <= most:
            yield path


def _others(
    plan: SyncPlan, known: Mapping[str, KnownFile], come: Collection[str]
) -> Iterator[str]:
    """Yield remaining files with the name or folder of a removed or added one."""
    moved = [*plan.gone, *come]
    names = {_name(path) for path in moved}
    folders = {path.rpartition("/")[0] for path in moved}
    near = [
        path
        for path in sorted(known.keys() - set(plan.gone))
        if _name(path) in names or path.rpartition("/")[0] in folders
    ]
    some = near[:: len(near) // _OTHERS + 1]
    return _within({path: known[path].size for path in some}, _OTHER_BYTES)


def _stored(paths: Iterable[str], known: Mapping[str, KnownFile]) -> dict[str, str]:
    """Return the recorded texts of files; without those whose bytes are gone."""
    wanted = {path: known[path].sha256 for path in paths}
    data = bytes_by_hash(set(wanted.values()))
    return {path: _text_of(data[d]) for path, d in wanted.items() if d in data}


def _text_of(data: bytes) -> str:
    return decode(data).text
