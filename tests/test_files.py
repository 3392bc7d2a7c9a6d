from __future__ import annotations

import multiprocessing
import os
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub.disk.files import disk_path, locked, text_path

NAMES = [
    b"plain.md",
    "日志.md".encode(),
    b"latin-\xe9.md",
    b"\xff\xfe.md",
    "private-\uf7e9-use.md".encode(),
    "both-\uf7e9-".encode() + b"\xe9.md",
    "emoji 🎉.md".encode(),
]


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@pytest.mark.parametrize("name", NAMES)
def test_any_name_becomes_text_and_comes_back(name: bytes) -> None:
    text = text_path(os.fsdecode(name))

    assert text.encode().decode() == text
    assert os.fsencode(disk_path(text)) == name


def test_different_names_stay_different_as_text() -> None:
    texts = {text_path(os.fsdecode(name)) for name in NAMES}

    assert len(texts) == len(NAMES)


def _hold(path: Path, held: threading.Event, release: threading.Event) -> None:
    with locked(path):
        held.set()
        release.wait(60)


def test_a_lock_is_waited_for_by_other_processes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    held, release = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(tmp_path / "lock", held, release))
    holder.start()
    assert held.wait(60)
    entered = threading.Event()

    def enter() -> None:
        with locked(tmp_path / "lock"):
            entered.set()

    waiting = threading.Thread(target=enter)
    waiting.start()
    assert not entered.wait(0.1)
    release.set()
    waiting.join(60)

    assert entered.is_set()
    holder.join()
