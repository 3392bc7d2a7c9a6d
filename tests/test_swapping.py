"""Files that change names at once, also where a system has only the plain way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memoryhub.disk import swapping
from memoryhub.disk.swapping import exchange, wait_for_writers


@pytest.fixture(params=["whole", "plain"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all that the system offers, or nothing of it."""
    if request.param == "plain":
        monkeypatch.setattr(swapping, "_renameat2", None)
        monkeypatch.setattr(swapping, "_lease", None)


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@pytest.mark.usefixtures("system")
def test_two_files_change_names(tmp_path: Path) -> None:
    one, other = tmp_path / "one.md", tmp_path / "other.md"
    one.write_bytes(b"1")
    other.write_bytes(b"2")

    with opened(tmp_path) as folder:
        exchange(folder, "one.md", "other.md")

    assert (one.read_bytes(), other.read_bytes()) == (b"2", b"1")
    assert sorted(tmp_path.iterdir()) == [one, other]


@pytest.mark.usefixtures("system")
def test_a_file_that_is_not_there_is_not_exchanged(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_bytes(b"1")

    with opened(tmp_path) as folder, pytest.raises(FileNotFoundError):
        exchange(folder, "one.md", "gone.md")

    assert (tmp_path / "one.md").read_bytes() == b"1"


@pytest.mark.usefixtures("system")
def test_nobody_is_waited_for_where_nobody_writes(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_bytes(b"1")

    with (tmp_path / "one.md").open("rb") as file:
        wait_for_writers(file.fileno(), 60)
