"""Backups that unpack to more than the disk has, or than they declare."""

from __future__ import annotations

import json
import tarfile
import tracemalloc
from collections.abc import Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from memoryhub.backups.archive import declared_room, read_archive
from memoryhub.backups.restoring import NoRoom, restore, verify
from memoryhub.backups.sealing import Damaged
from memoryhub.backups.unpacked import declaration
from tests.backups.conftest import backed_up
from tests.running import refused

MB = 1024**2


def bomb(file: Path, sizes: Iterable[int], behind: bytes = b"") -> Path:
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
    file.write_bytes(file.read_bytes() + behind)
    return file


def state(data: Path) -> dict[str, bytes]:
    """Return the files of a data folder but for locks."""
    paths = [path for path in data.rglob("*") if path.is_file()]
    files = [path for path in paths if path.parent.name != "locks"]
    return {path.relative_to(data).as_posix(): path.read_bytes() for path in files}


def test_a_backup_for_a_larger_disk_is_refused_before_it_is_unpacked(
    hub: Path, tmp_path: Path
) -> None:
    file = bomb(tmp_path / "b.tar.gz", [9 * MB], declaration(2**60))
    before = state(hub)

    line = refused(hub, "restore", file, "--replace")

    assert "1,152,921,504,606.8 MB" in line and "free" in line and "--to" in line
    assert state(hub) == before and not list(hub.glob("*.draft"))


@pytest.mark.parametrize("sizes", [[9 * MB], [5 * MB, 5 * MB], [1] * 2000])
def test_one_that_holds_more_than_it_declares_is_stopped(
    hub: Path, tmp_path: Path, sizes: list[int]
) -> None:
    file, before = bomb(tmp_path / "b.tar.gz", sizes, declaration(6 * MB)), state(hub)

    with pytest.raises(Damaged, match="declares"):
        restore(file, hub, replace=True)
    assert state(hub) == before and not list(hub.glob("*.draft"))


def test_one_that_holds_less_than_it_declares_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="declares"):
        verify(bomb(tmp_path / "b.tar.gz", [MB], declaration(2 * MB)))


@pytest.mark.parametrize("sizes", [[60 * MB], [0] * 10_000])
def test_one_that_declares_nothing_is_measured_first(
    hub: Path, tmp_path: Path, sizes: list[int]
) -> None:
    file, before = bomb(tmp_path / "b.tar.gz", sizes), state(hub)

    with pytest.raises(NoRoom, match="nothing was changed"):
        restore(file, hub, replace=True, free=lambda data: 40 * MB)
    assert state(hub) == before and not list(hub.glob("*.draft"))


def test_a_backup_of_an_older_version_is_restored(hub: Path, tmp_path: Path) -> None:
    file = backed_up(hub, tmp_path / "b.tar.gz").path
    file.write_bytes(file.read_bytes()[: -len(declaration(0))])

    with file.open("rb") as source:
        assert declared_room(source) is None
    assert restore(file, tmp_path / "new").files > 1


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_a_backup_declares_the_room_that_its_files_take(
    hub: Path, tmp_path: Path, passphrase: str
) -> None:
    (hub / "uploads").mkdir()
    (hub / "uploads/large").write_bytes(bytes(300_000))
    file = backed_up(hub, tmp_path / "b.tar.gz", passphrase).path

    with file.open("rb") as source:
        declared = declared_room(source, passphrase)
    restore(file, tmp_path / "new", passphrase)

    used = sum(p.stat().st_blocks * 512 for p in (tmp_path / "new").rglob("*"))
    assert declared and declared > 300_000 and abs(used - declared) < MB


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
