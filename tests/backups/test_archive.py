"""The file of a backup."""

from __future__ import annotations

import random
import tarfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from memoryhub.backups.archive import (
    Manifest,
    NeedsPassphrase,
    read_archive,
    write_archive,
)
from memoryhub.backups.sealing import Damaged, WrongPassphrase


def archived(folder: Path, passphrase: str = "") -> bytes:
    out = BytesIO()
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    files = [(path.relative_to(folder).as_posix(), path) for path in names]
    write_archive(out, files, lambda: {"made_at": "2026-11-22"}, passphrase)
    return out.getvalue()


def read(data: bytes, passphrase: str = "", into: Path | None = None) -> Manifest:
    return read_archive(BytesIO(data), passphrase, into=into)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "spool").mkdir(parents=True)
    (folder / "spool/one").write_bytes(random.Random(1).randbytes(300_000))
    (folder / "secret.key").write_text("secret")
    return folder


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_files_come_back_byte_for_byte(
    folder: Path, tmp_path: Path, passphrase: str
) -> None:
    manifest = read(archived(folder, passphrase), passphrase, tmp_path / "back")

    for name, member in manifest.members.items():
        data = (tmp_path / "back" / name).read_bytes()
        assert (data, len(data)) == ((folder / name).read_bytes(), member.size)
    assert manifest.facts == {"made_at": "2026-11-22"}


def test_without_a_passphrase_any_tar_unpacks_it(folder: Path) -> None:
    with tarfile.open(fileobj=BytesIO(archived(folder))) as tar:
        assert tar.getnames() == ["secret.key", "spool/one", "manifest.json"]


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_no_flipped_bit_gives_other_files(folder: Path, passphrase: str) -> None:
    good, chance = archived(folder, passphrase), random.Random(3)
    whole = read(good, passphrase)
    for at in [*range(10), *(chance.randrange(len(good)) for _ in range(12))]:
        data = bytearray(good)
        data[at] ^= 1 << chance.randrange(8)
        with suppress(Damaged, WrongPassphrase):
            # The time and the name of the system in gzip's header mean nothing.
            assert read(bytes(data), passphrase) == whole and at < 10


@pytest.mark.parametrize("left", [0, 5, 1000, 200_000, -1, -9])
def test_what_is_cut_off_is_damaged(folder: Path, left: int) -> None:
    with pytest.raises(Damaged):
        read(archived(folder)[:left])


def test_something_behind_it_is_damage(folder: Path) -> None:
    with pytest.raises(Damaged):
        read(archived(folder) + b"more")


def test_an_encrypted_one_asks_for_its_passphrase(folder: Path) -> None:
    with pytest.raises(NeedsPassphrase):
        read(archived(folder, "correct horse"))


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out"])
def test_no_name_leaves_the_folder(tmp_path: Path, name: str) -> None:
    out, path = BytesIO(), tmp_path / "x"
    path.write_text("x")
    write_archive(out, [(name, path)], dict)

    with pytest.raises(Damaged):
        read(out.getvalue(), into=tmp_path / "deep" / "folder")
    assert not (tmp_path / "out").exists() and not (tmp_path / "deep/out").exists()


def test_a_link_is_no_file_of_a_backup(tmp_path: Path) -> None:
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        link = tarfile.TarInfo("secret.key")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)

    with pytest.raises(Damaged):
        read(out.getvalue(), into=tmp_path)
