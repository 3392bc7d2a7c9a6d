"""`memoryhub backup`, in real processes on a real hub."""

from __future__ import annotations

import json
import stat
import tarfile
import threading
from pathlib import Path

import pytest

from memoryhub.backups.contents import Unsound, check_sound
from memoryhub.backups.restoring import restore, verify
from memoryhub.backups.taking import Exists
from tests.appending import appending
from tests.backups.conftest import backed_up
from tests.browser.hub import copy_hub, serving_hub
from tests.running import done, killed_at, on_full_disk, refused, run
from tests.waiting import wait_for


def backups_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("memoryhub-*"))


def test_a_backup_is_one_verified_file_for_its_owner(hub: Path, tmp_path: Path) -> None:
    told = json.loads(done(hub, "backup", tmp_path / "out", "--json"))

    (file,) = backups_in(tmp_path / "out")
    assert told["path"] == str(file) and told["bytes"] == file.stat().st_size
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "notes" in done(hub, "restore", file, "--check")
    assert not [path.name for path in hub.iterdir() if path.name.endswith(".draft")]


def test_it_holds_what_is_not_made_anew(hub: Path, tmp_path: Path) -> None:
    (hub / "spool").mkdir(exist_ok=True)
    (hub / "spool/1-abc").write_bytes(b"an event")
    (hub / "uploads/one").mkdir(parents=True)
    (hub / "uploads/one/MEMORY.md").write_text("# up\n")
    file = tmp_path / "mine.tar.gz"

    backed_up(hub, file)

    with tarfile.open(file) as tar:
        names = set(tar.getnames())
    assert {"memoryhub.sqlite3", "secret.key", "spool/1-abc"} <= names
    assert "uploads/one/MEMORY.md" in names
    assert not [name for name in names if name.startswith(("search", "locks"))]


def test_a_file_that_is_there_is_not_written_over(hub: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.tar.gz"
    file.write_text("precious")

    with pytest.raises(Exists):
        backed_up(hub, file)
    assert file.read_text() == "precious"


def test_older_backups_of_this_hub_alone_are_removed(hub: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    other = out / "memoryhub-00000000-20200101T000000Z.tar.gz"
    other.write_text("of another hub")
    for _ in range(3):
        newest = backed_up(hub, out)

    last = backed_up(hub, out, keep=2)

    assert set(backups_in(out)) == {other, newest.path, last.path}


def test_backups_under_writes_are_all_sound(made_hub: Path, tmp_path: Path) -> None:
    folder = copy_hub(made_hub, tmp_path / "hub")
    data, log = folder / "data", folder / "notes/memory/2026-11-20.md"
    files = [tmp_path / f"{number}.tar.gz" for number in range(6)]
    with serving_hub(folder, watch=True), appending(log) as writer:
        for file in files:
            backed_up(data, file)
        wait_for(lambda: writer.poll() is not None)

    for number, file in enumerate(files):
        restore(file, to := tmp_path / str(number))
        check_sound(to / "memoryhub.sqlite3")
    done(to, "sync")
    examined = json.loads(run(to, "doctor", "--json").stdout)
    assert examined["holds"], examined


def test_a_damaged_database_is_not_backed_up(hub: Path, tmp_path: Path) -> None:
    backed_up(hub, tmp_path / "out", keep=1)
    kept = backups_in(tmp_path / "out")
    with (hub / "memoryhub.sqlite3").open("r+b") as file:
        file.seek(40 * 4096)
        file.write(b"\xff" * 4096 * 8)

    with pytest.raises(Unsound):
        backed_up(hub, tmp_path / "out", keep=1)
    assert "doctor --repair" in refused(hub, "backup", tmp_path / "out", "--keep", 1)
    assert backups_in(tmp_path / "out") == kept


def test_a_full_disk_leaves_nothing_behind(hub: Path, tmp_path: Path) -> None:
    told = on_full_disk(30_000, lambda: backed_up(hub, tmp_path / "out"))

    assert told.startswith(("OSError", "OperationalError")), told
    assert not list((tmp_path / "out").iterdir()) and not list(hub.glob("*.draft"))


@pytest.mark.parametrize("call", ["os.fsync", "os.link", "os.unlink", "zlib.crc32"])
@pytest.mark.parametrize("number", [1, 2, 40])
def test_a_killed_backup_leaves_none_that_looks_whole(
    hub: Path, tmp_path: Path, call: str, number: int
) -> None:
    out = tmp_path / "out"
    killed_at(call, number, lambda: backed_up(hub, out))
    for file in backups_in(out):
        verify(file)

    backed_up(hub, out)

    assert not list(out.glob(".*")) and not list(hub.glob("*.draft"))


def test_two_at_once_are_two_backups(hub: Path, tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=backed_up, args=(hub, tmp_path / "out"))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(backups_in(tmp_path / "out")) == 2


def test_a_passphrase_file_encrypts(hub: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("correct horse\n")
    done(hub, "backup", tmp_path / "out", "--passphrase-file", secret)

    (file,) = backups_in(tmp_path / "out")
    assert b"SQLite" not in file.read_bytes() and file.name.endswith(".sealed")
    done(hub, "restore", file, "--check", "--passphrase-file", secret)
    assert "passphrase" in refused(hub, "restore", file, "--check")
    wrong = {"MEMORYHUB_BACKUP_PASSPHRASE": "correct mule"}
    assert "wrong" in refused(hub, "restore", file, "--check", env=wrong)


def test_asked_to_encrypt_without_a_passphrase_it_refuses(
    hub: Path, tmp_path: Path
) -> None:
    assert "--passphrase-file" in refused(hub, "backup", tmp_path, "--encrypt")
