"""Uploads are taken in with care: what would leave the folder is refused."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from memoryhub.sync import uploads
from memoryhub.sync.uploads import (
    UploadRefused,
    discard,
    merge_upload,
    take_files,
    take_zip,
)


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    out.seek(0)
    return out


def refusal(archive: io.BytesIO) -> str:
    with pytest.raises(UploadRefused) as raised:
        take_zip(archive, "x")
    return raised.value.code


def test_memory_files_are_unpacked_below_their_one_folder(hub_data: Path) -> None:
    upload = take_zip(
        zipped(("acme/memory/a.md", b"A\r\n\xff"), ("acme/run.sh", b"#!")), "file"
    )

    assert (upload.name, upload.files, upload.skipped) == ("acme", 1, 1)
    assert (upload.folder / "memory/a.md").read_bytes() == b"A\r\n\xff"
    assert not (upload.folder / "run.sh").exists()


def test_a_memory_folder_is_not_stripped(hub_data: Path) -> None:
    upload = take_zip(zipped(("memory/a.md", b"A")), "acme")

    assert upload.name == "acme"
    assert (upload.folder / "memory/a.md").is_file()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../../etc/a.md", "name-climbs"),
        ("memory/../../a.md", "name-climbs"),
        ("/etc/a.md", "name-absolute"),
        ("C:/a.md", "name-absolute"),
        ("..\\a.md", "name-climbs"),
    ],
)
def test_i2_names_that_leave_the_folder_are_refused(
    hub_data: Path, name: str, code: str
) -> None:
    assert refusal(zipped(("ok.md", b""), (name, b"x"))) == code
    assert not list((hub_data / "uploads").glob("*"))


def test_i2_links_are_refused(hub_data: Path) -> None:
    link = zipfile.ZipInfo("memory/a.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16

    assert refusal(zipped((link, b"/etc/passwd"))) == "holds-link"


def test_i2_more_than_two_gigabytes_are_refused(
    hub_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 10)

    assert refusal(zipped(("a.md", b"12345678901"))) == "too-large"


def test_i2_an_entry_that_lies_about_its_size_gives_no_more(hub_data: Path) -> None:
    archive = zipped(("a.md", b"x" * 5000))
    data = archive.getvalue()
    at = data.rfind(b"PK\x01\x02")
    lying = data[: at + 24] + struct.pack("<L", 10) + data[at + 28 :]

    assert refusal(io.BytesIO(lying)) == "zip-damaged"


def test_i2_a_hundred_thousand_files_are_refused(
    hub_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_ENTRIES", 3)

    assert refusal(zipped(*((f"{n}.md", b"") for n in range(4)))) == "too-many-files"


def test_an_upload_that_takes_too_long_is_refused_and_leaves_nothing(
    hub_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_SECONDS", 0)

    assert refusal(zipped(("a.md", b"a"))) == "too-slow"
    assert not list(uploads.uploads_folder().iterdir())


def test_i2_a_large_table_of_contents_is_refused_before_it_is_read(
    hub_data: Path,
) -> None:
    fake = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, 90_000_000, 0, 0)

    assert refusal(io.BytesIO(b"x" * 100 + fake)) == "too-many-files"


def test_i2_a_bomb_is_refused(hub_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_RATIO_COUNTS_FROM", 1000)

    assert refusal(zipped(("a.md", b"a" * 1_000_000))) == "bomb"


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x05\x06", b"PK\x03\x04" * 40])
def test_what_is_no_zip_is_refused(hub_data: Path, data: bytes) -> None:
    assert refusal(io.BytesIO(data)) == "zip-damaged"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_damaged_bytes_of_an_entry_are_refused(hub_data: Path, method: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("memory/a.md", random.Random(1).randbytes(2_000))
    data = bytearray(out.getvalue())
    data[41:60] = b"\xff" * 19

    assert refusal(io.BytesIO(bytes(data))) == "zip-damaged"


@pytest.mark.parametrize(
    "name", ["d/" * 3_000 + "a.md", f"{'d' * 100}/" * 60 + "a.md", "日/" * 400 + "a.md"]
)
def test_a_path_that_nobody_could_read_or_remove_is_refused(
    hub_data: Path, name: str
) -> None:
    assert refusal(zipped((name, b"x"))) == "cannot-keep"
    with pytest.raises(UploadRefused):
        take_files([(name, io.BytesIO(b"x"))], "x")
    assert not [*uploads.uploads_folder().glob("*")]


def test_a_zip_without_memory_is_refused(hub_data: Path) -> None:
    assert refusal(zipped(("a.exe", b"x"))) == "no-memory-files"


def test_a_file_in_the_place_of_a_folder_is_refused(hub_data: Path) -> None:
    assert refusal(zipped(("a.md", b""), ("a.md/b.md", b""))) == "cannot-keep"


def test_dependencies_are_left_out_of_a_folder(hub_data: Path) -> None:
    files = [("acme/a.md", b"A"), ("acme/node_modules/b.md", b"B")]

    upload = take_files([(path, io.BytesIO(data)) for path, data in files], "x")

    assert [p.name for p in upload.folder.iterdir()] == ["a.md"]


def test_merging_touches_only_what_differs_and_can_be_done_again(
    hub_data: Path,
) -> None:
    root = hub_data / "uploads/acme"
    root.mkdir(parents=True)
    for name, text in (("a.md", "same"), ("b.md", "old"), ("c.md", "own")):
        (root / name).write_text(text)
    before = (root / "a.md").stat().st_ino
    upload = take_zip(zipped(("a.md", b"same"), ("b.md", b"new")), "acme")

    merge_upload(upload.folder, root)
    merge_upload(upload.folder, root)

    assert [(root / f"{n}.md").read_text() for n in "abc"] == ["same", "new", "own"]
    assert (root / "a.md").stat().st_ino == before
    assert not upload.folder.exists()


def test_only_the_hubs_own_folders_are_ever_removed(
    hub_data: Path, workspace_root: Path
) -> None:
    (hub_data / "uploads").mkdir()

    discard(workspace_root)
    discard(hub_data / "uploads")
    discard(hub_data / "uploads" / ".." / ".." / "workspace-under-test")

    assert workspace_root.is_dir()
    assert (hub_data / "uploads").is_dir()
