"""A program that swaps a folder with a link to another one while files are written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from memoryhub.disk.files import FileError
from memoryhub.disk.places import Place, append_bytes, read_file
from memoryhub.disk.replacing import remove_file, replace_file

#: Exchanges two names, again and again, until it is killed.
_SWAPPER = """
import ctypes, os, sys, time
swap = ctypes.CDLL(None).renameat2
names = [os.fsencode(name) for name in sys.argv[1:]]
print("ready", flush=True)
while True:
    swap(-100, names[0], -100, names[1], 2)
    time.sleep(0.00005)
"""


@contextmanager
def swapping(folder: Path, link: Path) -> Iterator[None]:
    command = [sys.executable, "-S", "-c", _SWAPPER, str(folder), str(link)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        assert swapper.stdout
        assert swapper.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            swapper.kill()


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder outside that has files of the names that are tried."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}.md").write_bytes(b"outside")
    return folder


@pytest.mark.parametrize(
    "tries", [3_000, pytest.param(100_000, marks=pytest.mark.soak)]
)
def test_no_write_leaves_the_root_by_a_link_that_comes_and_goes(
    tmp_path: Path, outside: Path, tries: int
) -> None:
    root = tmp_path / "root"
    (root / "memory/r").mkdir(parents=True)
    (root / "link").symlink_to(outside)
    done = 0

    with swapping(root / "memory/r", root / "link"):
        for number in range(tries):
            with suppress(FileError):
                write_any(Place(root, f"memory/r/{number % 10}.md"), number)
                done += 1

    assert 0 < done < tries
    assert {file.read_bytes() for file in outside.iterdir()} == {b"outside"}
    assert len(list(outside.iterdir())) == 10
    assert not list(root.rglob(".*"))


def write_any(place: Place, number: int) -> None:
    """Write a file in one of all ways, by turns; what is outside is never read."""
    if place.status() is None:
        replace_file(place, b"%d" % number, expected=None)
        return
    found = read_file(place)
    assert found.data != b"outside"
    match number // 10 % 3:
        case 0:
            append_bytes(place, b" more", expected=found.sha256)
        case 1:
            replace_file(place, b"%d" % number, expected=found.sha256)
        case _:
            remove_file(place, expected=found.sha256)
