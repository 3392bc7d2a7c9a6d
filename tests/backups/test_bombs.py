"""Backups that unpack to more than the disk has."""

from __future__ import annotations

import json
import tarfile
import tracemalloc
from collections.abc import Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from memoryhub.backups.archive import read_archive
from memoryhub.backups.restoring import Refused, restore, verify
from memoryhub.backups.sealing import Damaged, SealedReader, SealedWriter
from tests.backups.conftest import backed_up

MB = 1024**2
DECLARATION = bytes.fromhex(
    "1f8b080400000000 00ff0c00 4d480800 0000100000000000 0300"
) + bytes(8)


def bomb(file: Path, sizes: Iterable[int]) -> Path:
    """Write a foreign archive of zeros, with a true manifest."""
    members = {}
    with tarfile.open(file, "w:gz", compresslevel=9) as tar:
        for number, size in enumerate(sizes):
            entry = tarfile.TarInfo(f"uploads/{number}")
            entry.size, zeros = size, bytes(size)
            tar.addfile(entry, BytesIO(zeros))
            members[entry.name] = (size, sha256(zeros).hexdigest())
        facts = {"format": 1, "made_at": "2026-11-20", "members": members}
        entry = tarfile.TarInfo("manifest.json")
        entry.size = len(raw := json.dumps(facts).encode())
        tar.addfile(entry, BytesIO(raw))
    return file


def state(data: Path) -> dict[str, bytes]:
    """Return the files of a data folder but for locks."""
    paths = [path for path in data.rglob("*") if path.is_file()]
    files = [path for path in paths if path.parent.name != "locks"]
    return {path.relative_to(data).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("sizes", [[60 * MB], [0] * 10_000])
def test_one_for_a_larger_disk_is_refused_before_it_is_unpacked(
    hub: Path, tmp_path: Path, sizes: list[int]
) -> None:
    file, before = bomb(tmp_path / "b.tar.gz", sizes), state(hub)

    with pytest.raises(Refused, match="nothing was changed"):
        restore(file, hub, replace=True, free=lambda data: 40 * MB)
    assert state(hub) == before and not list(hub.glob("*.draft"))


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_one_of_an_older_version_is_restored(
    hub: Path, tmp_path: Path, passphrase: str
) -> None:
    """Those ended with a member of gzip that declared their size."""
    file = backed_up(hub, tmp_path / "b.tar.gz", passphrase).path
    with file.open("rb") as source:
        packed = (SealedReader(source, passphrase) if passphrase else source).read()
    with file.open("wb") as source:
        out = SealedWriter(source, passphrase) if passphrase else source
        out.write(packed + DECLARATION)
        if isinstance(out, SealedWriter):
            out.close()

    assert restore(file, tmp_path / "new", passphrase)["files"] > 1


def test_the_room_of_a_backup_is_what_its_files_take(hub: Path, tmp_path: Path) -> None:
    (hub / "uploads").mkdir()
    (hub / "uploads/large").write_bytes(bytes(300_000))
    file = backed_up(hub, tmp_path / "b.tar.gz").path
    room = verify(file).room
    restore(file, tmp_path / "new")

    used = sum(p.stat().st_blocks * 512 for p in (tmp_path / "new").rglob("*"))
    assert room > 300_000 and abs(used - room) < MB


def test_a_header_of_any_size_takes_no_memory(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.XHDTYPE, 200 * MB
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        tar.addfile(entry, BytesIO(bytes(200 * MB)))

    tracemalloc.start()
    with pytest.raises(Damaged):
        read_archive(BytesIO(out.getvalue()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * MB
